"""Rows of a chat template: it is asked with known words, so what it writes has its truth."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect.authoring.induction.equations import tokens
from toolect.authoring.induction.rows import Row
from toolect.chat_template import turns
from toolect.chat_template.probes import PROBES, SIGNS, Probe, Style
from toolect.chat_template.turn import Turn

MAX_HEADER = 8
"""Tokens at the end of a prompt that may open the reasoning."""


def template_rows(source: str, probes: Sequence[Probe] = (*PROBES, SIGNS)) -> tuple[list[Row], Style | None]:
    """What a template writes for the probes, in the first way in which it writes calls. Raises BadTemplate."""
    found = turns(source, probes)[0]
    texts = [turn.text for turn in found]
    texts = [  # behind an end token stands what a model does not write
        text.rstrip() if re.fullmatch(r"<[^<>\s]+>", (tokens(text.rstrip()) or [""])[-1]) else text for text in texts
    ]
    rows = [
        Row(number, text, turn.message, _opened(turn))
        for number, (turn, text) in enumerate(zip(found, texts, strict=True), 1)
    ]
    return rows, found[0].style


def _opened(turn: Turn) -> str:
    """The end of the prompt that has begun the reasoning of an answer."""
    thought = turn.message.reasoning
    if not thought or turn.text[: turn.text.find(thought)].strip():
        return ""
    if turn.asked.startswith(turn.prompt) and (asked := turn.asked.removeprefix(turn.prompt).lstrip("\n")).strip():
        return asked
    parts = tokens(turn.prompt)[-MAX_HEADER:]
    tags = [i for i, part in enumerate(parts) if re.fullmatch(r"<[^/].*|\[[^/].*", part)]
    return "".join(parts[tags[-1] :]) if tags else ""
