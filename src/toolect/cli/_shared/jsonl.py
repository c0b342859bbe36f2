"""Many messages as JSON lines: one object out for each line in, whatever the line holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from toolect.cli._shared.io import BadInput, emit_json, lines, note
from toolect.message import Json

Work: TypeAlias = Callable[[Json], tuple[dict[str, Json], bool]]
"""From a line's value to the object to write, and whether it is clean."""


def each(path: str, limit: int, work: Work) -> int:
    """Runs `work` over the lines; a line that cannot be used becomes `{"line": number, "error": why}`."""
    total = bad = 0
    for number, record in lines(path, limit):
        total += 1
        try:
            if isinstance(record, BadInput):
                raise record
            out, clean = work(record)
        except ValueError as error:
            out, clean = {"line": number, "error": str(error)}, False
        bad += not clean
        emit_json(out)
    if bad:
        note(f"{bad} of {total} messages have problems: see `error`, `status` and `losses` in the output")
    return int(bad > 0)


def text_of(record: Json) -> str:
    """The wire text of a line: a string, or an object's `text`."""
    text = record.get("text") if isinstance(record, dict) else record
    if not isinstance(text, str):
        what = "null" if text is None else f"`{type(text).__name__}`"
        raise BadInput(f'expected a string or an object with "text", got {what}')
    return text
