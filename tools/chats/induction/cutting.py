"""Cuts the texts that a template writes into their turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tools.chats.induction.known_words import Atoms, Places, Slot, between, common_start, places_of
from tools.chats.induction.template_asking import Written


class Cut(NamedTuple):
    """A text in its parts: what stands before the turns, each turn, and what asks for an answer (None: unknown)."""

    written: Written
    head: Atoms
    turns: list[Atoms]
    tail: str | None


class Cutter:
    """Finds out where turns begin: where the text of fewer turns ends, or as it does elsewhere."""

    def __init__(self) -> None:
        self.closers: dict[type, Counter[str]] = {}
        """What stands behind the last word of a turn, by its kind."""
        self.openers: dict[type, Counter[str]] = {}
        """What stands before the first one."""
        self.final = ""
        """What stands at the end of a text that asks for no answer."""

    def cut(self, texts: Sequence[Written]) -> list[Cut]:
        """The texts that can be cut, in their parts."""
        self.final = _final(texts)
        held = [(one, _places(one)) for one in (_without(one, self.final) for one in texts)]
        held = [(one, places) for one, places in held if _in_order(one, places)]
        starts = [[*self._by_prefixes(one, places)] for one, places in held]
        cuts = (self._parted(one, places, some) for (one, places), some in zip(held, starts, strict=True))
        return [cut for cut in cuts if cut is not None]

    def _by_prefixes(self, one: Written, places: Places) -> Iterator[int]:
        """Where each turn but the first begins; -1 where the text of fewer turns does not tell."""
        turns = one.turns
        for number in range(1, len(turns)):
            shorter = one.before[number]
            before, after = _last(places, number - 1), _first(places, number)
            if shorter is None or not one.text.startswith(shorter) or not before <= len(shorter) <= after:
                yield -1
                continue
            if before and not any(before <= start < after for start, _, _ in places):
                self.closers.setdefault(type(turns[number - 1]), Counter())[one.text[before : len(shorter)]] += 1
                self.openers.setdefault(type(turns[number]), Counter())[one.text[len(shorter) : after]] += 1
            yield len(shorter)

    def _parted(self, one: Written, places: Places, starts: Sequence[int]) -> Cut | None:
        text, turns = one.text, one.turns
        tail = one.asking[len(text) :] if one.asking is not None and one.asking.startswith(text) else None
        if not turns:
            return Cut(one, between(text, places, 0, len(text)), [], tail)
        edges = [self._head(one, places)]
        for number, at in enumerate(starts, 1):
            if at < 0 and (before := _last(places, number - 1)):
                closers = self.closers.get(type(turns[number - 1]), ())
                fitting = [closer for closer in closers if text.startswith(closer, before)]
                at = before + len(max(fitting, key=len)) if fitting else -1
            edges.append(at)
        if any(at < 0 for at in edges) or edges != sorted(edges):
            return None
        parts = [between(text, places, start, end) for start, end in pairwise([*edges, len(text)])]
        return Cut(one, between(text, places, 0, edges[0]), parts, tail)

    def _head(self, one: Written, places: Places) -> int:
        """Where the first turn begins: at what other turns of its kind begin with."""
        first, known = _first(places, 0), self.openers.get(type(one.turns[0]), Counter[str]())
        openers = sorted({*known, *(opener.lstrip() for opener in known)}, key=len, reverse=True)
        for opener in openers:
            if one.text.endswith(opener, 0, first):
                return first - len(opener)
        for opener in filter(str.strip, openers):
            if (at := one.text.rfind(opener, 0, first)) >= 0:
                return at
        start = one.before[0]
        return len(start) if start is not None and one.text.startswith(start) and len(start) <= first else -1


def _final(texts: Sequence[Written]) -> str:
    """What stands at the end of each text, and is not there in a longer one."""
    rests: Counter[str] = Counter()
    for one in texts:
        for shorter in filter(None, one.before[1:]):
            rests[shorter[len(common_start([shorter, one.text])) :]] += 1
    rest, count = rests.most_common(1)[0] if rests else ("", 0)
    return rest if 2 * count > rests.total() and all(one.text.endswith(rest) for one in texts) else ""


def _without(one: Written, final: str) -> Written:
    """The texts without what stands at the end of each; of those that ask for an answer what differs stays."""
    before = [None if each is None else each.removesuffix(final) for each in one.before]
    return one._replace(text=one.text.removesuffix(final), before=before)


def _places(one: Written) -> Places:
    """Where the words stand; names and ids that the answer itself does not tell are those of its results."""
    told: Counter[Slot] = Counter()
    found = []
    for start, end, slot in places_of(one.text, one.known):
        if slot.kind in "ni":
            told[slot] += 1
            after = slot.turn + 1
            before = one.before[after] if after < len(one.before) else None
            own = 1 if before is None else before.count(one.text[start:end])
            if after < len(one.turns) and told[slot] > own:
                slot = slot._replace(turn=after)
        found.append((start, end, slot))
    return found


def _in_order(one: Written, places: Places) -> bool:
    """True where each turn has words of its own in the text, none before those of the turn before."""
    own = [slot.turn for _, _, slot in places if slot.turn >= 0]
    return own == sorted(own) and {*own} == {*range(len(one.turns))}


def _first(places: Places, turn: int) -> int:
    return next(start for start, _, slot in places if slot.turn == turn)


def _last(places: Places, turn: int) -> int:
    return max(end for _, end, slot in places if slot.turn == turn)
