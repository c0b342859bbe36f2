"""Broken JSON made whole: a bracket too few or too many, a comma too many, by what is there; all else by json-repair.

json-repair looks at every character of a string, some of them again and again. So it gets to see a sign for each long
string that has both its quotes, and no answer may take more than `MAX_EFFORT` of it.
"""

from __future__ import annotations

import re
from typing import Any

from toolect._values.json_lexemes import MAX_DEPTH, bracket_depth, forgiving
from toolect.message import Json

MAX_REPAIR = 1 << 17
"""Characters of broken JSON that a repair is tried on. Beyond it: `malformed`."""
MAX_EFFORT = 500_000
"""How often json-repair may look at a character of one answer, at each of them four times. Beyond it: `malformed`."""

_AT_LEAST = 4
"""What a character counts for that json-repair looks at once: its own work is more than looking."""
_LONG = 32
"""Characters of a string that are worth a sign in its place."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\(?s:.))*+("(?=\s*+(?:[,:}\]]|\Z)))?|[{}\[\]]|,\s*+(?=[}\]]|\Z)')
"""A string, its last quote as a group if what may follow one does; a bracket; a comma with nothing after it."""
_CLOSERS = {"{": "}", "[": "]", '"': '"'}
_SIGN = re.compile("\ue000([0-9]+)\ue001")


class Effort:
    """What may still be spent on the broken JSON of an answer."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_EFFORT


def mended(text: str, effort: Effort, cut: bool = False) -> Json:
    """The value that `text` stands for, broken JSON, perhaps just `cut` off. Raises ValueError where there is none."""
    if len(text) > MAX_REPAIR or bracket_depth(text) > MAX_DEPTH:
        raise ValueError("beyond repair")
    plain = _closed(text, cut)
    if plain is not None:
        try:
            return forgiving(plain)
        except (ValueError, RecursionError):
            pass  # something else is wrong, too
    short, strings = _shortened(text)
    effort.left -= _AT_LEAST * len(short)
    if effort.left < 0:
        raise ValueError("beyond repair")
    import json_repair

    try:
        value: Json = json_repair.loads(_Metered(short, effort))
    except (AssertionError, RecursionError) as error:  # it stumbles over itself, or over the depth
        raise ValueError("beyond repair") from error
    return _restored(value, strings)


def _closed(text: str, cut: bool) -> str | None:
    """`text` with every bracket closed, and without closers and commas too many; None where that is not so clear.

    A string without an end is closed, too, where the text was `cut` off.
    """
    pieces: list[str] = []
    opened: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text):
        at, end, char = match.start(), match.end(), text[match.start()]
        if char == '"':
            if match[1] is None:
                if not cut:
                    return None
                opened.append(char)
        elif char in "{[":
            opened.append(char)
            if len(opened) > MAX_DEPTH:
                return None
        elif char == ",":
            pieces.append(text[last:at])
            last = end
        elif any(_CLOSERS[opener] == char for opener in opened):
            missing = []
            while _CLOSERS[opener := opened.pop()] != char:
                missing.append(_CLOSERS[opener])
            pieces += text[last:at], *missing
            last = at
        else:
            pieces.append(text[last:at])
            last = end
    pieces.append(text[last:])
    pieces += (_CLOSERS[opener] for opener in reversed(opened))
    return "".join(pieces)


def _shortened(text: str) -> tuple[str, list[str]]:
    """`text` with a sign for each long string, up to the first that may not end where it seems to; these strings."""
    strings: list[str] = []
    if "\ue000" in text or "\\ue000" in text.lower():
        return text, strings
    pieces: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text):
        if match[0][0] != '"':
            continue
        string = match[0]
        if match[1] is None:
            break
        if len(string) < _LONG:
            continue
        try:
            strings.append(forgiving(string))
        except ValueError:
            continue
        pieces += text[last : match.start()], f'"\ue000{len(strings) - 1}\ue001"'
        last = match.start() + len(string)
    return "".join((*pieces, text[last:])), strings


def _restored(value: Json, strings: list[str]) -> Json:
    """The value with strings for their signs, and with null for what is not a number."""
    if isinstance(value, dict):
        return {str(_restored(key, strings)): _restored(item, strings) for key, item in value.items()}
    if isinstance(value, list):
        return [_restored(item, strings) for item in value]
    if isinstance(value, str):
        return _SIGN.sub(lambda match: strings[int(match[1])], value) if strings else str(value)
    return None if value != value else value


class _Metered(str):
    """Text that counts how often it is looked at. Raises ValueError when that is too often."""

    _effort: Effort

    def __new__(cls, text: str, effort: Effort) -> _Metered:
        made = super().__new__(cls, text)
        made._effort = effort
        return made

    def __getitem__(self, key: Any) -> str:
        effort, found = self._effort, str.__getitem__(self, key)
        effort.left -= 1
        if type(key) is slice:
            effort.left -= len(found) >> 3
            found = _Metered(found, effort)
        if effort.left < 0:
            raise ValueError("beyond repair")
        return found

    def __add__(self, other: str) -> str:
        return _Metered(str.__add__(self, other), self._effort)
