"""JSON values: of every type, some at the edges of what numbers and nesting may be; and those that stand in a text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from toolect._authoring.generate.texts import often
from toolect._message import Json

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
