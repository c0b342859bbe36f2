"""Content and reasoning that have markers of their own, found beside the calls: what they begin and end with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from toolect.authoring.scaffold.json_calls import json_values
from toolect.authoring.scaffold.pieces import Prose, parted, pieces
from toolect.authoring.scaffold.seen import common_start, tokens
from toolect.authoring.scaffold.thoughts import SPEAKS_OF_THINKING, Thought, Wrap

MAX_SECTIONS = 20
"""Stretches of prose in what stands before a call, or behind it. Beyond it: it is content as it stands."""


class Stretch(NamedTuple):
    """What stands before a call, between two or behind the last one; or an answer without any."""

    text: str
    behind: bool
    """A call stands before it."""
    before: bool
    """A call follows."""
    thought: bool = False
    """Reasoning stands before it."""


class Said(NamedTuple):
    """How content and reasoning are written."""

    contents: tuple[str, ...]
    """The content of each stretch."""
    thought: Thought | None = None
    wrap: Wrap | None = None
    divided: bool = False
    """What divides two calls divides them from content, too."""
    divided_thought: bool = False
    """And from reasoning."""

    @property
    def marked(self) -> bool:
        """True when there is more to say than that content is what is left."""
        return bool(self.thought or self.wrap or self.divided)


class _Section(NamedTuple):
    """Prose with the markup before it, and behind it."""

    stretch: int
    opener: str
    prose: str
    closer: str
    last: bool
    """Nothing follows it."""
    divided: bool = False
    """What divides two calls follows it."""


_LABEL = re.compile(r"(?:\w+[ ]?){1,2}:\s|[\w ]{1,20}\n")
"""A word that prose begins with, which says what it is."""


def said(stretches: Sequence[Stretch], divider: str) -> Said:
    """What the stretches say; `divider` is what stands between two calls."""
    sections = [one for i, stretch in enumerate(stretches) for one in _sections(i, stretch, divider)]
    thoughts = _thoughts(sections)
    contents = [one for one in sections if one not in thoughts]
    label = _label(contents)
    contents = [one._replace(opener=one.opener + label, prose=one.prose.removeprefix(label)) for one in contents]
    texts = tuple(" ".join(one.prose for one in contents if one.stretch == i) for i in range(len(stretches)))
    followed = [stretch for stretch in stretches if divider.strip() and _ended(stretch, divider)]
    plain = [stretch for stretch in stretches if stretch.before and stretch.text.strip()]
    return Said(
        texts,
        _thought(thoughts),
        _wrap(contents),
        divided=bool(followed) and all(_ended(stretch, divider) for stretch in plain),
        divided_thought=any(one.divided for one in thoughts)
        or any(stretch.thought and _begins(stretch, divider) for stretch in stretches),
    )


def _ended(stretch: Stretch, divider: str) -> bool:
    """True where the divider stands between prose and a call."""
    return stretch.before and stretch.text.strip().endswith(divider.strip()) or _begins(stretch, divider)


def _begins(stretch: Stretch, divider: str) -> bool:
    """True where the divider stands behind a call, or reasoning."""
    known = bool(divider.strip()) and (stretch.behind or stretch.thought)
    return known and stretch.text.strip().startswith(divider.strip())


def _sections(number: int, stretch: Stretch, divider: str) -> Iterator[_Section]:
    """The prose of a stretch, each with what is around it; as a whole if it is not marked at all."""
    text, sign = stretch.text, divider.strip()
    parts = [text]
    split = bool(sign) and _ended(stretch, divider)
    if split:
        ended = stretch.before and text.rstrip().endswith(sign)
        text = text.rstrip().removesuffix(sign) if ended else text
        head, _, tail = parted(divider)
        parts = re.split(rf"{re.escape(sign)}(?!{re.escape(sign[-1])})", text)
        parts = [part.removeprefix(tail).removesuffix(head) for part in parts]
    parts = [part for part in parts if part.strip()]
    for at, part in enumerate(parts):
        last = at + 1 == len(parts) and not stretch.before
        found = list(_marked(number, part, last))
        marked = bool(found) and bool(found[0].opener.strip() or found[-1].closer.strip())
        if not marked or len(found) > MAX_SECTIONS or any(any(json_values(one.prose)) for one in found):
            found = [_Section(number, "", part.strip(), "", last)]
        yield from found[:-1]
        yield found[-1]._replace(divided=split)


def _marked(number: int, text: str, last: bool) -> Iterator[_Section]:
    """The prose of a text with the markup around it: what follows all prose, or closes it, is behind it."""
    opener, told, behind = "", "", ""
    parts: list[tuple[str, str, str]] = []
    for piece in pieces(text, []):
        if not isinstance(piece, Prose):
            opener, behind = (opener, behind + str(piece)) if told else (opener + str(piece), behind)
            continue
        if told and not behind.strip():  # prose in several lines
            told, behind = told + behind + piece.text, ""
            continue
        if told:
            parts.append((opener, told, behind))
            opener = ""
        told, behind = piece.text, ""
    if told:
        parts.append((opener, told, behind))
    end = parts[-1][2] if parts else ""
    for at, (before, prose, after) in enumerate(parts):
        closer, rest = after, ""
        if at + 1 < len(parts):
            closer, rest = _closer(after, end)
            parts[at + 1] = (rest, *parts[at + 1][1:])
        if not before.strip() or not closer.strip():
            word = re.match(r"(\w{3,20})\n", prose)
            if before.strip() and word and SPEAKS_OF_THINKING.search(word[1]):
                before, prose = before + word[0], prose[word.end() :]
        yield _Section(number, before, prose, closer, last and at + 1 == len(parts))


def _closer(between: str, end: str) -> tuple[str, str]:
    """What stands between two sections, as what closes the one and opens the other."""
    if end.strip() and between.startswith(end):
        return end, between[len(end) :]
    parts = tokens(between)
    closing = [i for i, part in enumerate(parts) if re.search(r"/|end|close", part, re.IGNORECASE) and len(part) > 2]
    at = closing[0] + 1 if closing else 0
    while at and parts[at : at + 1] == ["\n"]:
        at += 1
    return "".join(parts[:at]), "".join(parts[at:])


def _thoughts(sections: Sequence[_Section]) -> list[_Section]:
    """The sections that are reasoning: their opener speaks of it, or others of another kind follow them always."""
    spoken = [one for one in sections if one.opener and SPEAKS_OF_THINKING.search(one.opener)]
    if spoken:
        return spoken
    labelled = [one for one in sections if (match := _LABEL.match(one.prose)) and SPEAKS_OF_THINKING.search(match[0])]
    if labelled:
        return labelled
    for first, second in pairwise(sections):
        if first.stretch == second.stretch and first.opener.strip() and first.opener != second.opener:
            return [one for one in sections if one.opener == first.opener]
    return []


def _label(contents: Sequence[_Section]) -> str:
    """The line that all content begins with, which tells that it is content."""
    if len({one.prose for one in contents}) < 2 or len({one.opener for one in contents}) > 1:
        return ""
    shared = common_start([tokens(one.prose) for one in contents])
    line = "".join(shared[: shared.index("\n") + 1]) if "\n" in shared else ""
    return line if len(line) <= 20 else ""


def _thought(sections: Sequence[_Section]) -> Thought | None:
    """How reasoning is written."""
    openers = Counter(one.opener for one in sections)
    opener = openers.most_common(1)[0][0] if openers else ""
    closers = [tokens(one.closer) for one in sections if one.opener == opener and not one.last]
    closer = "".join(common_start(closers))
    if not opener.strip():
        labels = {match[0] for one in sections if (match := _LABEL.match(one.prose))}
        return Thought(labels.pop(), closer or "\n") if len(labels) == 1 else None
    return Thought(opener, closer)


def _wrap(sections: Sequence[_Section]) -> Wrap | None:
    """How content is written."""
    marked = [one for one in sections if one.opener.strip() or one.closer.strip()]
    if not marked:
        return None
    opener = Counter(one.opener for one in marked).most_common(1)[0][0]
    here = [one for one in marked if one.opener == opener]
    closer = "".join(common_start([tokens(one.closer) for one in here if not one.last] or [tokens(here[0].closer)]))
    final = next((one.closer for one in here if one.last), closer)
    if final != closer and closer.startswith(final):
        return Wrap(opener, final, closer.removeprefix(final))
    return Wrap(opener, closer)
