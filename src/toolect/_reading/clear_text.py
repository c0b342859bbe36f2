"""Text without a sign of any stop, and the markers after it: most texts are that, and one expression takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from toolect._graph.needle import fixed
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.stop_plan import StopPlan
from toolect._graph.stops import Stop, Unled
from toolect._reading.runs import Hub, build

_MOST = 512
"""Characters of such a text. Beyond it: it is searched for each stop."""
_MANY = 256
"""Stops of such a text. Beyond it: it is searched for each of them."""
_FEW = 3
"""Words that are looked for in it one by one."""
_COMMON = frozenset(" \t\n.,:;!?'\"()-/*#&%")
"""Signs that many texts have."""


class Clear:
    """Takes text up to one of several stops, if it has no sign of any other."""

    __slots__ = ("_words", "hub", "match", "signs", "size")

    def __init__(self, hub: Hub, size: int, signs: frozenset[str], words: tuple[str, ...]) -> None:
        self.hub = hub
        """Matches it as its first group, with the run of markers after it, which begins after the second."""
        self.size = size
        """How many characters at its end are the whitespace that is written before those."""
        self.signs = signs
        """The characters that it has none of."""
        self._words = words
        self.match: Callable[[str, int], re.Match[str] | None] = self._match if words else hub.match
        """That of `hub` at an index of a text; None where the text is not clear."""

    def _match(self, text: str, pos: int) -> re.Match[str] | None:
        match = self.hub.match(text, pos)
        if match is not None:
            end = match.end(2)
            for word in self._words:
                if text.find(word, pos, end) >= 0:
                    return None
        return match


def clear_text(
    node: Node, plan: StopPlan, ends: Sequence[Stop], signs: str, first: str, last: str = "", least: int = 0,
    bare: bool = False, blank: bool = False,
) -> Clear | None:  # fmt: skip
    """What takes text at `node` up to one of the stops `ends` of `plan`, or `bare` JSON; None where there is no such.

    Of the stops, those that have the same whitespace before them. No text has one of `signs`, or fewer characters than
    `least`. `first` matches before it, `last` after it. Instead of it there may be nothing, or whitespace, if it may be
    `blank`.
    """
    if len(plan.needles) > _MANY:
        return None
    leads = {needle.stop: needle.lead for needle in plan.needles if needle.stop in ends}
    lead = "" if bare else next(iter(leads.values()), "")
    ends = [stop for stop in ends if leads[stop] == lead]
    cores = [*(fixed(stop.core) for stop in ends), *("{[" if bare else "")]
    headed = plan.head is not None and not isinstance(plan.head.stop, Unled)  # for which its route looks itself
    if headed or not cores or not all(cores):
        return None
    known = {*signs, *(core[0] for core in cores)}
    words: list[str] = []
    for needle in plan.needles:
        if known.isdisjoint(needle.text):
            sign = next((char for char in needle.text if not char.isalnum() and char not in _COMMON), "")
            known.update(sign)
            words += [] if sign else [needle.text]
    if len(words) > _FEW or not known.isdisjoint(lead) or any(char.isalnum() or char.isspace() for char in known):
        return None
    if any(_laps(needle.text, core, known) for needle in plan.needles for core in cores):
        return None
    some = "[^" + "".join(map(re.escape, sorted(known))) + "]"
    before = f"{first}({some}{{{len(lead) + least},{_MOST}}}+)" + (f"(?<={re.escape(lead)})" if lead else "") + last
    if blank:
        before = rf"(?:{before}|\s{{0,{MAX_BLANK}}}+)"
    hub = build(node, [stop.key for stop in ends], after_text=True, bare=bare, before=before)
    return None if hub is None else Clear(hub, len(lead), frozenset(known), tuple(words))


def _laps(word: str, core: str, signs: set[str]) -> bool:
    """True when `word` may begin before the marker `core`, where there are no `signs`, and end in it or after it."""
    for i in range(1, len(word)):
        if word[i - 1] in signs:
            return False
        if core.startswith(word[i:]) or word.startswith(core, i):
            return True
    return False
