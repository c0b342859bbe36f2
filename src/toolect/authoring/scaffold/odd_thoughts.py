"""Finds reasoning between markers that are no tags: `#!think` and `#!done`, `*Thinking:*` and a rule, `~~` twice."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from toolect.authoring.scaffold.pieces import Mark, Prose, parted, space_after
from toolect.authoring.scaffold.thoughts import LIKELY, SPEAKS_OF_THINKING, SURE, Thought

_WORDED = re.compile(r"([^\w\s(\[{\"']{1,6} ?)([^\W\d_]\w{0,20})([^\w\s(\[{\"']{0,6})(?=\s)")
"""Signs around a word that speaks of thinking."""
_BARE = re.compile(r"<!--|[^\w\s\"'“‘«¿¡(\[{-]{2,6}|[^\w\s\"'“‘«¿¡(\[{-](?<=[⟪⟦⟨《【〈「『])")
"""Signs that prose does not begin with."""
_SENTENCE = re.compile(r"\s?[^\W\d_]+,? [^\W\d_]+[\w, ]* ")
"""Three words that follow one another."""
_LINE = re.compile(r"^[ \t]*[^\w\s\"']{1,6}\w{0,20}[^\w\s\"']{0,6}[ \t]*$", re.MULTILINE)
"""A line of signs, with a word between them."""
_MIRRORED = str.maketrans("⟪⟦⟨《【〈「『<([{", "⟫⟧⟩》】〉」』>)]}")


class _Opened(NamedTuple):
    """A sample that begins with reasoning: its number, the marker, and its closer with the place of that."""

    sample: int
    opener: str
    start: int
    end: int
    closer: str


def odd_thoughts(texts: Sequence[str], names: Collection[str] = ()) -> tuple[dict[int, Mark], Thought | None]:
    """The reasoning that samples begin with, by their numbers, and how it is written; nothing where that is not plain.

    All samples that begin with the same marker have to have the same closer, with prose before it and none of the
    `names` of tools, unless the marker speaks of nothing but thinking.
    """
    opened: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        if opener := _opener(text):
            opened.setdefault(opener, []).append(i)
    for opener, numbers in opened.items():
        found = [_closed(texts[i], i, opener) for i in numbers]
        closed = [one for one in found if one is not None]
        if len(closed) != len(found) or len({one.closer for one in closed}) > 1:
            continue
        inner = [texts[one.sample][len(opener) : one.start] for one in closed]
        if not LIKELY.search(opener) and not all(_SENTENCE.match(text) for text in inner):
            continue
        if not SURE.search(opener) and any(name in text for name in names for text in inner):
            continue
        marks, forms = {}, []
        for one in closed:
            text = texts[one.sample]
            at = one.end + len(space_after(text, one.end))
            lead, solid, trail = parted(text[len(opener) : one.start])
            marks[one.sample] = Mark(0, at, Prose(solid, reasoning=True))
            forms.append(Thought(opener + lead, trail + text[one.start : at]))
        return marks, _shared(forms, closed[0].closer)
    return {}, None


def _shared(forms: Sequence[Thought], sign: str) -> Thought:
    """How reasoning is written, with the whitespace that is around the closer in all samples."""
    opener = min((one.opener for one in forms), key=len)
    befores, afters = [], []
    for one in forms:
        before, _, after = one.closer.partition(sign)
        befores.append(before)
        afters.append(after)
    return Thought(opener, min(befores, key=len) + sign + min(afters, key=len))


def _opener(text: str) -> str:
    """The marker of reasoning that a sample begins with; "" if it begins with none."""
    worded = _WORDED.match(text)
    if worded and SPEAKS_OF_THINKING.search(worded[2]):
        return worded[0]
    bare = _BARE.match(text)
    return bare[0] if bare and _SENTENCE.match(text, bare.end()) else ""


def _closed(text: str, sample: int, opener: str) -> _Opened | None:
    """Where the reasoning ends: at the marker mirrored, or at the first line of signs."""
    at = len(opener)
    worded = _WORDED.match(f"{opener} ")
    closer = f"{worded[1]}/{worded[2]}{worded[3]}" if worded else _mirrored(opener)
    if (found := text.find(closer, at)) >= 0:
        return _Opened(sample, opener, found, found + len(closer), closer)
    if worded and (line := _LINE.search(text, at)) is not None and text[at : line.start()].strip():
        solid = line[0].strip()
        start = text.index(solid, line.start())
        return _Opened(sample, opener, start, start + len(solid), solid)
    return None


def _mirrored(opener: str) -> str:
    return "-->" if opener == "<!--" else opener[::-1].translate(_MIRRORED)
