"""Hypotheses: best-first search over readings of one text, with pruning, merging and commitment.

A hypothesis is a place in the text and in the grammar, what it cost to get there, and a leaf of a tree of actions. What
all that live agree on is performed. All depends on the text alone: an edge that needs more text than there is waits.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

from toolect._graph.node import Node
from toolect._spec.costs import ALIVE, FAR, FUEL, GAP, LATE, PACE, VISITS

_REMEMBERED: Final = 4096
"""Places of the text and the grammar that are remembered at least."""
_BACK: Final = 1000
"""Characters behind the last hypothesis for which they are."""
_OFTEN: Final = 128
"""Expansions after which is looked for what all that live agree on."""


class Mode(Enum):
    """Kind of text that a hypothesis reads."""

    BETWEEN = 1
    """A marker, a terminal or the beginning of a slot comes."""
    TEXT = 2
    STRING = 3
    JSON = 4
    SKIPPED = 5
    """Text that cannot be read, up to the next marker."""
    AFTER = 6
    """Text behind the end of the answer."""
    END = 7
    CODE = 8
    """A statement that is no call."""


_PASSES_ON: Final = (Mode.BETWEEN, Mode.TEXT, Mode.STRING, Mode.JSON)
"""In them, what the best reads is passed on."""


class Doubt:
    """Doubts about the open call, as bits: it counts less unless its tool is declared."""

    NONE: Final = 0
    ARGUED: Final = 1
    """An argument has come."""
    MISSPELT: Final = 2
    PROSE: Final = 4
    """It begins in the middle of a line of text, with a short sign."""
    GLUED: Final = 8
    """... right behind a word."""
    NO_OPENERS: Final = 16
    """Its openers are missing."""
    PASSED: Final = 32
    """The text that is open holds markers."""
    INSIDE: Final = 64
    """It was begun within a value of another call: what fits is no evidence."""


class Statement(NamedTuple):
    """A statement of code that is open."""

    home: Node
    """The node after it."""
    depth: int = 0
    """Number of open brackets in it."""
    called: bool = True
    """A call has come in the block of code."""
    short: bool = False
    """The block began with a short sign: its first statement has to be a call."""

    def over(self, marker: str) -> Statement:
        """The statement after one of its markers."""
        return self._replace(depth=self.depth + sum((sign in "([{") - (sign in ")]}") for sign in marker))


class EdgeContext(NamedTuple):
    """Past of a hypothesis, for its edges: node of the open call, its name, its open argument, the last terminals."""

    call: Node | None = None
    name: str = ""
    key: str | None = None
    said: tuple[str, ...] = ()
    doubt: int = Doubt.NONE
    begun: int = 0
    """The character where the open call begins."""
    opener: str = ""
    """The opener that was read last."""
    statement: Statement | None = None
    argument: Node | None = None
    """The node at which the open argument began."""


class Quotation(NamedTuple):
    """A quotation in a text: the characters where its line begins, and where the marker ends that it holds; its end."""

    line: int
    end: int
    closing: str


class TextState(NamedTuple):
    """A free text that is open: where it began, whether it is more than blanks, and the quotation in it.

    Its own opener stands in it `inner` times without a closer; -1 where a closer was text, as the grammar did not go on
    behind it. Where that opener was spelled otherwise, so is its `closer`, a marker and how it is spelled.
    """

    start: int
    solid: bool
    quotation: Quotation | None = None
    inner: int = 0
    closer: tuple[str, str] | None = None


class StringState(NamedTuple):
    """A string of a value language that is open: from character `start`, passed on up to `emitted`."""

    start: int
    emitted: int
    piece: int
    """The character at which its last part begins: behind the last quote that was its own."""
    broken: bool = False
    """It holds a line break that it should not."""
    quotes: int = 0
    """Quotes that were its own."""
    opened: int = 0
    """Brackets of calls that were open before one of them, which stands at character `torn`."""
    torn: int = 0


class Act(Protocol):
    """Something that is done to the message."""

    def perform(self, to: Any, /) -> None:
        """Do it."""


class Action:
    """A node of the tree of actions: what is done if the hypotheses whose leaves are below it win."""

    __slots__ = ("_grown", "acts", "children", "holders", "parent")

    def __init__(self, parent: Action | None, acts: tuple[Act, ...]) -> None:
        self.parent, self.acts = parent, acts
        self.children: list[Action] = []
        self.holders = 0
        self._grown = False

    @property
    def last(self) -> Act | None:
        """The last action."""
        return self.acts[-1] if self.acts else None

    def hold(self) -> None:
        """A hypothesis that takes part has it for its leaf: it is in the tree, as is all that leads to it."""
        self.holders += 1
        one = self
        while not one._grown and one.parent is not None:
            one._grown = True
            one.parent.children.append(one)
            one = one.parent


class Hypothesis:
    """One reading so far. `pos` is where it decided last, `emitted` how far it has come since; in characters.

    Of one that was expanded, `emitted` says where the edges that follow it begin.
    """

    __slots__ = ("action", "context", "cost", "mode", "node", "order", "pos", "spare", "state", "emitted")

    def __init__(
        self, cost: int, pos: int, order: int, node: Node, mode: Mode, state: Any, context: EdgeContext, action: Action
    ) -> None:
        self.cost, self.pos, self.order = cost, pos, order
        self.node, self.mode, self.state, self.context = node, mode, state, context
        self.action = action
        self.emitted = pos
        self.spare: Hypothesis | None = None
        """Another reading of the value that is open, should this one fail: it takes no part until it is woken."""

    def __lt__(self, other: Hypothesis) -> bool:  # the best is last
        if self.cost != other.cost:
            return self.cost > other.cost
        return self.pos < other.pos if self.pos != other.pos else self.order > other.order

    @property
    def passes_on(self) -> bool:
        """True when what it reads is passed on, if it is the only one: it is no JSON that is only perhaps a call."""
        return self.mode in _PASSES_ON and not (self.mode is Mode.JSON and self.state.bare)

    @property
    def needed(self) -> int:
        """The first character that edges may ask for: what comes before it is passed on."""
        return min(self.emitted, self.state.emitted) if self.mode in (Mode.JSON, Mode.STRING) else self.emitted

    @property
    def key(self) -> tuple[object, ...]:
        """The merge key. A text is the same wherever it began."""
        state = self.state[1:] if self.mode is Mode.TEXT else self.state
        return self.pos, self.mode, self.node, state, self.context.call, self.context.doubt


class Waits(Enum):
    """No edge is certain before more text has come."""

    WAIT = 1


WAIT: Final = Waits.WAIT


class Onwards(NamedTuple):
    """A hypothesis went on without a decision: it is `now` where `there` is."""

    there: Hypothesis


Found = list[Hypothesis] | Waits
"""The hypotheses that follow one."""
Expansion = Found | Onwards
"""... or how far it went on without a decision."""


class Edges(Protocol):
    """Source of the hypotheses that follow one."""

    def expand(self, one: Hypothesis, final: bool) -> Expansion:
        """The hypotheses that follow `one`."""

    def step(self, one: Hypothesis, final: bool) -> bool:
        """Move the only hypothesis on in place, as far as is sure; True where more text is needed."""


class Search:
    """The hypotheses that live, the best one last. `work` counts expansions."""

    __slots__ = ("_counts", "_kept", "_key", "_perform", "_spent", "_visited", "done", "edges", "live", "most", "root",
                 "spares", "work")  # fmt: skip

    def __init__(
        self,
        first: Hypothesis,
        edges: Edges,
        perform: Callable[[Iterable[Act]], None],
        key: Callable[[Hypothesis], tuple[object, ...]],
    ) -> None:
        """Two hypotheses are equal when the `key` of both is."""
        self.root = first.action
        first.action.holders = 1
        self.live = [first]
        self.edges, self._perform, self._key = edges, perform, key
        self._visited: dict[tuple[object, ...], int] = {}
        self._counts: dict[tuple[int, object], int] = {}
        self.most = ALIVE
        """Hypotheses that live at one time."""
        self.done = False
        self.spares: list[Hypothesis] = []
        self.work = 0
        self._kept = 0
        self._spent = 0
        """Readings that were beside the best one, so far."""

    def run(self, final: bool) -> bool:
        """Go on until the text is over, or more of it is needed; True where that was found in a step."""
        live, expand = self.live, self.edges.expand
        while True:
            if len(live) == 1 and self.root is live[0].action and not self.spares and self.edges.step(live[0], final):
                return True
            best = self._next()
            if best.mode is Mode.END:
                self._finish(best)
                return False
            self.work += 1
            if self.work % _OFTEN == 0:
                self.commit()
            found = expand(best, final)
            if isinstance(found, Waits):
                assert not final, "expected an edge at the end of the text, got none"
                return False
            if isinstance(found, Onwards):
                there = found.there
                there.action.hold()
                self._drop(best)
                best.action, best.emitted, best.state = there.action, there.emitted, there.state
                self.passed_on(best)
                return False
            spare = best.spare
            if spare is not None and spare.spare is None and spare not in self.spares:
                spare.action.hold()
                self.spares.append(spare)
            if len(live) == 1 and len(found) == 1 and found[0].spare is spare:
                live[0] = found[0]
                live[0].action.hold()
                self._drop(best)
                self.commit()
                continue
            self._spent += len(found) - 1
            if best.passes_on:
                self._leave_behind(best, min(one.pos for one in found) if best.mode is Mode.TEXT else best.emitted)
            live.remove(best)
            self._add(found)
            self._drop(best)
            if len(live) > 1:
                self._prune(1 if self._spent > FUEL * self.most // ALIVE + best.pos // PACE else self.most)
            self._drop_spares()
            if len(live) == 1:
                self.commit()
            if len(live) == 1 or len(self._visited) > _REMEMBERED + self._kept:
                self._forget()

    def _next(self) -> Hypothesis:
        """The best; where that ends in the middle of a call, one that may yet read all of it."""
        best = self.live[-1]
        if best.mode is Mode.END and best.context.call is not None:
            for one in reversed(self.live):
                if one.mode is not Mode.END and one.cost <= best.cost + LATE:
                    return one
        return best

    def _add(self, found: list[Hypothesis]) -> None:
        """Those of the hypotheses live that are new; the cheapest in any case where no other does."""
        ways = [one for one in found if self._is_new(one)]
        if not ways and not self.live:
            ways = [min(found, key=lambda one: (one.cost, one.order))]
        for one in ways:
            one.action.hold()
            insort(self.live, one)

    def _drop_spares(self) -> None:
        """Spare readings are dropped that have been woken, or that no hypothesis needs any more."""
        for spare in [*self.spares]:
            if spare in self.live or not any(one.spare is spare for one in self.live):
                self.spares.remove(spare)
                self._drop(spare)

    def _is_new(self, one: Hypothesis) -> bool:
        """True unless one as cheap was at the same place of text and grammar, or the place is too crowded."""
        key = self._key(one)
        seen = self._visited.get(key)
        if seen is not None and seen <= one.cost:
            return False
        place = one.pos, one.node.graph
        count = self._counts.get(place, 0)
        if count >= VISITS:
            return False
        self._counts[place] = count + 1
        self._visited[key] = one.cost
        return True

    def _forget(self) -> None:
        """Forget the places that are behind all that live."""
        if len(self.live) == 1:
            self._visited.clear()
            self._counts.clear()
            self._kept = 0
            return
        low = min(one.pos for one in self.live) - _BACK
        self._visited = {key: cost for key, cost in self._visited.items() if key[0] >= low}  # type: ignore[operator]
        self._counts = {place: count for place, count in self._counts.items() if place[0] >= low}
        self._kept = len(self._visited)

    def _prune(self, most: int) -> None:
        """Drop what is too dear, or too much: more than `most`."""
        live = self.live
        limit = live[-1].cost + GAP
        if live[0].cost <= limit and len(live) <= most:
            return
        self._keep([one for one in live[-most:] if one.cost <= limit or self._leads(one)])

    def passed_on(self, best: Hypothesis) -> None:
        """The best waits for more text, and what has come of it can be passed on."""
        if best.passes_on:
            self._leave_behind(best, best.needed)
            if self.spares:
                self._drop_spares()

    def _leave_behind(self, best: Hypothesis, place: int) -> None:
        """Drop those that are far behind the best, which has come to character `place` and cannot go back.

        A text of a call that holds another one is not: it may be over with the answer.
        """
        far = place - FAR
        if any(one.pos < far for one in self.live):
            self._keep([o for o in self.live if o is best or o.pos >= far or o.context.doubt & Doubt.PASSED])
        if best.spare is not None and best.spare.pos < far:
            best.spare = None

    def _keep(self, kept: list[Hypothesis]) -> None:
        """Drop all others."""
        dropped = [one for one in self.live if one not in kept]
        self.live[:] = kept
        for one in dropped:
            self._drop(one)

    def _leads(self, one: Hypothesis) -> bool:
        """True when no hypothesis that is as far is so much better: one behind may have the same to pay."""
        return one.cost <= GAP + min(other.cost for other in self.live if other.pos >= one.pos)

    def _drop(self, one: Hypothesis) -> None:
        """Let go of the actions that only this one needs."""
        action = one.action
        action.holders -= 1
        while action is not self.root and not action.holders and not action.children:
            above = action.parent
            assert above is not None
            above.children.remove(action)
            action = above

    def commit(self) -> None:
        """Perform what all that live agree on."""
        root = self.root
        while not root.holders and len(root.children) == 1:
            root = root.children[0]
            root.parent = None
            self._perform(root.acts)
        self.root = root

    def _finish(self, best: Hypothesis) -> None:
        """Perform all of the best reading, whatever else lives."""
        for one in (*self.live[:-1], *self.spares):
            self._drop(one)
        self.spares.clear()
        self.live[:] = [best]
        self.commit()
        for action in reversed([*self.path(best)]):
            self._perform(action.acts)
        self.root = best.action
        self.done = True

    def path(self, one: Hypothesis) -> Iterator[Action]:
        """The actions of `one` that have not been performed, the last one first."""
        action = one.action
        while action is not self.root:
            yield action
            assert action.parent is not None
            action = action.parent
