"""Ways of damaging a text, each with one random choice after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

SIGNS = (
    *"\"'{}[]()<>/\\,:;=|`#&*-_. \n\t", '"}', "'}", "}]", "]}", "}}", '\\"', "\\n", "\\u00e9", "\\ud83d", "\\", '"""',
    "'''", "``", "```", "\n```\n", "```json\n", "```python\n", "\n\n", "\r\n", "\r", "\x00", "\x1b", "\u2028", "\x85",
    "\ufeff", "\ud83d", "\ude00", "\ud83d\ude00", "é", "｜", "▁", "&quot;", "&lt;", "&amp;", "<![CDATA[", "]]>",
    "<!--", "-->", "//", "/*", "*/", "#", "null", "None", "true", "True", "NaN", "Infinity", "undefined", "0", "-1",
    "007", "1e5", "1e999", "0x1f", "1_000", ".5", "+1", "[TOOL_CALLS]", "<tool_call>", "</tool_call>", "<think>",
    "</think>", "<|im_end|>", "</s>", "<|python_tag|>", '{"name": "', '"arguments": {', "functions.", "f(", "a=", "a: ",
    ', "a": 1', '"a": 1, ', '{"a": 1}', ', "arguments": {"a": 1}', '"name": "f", ', ", a=1", ", a: 1", "<a>1</a>",
)  # fmt: skip
"""What is put into a text, beside markers."""
_QUOTES = (("`", "`"), ('"', '"'), ("“", "”"), ("<code>", "</code>"), ("`", ""), ('"', ""), ("(", ")"), (" ", " "))
STRETCH = 12
"""Characters that are cut out or doubled at once, most of the time."""

Way: TypeAlias = Callable[[str, Random, Sequence[str]], str]


def damaged(text: str, random: Random, markers: Sequence[str], times: int) -> str:
    """`text`, damaged so often."""
    for _ in range(times):
        if text:
            text = random.choice(_WAYS)(text, random, markers)
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
    """A short stretch of the text, or sometimes any."""
    start = random.randrange(len(text))
    if random.random() < 0.2:
        return start, random.randint(start, len(text))
    return start, min(len(text), start + random.randint(1, random.choice((1, 1, 3, STRETCH))))


def _left_out(text: str, random: Random, _markers: Sequence[str]) -> str:
    start, end = _stretch(text, random)
    return text[:start] + text[end:]


def _put_in(text: str, random: Random, markers: Sequence[str]) -> str:
    at = random.randint(0, len(text))
    what = random.choice(markers) if markers and random.random() < 0.4 else random.choice(SIGNS)
    return text[:at] + what + text[at:]


def _put_at_sign(text: str, random: Random, markers: Sequence[str]) -> str:
    """Something is put in before or after a sign that means something, or in its place."""
    places = [at for at, sign in enumerate(text) if not sign.isalnum()]
    if not places:
        return text
    at = random.choice(places)
    what = random.choice(markers) if markers and random.random() < 0.3 else random.choice(SIGNS)
    return text[: at + random.randint(0, 1)] + what + text[at + random.randint(0, 1) :]


def _said(text: str, random: Random, markers: Sequence[str]) -> str:
    """A marker is put in that a sentence quotes, or only its beginning or its end."""
    if not markers:
        return text
    marker, at = random.choice(markers), random.randint(0, len(text))
    match random.randrange(4):
        case 0 | 1:
            opening, closing = random.choice(_QUOTES)
            marker = f"{random.choice(('', 'say '))}{opening}{marker}{closing}"
        case 2:
            marker = marker[: random.randint(1, len(marker))]
        case 3:
            marker = marker[random.randrange(len(marker)) :]
    return text[:at] + marker + text[at:]


def _doubled(text: str, random: Random, _markers: Sequence[str]) -> str:
    start, end = _stretch(text, random)
    return text[:end] + text[start:end] * random.choice((1, 1, 2)) + text[end:]


def _moved(text: str, random: Random, _markers: Sequence[str]) -> str:
    start, end = _stretch(text, random)
    rest, at = text[:start] + text[end:], random.randint(0, len(text) - (end - start))
    return rest[:at] + text[start:end] + rest[at:]


def _part(text: str, random: Random) -> tuple[int, int]:
    """A stretch from one sign that means something to another: a word, a key with its value, a bracket with its own."""
    places = [0, *(at for at, sign in enumerate(text) if not sign.isalnum()), len(text)]
    first = random.randrange(len(places))
    last = min(len(places) - 1, first + random.choice((1, 2, 4, 6, 8, 12, 20)))
    return places[first] + random.randint(0, 1), places[last] + random.randint(0, 1)


def _part_moved(text: str, random: Random, _markers: Sequence[str]) -> str:
    """A part is elsewhere, there as well, or gone."""
    start, end = _part(text, random)
    to, _ = _part(text, random)
    kept = text if random.randrange(2) else text[:start] + text[end:]
    return kept if not random.randrange(3) else kept[:to] + text[start:end] + kept[to:]


def _swapped(text: str, random: Random, _markers: Sequence[str]) -> str:
    at = random.randrange(len(text))
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _cut(text: str, random: Random, _markers: Sequence[str]) -> str:
    return text[: random.randint(0, len(text))]


def _blanks(text: str, random: Random, _markers: Sequence[str]) -> str:
    """A blank or line break is another, or gone."""
    places = [at for at, sign in enumerate(text) if sign.isspace()]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + random.choice(("", " ", "\n", "  ", "\n\n", "\t")) + text[at + 1 :]


_WAYS: tuple[Way, ...] = (
    _left_out, _left_out, _put_in, _put_in, _put_at_sign, _put_at_sign, _said, _said, _doubled, _moved, _part_moved,
    _part_moved, _swapped, _cut, _blanks,
)  # fmt: skip
