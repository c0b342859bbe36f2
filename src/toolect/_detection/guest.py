"""A dialect that reads a part of a text, from one of its openers on until free text comes that is not its own."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._reading.builder import Builder
from toolect._reading.json_value import ValueSlot
from toolect._reading.machine import Machine
from toolect._reading.passage import Passage
from toolect._reading.slot import Slot
from toolect._reading.striding import Striding
from toolect._reading.text_slot import TextSlot
from toolect._reading.watcher import Watcher
from toolect._spec.model import Role
from toolect._values.toolset import ToolSchemas
from toolect.events import Event
from toolect.message import Call, Message, Repair, RepairKind, Segment, Status

HARD = frozenset(RepairKind) - {RepairKind.WHITESPACE, RepairKind.COERCION}
"""The repairs that speak against a dialect."""
FIRST_PIECE, LAST_PIECE = 256, 1 << 16
"""Characters that are read at once, at first, then twice as many each time."""


class Claim(NamedTuple):
    """What a dialect has read as a call, or begun to."""

    name: str
    good: bool
    """It can still be run."""
    told: bool
    """It has an argument."""
    cut: bool = False
    """The text ends within it."""


class Guest(Watcher):
    """Reads from character `at` on, as the dialect `name`, which has a machine of its own."""

    __slots__ = ("_draft", "_machine", "at", "graph", "name", "over", "spent")

    def __init__(
        self,
        name: str,
        graph: Graph,
        schemas: ToolSchemas,
        at: int,
        count: int,
        streaming: bool,
        strict: bool,
        alone: bool,
        mending: int,
    ) -> None:
        """When `alone`, it reads all that follows. So much broken JSON was looked through before, `mending`."""
        builder = Builder(schemas, graph.network.spec, graph.policies, streaming, strict)
        self._machine = Machine(graph, builder) if alone else Machine(graph, builder, watcher=self, bound=at)
        self._machine.course.base = at
        self._draft = builder.draft
        self._draft.count, self._draft.mending = count, mending
        self.graph = graph
        self.name = name
        self.at = at
        self.spent = at
        """Where JSON ended that is no call, and that stood at `at`."""
        self.over = False
        """The text ended with what was fed last."""

    @property
    def torn(self) -> tuple[int, int]:
        """Where the first of its calls broke off in the middle, and the number of the one after it."""
        return self._draft.torn

    @property
    def mending(self) -> int:
        """How many characters of broken JSON were looked through, by those before it too."""
        return self._draft.mending

    def gave_back(self, start: int, end: int) -> None:
        """A JSON value was no call."""
        if start == self.at:
            self.spent = max(self.spent, end)

    # Reading

    def adopt(self, to: Striding, node: Node) -> None:
        """Go on where a stride from `at` on stopped, before anything after that is fed."""
        self._machine.go_on(self.at, to, node)

    def prefill(self, opening: str) -> None:
        """Begin after `opening`, which the prompt ends with."""
        self._machine.prefill(opening)

    def feed(self, piece: str, final: bool = False) -> None:
        """Read `piece`; with `final`, the text ends there."""
        self._machine.feed(piece)
        if final:
            self.over = True
            self._machine.run(True)

    def hear(self, chunk: str, at: int, final: bool, events: list[Event]) -> int:
        """Read on at `chunk[at:]`, in pieces, so as not to look far when it leaves soon: the index after what was read.

        `events` get longer.
        """
        draft, machine = self._draft, self._machine
        quick = machine.quick
        if draft.events is not None and quick is not None and chunk and not at and (told := quick(chunk)) is not None:
            if machine.course.due:
                machine.feed("")
            events += told
            return len(chunk)
        step = FIRST_PIECE
        while True:
            if draft.events is not None:
                draft.events = []
            piece = chunk[at : at + step]
            if piece:
                machine.feed(piece)
            at += len(piece)
            over = at >= len(chunk)
            if over and final:
                machine.run(True)
            events += draft.events or ()
            if machine.left is not None or over:
                return at
            step = min(2 * step, LAST_PIECE)

    # What became of it

    @property
    def _slot(self) -> Slot | None:
        """What is open; of a JSON value that may be just text, that text."""
        slot = self._machine.slot
        value = slot.value if isinstance(slot, ValueSlot) else None
        return slot if value is None or value.host is None else value.host

    @property
    def _passage(self) -> Passage | None:
        """The free text that is open."""
        slot = self._slot
        return slot.passage if isinstance(slot, TextSlot) else None

    @property
    def left(self) -> int | None:
        """Where free text began again; `at` itself when nothing of the dialect was there."""
        return self._machine.left

    @property
    def idle(self) -> bool:
        """True while nothing but blanks has been read since the last thing of this dialect."""
        text = self._passage
        return self.left is not None or text is not None and text.lobby

    @property
    def thinks(self) -> bool:
        """True while reasoning is read, or comes next, and no call has: the same however much was read at once."""
        if self._draft.attempts:
            return False
        text, node = self._passage, self._machine.course.node
        if self._slot is None:
            return node.text and node.text_field().role is Role.REASONING
        return text is not None and text.field.role is Role.REASONING

    @property
    def thought(self) -> Passage | None:
        """The reasoning that is open: another one is another object."""
        return self._passage if self.thinks else None

    @property
    def refused(self) -> bool:
        """True when what is here is nothing of this dialect."""
        text = self._passage
        return self.left == self.at or text is not None and text.unread and text.start == self.at

    @property
    def taken(self) -> bool:
        """True when something of this dialect begins here, whatever it will be."""
        if self.left is not None or self._draft.attempts or self._draft.call is not None or self.thinks:
            return True
        slot, course = self._slot, self._machine.course
        if slot is None or isinstance(slot, ValueSlot):
            return course.base + course.pos > self.at
        text = self._passage
        return not (text is not None and text.lobby and text.start == self.at)

    @property
    def decided(self) -> bool:
        """True when it is known what this dialect makes of the text: of a call, its name and that arguments follow."""
        call = self._draft.call
        if self.over or self.left is not None or self._draft.attempts:
            return True
        if call is None:
            text = self._passage
            return self.thinks or text is not None and not (text.lobby and text.start == self.at)
        begun = call.written or call.entries or call.key is not None or call.whole
        return call.error is not None or bool(call.name and begun)

    @property
    def fed(self) -> int:
        """The character after all that has been fed."""
        return self._machine.course.base + len(self._machine.course.buf)

    @property
    def events(self) -> list[Event]:
        """What the text read last made happen."""
        return self._draft.events or []

    def raw(self, start: int, end: int) -> str:
        """Characters `start:end` of the text, which it has heard and left to others."""
        return self._machine.course.raw(start, end)

    def pending(self) -> str:
        """Text that has come and has not been passed on."""
        return self._machine.pending()

    def message(self) -> Message:
        """What has been read."""
        return self._machine.message()

    @property
    def calls(self) -> list[Claim]:
        """The calls so far, but for one that only begins."""
        found = [
            Claim(call.name, call.runnable, bool(call.arguments), call.status is Status.TRUNCATED)
            for call in self.ended
        ]
        call = self._draft.call
        if call is None or found and not call.name and call.error is None:
            return found
        told = bool(call.written or call.entries or call.key is not None or call.whole and call.value)
        return [*found, Claim(call.name, call.error is None, told)]

    @property
    def ended(self) -> list[Call]:
        """The calls that have ended."""
        return [s for s in self._draft.segments if isinstance(s, Call)]

    @property
    def flawed(self) -> bool:
        """True when a call was not as its dialect writes it, whatever became of it."""
        return self._draft.flawed > 0

    @property
    def spoken(self) -> bool:
        """True when the names of its calls stand in them: a form may stand for a tool, as code does for `python`."""
        call = self._draft.call
        begun = call is None or _says(self.raw(call.start, self.fed), call.name)
        return begun and all(_says(ended.raw, ended.name) for ended in self.ended)

    @property
    def flat(self) -> bool:
        """True when the arguments of a call are nothing but the keys around its name, as in any record."""
        return any(call.spelling is None and call.arguments for call in self.ended)

    def repaired(self) -> list[Repair]:
        """The repairs so far, outside of calls and inside, with one that the open call is bound to need.

        What was seen of the text that is left to others speaks against nobody.
        """
        found = self.result()[1]
        for ended in self.ended:
            found += ended.repairs
        call, slot = self._draft.call, self._machine.slot
        if call is not None:
            found += call.repairs
            if isinstance(slot, ValueSlot) and slot.value.reader.odd:
                found.append(Repair(RepairKind.DOUBLE_ENCODED, self.at, ""))
        return found

    def result(self) -> tuple[list[Segment], list[Repair]]:
        """The segments that were read, and the repairs outside of calls."""
        end = self.left if self.left is not None else 1 << 62
        repairs, passed = self._draft.repairs, self._draft.passed
        return self._draft.segments, [*repairs[:passed], *(r for r in repairs[passed:] if r.at < end)]


def _says(text: str, name: str) -> bool:
    """True when `name` stands in `text`, and is no part of a longer one."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
