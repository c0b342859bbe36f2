"""Damage to any text: a stretch of it is gone, doubled, moved, or another one. `Corruption` has damage of a form."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SIGNS: tuple[str, ...] = (
    *"\"'{}[]()<>/\\,:;=|`#&*-_. \n\t", '"}', "'}", "}]", "]}", "}}", '\\"', "\\n", "\\u00e9", "\\ud83d", "\\", '"""',
    "\\u", "\\u2\\n", "'''", "``", "```", "\n```\n", "```json\n", "```python\n", "\n\n", "\r\n", "\r", "\x00", "\x1b",
    "\u2028", "\x85",
    "\ufeff", "\ud83d", "\ude00", "\ud83d\ude00", "é", "｜", "▁", "&quot;", "&lt;", "&amp;", "<![CDATA[", "]]>",
    "<!--", "-->", "//", "/*", "*/", "#", "null", "None", "true", "True", "NaN", "Infinity", "undefined", "0", "-1",
    "007", "1e5", "1e999", "0x1f", "1_000", ".5", "+1", "[TOOL_CALLS]", "<tool_call>", "</tool_call>", "<think>",
    "</think>", "<|im_end|>", "</s>", "<|python_tag|>", '{"name": "', '"arguments": {', "functions.", "f(", "a=", "a: ",
    ', "a": 1', '"a": 1, ', '{"a": 1}', ', "arguments": {"a": 1}', '"name": "f", ', ", a=1", ", a: 1", "<a>1</a>",
)  # fmt: skip
"""Texts that are put into a text, beside markers."""
_QUOTES = (("`", "`"), ('"', '"'), ("“", "”"), ("<code>", "</code>"), ("say `", ""), ("(", ")"), (" ", " "))
STRETCH = (0, 0, 0, 1, 1, 2, 3, 12, 1000)
"""Characters of a stretch, at most."""


def damaged(text: str, random: Random, markers: Sequence[str], times: int) -> str:
    """`text`, damaged so often."""
    for _ in range(times):
        start, end = _stretch(text, random)
        new = _other(text, start, end, random, markers)
        text = text[:start] + new + text[end:]
    return text


def grafted(text: str, other: str, random: Random, markers: Sequence[str]) -> str:
    """`text` with `other` after one of its `markers`: in place of what came there, of all that did, or before it."""
    places = [at + len(marker) for marker in markers if (at := text.find(marker)) >= 0]
    if not places:
        return text + other
    at = random.choice(places)
    rest = min((place for marker in markers if (place := text.find(marker, at)) >= 0), default=len(text))
    return text[:at] + other + text[random.choice((at, rest, len(text))) :]


def _stretch(text: str, random: Random) -> tuple[int, int]:
    """A stretch of the text, mostly a short one or none; at a sign that means something, mostly, or anywhere."""
    signs = [at for at, sign in enumerate(text) if not sign.isalnum()]
    if signs and random.randrange(3):
        start = random.choice(signs) + random.randrange(2)
        ends = [*[at for at in signs if at > start][:8], len(text)] if random.randrange(4) == 3 else []
        return start, random.choice(ends) if ends else min(len(text), start + random.choice(STRETCH))
    start = random.randint(0, len(text))
    return start, min(len(text), start + random.choice(STRETCH))


def _other(text: str, start: int, end: int, random: Random, markers: Sequence[str]) -> str:
    """Replacement: nothing, signs or a long run of them, a marker, a part of one, or another stretch."""
    match random.randrange(9):
        case 0 | 1:
            return ""
        case 2 | 3:
            return random.choice(SIGNS)
        case 4 if markers:
            return random.choice(markers)
        case 5 if markers:
            marker = random.choice(markers)
            at = random.randint(0, len(marker))
            opening, closing = random.choice(_QUOTES)
            return random.choice((marker[:at], marker[at:], f"{opening}{marker}{closing}"))
        case 6:
            return "".join(random.choices(SIGNS, k=random.randint(2, 8))) * random.choice((1, 1, 1, 60))
        case 7:
            return text[start:end] * random.choice((2, 2, 3))
        case _:
            return text[slice(*_stretch(text, random))] + text[start:end] * random.randrange(2)
