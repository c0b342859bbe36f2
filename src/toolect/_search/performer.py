"""Semantic actions: what the winning hypothesis decided becomes a message and its events, on the message builder."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolect._building.builder import Builder
from toolect._building.element import in_element
from toolect._events import Event
from toolect._graph.expectations import expectations, in_words
from toolect._graph.graph import Graph
from toolect._graph.node import Node, Step
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.symbols import Field, Key, Op, OpCode, is_echo
from toolect._graph.trails import Trail, layout
from toolect._message import RepairKind
from toolect._search.blank_end import blank_end
from toolect._search.json_target import JsonTarget
from toolect._search.trace import DeadEnd, Lexeme, Trace
from toolect._shapes.elsewhere import holds_call
from toolect._spec.grammar_model import Escapes, SlotKind
from toolect._spec.model import Role
from toolect._values.doubtful import holds_half_a_call
from toolect._values.escapes import unescape
from toolect._values.json_lexemes import loads
from toolect._values.trees import texts_in

_CONTENT = Field(Role.CONTENT)
_KEPT = 16
"""Lexemes that are remembered: a task may belong to one that came earlier."""


class OpenIsland:
    """The text slot that is open: from character `start`, passed on up to `emitted`; `begun` once it is no blank.

    A `dropped` one is none of the message: content after calls, where a policy says so.
    """

    __slots__ = ("begun", "dropped", "node", "start", "emitted")

    def __init__(self, node: Node, start: int) -> None:
        self.node, self.start, self.emitted, self.begun, self.dropped = node, start, start, False, False


class OpenCode:
    """Code that is no call: from character `start`, gone over up to `seen`, its last sign before `end`."""

    __slots__ = ("begun", "end", "failed", "seen", "start")

    def __init__(self, start: int, failed: bool) -> None:
        self.start = self.seen = self.end = start
        self.failed, self.begun = failed, False


class Performer:
    """Performs actions in order. `raw` gives characters of the answer."""

    __slots__ = (
        "bad", "builder", "code", "graph", "island", "loose", "mended", "node", "odd_string", "raw", "tail", "target",
        "trace",
        "_escapes", "_field", "_lexemes", "_start",
    )  # fmt: skip

    def __init__(
        self, graph: Graph, builder: Builder, raw: Callable[[int, int], str], trace: Trace | None = None
    ) -> None:
        self.graph, self.builder, self.raw, self.trace = graph, builder, raw, trace
        self.node = graph.start
        """The node behind the lexemes; kept where they are traced."""
        builder.draft.raw, builder.draft.markers = raw, lambda: self.graph.markers
        self._lexemes: list[tuple[int, int, str]] = []
        self.island: OpenIsland | None = None
        self.tail: tuple[int, tuple[str, ...]] | None = None
        """The end of the last marker, and the blanks that the dialect may write behind it."""
        self.target: JsonTarget | None = None
        """The JSON value that is open."""
        self.code: OpenCode | None = None
        """The code that is open."""
        self.odd_string = False
        """A sign was mended in the string of JSON that is open."""
        self.loose: list[str] | None = None
        """The JSON of a value of a value language that is read so."""
        self._field = Field(None)
        self._escapes = Escapes.JSON
        self._start = 0

    # Tasks

    def run(self, tasks: Trail) -> None:
        """Run the tasks of a step at their lexemes."""
        lexemes, run = self._lexemes, self.builder.run
        for task, back in tasks:
            run(task, *(lexemes[-back] if back <= len(lexemes) else lexemes[0]))

    def arrive(self, node: Node) -> None:
        """Run what ends at `node` whatever comes next."""
        if node.arrival:
            self.run(node.arrival)
        del self._lexemes[:-_KEPT]

    def lexeme(self, start: int, end: int, text: str = "") -> None:
        """The next lexeme is characters `start:end`."""
        self._lexemes.append((start, end, text))

    def enter(self, node: Node, kind: SlotKind, at: int) -> None:
        """A slot of `node` begins."""
        self.lexeme(at, at)
        self._tell(node, kind, at, -1)
        self.run(node.step(kind).tasks)

    def leave(self, node: Node, kind: SlotKind, end: int) -> None:
        """The slot of `node` that was entered last ends."""
        self._lexemes[-1] = (self._lexemes[-1][0], end, "")
        after = node.step(kind).node
        if self.trace is not None:
            self.trace.lexemes[-1].end, self.node = end, after
        self.arrive(after)

    def _tell(self, node: Node, key: Key, start: int, end: int, implied: bool = False) -> None:
        """The lexeme `key` of `node` is traced."""
        if self.trace is not None:
            self.trace.read_from(start)
            self.trace.lexemes.append(Lexeme(key, start, end, implied, node is not self.node))
            self.node = node if end < 0 <= start else node.step(key).node

    def note(self, kind: RepairKind, at: int, detail: str) -> None:
        """A repair was made."""
        self.tail = None
        self.builder.note(kind, at, detail)

    def fail(self, why: str) -> None:
        """The open call cannot be read."""
        if self.builder.call is not None:
            self.builder.call.fail(why)

    def drop_values(self) -> None:
        """The values of the open call that are open are none."""
        self.loose = self.target = None
        self.builder.values.clear()

    def lost(self, node: Node, at: int, instead: str = "") -> None:
        """Nothing that `node` has is at character `at`, nor what else should be: a value that is open is given up."""
        self.island = self.target = None
        if self.trace is not None:
            self.trace.troubles.append(DeadEnd(at, (instead,) if instead else tuple(expectations(node))))
        self.fail(f"expected {instead or in_words(node)}, got {self.raw(at, at + 1)!r} - at {at}")

    # Markers

    def space(self, node: Node, at: int, leads: Iterable[str], lead: str) -> None:
        """Note it when the blanks before character `at`, since the last marker, are not what the dialect writes."""
        tail, self.tail = self.tail, None
        if tail is None or node.value:
            return
        start, trails = tail
        if start == at and "" in trails and "" in leads:
            return
        blanks = self.raw(start, at)
        if blanks == trails[0] + lead:
            return
        if not blanks.strip() and not any(blanks == trail + one for trail in trails for one in leads):
            self.builder.note(RepairKind.WHITESPACE, at, f"expected {trails[0] + lead!r}")

    def shift(self, node: Node, step: Step, key: Key, start: int, end: int, text: str, wrong: bool) -> None:
        """A marker or terminal is read."""
        self._lexemes.append((start, end, text))
        self._tell(node, key, start, end)
        if step.tasks:
            self.run(step.tasks)
        if self.tail is not None:
            self.space(node, start, step.leads, step.expects)
        self.tail = None if wrong else (end, step.trails)
        echo = key if isinstance(key, str) and is_echo(key) else None
        if wrong or step.wrong or echo is not None and self.raw(start, end) != self.builder.spelled(echo):
            self.builder.note(RepairKind.MISSPELLED_MARKER, start, self.raw(start, end))
        elif isinstance(key, str) and end - start != len(key) and end > start and echo is None:
            self.builder.note(RepairKind.WHITESPACE, start, f"expected {key!r}")
        self.arrive(step.node)

    def imply(self, node: Node, key: Key, at: int, cut: bool) -> None:
        """A symbol of `node` is missing at character `at`; `cut` where another call begins there."""
        self.tail = None
        if key is SlotKind.JSON:
            self.builder.note(RepairKind.MISSING_ARGUMENTS, at, "none")
            if cut and self.builder.draft.takes_some:
                self.fail(f"expected the arguments, and another call begins - at {at}")
            elif self.builder.draft.needs_some:
                self.fail(f"expected the arguments, got none - at {at}")
        if isinstance(key, SlotKind):
            self.enter(node, key, at)
            self.leave(node, key, at)
            return
        assert isinstance(key, str)
        opens = node.first(key)
        if not opens:
            if cut:
                self._cut(node, at)
            self.builder.note(RepairKind.IMPLIED_CLOSER, at, self.builder.spelled(key))
        step = node.step(key)
        self.lexeme(at, at)
        self._tell(node, key, at, at, implied=True)
        self.run(step.tasks)
        if opens:
            self.builder.note(RepairKind.IMPLIED_OPENER, at, key)
        self.arrive(step.node)

    def _cut(self, node: Node, at: int) -> None:
        """Another call begins at character `at`, and the open one lacks a closer: it is whole, or it fails."""
        call = self.builder.call
        if call is None or call.whole and call.value:
            return
        last = call.repairs[-1] if call.repairs else None
        lacking = (RepairKind.IMPLIED_CLOSER, RepairKind.MISSING_ARGUMENTS, RepairKind.JSON)
        if last is not None and last.at == at and last.kind in lacking:
            mark = "'" if "`" in last.detail else "`"
            lacked = last.detail if last.kind is RepairKind.JSON else f"expected {mark}{last.detail}{mark}"
            call.fail(f"{lacked}, and another call begins - at {at}")
        elif call.whole or not self.builder.draft.takes_some:
            return
        elif call.blank or not call.entries and call.key is None and node.sole is None:
            call.fail(f"expected the arguments, and another call begins - at {at}")

    def break_off(self, at: int) -> None:
        """The open call is over, and another begins."""
        self.builder.break_off(at)

    def attempt(self, node: Node, at: int, name: str) -> None:
        """Report an attempt at a call of the tool `name`, which cannot be read."""
        draft = self.builder.draft
        call = draft.call or draft.begin_call(at)
        if call.index < 0 and call.id is None:
            call.name = name
            draft.start_call(call)
        self.lost(node, at)

    # Free text

    def open_text(self, node: Node, at: int) -> None:
        """A text slot begins."""
        role = node.text_field().role
        if role is not Role.CONTENT:
            self._space_text(node, at)
        self.island = OpenIsland(node, at)
        if role is not Role.CONTENT and not node.patterns:
            self._begin(self.island)

    def _space_text(self, node: Node, at: int) -> None:
        choices = node.choices[SlotKind.TEXT]
        self.space(node, at, [choice.expects for choice in choices], choices[0].expects)

    def _begin(self, island: OpenIsland) -> None:
        node, at = island.node, island.start
        island.begun = True
        field = node.text_field()
        if field.role is Role.CONTENT:
            self._space_text(node, at)
        ends = any(isinstance(task, Op) and task.code is OpCode.END_CALL for task, _ in node.step(SlotKind.TEXT).tasks)
        if field.role is Role.CONTENT and self.builder.call is not None and not ends:  # one that could not be read
            self.builder.give_up_call(at)
        self.enter(node, SlotKind.TEXT, at)
        island.dropped = self._drops and field.role is Role.CONTENT
        if not island.dropped:
            self.builder.text.begin(field, at, in_element(node))

    def more_text(self, upto: int) -> None:
        """The open text goes on up to character `upto`."""
        island = self.island
        if island is None or upto <= island.emitted:
            return
        piece = self.raw(island.emitted, upto)
        if not island.begun:
            if piece.isspace() or not piece:
                return
            self._begin(island)
            piece = self.raw(island.start, upto)
        if not island.dropped:
            self.builder.text.more(island.node.text_field(), piece)
        island.emitted = upto

    def emitter(self) -> Callable[[str], list[Event]] | None:
        """The emitter of more of the open text; None where that has to be read first."""
        island, text, draft = self.island, self.builder.text, self.builder.draft
        if island is None or not island.begun or island.dropped or text.sections is not None or text.idle:
            return None
        role = island.node.text_field().role
        if draft.events is None or text.unescaped is not None or role is Role.STRING:
            return None
        if role is Role.CONTENT or role is Role.REASONING:
            return draft.emit_content if role is Role.CONTENT else draft.emit_reasoning
        return _nothing if not text.writes else draft.emit_value if draft.streams else None

    def close_text(self, end: int) -> None:
        """The open text is over: what of it is only blanks was none."""
        self.more_text(end)
        island, self.island = self.island, None
        assert island is not None
        node = island.node
        field = node.text_field()
        if not island.begun and node.patterns and field.role is not Role.CONTENT:
            self._begin(island)
        if island.begun:
            if not island.dropped:
                self.builder.text.end(field, island.start, end)
            self.leave(node, SlotKind.TEXT, end)
        if field.role is Role.STRING and any(core in self.raw(island.start, end) for core in node.graph.long_openers):
            self.builder.draft.pass_over(end)
        texts = island.begun and field.role in (Role.VALUE, Role.ARGUMENTS)
        self.tail = (end, ("", self.graph.network.spec.gaps.between_calls)) if texts else None

    # Code

    def open_code(self, start: int, failed: bool) -> None:
        """Code that is no call begins: content, or the rest of a call that `failed`."""
        self.tail = None
        self.code = OpenCode(start, failed)

    def more_code(self, upto: int) -> None:
        """It goes on up to character `upto`. Blanks at its end are layout, and so are those the answer begins with."""
        code, builder = self.code, self.builder
        if code is None or upto <= code.seen:
            return
        piece = self.raw(code.seen, upto)
        end = code.seen + len(piece.rstrip())
        if end > code.seen:
            first = code.seen + len(piece) - len(piece.lstrip())
            if not code.begun and (not builder.segments or first - code.start > MAX_BLANK):
                code.start = code.end = first
            if not code.failed and not self._drops:
                if not code.begun:
                    builder.text.begin(_CONTENT, code.start)
                builder.text.more(_CONTENT, self.raw(code.end, end))
            code.begun, code.end = True, end
        code.seen = upto

    def close_code(self) -> None:
        """It is over."""
        code, self.code = self.code, None
        assert code is not None
        if code.failed:
            self.builder.give_up_call(code.end)
        elif code.begun and not self._drops:
            self.builder.text.end(_CONTENT, code.start, code.end)

    @property
    def _drops(self) -> bool:
        """True when content is none of the message: after calls, where a policy says so."""
        return self.graph.policies.after_calls == "drop" and self.builder.count > 0

    # Strings

    def open_string(self, node: Node, at: int) -> None:
        """A string of a value language begins."""
        self.tail = None
        slot = node.escaped_slot()
        self._field, self._escapes, self._start = slot.field, slot.escapes, at
        self.enter(node, SlotKind.ESCAPED, at)
        self.builder.text.begin(self._field, at)

    def more_string(self, start: int, end: int) -> None:
        """It goes on with characters `start:end`."""
        self.builder.text.more(self._field, unescape(self.raw(start, end), self._escapes))

    def close_string(self, node: Node, at: int) -> None:
        """It is over."""
        self.builder.text.end(self._field, self._start, at)
        self.leave(node, SlotKind.ESCAPED, at)

    def cut_string(self) -> None:
        """The input ends in it."""
        self.builder.text.cut(self._field)

    # JSON

    def open_json(self, node: Node, at: int) -> None:
        """A JSON value begins."""
        step = node.step(SlotKind.JSON)
        self.space(node, at, step.leads, step.expects)
        self.enter(node, SlotKind.JSON, at)
        self.target, self.odd_string = JsonTarget(self.builder, node.json_field(), at, self.raw), False

    def feed_json(self, text: str, at: int) -> None:
        """More JSON of the open value: of a value language it waits for its end."""
        if self.loose is not None:
            self.loose.append(text)
        elif self.target is not None:
            self.target.feed(text, at)

    def mend_json(self, at: int, why: str) -> None:
        """Something in the open value was mended."""
        if self.loose is None and self.target is not None:
            self.target.mend(at, why)

    def close_json(self, node: Node, at: int) -> None:
        """It is over."""
        target, self.target = self.target, None
        assert target is not None
        self.tail = None if target.mended else (at, ("",))
        target.close(at)
        self.leave(node, SlotKind.JSON, at)

    def fail_json(self, node: Node, at: int, why: str) -> None:
        """It cannot be read."""
        target, self.target = self.target, None
        assert target is not None
        target.fail(at, why)
        self.leave(node, SlotKind.JSON, at)

    def close_loose(self, node: Node, cores: tuple[str, ...], at: int, delimiter: str) -> None:
        """A value that was read as JSON is over: it stands where the markers `cores` would be all of it.

        A part of the quote `delimiter` in it is an error.
        """
        text, self.loose, self.tail = "".join(self.loose or ()), None, None
        self.builder.note(RepairKind.JSON, at, "a value that is not as it should be")
        step = node.step(cores[0])
        self.lexeme(at, at, cores[0])
        self._tell(node, cores[0], at, at)
        self.run(step.tasks)
        try:
            value = loads(text)
        except ValueError as error:
            self.fail(str(error))
        else:
            self.builder.values.replace(value)
            half = max(3, len(delimiter) // 2)
            if delimiter and any(
                part in one for one in texts_in(value) for part in (delimiter[:half], delimiter[-half:])
            ):
                self.fail("expected a quote, got a part of one")
            if holds_half_a_call(value):
                self.fail("expected a text that ends before another call")
        node = step.node
        self.arrive(node)
        for core in cores[1:]:
            step = node.step(core)
            self.shift(node, step, core, at, at, "", False)
            node = step.node

    def close_wrapped(self, start: int, end: int) -> None:
        """An object of all arguments, characters `start:end`, is over, where the dialect has them one by one."""
        text, self.loose, self.tail = "".join(self.loose or ()), None, None
        draft, call = self.builder.draft, self.builder.call
        if call is None:
            return None
        call.note(RepairKind.WRAPPED, start, "an object")
        begun, _, said = self._lexemes[-1]
        self._lexemes[-1] = begun, end, said  # the call goes on as far
        try:
            value = loads(text)
        except ValueError as error:
            return call.fail(str(error))
        if not isinstance(value, dict) or holds_call(value, call.name, draft.tools):
            return call.fail(f"expected arguments - at {start}")
        for key, item in value.items():
            draft.open_argument(call, key, start)
            draft.argument(call, item)
        call.key = None

    def forget_argument(self, at: int) -> None:
        """The open argument has no value at character `at`."""
        self.tail = None
        call = self.builder.call
        if call is not None:
            call.note(RepairKind.MISSING_ARGUMENTS, at, call.key or "")
            call.key, call.repeated, call.nameless = None, False, False

    # The end

    def finish(self, node: Node, at: int) -> None:
        """The input, or the answer, is over at character `at`."""
        builder = self.builder
        if self.target is not None:
            target, self.target = self.target, None
            over = node.step(SlotKind.JSON).node
            if target.cut(at, node):
                self.leave(node, SlotKind.JSON, at)
                node = over
        elif self.island is not None:
            if (after := self._finish_text(self.island, at)) is None:
                return self._settle(node, at, text=True)
            node = after
        self._settle(node, at)
        assert builder.call is None

    def _finish_text(self, island: OpenIsland, at: int) -> Node | None:
        """The input ends in the open text: the node that leads to; None where there was no text."""
        builder, node = self.builder, island.node
        self.more_text(at)
        field = node.text_field()
        role = field.role
        if not island.begun and node.patterns and role is not Role.CONTENT:
            self._begin(island)
        first = builder.call is None and not builder.segments
        if not island.begun and role is Role.CONTENT and at > island.start and first:
            self._begin(island)
            builder.text.more(field, self.raw(island.start, at))
        self.island = None
        if not island.begun or role is Role.ARGUMENTS and builder.text.idle:
            if role is Role.ARGUMENTS:
                builder.truncate(at)
            return None
        after = node.step(SlotKind.TEXT).node
        lacking = blank_end(after) is not None if after.done is None else layout(after.done)
        if role not in (Role.CONTENT, Role.REASONING) and (lacking or after.done is None and not after.over):
            builder.text.cut(field)
            return node
        if not island.dropped:
            builder.text.end(field, island.start, at)
        self.leave(node, SlotKind.TEXT, at)
        return after

    def _settle(self, node: Node, at: int, text: bool = False) -> None:
        """Close what is open by the markers that can only come next, or cut it off."""
        builder = self.builder
        if node.done is None:
            to, closers, ends = node, list[str](), builder.call is None
            while (sole := to.sole) is not None:
                closers.append(sole)
                to = to.step(sole).node
                ends = ends or to.over
            for closer in closers if ends else ():
                self.imply(node, closer, at, False)
                node = node.step(closer).node
        called = builder.call is not None
        if called and node.done is not None:
            self.lexeme(at, at)
            self.run(tuple((task, back + 1) for task, back in node.done))
        if builder.call is not None:
            builder.truncate(at)
        if called or node.done is not None or text:
            return
        if node.json and not node.text and not node.marks:
            builder.draft.begin_call(at)
            builder.truncate(at)
        elif not node.text:
            builder.note(RepairKind.IMPLIED_CLOSER, at, "the end")


def _nothing(_text: str) -> list[Event]:
    return []
