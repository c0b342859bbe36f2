"""The stops of a text slot, made ready for searching."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import cast

from toolect._graph.finder import Finder
from toolect._graph.misspelling import any_of, begins_likely, begins_with, parts
from toolect._graph.needle import Near, Needle, ending, fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.spelling import spaced, squeeze
from toolect._graph.stops import (
    Calls,
    EndToken,
    Following,
    Landmark,
    LineEnd,
    Misspelt,
    NameLine,
    Stop,
    Unled,
    Unopened,
)
from toolect._graph.symbols import is_echo
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.message import RepairKind

_NEAR = 256
"""Characters that are searched for all needles at once: to look each of them up pays for longer texts."""


_TOKEN = re.compile(r"\s*<([|｜])[^|｜]+\1>")
"""What no text holds by chance: a token that the vocabulary of a model has for markers alone."""


class StopPlan:
    """The stops of a node, made ready for searching: kept with the node."""

    __slots__ = (
        "_any",
        "_doubt",
        "_first",
        "_gap",
        "_groups",
        "_growing",
        "_late",
        "_led",
        "_led_plainly",
        "braces",
        "closers",
        "direct",
        "head",
        "hint",
        "holds",
        "longest",
        "near",
        "needles",
        "openers",
        "signs",
        "stops",
    )

    def __init__(self, stops: list[Stop], gap: str, braces: str, direct: bool = False, likely: bool = False) -> None:
        # The longest first; of two that differ in blanks, the one with fewer.
        self.stops = sorted(stops, key=lambda s: (-len(squeeze(s.core)), len(s.core)))
        self._gap, self._late = gap, cast("StopPlan | None", None)
        self.needles: list[Needle] = []
        self.head: Needle | None = None
        """A terminal that may stand where the text would begin."""
        holds: set[str] = set()
        for stop in self.stops:
            lead = (gap if stop.calls is not Calls.NOTHING and stop.repair is None else "") + stop.lead
            if isinstance(stop, NameLine):
                self.head = Needle("", None, stop, lead)
                if not stop.direct and not isinstance(stop, Unled):
                    self.needles.append(Needle("\n", None, stop, lead))
                    holds.update(lead[i:k] for k in range(len(lead) + 1) for i in range(k))
                continue
            if isinstance(stop, LineEnd):
                self.needles.append(Needle("\n", None, stop, ""))
                continue
            known = fixed(stop.core)
            needle = known.split(None, 1)[0]
            regex = re.compile(spaced(stop.core)) if needle != known else None
            self.needles.append(Needle(needle, regex, stop, lead))
            before = lead if not stop.line or "\n" in lead else "\n" + lead
            for i in range(len(before) + 1):
                whole = before[i:] + known
                holds.update(whole[:k] for k in range(1, len(whole) + (known != stop.core)))
        for brace in braces:
            self.needles.append(Needle(brace, None, None, ""))
        self.closers = tuple({str(stop.path[1]) for stop in stops if stop.repair is RepairKind.IMPLIED_CLOSER})
        """The markers that stops may imply: one of them, misspelled, may stand before such a stop."""
        opens = [(n.stop, n.lead) for n in self.needles if likely and n.stop is not None and _opens(n.stop)]
        self.openers = {stop.core: lead for stop, lead in opens}
        """The markers that begin calls, and may be misspelled where text comes before them; the blanks before each."""
        for stop, lead in opens:
            self.needles += [Needle(part, None, Misspelt(part, stop), lead) for part in sorted(parts(stop.core))]
        self.braces = braces
        self.direct = direct  # bare JSON stands only where no text comes before it
        texts = {needle.text for needle in self.needles}
        groups: dict[str, list[Needle]] = {}
        for one in self.needles:
            groups.setdefault(_sign(one.text), []).append(one)
        self._groups = tuple(groups.items())
        self._first: dict[str, list[Needle]] = {}
        for one in self.needles:
            self._first.setdefault(one.text[0], []).append(one)
        longer = [needle.text for needle in self.needles if isinstance(needle.stop, Misspelt)]
        # What is searched for, and may be the beginning of a longer part of a misspelled marker.
        self._growing = {begun for text in longer for begun in _beginnings(text, texts)}
        searched = {needle.text[0] for needle in self.needles if not isinstance(needle.stop, Misspelt)}
        self.signs = "".join(sorted(searched))
        """What stops begin with, but for those that are misspelled."""
        self._any = re.compile("|".join(map(re.escape, texts)) or r"(?!)").search
        led = [needle for needle in self.needles if needle.stop is not None]
        plain = [needle for needle in led if needle.stop is not None and not needle.stop.named]
        self._led = led if any(needle.lead for needle in led) else []
        self._led_plainly = plain if any(needle.lead for needle in plain) else []
        self.holds = frozenset(holds)
        self.longest = max(map(len, holds), default=0)
        first = {h[0] for h in holds} | set(braces)
        first |= searched
        leads = {stop.core: stop.lead for stop in stops}
        self.near = [Near(core, leads.get(core, ""), False) for core in self.closers]
        self.near += [Near(core, lead, True) for core, lead in self.openers.items()]
        begins = [pattern for near in self.near for pattern in begins_with(near.core, near.opens)]
        self.hint = any_of([*map(re.escape, first), *begins])
        self._doubt: re.Pattern[str] | None = None

    @property
    def doubt(self) -> re.Pattern[str]:
        """Finds where one of `near` is likely to begin. It is large: look for `hint` first."""
        if self._doubt is None:
            self._doubt = any_of(self.doubts())
        return self._doubt

    def doubts(self) -> list[str]:
        """What one of `near` is likely to begin with, as regular expressions."""
        return [pattern for near in self.near for pattern in begins_likely(near.core, near.opens)]

    def late(self, code: bool) -> StopPlan:
        """What is left of it where too much was looked at: what can hardly be anything else. `code`: calls are."""
        if self._late is None:
            self._late = StopPlan([stop for stop in self.stops if _is_plain(stop, code)], self._gap, "")
        return self._late

    def next(self, finder: Finder, pos: int, until: int = sys.maxsize) -> tuple[int, list[Needle]]:
        """The first index from `pos` on, before `until`, where a stop may be, and the needles there; -1 for none."""
        at = self.find(finder, pos, until)
        return at, self.there(finder.text, at) if at >= 0 else []

    def find(self, finder: Finder, pos: int, until: int = sys.maxsize) -> int:
        """The first index from `pos` on, before `until`, where a stop may be; -1 for none."""
        text, end = finder.text, min(pos + _NEAR, until)
        match = self._any(text, pos, end + self.longest)
        if match is not None and (at := match.start()) < end:
            return at
        if end == until or len(text) <= end:
            return -1
        best = self.first(finder.next, pos)
        return best if best < until else -1

    def first(self, find: Callable[[str, int], int], pos: int) -> int:
        """The first index from `pos` on where a stop may be, or -1; `find` finds a word from an index on."""
        first = -1
        for sign, needles in self._groups:
            if find(sign, pos) >= 0:  # most texts have few of the signs
                for needle in needles:
                    at = find(needle.text, pos)
                    if at >= 0 and (first < 0 or at < first):
                        first = at
        return first

    def there(self, text: str, at: int) -> list[Needle]:
        """The needles at index `at`."""
        return [needle for needle in self._first[text[at]] if text.startswith(needle.text, at)]

    def lead_at(self, text: str, pos: int, at: int, named: bool = True) -> int:
        """How many characters before the marker at index `at` are the whitespace that is written there.

        Without `named`, not for one that counts only where a call begins with its name.
        """
        for needle in self._led if named else self._led_plainly:
            if text.startswith(needle.text, at) and needle.end(text, at) >= 0:
                return ending(text, needle.lead, pos, at)
        return 0

    def hold_from(self, buf: str, pos: int) -> int:
        """The index in `buf` from which its end may be the beginning of a stop."""
        n = len(buf)
        at = max(pos, n - self.longest)
        while (match := self.hint.search(buf, at)) is not None:
            at = match.start()
            if buf[at:] in self.holds:
                return at
            at += 1
        return n

    def held(self, buf: str, pos: int, at: int) -> int:
        """The index in `buf`, between `pos` and `at`, from which all of its end may begin a stop; else its end."""
        n = len(buf)
        if n - at > self.longest:
            return n
        found = self.hold_from(buf, pos)
        return found if found <= at else at if buf[at:] in self._growing else n

    def cut_from(self, buf: str, pos: int) -> int:
        """The index where a marker begins of which `buf` ends with the first tokens; its end for none."""
        at = self.hold_from(buf, pos)
        return at if _TOKEN.match(buf, at) else len(buf)


def _beginnings(text: str, known: set[str]) -> list[str]:
    """The beginnings of `text`, but for itself, from the shortest one that is `known` on."""
    begun = [text[:size] for size in range(1, len(text))]
    return next((begun[i:] for i, beginning in enumerate(begun) if beginning in known), [])


def _sign(word: str) -> str:
    """A character of `word` that prose seldom has, if it has one."""
    return next((char for char in word if not char.isalnum()), word[0])


def _opens(stop: Stop) -> bool:
    """True when a misspelling of the marker `stop`, which begins a call, can be told from prose."""
    usual = not isinstance(stop, (NameLine, Unopened, Misspelt)) and stop.calls is not Calls.NOTHING and not stop.direct
    return usual and not stop.line and not is_echo(stop.core) and bool(parts(stop.core))


def plan_of(node: Node) -> StopPlan:
    """The stop plan of `node`, made once."""
    return node.made(_plan)


def plain_plan(node: Node) -> StopPlan:
    """The same without openers that are misspelled."""
    return node.made(_plain_plan)


def _is_plain(stop: Stop, code: bool) -> bool:
    """True for what ends the answer, or reasoning, and for a long opener of anything but `code`."""
    if isinstance(stop, EndToken):
        return True
    if not isinstance(stop, Following | Landmark) or stop.named or stop.line:
        return False
    return stop.calls is Calls.NOTHING or len(stop.core) >= STRONG and not code


def _plain_plan(node: Node) -> StopPlan:
    return _plan(node, near=False)


def _plan(node: Node, near: bool = True) -> StopPlan:
    """The stops of `node` made ready for searching; `near`: and what is left whole of openers, misspelled."""
    field = node.text_field()
    gaps = node.graph.network.spec.gaps
    gap = gaps.before_call if field.role in (Role.CONTENT, Role.REASONING) else ""
    if field.role is Role.ARGUMENTS:
        gap = gaps.between_calls
    braces, direct = "", False
    if field.role in (Role.CONTENT, None):
        after = node.step(SlotKind.TEXT).node
        direct = not after.json
        braces = "{[" if node.json or after.json else ""
    return StopPlan(list(stops_of(node).values()), gap, braces, direct, likely=near and field.role is Role.CONTENT)
