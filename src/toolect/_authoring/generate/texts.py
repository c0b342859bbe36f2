"""Texts to put into slots: harmless ones, and hostile ones that try to be mistaken for something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

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
