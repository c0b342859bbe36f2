"""Random texts and JSON values for slots, harmless ones and hostile ones; and the JSON values that stand in a text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from toolect._message import Json

_PARTS = ["x", "y z", "Rome", "a", "017", "7", "é", "ß", "😀", "｜", "or not", "Hello there.", "done!", "-", "so, then"]
_JOINTS = ["", " ", " ", "\n", ". "]
_SIGNS: list[str] = [
    *"{}[]()<>/,:=|`\\\"'｜▁😀&", "```", "👩\u200d👩\u200d👧", "&lt;", "null", "None", "true", "0", "020", "-1.50",
]  # fmt: skip
_CONTROLS = ["\x00", "\x1b", "\x85", "\u2028", "\ufeff", "\ud83d", "\udc00", "\r\n", "\n", " ", "\t"]
_SCRAPS = [
    '{"name": "f", "arguments": {"a": 1}}', '{"a": "x', "{}", "[{", '"}', "f", "functions.f:0", "f(a=1)",
]  # fmt: skip
_LAST = 0x10FFFF


def often(random: Random, most: int, least: int = 0) -> Iterator[int]:
    """Counts up from 0, at least `least` and at most `most` times; each time it is drawn whether to go on.

    So shrinking can leave out one of several.
    """
    for i in range(most):
        if i >= least and not random.randint(0, 3):
            return
        yield i


def word(random: Random) -> str:
    """One harmless word or two; never empty, and no blank at either end."""
    return random.choice(_PARTS)


def harmless(random: Random) -> str:
    """Harmless words, perhaps on several lines; never empty, and no blank at either end."""
    text = word(random)
    for _ in often(random, 3):
        text += random.choice(_JOINTS) + word(random)
    return text


def hostile(markers: Sequence[str], random: Random) -> str:
    """Text of whole and half `markers`, signs, controls, lone surrogates and any other characters; perhaps empty."""
    return "".join(_piece(markers, random) for _ in often(random, 5))


def garbage(markers: Sequence[str], random: Random) -> str:
    """Whole `markers`, halves of calls and anything else, in any order; perhaps empty."""
    return "".join(_scrap(markers, random) for _ in often(random, 12))


def _scrap(markers: Sequence[str], random: Random) -> str:
    match random.randint(0, 2):
        case 0:
            return random.choice(markers)
        case 1:
            return random.choice(_SCRAPS)
    return hostile(markers, random)


def _piece(markers: Sequence[str], random: Random) -> str:
    match random.randint(0, 5):
        case 0:
            return harmless(random)
        case 1:
            return random.choice(_SIGNS)
        case 2:
            return random.choice(_CONTROLS)
        case 3:
            return "".join(chr(random.randint(0, _LAST)) for _ in often(random, 4, 1))
        case 4:
            return random.choice(markers)
    marker = random.choice(markers)
    at = random.randint(0, len(marker))
    return marker[at:] if random.randint(0, 1) else marker[:at]


# Values: of every type, some at the edges of what numbers and nesting may be


Text: TypeAlias = Callable[[Random], str]

_WHOLE = [0, 1, -1, 7, 2**31, 2**53 + 1, -(10**20)]
_BROKEN = [0.5, -0.0, 1.0, 0.1, -2.5, 1e22, 1e-7]
_EDGES = [1e-320, 1.7e308, -(10**400), 10**4000]
_BREADTH = 3
_DEPTH = 3
_DEEPEST = 60
MAX_WRONG = 256
"""Brackets in a text that begin no JSON. Beyond it: the rest of the text is not looked at."""


def value(random: Random, text: Text, key: Text, extreme: bool = False) -> Json:
    """A JSON value: scalars more often than not, containers up to a few levels deep.

    `text` and `key` draw its strings. An `extreme` value may be a huge number, or be nested some dozens of levels deep.
    """
    if extreme and random.randint(0, 9) == 9:
        return _nested(random, scalar(random, text, extreme))
    return _value(random, text, key, extreme, _DEPTH)


def scalar(random: Random, text: Text, extreme: bool = False) -> Json:
    """A JSON value that is no container; strings more often than the others."""
    match random.randint(0, 6):
        case 0:
            return None
        case 1:
            return bool(random.randint(0, 1))
        case 2:
            return random.choice(_WHOLE) if random.randint(0, 1) else random.randint(-999, 999)
        case 3:
            return random.choice(_BROKEN) if random.randint(0, 1) else random.randint(-999, 999) / 8
        case 4 if extreme:
            return random.choice(_EDGES)
    return text(random)


def _value(random: Random, text: Text, key: Text, extreme: bool, depth: int) -> Json:
    kind = random.randint(0, 5) if depth else 0
    if kind < 4:
        return scalar(random, text, extreme)
    inner = [_value(random, text, key, extreme, depth - 1) for _ in often(random, _BREADTH)]
    return inner if kind == 4 else {key(random): item for item in inner}


def _nested(random: Random, inner: Json) -> Json:
    """`inner` in some dozens of lists or objects."""
    as_list = random.randint(0, 1)
    for _ in range(random.randint(2, _DEEPEST)):
        inner = [inner] if as_list else {"a": inner}
    return inner


def json_in(text: str) -> Iterator[tuple[int, int, Json]]:
    """The outermost objects and lists of JSON in a text with something in them, and where each begins and ends."""
    decoder, at, wrong = json.JSONDecoder(), 0, 0
    while wrong < MAX_WRONG:
        at = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, wrong = at + 1, wrong + 1
            continue
        if value:
            yield at, end, value
        at = end
