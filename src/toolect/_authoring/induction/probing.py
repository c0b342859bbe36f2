"""Rows of a chat template: it is asked with known words, so what it writes has its truth."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from toolect._authoring.induction.equations import tokens
from toolect._authoring.induction.labeled_rows import Row
from toolect._message import Call, Message
from toolect.chat_template import turns
from toolect.chat_template.probes import PROBES, SIGNS, Style, TemplateProbe
from toolect.chat_template.turn import Turn

MAX_HEADER = 80
"""Characters at the end of a prompt that may open the reasoning."""


def template_rows(source: str, probes: Sequence[TemplateProbe] = (*PROBES, SIGNS)) -> tuple[list[Row], Style | None]:
    """What a template writes for the probes, in the first way in which it writes calls. Raises TemplateError."""
    found = turns(source, probes)[0]
    texts = [turn.text for turn in found]
    texts = [  # behind an end token stands what a model does not write
        text.rstrip() if re.fullmatch(r"<[^<>\s]+>", (tokens(text.rstrip()) or [""])[-1]) else text for text in texts
    ]
    rows = [
        Row(number, text, _visible(turn), _opened(turn))
        for number, (turn, text) in enumerate(zip(found, texts, strict=True), 1)
    ]
    return rows, found[0].style


def _visible(turn: Turn) -> Message:
    """What was put in, without ids that the template leaves out."""
    segments = turn.message.segments
    return Message(
        [
            replace(one, id=None) if isinstance(one, Call) and (one.id or "") not in turn.text else one
            for one in segments
        ]
    )


def _opened(turn: Turn) -> str:
    """The end of the prompt that has begun the reasoning of an answer; also of one that has closed it again."""
    thought = turn.message.reasoning
    before, _, after = turn.text.partition(thought or turn.text)
    if not thought or before.strip():
        return ""
    prompt = turn.asked if turn.asked.startswith(turn.prompt) else turn.prompt
    parts = tokens(after)
    at = next((i for i, part in enumerate(parts) if part.strip()), 0)
    closed = prompt.rfind("".join(parts[: at + 1]), max(len(prompt) - MAX_HEADER, 0))
    prompt = prompt[:closed] if closed >= 0 else prompt
    tags = [*re.finditer(r"<[^/<>]*>|\[[^/\[\]]*\]", prompt[-MAX_HEADER:])]
    return prompt[-MAX_HEADER:][tags[-1].start() :] if tags else ""
