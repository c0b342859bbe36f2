"""Broken JSON that is there as a whole: the value that it stands for, or its text with what is missing at the end."""

from __future__ import annotations

import re

from toolect._shapes.mend import FENCE, MAX_REPAIR, Mender
from toolect._shapes.mendable import Mendable
from toolect._shapes.shape_events import Arguments, ShapeEvent
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.json_lexemes import Broken
from toolect._values.text_values import NOTHING, read_json
from toolect.message import Json

_BLANKS = " \t\r\n"
_REST = re.compile(r"[\s\]}]*(?:```\s*)?\Z")
"""What may stand too many behind a value."""


def mended(text: str) -> Json:
    """The value that `text` stands for, broken JSON. Raises ValueError where there is none."""
    if len(text) > MAX_REPAIR:
        raise ValueError("beyond repair")
    found: list[Json] = []

    def take(event: ShapeEvent) -> None:
        if type(event) is Arguments:
            found.append(event.value)

    reader = Mendable(Hole(HoleKind.ARGUMENTS), take, plain=True)
    fence = FENCE.match(text)
    start = 0 if fence is None else fence.end()
    try:
        try:
            end = reader.feed(text, start, 0, True)
            if not reader.done:
                raise Broken(end, "expected more")
        except Broken as broken:
            whole = _closed(text, reader.start, broken.at)
            if whole is not NOTHING:
                return whole
            end = Mender(reader, text).read(broken)
    except Broken as broken:
        raise ValueError(str(broken)) from None
    if not found or _REST.match(text, end) is None:
        raise ValueError("expected one value")
    return found[0]


def _closed(text: str, start: int, at: int) -> Json:
    """The value of `text`, where just the last quote is missing of the string that begins at index `start`.

    Reading broke at index `at`: in the string, which goes on to the end of a line or of the text, or after the quote
    that begins the next one. `NOTHING` where that is not what is wrong.
    """
    line = text.find("\n", start + 1)
    said = text[start + 1 : at].rstrip(_BLANKS + '"')
    for end in (
        start + len(said) if said.endswith(",") else -1,
        start + 1 + len(text[start + 1 : line].rstrip(_BLANKS).removesuffix(",")) if line >= 0 else -1,
        start + 1 + len(text[start + 1 :].rstrip(_BLANKS + "}]")),
    ):
        value = read_json(f'{text[:end]}"{text[end:]}') if 0 <= start < end else NOTHING
        if value is not NOTHING:
            return value
    return NOTHING


_PIECE = re.compile(r'"(?:[^"\\]++|\\.)*+(")?|[{}\[\]]', re.DOTALL)
_OPEN_KEY = re.compile(r'(?:,\s*)?"(?:[^"\\]++|\\.)*+"\s*:\s*\Z', re.DOTALL)


def completed_text(text: str) -> str:
    """The JSON text that begins with `text`, where nothing more is to come: a key without a value is left out."""
    opened: list[str] = []
    last = 0  # where the last string begins
    for match in _PIECE.finditer(text):
        char = match[0][0]
        if char == '"':
            last = match.start()
            if match[1] is None:
                text += '"'
        elif char in "{[":
            opened.append("}" if char == "{" else "]")
        elif opened:
            opened.pop()
    before = text[:last].rstrip()
    if _OPEN_KEY.match(text, last):
        text = before.removesuffix(",")
    return text + "".join(reversed(opened))
