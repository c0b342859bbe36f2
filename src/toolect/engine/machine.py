"""Walks the graph of nodes over the wire text, whole or in pieces.

One machine reads both: `run(final=True)` on the whole text is `parse`; `run(final=False)` after each chunk is `stream`.
Every decision depends on the text alone, never on where a chunk ended: where more text could change it, the machine
waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.compile.graph import Graph, TooDeep
from toolect.compile.node import Node
from toolect.compile.stops import Stop
from toolect.compile.symbols import Field, Hollow
from toolect.engine.builder import Builder
from toolect.engine.comments import read_comment
from toolect.engine.escaped_slot import EscapedSlot
from toolect.engine.json_slot import JsonSlot
from toolect.engine.lexing import lex, match_space
from toolect.engine.look_ahead import Ahead, announced, headed
from toolect.engine.recovery import give_up, settle_end, skip_to
from toolect.engine.spacing import Spacing
from toolect.engine.spelling import canonical
from toolect.engine.stop_plan import Search, StopPlan
from toolect.engine.tape import Tape
from toolect.engine.text_slot import TextSlot
from toolect.events import Event
from toolect.ir import Message, RepairKind
from toolect.spec.model import Role, SlotKind

if TYPE_CHECKING:
    from toolect.engine.code_lines import Lines
    from toolect.engine.code_slot import CodeSlot


class Machine:
    """Reads one answer. `buf[pos:]` has not been read yet; `buf[0]` is character `base` of the wire text."""

    __slots__ = (
        "_hist", "_searches", "_tape", "base", "buf", "builder", "comment", "depth", "ended", "graph", "home", "json",
        "node", "pos", "quick", "seeking", "spacing", "text",
    )  # fmt: skip

    def __init__(self, graph: Graph, builder: Builder) -> None:
        self.graph, self.builder = graph, builder
        self.node: Node = graph.start
        self.buf, self.pos, self.base = "", 0, 0
        self.ended = False
        self.quick: Callable[[str], list[Event] | None] | None = None
        """Takes in a chunk that has nothing but text of the open slot in it, or declines with None."""
        self._hist: list[tuple[int, int, str]] = []
        self.text: TextSlot | EscapedSlot | CodeSlot | None = None
        self.json: JsonSlot | None = None
        self.spacing = Spacing()
        self.comment = ""  # the closer of the comment that is open
        self.home: Node | None = None  # where to go on after the statement of code that is open
        self.depth = 0  # brackets that are open in it
        self.seeking: tuple[int, Lines, int] | None = None
        """Where a look-ahead for a call in code began, and how far it has come."""
        self._tape = Tape()
        self._searches: dict[StopPlan, Search] = {}

    # The text

    def feed(self, chunk: str) -> None:
        """Take in `chunk` and read as far as it decides."""
        self.buf = self.buf + chunk if self.buf else chunk
        self.go_on()

    def go_on(self) -> None:
        """Read as far as the text there is decides, and get ready for the next chunk."""
        self.run(False)
        self._get_ready()

    def _get_ready(self) -> None:
        """Drop what has been read, and see whether the next chunk can be read the short way."""
        self._forget()
        self.quick = None
        if not self.buf:
            if self.json is not None:
                self.quick = self.json.quick(self)
            elif self.text is not None:
                self.quick = self.text.quick(self)

    def took(self, chunk: str) -> None:
        """`chunk` was read without this machine, inside a call."""
        self._tape.append(chunk)
        self.base += len(chunk)

    def take_piece(self, field: Field, chunk: str) -> list[Event]:
        """Take in `chunk`, all of it text of the open slot, which is inside a call; what that makes happen."""
        events: list[Event] = []
        self.builder.draft.events = events
        self.builder.text_part(field, chunk)
        self.took(chunk)
        return events

    def prefill(self, opening: str) -> None:
        """Begin after `opening`, which the prompt ends with: its characters have negative offsets."""
        self.base = -len(opening)
        self.buf = opening
        opener = ""
        while (match := self.node.struct.match(opening, self.pos)) is not None:
            at, self.pos = self.base + self.pos, match.end()
            core = canonical(match[0], self.node.marks)
            opener = opening[match.start() :]
            self.shift(core, at, self.base + self.pos)
        self.run(False)
        self.buf, self.pos, self.base = "", 0, 0
        self.builder.segments.clear()
        self.builder.repairs.clear()
        self.builder.text_parts.clear()
        if isinstance(self.text, TextSlot):
            self.text.restart(self, opener)

    def search(self, plan: StopPlan) -> Search:
        """The search for the stops of `plan`, shared by all slots that have it."""
        found = self._searches.get(plan)
        if found is None:
            found = self._searches[plan] = Search(plan)
        return found

    def _forget(self) -> None:
        """Drop what has been read, keeping on tape what a call in progress may still need."""
        pos, buf = self.pos, self.buf
        if not pos:
            return
        needed = self._needed()
        if needed is None:
            self._tape.clear()
        else:
            self._tape.add(buf if pos == len(buf) else buf[:pos], self.base, needed)
        self.buf = "" if pos == len(buf) else buf[pos:]
        self.base += pos
        self.pos = 0

    def _needed(self) -> int | None:
        """The first character that may still be asked for."""
        starts = []
        if self.builder.call is not None:
            starts.append(self.builder.call.start)
        if self.node.begun:
            starts.append(self._hist[-self.node.begun][0])
        if self.json is not None:
            starts.append(self.json.needed)
        if self.text is not None and self.text.raw_from is not None:
            starts.append(self.text.raw_from)
        return min(starts, default=None)

    def raw(self, start: int, end: int) -> str:
        """Characters `start:end` of the wire text."""
        base = self.base
        if start >= base:
            return self.buf[start - base : end - base]
        return self._tape.read(start, min(end, base)) + self.buf[: max(end - base, 0)]

    def run(self, final: bool) -> None:
        """Read until the end of what is there, or until more text is needed."""
        while True:
            try:
                while self._advance(final):
                    pass
                break
            except TooDeep:
                give_up(self, "nested too deep")
        if final:
            self._finish()

    def _advance(self, final: bool) -> bool:
        """Read one slot or lexeme; False when more text is needed."""
        if self.ended:
            return self._after_end()
        if self.json is not None:
            return self.json.read(self, final)
        if self.text is not None:
            return self.text.read(self, final)
        if self.comment:
            return read_comment(self, final)
        node = self.node
        if node.text:
            return self._enter_text(node, final)
        if node.escaped:
            self.text = EscapedSlot(self, node)
            return True
        return lex(self, node, final)

    def _after_end(self) -> bool:
        rest = self.buf[self.pos :]
        if rest.strip() and not any(r.kind is RepairKind.AFTER_END for r in self.builder.repairs):
            at = self.base + self.pos + len(rest) - len(rest.lstrip())
            self.builder.note(RepairKind.AFTER_END, at, "text after the end of the answer")
        self.pos = len(self.buf)
        return False

    # Text

    def _enter_text(self, node: Node, final: bool) -> bool:
        """At a node that takes free text: settle the whitespace before it, then open the slot."""
        if not self.spacing.before_text(self, node, final):
            return False
        buf, n = self.buf, len(self.buf)
        self.home = None
        field = node.text_field()
        if node.patterns and (answer := headed(node, buf, self.pos, final)) is not Ahead.NO:
            return self._lex_instead(answer, node, final)
        if node.json and field.role not in (Role.CONTENT, None):
            at = match_space(buf, self.pos).end()  # type: ignore[union-attr]  # matches the empty string
            if at == n and not final:
                return False
            if buf[at : at + 1] in ("{", "["):
                self.pos = at
                self.spacing.settled()
                self.begin_json(node)
                return True
        if node.patterns and field.role is Role.ARGUMENTS:
            answer = announced(self, node, self.pos, final)
            if answer is not Ahead.NO:
                return self._lex_instead(answer, node, final)
        self.spacing.settled()
        self.text = TextSlot.free(self, node)
        return True

    def _lex_instead(self, answer: Ahead, node: Node, final: bool) -> bool:
        """A terminal stands where free text may, or may turn out to; False when more text is needed to know."""
        if answer is Ahead.MORE:
            return False
        self.spacing.settled()
        return lex(self, node, final)

    def end_text(self) -> None:
        """The open text slot is over."""
        self.text = None

    def take(self, stop: Stop, node: Node, at: int, end: int, opened: bool) -> None:
        """Go over the marker that ended a text slot of `node`: characters `at:end`."""
        self.text = None
        if stop.end:
            settle_end(self, at)
            self.pos = end - self.base
            self.ended = True
            return
        self.pos = end - self.base
        if stop.direct and not opened and stop.repair is not RepairKind.STRAY_MARKER:
            self.node = node
            self.shift(stop.core, at, end, self._text(stop, at, end))
            return
        if not stop.path:
            self.builder.note(stop.repair or RepairKind.STRAY_MARKER, at, stop.core)
            self.node = node
            self.spacing.after_stray(self.graph.text_closers.get(stop.core, ""))
            return
        steps = stop.path[1:]
        if not opened:
            if not steps and stop.core in node.choices:
                self.shift(stop.core, at, end, self._text(stop, at, end))
                return
            if not steps or steps[0] not in node.choices:
                self.step_text(node, at)
        for core in steps:
            self.imply(core, at, stop.repair or RepairKind.IMPLIED_CLOSER)
        self.shift(stop.core, at, end, self._text(stop, at, end))

    def _text(self, stop: Stop, at: int, end: int) -> str:
        """The text of a stop that is a terminal."""
        return self.raw(at, end) if stop.pattern else ""

    def step_text(self, node: Node, at: int) -> None:
        """Step over an empty text slot."""
        self.node = node
        self.enter_slot(SlotKind.TEXT, at)
        self.leave_slot(SlotKind.TEXT, at)

    # Code

    def said_before(self) -> str:
        """The text of the terminal right before the last marker."""
        return self._hist[-2][2] if len(self._hist) > 1 else ""

    def begin_statement(self, home: Node) -> None:
        """A statement of code begins here; `home` is where to go on after it."""
        self.home, self.depth = home, 0

    def end_code(self, node: Node) -> None:
        """Code that is no call is over: go on at `node`."""
        self.text, self.node = None, node
        self.spacing.clear()
        self.spacing.loose = True

    # Steps

    def enter_slot(self, kind: SlotKind, at: int) -> None:
        """Begin the slot `kind` at character `at`: what crossing to it does."""
        step = self.node.step(kind)
        self._hist.append((at, at, ""))
        self._run(step.tasks)

    def leave_slot(self, kind: SlotKind, end: int) -> None:
        """End the slot `kind` at character `end`."""
        hist = self._hist
        hist[-1] = (hist[-1][0], end, "")
        self.node = self.node.step(kind).node
        self._arrive()

    def shift(self, key: str, start: int, end: int, text: str = "", lexed: bool = False) -> None:
        """Go over the marker or pattern `key` at characters `start:end`."""
        step = self.node.step(key)
        self._hist.append((start, end, text))
        self._run(step.tasks)
        if self.home is not None and not text:
            self.depth += sum((sign in "([{") - (sign in ")]}") for sign in key)
        spacing = self.spacing
        if lexed and not spacing.loose and not self.node.value:
            spacing.check(self.builder, start, step.leads, step.expects)
        if step.blank and self.raw(start, end) != key:
            self.builder.note(RepairKind.WHITESPACE, start, f"expected {key!r}")
        if step.wrong:
            self.builder.note(RepairKind.MISSPELLED_MARKER, start, key)
        spacing.after(step.trail, step.trails)
        self.node = step.node
        self._arrive()

    def imply(self, core: str, at: int, repair: RepairKind) -> None:
        """Go over a marker that is missing at character `at`."""
        closer = not self.node.first(core)
        if closer:
            self.builder.note(repair, at, self.builder.spelled(core))
        step = self.node.step(core)
        self._hist.append((at, at, ""))
        self._run(step.tasks)
        if not closer:
            self.builder.note(RepairKind.IMPLIED_OPENER, at, core)
        self.spacing.clear()
        self.node = step.node
        self._arrive()

    def finish_tasks(self, at: int) -> None:
        """The answer ends at character `at`, where the grammar allows it: run what ends with it."""
        self._hist.append((at, at, ""))
        self._run(tuple((task, back + 1) for task, back in self.node.done or ()))

    def _arrive(self) -> None:
        arrival = self.node.arrival
        if arrival:
            self._run(arrival)
        if len(self._hist) > 16:
            del self._hist[:8]

    def _run(self, tasks: tuple[tuple[object, int], ...]) -> None:
        hist, run = self._hist, self.builder.run
        for task, back in tasks:
            start, end, text = hist[-back] if back <= len(hist) else hist[0]
            run(task, start, end, text)  # type: ignore[arg-type]  # an Op or a Field

    # Structure

    def begin_json(self, node: Node) -> None:
        """Begin the JSON slot of `node` here."""
        at = self.base + self.pos
        self.enter_slot(SlotKind.JSON, at)
        self.spacing.clear()
        self.spacing.loose = False
        self.json = JsonSlot(self, self.json_field(node), at)

    def json_field(self, node: Node) -> Field:
        """What the JSON slot of `node` fills."""
        symbol = node.choices[SlotKind.JSON][0].edge.symbol
        assert isinstance(symbol, Hollow)
        return symbol.field

    def try_json(self, node: Node, at: int) -> None:
        """Read a JSON value inside free text at character `at`; it may turn out to be just text."""
        self.json = JsonSlot(self, self.json_field(node), at, tentative=True)

    def skip_to(self, node: Node, core: str, at: int, end: int) -> None:
        """Go on at marker `core`, characters `at:end`, after unreadable text met at `node`."""
        skip_to(self, node, core, at, end)

    def commit_json(self) -> None:
        """The JSON value inside free text is a call: the text before it is over."""
        slot, text = self.json, self.text
        assert slot is not None
        assert isinstance(text, TextSlot)
        opener, opened = text.opener, text.opened
        text.close(self, slot.start if text.raw_from is None else text.raw_from)
        self.text = None
        if opener is not None:
            pos = self.pos
            self.take(opener.stop, text.node, opener.at, opener.end, opened)
            self.pos = pos
            self.spacing.come = self.raw(opener.end, slot.start)
            expects = self.node.choices[SlotKind.JSON][0].expects
            self.spacing.check(self.builder, slot.start, (expects,), expects)
            self.spacing.clear()
        elif not text.opened and SlotKind.JSON not in text.node.choices:
            self.step_text(text.node, slot.start)
        self.enter_slot(SlotKind.JSON, slot.start)

    def text_back(self, end: int) -> None:
        """What was read as JSON inside free text is free text after all, up to character `end`."""
        assert isinstance(self.text, TextSlot) and self.text.raw_from is not None
        self.text.add(self, self.raw(self.text.raw_from, end), end)

    def end_json(self) -> None:
        """The JSON slot is over."""
        self.json = None

    def _finish(self) -> None:
        """The input is over."""
        if not self.ended:
            if self.text is None and self.json is None and self.pos < len(self.buf):
                self.pos = len(self.buf)
            settle_end(self, self.base + len(self.buf))
            self.ended = True

    def pending(self) -> str:
        """Text that has come and has not been passed on: it may still turn out to be something else."""
        waiting = self.buf[self.pos :]
        if isinstance(self.text, TextSlot):
            if self.text.raw_from is not None:
                waiting = self.raw(self.text.raw_from, self.base + len(self.buf))
            waiting = self.text.blank + waiting
        elif self.text is not None:
            waiting = self.text.blank + waiting
        elif self.json is not None:
            waiting = self.json.reader.held + waiting
        return waiting

    def message(self) -> Message:
        """What has been read; in the middle of an answer, what is open comes last."""
        builder = self.builder
        segments = list(builder.segments)
        if not self.ended:
            segments += builder.open_segment(self.text.field if self.text is not None else None, self.base + self.pos)
        return Message(tuple(segments), tuple(builder.repairs))
