"""The way of a text through the grammar: where it is, and what crossing each point of it does."""

from __future__ import annotations

from collections.abc import Callable

from toolect._graph.expectations import in_words
from toolect._graph.finder import Finder
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.symbols import Key
from toolect._reading.builder import Builder
from toolect._reading.spacing import Spacing
from toolect._reading.text_source import Source
from toolect._reading.watcher import Watcher
from toolect._spec.grammar_model import SlotKind
from toolect._values.toolset import ToolSchemas
from toolect.message import RepairKind

_KEPT = 16
"""Lexemes that are remembered, at least half of them: the tasks of a step look a few back."""


_NOTHING = Finder("")
_MISSING = frozenset((RepairKind.IMPLIED_CLOSER, RepairKind.MISSING_ARGUMENTS))
"""What is known before there is any text."""


class Boundary(Exception):
    """Content begins at character `at`, which is not for who reads a part of a text."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Course(Source):
    """A text on its way through the nodes of `graph`; what is read goes into the draft of `builder`."""

    __slots__ = (
        "_finder", "_hist", "bound", "builder", "depth", "graph", "home", "last", "node", "seeking", "spacing",
        "watcher",
    )  # fmt: skip

    def __init__(
        self, graph: Graph, builder: Builder, watcher: Watcher | None = None, bound: int | None = None
    ) -> None:
        super().__init__()
        self.watcher = watcher
        self.bound = bound
        """Where a part of a text begins that is read up to the next content; None to read all of it."""
        self.graph, self.builder = graph, builder
        builder.draft.raw = self.raw
        self.node: Node = graph.start
        self.last: Key = ""  # the marker or terminal that was read last, outside of values
        self.spacing = Spacing()
        self.home: Node | None = None  # where to go on after the statement of code that is open
        self.depth = 0  # brackets that are open in it
        self.seeking: object = None
        """How far the last look ahead for a call in code has come."""
        self._hist: list[tuple[int, int, str]] = []  # the last lexemes: their characters, the text of terminals
        self._finder = _NOTHING

    @property
    def tools(self) -> ToolSchemas:
        """The tools that are declared, by name."""
        return self.builder.tools

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here: with the name of the open call, the key of the open argument."""
        return self.builder.spelled(core)

    @property
    def finder(self) -> Finder:
        """Finds words in what is there of the text."""
        found = self._finder
        if found.text is not self.buf:
            found = self._finder = found.moved(self.buf, self.base)
        return found

    def use(self, finder: Finder) -> None:
        """Others have looked for words in the text, with `finder`."""
        self._finder = finder

    def within(self, low: int, high: int, look: Callable[[], bool]) -> bool:
        """What `look` tells when `buf[low:high]` is all of the text that has come; it reads nothing."""
        kept = self.base, self.buf, self.pos, self.final, self.seeking, self._finder
        self.base, self.buf, self.pos, self.final, self.seeking = self.base + low, self.buf[low:high], 0, False, None
        self._finder = _NOTHING
        try:
            return look()
        finally:
            self.base, self.buf, self.pos, self.final, self.seeking, self._finder = kept

    def first_needed(self) -> int | None:
        """The first character that the open call, or one that may have begun, may ask for."""
        call, begun = self.builder.call, self.node.begun
        if not begun:
            return None if call is None else call.start
        start = self._hist[-begun][0]
        return start if call is None else min(start, call.start)

    # Steps

    def enter_slot(self, kind: SlotKind, at: int) -> None:
        """Begin the slot `kind` at character `at`: what crossing to it does."""
        if self.watcher is not None:
            self.watcher.slot_begun(kind, at)
        step = self.node.step(kind)
        self._hist.append((at, at, ""))
        if step.tasks:
            self._run(step.tasks)

    def leave_slot(self, kind: SlotKind, end: int) -> None:
        """End the slot `kind` at character `end`."""
        if self.watcher is not None:
            self.watcher.slot_ended(end)
        hist = self._hist
        hist[-1] = (hist[-1][0], end, "")
        self.node = self.node.step(kind).node
        self._arrive()

    def step_text(self, node: Node, at: int) -> None:
        """Step over an empty text slot."""
        self.node = node
        self.enter_slot(SlotKind.TEXT, at)
        self.leave_slot(SlotKind.TEXT, at)

    def shift(self, key: Key, start: int, end: int, text: str = "", lexed: bool = False, wrong: bool = False) -> None:
        """Go over the marker or pattern `key` at characters `start:end`, which may be `wrong`: spelled otherwise."""
        if self.watcher is not None:
            self.watcher.shifted(key, start, end)
        step = self.node.step(key)
        self.last = "" if self.node.value else key
        self._hist.append((start, end, text))
        if step.tasks:
            self._run(step.tasks)
        if self.home is not None and isinstance(key, str):
            self._heed_brackets(key)
        spacing = self.spacing
        if lexed and not spacing.loose and not self.node.value:
            spacing.check(self.builder, start, step.leads, step.expects)
        if wrong or step.wrong:
            self.builder.note(RepairKind.MISSPELLED_MARKER, start, self.raw(start, end) if wrong else str(key))
        elif step.blank and self.raw(start, end) != (spelled := self.builder.spelled(str(key))):
            self.builder.note(RepairKind.WHITESPACE, start, f"expected {spelled!r}")
        spacing.after(step.trail, step.trails)
        self.node = node = step.node
        if node.arrival:
            self._run(node.arrival)
        if len(self._hist) > _KEPT:
            del self._hist[: _KEPT // 2]

    def imply(self, core: str, at: int, repair: RepairKind) -> None:
        """Go over a marker that is missing at character `at`."""
        if self.watcher is not None:
            self.watcher.implied(core, at)
        closer, call = not self.node.first(core), self.builder.call
        if closer:
            self._break_off(at)
            self.builder.note(repair, at, self.builder.spelled(core))
        step = self.node.step(core)
        self._hist.append((at, at, ""))
        self._run(step.tasks)
        if not closer:
            self.builder.note(RepairKind.IMPLIED_OPENER, at, core)
        elif call is not None and call.entries and isinstance(text := call.entries[-1][1], str):
            inner = next((one for one in self.graph.markers if one in text and one not in self.graph.closers), None)
            if inner is not None:
                call.fail(f"expected `{core}`, got `{inner}` - before {at}")
        if self.home is not None:
            self._heed_brackets(core)
        self.spacing.clear()
        self.node = step.node
        self._arrive()

    def goes_on(self, end: int) -> None:
        """What was gone over last goes on up to character `end`: what ends with it ends there."""
        start, _, text = self._hist.pop() if self._hist else (end, end, "")
        self._hist.append((start, end, text))

    def _break_off(self, at: int) -> None:
        """A closer is missing at character `at`: where another call begins, the open one may have been broken off.

        It was when more is missing than one closer: another one, or the arguments of a tool that takes some.
        """
        call = self.builder.call
        if call is None or call.whole and call.value:
            return
        last = call.repairs[-1] if call.repairs else None
        if last is not None and last.at == at and last.kind in _MISSING:
            self.fail_before_call(f"`{last.detail}`", at)
        elif not call.whole and (call.blank or not call.entries and call.key is None and self.node.sole is None):
            self.lack_arguments(at)

    def lack_arguments(self, at: int, other: bool = False) -> None:
        """The open call has no arguments before character `at`: where another call begins, they are missing.

        It does surely where an `other` was found.
        """
        if self.builder.draft.takes_some:
            self.fail_before_call("the arguments", at, other)

    def fail_before_call(self, what: str, at: int, other: bool = False) -> None:
        """The open call lacks `what` at character `at`: it was broken off if another call begins there."""
        call, pos = self.builder.call, at - self.base
        begins = other or any(self.buf.startswith(core, pos) for core in self.graph.openers if core not in "{[")
        if call is not None and begins:
            call.fail(f"expected {what}, and another call begins - at {at}")

    def _heed_brackets(self, core: str) -> None:
        """The marker `core` of a statement of code was gone over."""
        self.depth += sum((sign in "([{") - (sign in ")]}") for sign in core)

    def restart(self, node: Node | None = None) -> None:
        """Go on at the start of the grammar, or at `node`, whatever is open."""
        self.node = node or self.graph.start
        if self.watcher is not None:
            self.watcher.restarted()

    def begins_call(self, pos: int) -> bool:
        """Is at `buf[pos]` a marker that a call can begin with?"""
        return self.buf.startswith(self.graph.long_openers, pos)

    def lost(self, *expected: str) -> None:
        """What comes here cannot be read."""
        if self.watcher is not None:
            self.watcher.lost(self.base + self.pos, expected)

    def begin_statement(self, home: Node) -> None:
        """A statement of code begins here; `home` is where to go on after it."""
        self.home, self.depth = home, 0

    def settle_end(self, at: int) -> None:
        """The answer ends at character `at`: imply what must follow, and close what is open."""
        builder = self.builder
        if self.node.done is None:
            self._imply_rest(at)
        called = builder.call is not None
        if called and self.node.done is not None:
            self.finish_tasks(at)
        if builder.call is not None:
            builder.truncate(at)
        if called or self.node.done is not None:
            return
        if self.node.json and not self.node.text and not self.node.marks:
            builder.draft.begin_call(at)
            builder.truncate(at)
        elif not self.node.text:
            builder.note(RepairKind.IMPLIED_CLOSER, at, in_words(self.node))

    def _imply_rest(self, at: int) -> None:
        """Imply the closers that alone can follow, unless a call is open and they do not end it."""
        node, closers, ends = self.node, [], self.builder.call is None
        while (sole := node.sole) is not None:
            closers.append(sole)
            node = node.step(sole).node
            ends = ends or node.over
        for closer in closers if ends else ():
            self.imply(closer, at, RepairKind.IMPLIED_CLOSER)

    def finish_tasks(self, at: int) -> None:
        """The answer ends at character `at`, where the grammar allows it: run what ends with it."""
        self._hist.append((at, at, ""))
        self._run(tuple((task, back + 1) for task, back in self.node.done or ()))

    def _arrive(self) -> None:
        arrival = self.node.arrival
        if arrival:
            self._run(arrival)
        if len(self._hist) > _KEPT:
            del self._hist[: _KEPT // 2]

    def _run(self, tasks: tuple[tuple[object, int], ...]) -> None:
        hist, run = self._hist, self.builder.run
        for task, back in tasks:
            start, end, text = hist[-back] if back <= len(hist) else hist[0]
            run(task, start, end, text)  # type: ignore[arg-type]  # an Op or a Field
