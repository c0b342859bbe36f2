"""Cuts the texts that a template writes into their turns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from toolect._authoring.generate.small_conversations import ChatCase
from tools.chats.induction.known_words import Part, between, common_start, turns_of
from tools.chats.induction.template_asking import Written


class Cut(NamedTuple):
    """A text in its parts: what is before the turns, the turns, what ends it, what asks for more (None: unknown)."""

    case: ChatCase
    head: Part
    turns: list[Part]
    end: str
    asking: str | None


def cuts_of(texts: Sequence[Written]) -> list[Cut]:
    """The texts that can be cut, in their parts: a turn ends as it does elsewhere where it is the last one."""
    end = _end_of(texts)
    closers: dict[type, set[str]] = defaultdict(set)
    openers: dict[type, set[str]] = defaultdict(set)
    shapes = [(one, one.text.removesuffix(end), [*map(type, turns_of(one.case))], _spans(one)) for one in texts]
    aligned = [(one, text, kinds, spans) for one, text, kinds, spans in shapes if len(kinds) == len(spans)]
    for _, text, kinds, spans in aligned:
        if spans:
            closers[kinds[-1]].add(text[spans[-1][1] :])
    edges = [[_closed(text, last, closers[kind]) for kind, (_, last) in zip(kinds, spans, strict=True)][:-1]
             for _, text, kinds, spans in aligned]  # fmt: skip
    for (_, text, kinds, spans), starts in zip(aligned, edges, strict=True):
        for kind, start, (first, _) in zip(kinds[1:], starts, spans[1:], strict=True):
            openers[kind] |= {text[start:first]} if start >= 0 else set()
    cuts = []
    for (one, text, kinds, spans), starts in zip(aligned, edges, strict=True):
        asking = one.asking[len(text) :] if one.asking is not None and one.asking.startswith(text) else None
        ends = [0, *([_opened(text, spans[0][0], openers[kinds[0]]), *starts] if spans else []), len(text)]
        if -1 not in ends and ends == sorted(ends):
            head, *turns = (between(text, one.places, *both) for both in pairwise(ends))
            cuts.append(Cut(one.case, head, turns, end, asking))
    return cuts


def _end_of(texts: Sequence[Written]) -> str:
    """Text at the end of each text that is not there where an answer is asked for."""
    asked = [(one.text, one.asking) for one in texts if one.asking is not None]
    rests = Counter(text[len(common_start([text, asking])) :] for text, asking in asked)
    rest, count = max(rests.items(), key=lambda pair: pair[1], default=("", 0))
    return rest if 2 * count > len(asked) and all(one.text.endswith(rest) for one in texts) else ""


def _closed(text: str, last: int, closers: set[str]) -> int:
    """End offset of a turn whose last word ends at `last`; -1 where that is not plain to see."""
    return max((last + len(closer) for closer in closers if text.startswith(closer, last)), default=-1)


def _opened(text: str, first: int, known: set[str]) -> int:
    """Start offset of the first turn: of an opener of such turns, next to its first word or before; -1 for none."""
    openers = sorted({*known, *map(str.lstrip, known)}, key=len, reverse=True)
    beside = (first - len(opener) for opener in openers if text.endswith(opener, 0, first))
    before = (at for opener in filter(str.strip, openers) if (at := text.rfind(opener, 0, first)) >= 0)
    return next(chain(beside, before), -1)


def _spans(one: Written) -> list[tuple[int, int]]:
    """The span of each turn's words, but names and ids, which results repeat; empty where turns are out of order."""
    spans: list[tuple[int, int]] = []
    for start, end, slot in one.places:
        if slot.turn < 0 or slot.kind in "ni":
            continue
        if slot.turn == len(spans):
            spans.append((start, end))
        elif slot.turn != len(spans) - 1:
            return []
        spans[-1] = spans[-1][0], end
    return spans
