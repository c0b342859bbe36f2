"""Finds the reasoning of a sample: text between two tags that speak of thinking."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from toolect.authoring.scaffold.pieces import Mark, Prose, parted, space_after

_TAG = re.compile(r"(?<!<)<[^<>\n]{1,50}>(?!>)|\[[^\[\]\n]{1,50}\]")
SPEAKS_OF_THINKING = re.compile(
    r"think|thought|reason|reflect|scratchpad|analysis|mus[ei]|ponder|plan(?!g)", re.IGNORECASE
)

_SPEAKS_OF_ANSWERS = re.compile(r"answer|response|reply|content|final|sa[yi]|speech|message|text|output", re.IGNORECASE)
SURE = re.compile(r"think|thought|reason", re.IGNORECASE)
"""Tags whose inside is reasoning even if it names a tool."""
LIKELY = re.compile(SURE.pattern + "|reflect|scratchpad", re.IGNORECASE)
"""Tags whose inside is reasoning whatever it looks like. Other words are those of tools, too: `plan_route`."""


class Wrap(NamedTuple):
    """How content is written that has markup of its own."""

    opener: str
    closer: str
    after: str = ""
    """What may follow the closer, before a call."""


class Thought(NamedTuple):
    """How reasoning is written: its tags, with the whitespace that belongs to them."""

    opener: str
    closer: str
    prompted: bool = False
    """True when the prompt writes the opener: samples begin inside."""


def thoughts(text: str, names: Sequence[str] = (), spoken: Collection[str] = ()) -> tuple[list[Mark], Thought | None]:
    """The reasoning of a sample: where it is, and how it is written.

    Tags that speak of it surround it, or those that a sample begins with, where words are in them, something follows,
    and no tool is named; not those of which it is known that they surround what is `spoken`.
    """
    marks: list[Mark] = []
    form: Thought | None = None
    tags = list(_TAG.finditer(text))
    at = 0
    for i, tag in enumerate(tags):
        if tag.start() < at or not (SPEAKS_OF_THINKING.search(tag[0]) or names and not text[: tag.start()].strip()):
            continue
        close = next((t for t in tags[i + 1 : i + 20] if t[0] != tag[0] and stem(t[0]) == stem(tag[0])), None)
        if close is None:
            continue
        inner = text[tag.end() : close.start()]
        lead, solid, trail = parted(inner)
        before = text[close.end() :].strip() and not _TAG.search(inner)
        told = LIKELY.search(tag[0]) or (
            before
            and (
                SPEAKS_OF_THINKING.search(tag[0])
                or " " in solid
                and tag[0] not in spoken
                and not _SPEAKS_OF_ANSWERS.search(tag[0])
            )
        )
        called = any(name in inner or name in tag[0] for name in names)
        if not told or called and not SURE.search(tag[0]):
            continue
        at = close.end() + len(space_after(text, close.end()))
        marks.append(Mark(tag.start(), at, Prose(solid, reasoning=True)))
        if solid and form is None:
            form = Thought(tag[0] + lead, trail + text[close.start() : at])
    if not marks:
        return _prompted(text, tags)
    return marks, form


def speaking(texts: Iterable[str]) -> set[str]:
    """The tags around all there is in a sample: what stands in them is said, not thought."""
    found: set[str] = set()
    for text in texts:
        tags = list(_TAG.finditer(text.strip()))
        if len(tags) > 1 and not tags[0].start() and tags[-1].end() == len(text.strip()):
            inner = text.strip()[tags[0].end() : tags[-1].start()]
            if len(tags) == 2 and stem(tags[0][0]) == stem(tags[1][0]) and " " in inner.strip():
                found.add(tags[0][0])
    return found


def _prompted(text: str, tags: list[re.Match[str]]) -> tuple[list[Mark], Thought | None]:
    """Reasoning that the prompt has opened: the first tag of the sample closes it."""
    first = next(iter(tags), None)
    if first is None or first[0][1] != "/" or not SPEAKS_OF_THINKING.search(first[0]):
        return [], None
    _, solid, space = parted(text[: first.start()])
    at = first.end() + len(space_after(text, first.end()))
    opener = first[0].replace("/", "", 1) + space
    return [Mark(0, at, Prose(solid, reasoning=True))], Thought(opener, space + text[first.start() : at], prompted=True)


def stem(marker: str) -> str:
    """What an opener and its closer have in common."""
    return re.sub(r"begin|start|end|[^a-z0-9]", "", marker.lower())
