"""A dialect that reads a part of a text, from one of its openers on until free text comes that is not its own."""

from __future__ import annotations

from collections.abc import Mapping

from toolect.compile.graph import Graph
from toolect.compile.node import Node
from toolect.compile.stops import Stop
from toolect.compile.symbols import Field
from toolect.engine.builder import Builder
from toolect.engine.machine import Machine
from toolect.engine.schema import Schema
from toolect.engine.stop_plan import StopPlan
from toolect.engine.text_slot import TextSlot
from toolect.events import Event
from toolect.ir import Call, Repair, RepairKind, Segment
from toolect.spec.model import Role, SlotKind

HARD = frozenset(RepairKind) - {RepairKind.WHITESPACE, RepairKind.COERCION}
"""The repairs that speak against a dialect."""
FIRST_PIECE, LAST_PIECE = 256, 1 << 16
"""Characters that are read at once, at first, then twice as many each time."""


class Left(Exception):
    """Free text begins at character `at`."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Lobby(TextSlot):
    """The content slot of an answer, as far as it is blank or ends at once: the rest is not for this dialect."""

    __slots__ = ()

    def __init__(self, machine: Machine, node: Node, field: Field, plan: StopPlan, skip: bool = False) -> None:
        super().__init__(machine, node, field, plan, skip)
        self._dropped = False  # what becomes of content is decided elsewhere

    def _stop(self, machine: Machine, stop: Stop, lead: str, at: int, end: int) -> bool:
        if stop.calling:
            self._give_way(machine)
        return super()._stop(machine, stop, lead, at, end)

    def _give_way(self, machine: Machine) -> None:
        """A call begins: a dialect that has read only reasoning was a guess, and others may try."""
        assert isinstance(machine, Guest)
        if not machine.builder.draft.attempts and self.start > machine.at:
            self._open(machine)

    def _open(self, machine: Machine) -> None:
        machine.node = self.node
        machine.enter_slot(SlotKind.TEXT, self.start)  # what came before may end here only
        raise Left(self.start)


class Guest(Machine):
    """Reads from character `at` on. `left` is where free text began again; `at` itself when nothing of it was here."""

    __slots__ = ("at", "left", "name", "spent")

    def __init__(
        self, name: str, graph: Graph, schemas: Mapping[str, Schema], at: int, count: int, streaming: bool, strict: bool
    ) -> None:
        builder = Builder(schemas, graph.network.spec, graph.policies, streaming, strict)
        super().__init__(graph, builder)
        builder.draft.raw = self.raw
        builder.draft.count = count
        self.name = name
        self.at = self.base = at
        self.left: int | None = None
        self.spent = at

    # Reading

    def hear(self, chunk: str, final: bool, events: list[Event]) -> int:
        """Read more text, in pieces, so as not to look far when it leaves soon; how much, and `events` get longer."""
        draft = self.builder.draft
        if draft.events is not None and self.quick is not None and chunk:
            told = self.quick(chunk)
            if told is not None:
                events += told
                return len(chunk)
        at, step = 0, FIRST_PIECE
        while True:
            if draft.events is not None:
                draft.events = []
            piece = chunk[at : at + step]
            if piece:
                self.feed(piece)
            at += len(piece)
            over = at >= len(chunk)
            if over and final:
                self.run(True)
            events += draft.events or ()
            if self.left is not None or over:
                return at
            step = min(2 * step, LAST_PIECE)

    def run(self, final: bool) -> None:
        """Read on, unless this dialect is done."""
        if self.left is not None:
            return
        try:
            super().run(final)
        except Left as left:
            self.left = left.at
            self.quick = None

    def go_on(self) -> None:
        """Read as far as the text there is decides."""
        if self.left is None:
            self.run(False)
        if self.left is None:
            self._get_ready()

    def _advance(self, final: bool) -> bool:
        more = super()._advance(final)
        slot = self.text
        if type(slot) is TextSlot and slot.unread and slot.node.done is not None and slot.start > self.at:
            self.finish_tasks(slot.start)
            raise Left(slot.start)
        return more

    def _enter_text(self, node: Node, final: bool) -> bool:
        more = super()._enter_text(node, final)
        slot = self.text
        if type(slot) is TextSlot and slot.field.role is Role.CONTENT and node.first(SlotKind.TEXT):
            self.text = Lobby.free(self, node)
        return more

    def _needed(self) -> int | None:
        needed = super()._needed()
        if isinstance(self.text, Lobby):
            return self.text.start if needed is None else min(needed, self.text.start)
        return needed

    def try_json(self, node: Node, at: int) -> None:
        """Bare JSON may be a call."""
        if isinstance(self.text, Lobby):
            self.text._give_way(self)
        super().try_json(node, at)

    def text_back(self, end: int) -> None:
        """A JSON value was no call."""
        if isinstance(self.text, Lobby) and self.text.raw_from == self.at:
            self.spent = max(self.spent, end)
        super().text_back(end)

    # What became of it

    @property
    def idle(self) -> bool:
        """True while nothing but blanks has been read since the last thing of this dialect."""
        return isinstance(self.text, Lobby)

    @property
    def thinks(self) -> bool:
        """True while reasoning is read."""
        if self.text is None and self.json is None:
            return self.node.text and self.node.text_field().role is Role.REASONING
        return isinstance(self.text, TextSlot) and self.text.field.role is Role.REASONING

    @property
    def refused(self) -> bool:
        """True when what is here is nothing of this dialect."""
        slot = self.text
        return self.left == self.at or isinstance(slot, TextSlot) and slot.unread and slot.start == self.at

    @property
    def taken(self) -> bool:
        """True when something of this dialect begins here, whatever it will be."""
        if self.left is not None or self.builder.draft.attempts or self.builder.call is not None or self.thinks:
            return True
        slot = self.text
        if slot is None:
            return self.base + self.pos > self.at
        return not (isinstance(slot, Lobby) and slot.start == self.at)

    @property
    def settled(self) -> bool:
        """True when it is known what this dialect makes of the text: of a call, its name and that arguments follow."""
        call = self.builder.call
        if call is None or self.left is not None or self.builder.draft.attempts:
            return self.taken
        begun = call.written or call.entries or call.key is not None or call.whole
        return call.error is not None or bool(call.name and begun)

    @property
    def calls(self) -> list[tuple[str, bool]]:
        """The names of the calls so far, and whether each can still be run."""
        found = [(s.name, s.runnable) for s in self.builder.segments if isinstance(s, Call)]
        call = self.builder.call
        return found if call is None else [*found, (call.name, call.error is None)]

    @property
    def flat(self) -> bool:
        """True when the arguments of a call are nothing but the keys around its name, as in any record."""
        ended = (s for s in self.builder.segments if isinstance(s, Call))
        return any(call.spelling is None and call.arguments for call in ended)

    def repaired(self) -> list[Repair]:
        """The repairs so far, outside of calls and inside."""
        found = list(self.builder.repairs)
        for segment in self.builder.segments:
            if isinstance(segment, Call):
                found += segment.repairs
        call = self.builder.call
        return found if call is None else found + call.repairs

    def result(self) -> tuple[list[Segment], list[Repair]]:
        """The segments that were read, and the repairs outside of calls."""
        end = self.left if self.left is not None else 1 << 62
        return self.builder.segments, [r for r in self.builder.repairs if r.at < end]
