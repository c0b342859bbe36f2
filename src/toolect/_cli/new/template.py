"""Rows of a chat template, which is asked with known words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolect._cli._shared.io import Misuse, read, shown

if TYPE_CHECKING:
    from toolect._authoring.induction import Row

MAX_TEMPLATE = 1 << 22
"""Bytes of a chat template, or of the configuration that holds it."""


def rows_of(file: str) -> list[Row]:
    """What the template of a jinja file, or of a tokenizer_config.json, writes for known words."""
    from toolect._authoring.induction.probing import template_rows
    from toolect.chat_template import TemplateError, template_of

    try:
        return template_rows(template_of(read(file, MAX_TEMPLATE), file.endswith(".json")))[0]
    except TemplateError as error:
        raise Misuse(f"{error} - in {shown(file)}") from None
