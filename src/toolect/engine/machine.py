"""Walks the graph of nodes over the wire text, whole or in pieces.

One machine reads both: `run(final=True)` on the whole text is `parse`; `run(final=False)` after each chunk is `stream`.
Every decision depends on the text alone, never on where a chunk ended: where more text could change it, the machine waits.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection

from toolect.compile.network import Field, Hollow, Op, OpCode
from toolect.compile.node import STRONG, Graph, Node, Stop, TooDeep
from toolect.engine.builder import Builder
from toolect.engine.json_slot import JsonSlot
from toolect.engine.text_slot import ABSENT, UNKNOWN, StopPlan, TextSlot
from toolect.events import Event
from toolect.ir import Message, RepairKind
from toolect.spec.model import Hole, HoleKind, Role, SlotKind

MAX_LEXEME = 512
"""Characters of a terminal given by a regular expression: a name or a key."""
_SPACE = re.compile(r"\s*")
_VALUE_STARTS = frozenset('{["\'')


class Machine:
    """Reads one answer. `buf[pos:]` has not been read yet; `buf[0]` is character `base` of the wire text."""

    __slots__ = (
        "_hist", "_json", "_loose", "_positions", "_space", "_tape", "_tape_base", "_text", "_trail", "_trails", "base", "buf", "builder", "ended", "graph",
        "node", "pos", "quick",
    )  # fmt: skip

    def __init__(self, graph: Graph, builder: Builder) -> None:
        self.graph, self.builder = graph, builder
        self.node: Node = graph.start
        self.buf, self.pos, self.base = "", 0, 0
        self.ended = False
        self.quick: Callable[[str], list[Event] | None] | None = None
        """Takes in a chunk that has nothing but text of the open slot in it, or declines with None."""
        self._hist: list[tuple[int, int, str]] = []
        self._text: TextSlot | None = None
        self._json: JsonSlot | None = None
        self._space = ""  # whitespace since the last lexeme
        self._trails: tuple[str, ...] = ("",)  # the whitespace that the last marker may write after itself
        self._trail = ""  # what of it has not come yet
        self._loose = False  # whitespace is not looked at before the next lexeme
        self._tape: deque[str] = deque()  # what was read and may still be asked for
        self._tape_base = 0
        self._positions: dict[StopPlan, list[int]] = {}

    # The text

    def feed(self, chunk: str) -> None:
        """Take in `chunk` and read as far as it decides."""
        self.buf = self.buf + chunk if self.buf else chunk
        self.run(False)
        self._forget()
        self.quick = None
        if not self.buf:
            if self._json is not None:
                self.quick = self._json.reader.quick(self.took)
            elif self._text is not None:
                self.quick = self._text.quick(self)

    def took(self, chunk: str) -> None:
        """`chunk` was read without this machine, inside a call."""
        self._tape.append(chunk)
        self.base += len(chunk)

    def prefill(self, opening: str) -> None:
        """Begin after `opening`, which the prompt ends with: its characters have negative offsets."""
        self.base = -len(opening)
        self.buf = opening
        self.run(False)
        self.buf, self.pos, self.base = "", 0, 0
        self.builder.segments.clear()
        self.builder.repairs.clear()
        if self._text is not None:
            self._text.restart()

    def positions(self, plan: StopPlan) -> list[int]:
        """Where each needle of `plan` comes next, as far as known: shared by all text slots with this plan."""
        found = self._positions.get(plan)
        if found is None:
            found = self._positions[plan] = [UNKNOWN] * (len(plan.needles) + 1)
        return found

    def refresh(self, found: list[int]) -> None:
        """A needle that was absent may have come with new text; the last item is how much text was known."""
        known = self.base + len(self.buf)
        if found[-1] != known:
            found[:] = [UNKNOWN if f == ABSENT else f for f in found]
            found[-1] = known

    def _forget(self) -> None:
        """Drop what has been read, keeping on tape what a call in progress may still need."""
        pos = self.pos
        if not pos:
            return
        buf, tape = self.buf, self._tape
        if self.builder.call is None and self._json is None and (self._text is None or self._text.raw_from is None):
            tape.clear()
        else:
            if not tape:
                self._tape_base = self.base
            tape.append(buf if pos == len(buf) else buf[:pos])
            if not len(tape) & 63:
                self._trim()
        self.buf = "" if pos == len(buf) else buf[pos:]
        self.base += pos
        self.pos = 0

    def _trim(self) -> None:
        """Drop from the tape what nobody can ask for any more."""
        tape, needed = self._tape, self._needed() or 0
        while tape and self._tape_base + len(tape[0]) <= needed:
            self._tape_base += len(tape.popleft())

    def _needed(self) -> int | None:
        """The first character that may still be asked for."""
        needed = self.builder.call.start if self.builder.call is not None else None
        if self._json is not None:
            start = self._json.needed
            needed = start if needed is None else min(needed, start)
        if self._text is not None and self._text.raw_from is not None:
            needed = self._text.raw_from if needed is None else min(needed, self._text.raw_from)
        return needed

    def raw(self, start: int, end: int) -> str:
        """Characters `start:end` of the wire text."""
        base = self.base
        if start >= base:
            return self.buf[start - base : end - base]
        tape = "".join(self._tape)
        at = self._tape_base
        if end <= base:
            return tape[start - at : end - at]
        return tape[start - at :] + self.buf[: end - base]

    def run(self, final: bool) -> None:
        """Read until the end of what is there, or until more text is needed."""
        try:
            while self._advance(final):
                pass
        except TooDeep:
            self._give_up("nested too deep", final)
        if final:
            self._finish()

    def _advance(self, final: bool) -> bool:
        """Read one slot or lexeme; False when more text is needed."""
        if self.ended:
            return self._after_end()
        if self._json is not None:
            return self._json.read(self, final)
        if self._text is not None:
            return self._text.read(self, final)
        node = self.node
        if node.text:
            return self._enter_text(node, final)
        if node.escaped:
            self._text = TextSlot.escaped(self, node)
            return True
        return self._lex(node, final)

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
        buf, n = self.buf, len(self.buf)
        while self._trail:
            if self.pos == n:
                if not final:
                    return False
                break
            if buf[self.pos] != self._trail[0]:
                if not self._loose:
                    self.builder.note(RepairKind.WHITESPACE, self.base + self.pos, f"expected {self._trail!r}")
                break
            self.pos += 1
            self._trail = self._trail[1:]
        self._trail = self._space = ""
        self._trails, self._loose = ("",), False
        field = node.text_field()
        if node.json and field.role not in (Role.CONTENT, None):
            at = _SPACE.match(buf, self.pos).end()  # type: ignore[union-attr]  # matches the empty string
            if at == n and not final:
                return False
            if buf[at : at + 1] in ("{", "["):
                self.pos = at
                self.begin_json(node)
                return True
        self._text = TextSlot.free(self, node)
        return True

    def end_text(self) -> None:
        """The open text slot is over."""
        self._text = None

    def take(self, stop: Stop, node: Node, at: int, end: int, opened: bool) -> None:
        """Go over the marker that ended a text slot of `node`: characters `at:end`."""
        self._text = None
        if stop.end:
            self._end_at(at - self.base)
            self.pos = end - self.base
            self.ended = True
            return
        self.pos = end - self.base
        if stop.direct and not opened and stop.repair is not RepairKind.STRAY_MARKER:
            self.node = node
            self.shift(stop.core, at, end)
            return
        if not stop.path:
            self.builder.note(stop.repair or RepairKind.STRAY_MARKER, at, stop.core)
            self.node = node
            self._trail, self._loose = self.graph.think_closers.get(stop.core, ""), True
            return
        steps = stop.path[1:]
        if not opened:
            if not steps and stop.core in node.choices:
                self.shift(stop.core, at, end)
                return
            if steps and node.choices.get(steps[0]):
                pass
            else:
                self.step_text(node, at)
        for core in steps:
            self.imply(core, at, stop.repair or RepairKind.IMPLIED_CLOSER)
        self.shift(stop.core, at, end)

    def step_text(self, node: Node, at: int) -> None:
        """Step over an empty text slot."""
        self.node = node
        self.enter_slot(SlotKind.TEXT, at)
        self.leave_slot(SlotKind.TEXT, at)

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
        if lexed and not self._loose and not self.node.value:
            self._check_space(start, step.leads, step.expects)
        if step.wrong:
            self.builder.note(RepairKind.MISSPELLED_MARKER, start, key)
        self._space = ""
        self._trail, self._trails, self._loose = step.trail, step.trails, False
        self.node = step.node
        self._arrive()

    def imply(self, core: str, at: int, repair: RepairKind) -> None:
        """Go over a marker that is missing at character `at`."""
        closer = not self.node.first(core)
        if closer:
            self.builder.note(repair, at, core)
        step = self.node.step(core)
        self._hist.append((at, at, ""))
        self._run(step.tasks)
        if not closer:
            self.builder.note(RepairKind.IMPLIED_OPENER, at, core)
        self._trail = self._space = ""
        self._trails = ("",)
        self.node = step.node
        self._arrive()

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

    def _lex(self, node: Node, final: bool) -> bool:
        """Read the next marker, terminal or JSON value at a node that takes no free text."""
        buf, n = self.buf, len(self.buf)
        pos = _SPACE.match(buf, self.pos).end()  # type: ignore[union-attr]  # matches the empty string
        if pos > self.pos:
            if len(self._space) <= MAX_LEXEME:
                self._space += buf[self.pos : pos]
            self.pos = pos
        if pos == n:
            return False
        match = node.struct.match(buf, pos)
        if match is not None:
            key = canonical(match[0], node.marks)
            if not final and n - pos < node.longest and longer(node, match[0], buf[pos:]):
                return False
            self.pos = match.end()
            self.shift(key, self.base + pos, self.base + match.end(), lexed=True)
            return True
        for regex, pattern in node.patterns:
            match = pattern.match(buf, pos, min(n, pos + MAX_LEXEME))
            if match is not None and match.end() > pos:
                end = match.end()
                if end == n and not final and end - pos < MAX_LEXEME:
                    return False
                self.pos = end
                self.shift(regex, self.base + pos, self.base + end, match[0], lexed=True)
                return True
        if node.json and (buf[pos] in _VALUE_STARTS or buf[pos].isalnum() or buf[pos] == "-"):
            if not self._loose and not node.value:
                choice = node.choices[SlotKind.JSON][0]
                self._check_space(self.base + pos, (choice.expects,), choice.expects)
            self.begin_json(node)
            return True
        if not final and (n - pos < 4 and node.patterns or self._could_grow(node, buf[pos:])):
            return False
        return self._recover(node, pos, final)

    def _check_space(self, at: int, leads: Collection[str], lead: str) -> None:
        """Note it when the whitespace before character `at` is not what the dialect writes there."""
        space = self._space
        if not any(space == trail + lead for trail in self._trails for lead in leads):
            self.builder.note(RepairKind.WHITESPACE, at, f"expected {self._trails[0] + lead!r}")

    def loosen(self) -> None:
        """Do not look at the whitespace before the next lexeme: a repair took it in."""
        self._loose = True

    def begin_json(self, node: Node) -> None:
        """Begin the JSON slot of `node` here."""
        at = self.base + self.pos
        self.enter_slot(SlotKind.JSON, at)
        self._trail = self._space = ""
        self._trails, self._loose = ("",), False
        self._json = JsonSlot(self, self._json_field(node), at)

    def _json_field(self, node: Node) -> Field:
        symbol = node.choices[SlotKind.JSON][0].edge.symbol
        assert isinstance(symbol, Hollow)
        return symbol.field

    def try_json(self, node: Node, at: int) -> None:
        """Read a JSON value inside free text at character `at`; it may turn out to be just text."""
        self._json = JsonSlot(self, self._json_field(node), at, tentative=True)

    def commit_json(self) -> None:
        """The JSON value inside free text is a call: the text before it is over."""
        slot, text = self._json, self._text
        assert slot is not None and text is not None
        text.close(self, slot.start)
        self._text = None
        if text.opened or SlotKind.JSON not in text.node.choices:
            if not text.opened:
                self.step_text(text.node, slot.start)
        self.enter_slot(SlotKind.JSON, slot.start)

    def text_back(self, text: str, end: int) -> None:
        """`text`, read as JSON inside free text and ending at character `end`, is free text after all."""
        assert self._text is not None
        self._text.add(self, text, end)

    def skip_stops_after(self, node: Node) -> list[str]:
        """The markers at which a broken JSON value before `node` may end."""
        cores = self.skip_stops(node)
        if node.text:
            cores += [s.core for s in node.stops.values() if len(s.core) >= STRONG]
        return sorted(set(cores), key=len, reverse=True)

    def end_json(self) -> None:
        """The JSON slot is over."""
        self._json = None

    def _could_grow(self, node: Node, rest: str) -> bool:
        """True when `rest` may become a longer marker with more text."""
        if len(rest) > 128 + MAX_LEXEME:
            return False
        tight = squeeze(rest)
        for group in (node.marks, node.implied, self.graph.ends, self.graph.markers):
            for core in group:
                if len(core) > len(tight) and squeeze(core).startswith(tight):
                    return True
        return False

    # Trouble

    def _recover(self, node: Node, pos: int, final: bool) -> bool:
        """Nothing that may come next is at `pos`: find out what to make of it."""
        buf, at = self.buf, self.base + pos
        for end in self.graph.ends:
            if buf.startswith(end, pos):
                self._end_at(pos)
                self.pos = pos + len(end)
                self.ended = True
                return True
        if node.json and self._lacks_json(node, pos):
            return True
        for core in sorted(node.implied, key=len, reverse=True):
            if buf.startswith(core, pos):
                for closer in node.implied[core]:
                    self.imply(closer, at, RepairKind.IMPLIED_CLOSER)
                self.pos = pos + len(core)
                self.shift(core, at, at + len(core))
                return True
        for core in self.graph.closers:
            if buf.startswith(core, pos):
                self.builder.note(RepairKind.STRAY_MARKER, at, core)
                self.pos = pos + len(core)
                return True
        if self._lacks_sign(node, at):
            return True
        if final and self._cut_closer(node, buf[pos:]):
            return True
        if final and self._could_grow(node, buf[pos:]):
            self.pos = len(buf)
            return False
        call = self.builder.call
        if call is not None:
            got = buf[pos]
            self.builder.fail(call, f"expected {self.expected(node)}, got {got!r} - at {at}")
        self._text = TextSlot.skipping(self, node, content=call is None)
        return True

    def _lacks_json(self, node: Node, pos: int) -> bool:
        """Does the marker that follows the arguments stand where they should? Then they are missing."""
        after = node.step(SlotKind.JSON).node
        field = self._json_field(node)
        if field.shape not in (None, Hole(HoleKind.ARGUMENTS)) or after.text or self.builder.call is None:
            return False
        if not any(self.buf.startswith(core, pos) for core in after.marks):
            return False
        at = self.base + pos
        self.builder.note(RepairKind.MISSING_ARGUMENTS, at, "none")
        self.enter_slot(SlotKind.JSON, at)
        self._loose = True
        self.leave_slot(SlotKind.JSON, at)
        return True

    def _lacks_sign(self, node: Node, at: int) -> bool:
        """Was a short sign left out where a line ended, with free text after it?"""
        sole = node.sole
        if sole is None or "\n" not in self._space or self.builder.call is None:
            return False
        if not node.step(sole).node.text or "\n" not in node.step(sole).trail:
            return False
        self.imply(sole, at, RepairKind.IMPLIED_CLOSER)
        return True

    def _cut_closer(self, node: Node, rest: str) -> bool:
        """At the end of the input: is `rest` the beginning of the one closer that must come?"""
        sole = node.sole
        if sole is None or not sole.startswith(rest):
            return False
        self.pos = len(self.buf)
        at = self.base + self.pos
        self.imply(sole, at, RepairKind.IMPLIED_CLOSER)
        return True

    def skip_to(self, node: Node, core: str, at: int) -> None:
        """Go on at marker `core` after unreadable text; `node` is where reading failed."""
        self._text = None
        if core in self.graph.ends:
            self._end_at(at - self.base)
            self.pos = at - self.base + len(core)
            self.ended = True
            return
        for closer in node.implied.get(core, ()) if core not in node.marks else ():
            self.imply(closer, at, RepairKind.IMPLIED_CLOSER)
        self.pos = at - self.base + len(core)
        self.shift(core, at, at + len(core))

    def skip_stops(self, node: Node) -> list[str]:
        """The markers at which reading can go on after trouble at `node`."""
        cores = [c for c in node.marks if len(c) >= STRONG] + list(node.implied) + list(self.graph.ends)
        return sorted(set(cores), key=len, reverse=True)

    def expected(self, node: Node) -> str:
        """What may come next at `node`, for people: at most four things."""
        names = [f"`{core}`" for core in node.marks if not node.marks[core]]
        names += ["a name or key" for _ in node.patterns[:1]]
        if node.json:
            names.append("a JSON value")
        shown = names[:4]
        return " or ".join(shown) + (" …" if len(names) > 4 else "") if shown else "the end"

    def _give_up(self, why: str, final: bool) -> None:
        """The text is beyond a limit: the rest of it belongs to the open call, or is content."""
        call = self.builder.call
        if call is not None:
            self.builder.fail(call, f"{why} - at {self.base + self.pos}")
        self.graph.drop_deep()
        self._json = None
        self._text = TextSlot.skipping(self, self.graph.start, content=call is None)
        while self._advance(final):
            pass

    def _end_at(self, pos: int) -> None:
        """The answer ends at `buf[pos]`: imply what must follow, and close what is open."""
        at = self.base + pos
        if self.node.done is None and self._text is None:
            self._imply_rest(at)
        if self.builder.call is not None:
            done = self.node.done
            if done is not None:
                self._hist.append((at, at, ""))
                self._run(tuple((task, back + 1) for task, back in done))
            if self.builder.call is not None:
                self.builder.truncate(at)
        elif self.node.done is None and not self.node.text:
            self.builder.note(RepairKind.IMPLIED_CLOSER, at, self.expected(self.node))

    def _imply_rest(self, at: int) -> None:
        """Imply the closers that alone can follow, unless a call is open and they do not end it."""
        node, closers, ends = self.node, [], self.builder.call is None
        while (sole := node.sole) is not None:
            closers.append(sole)
            node = node.step(sole).node
            ends = ends or any(isinstance(t, Op) and t.code is OpCode.END_CALL for t, _ in node.arrival)
        for closer in closers if ends else ():
            self.imply(closer, at, RepairKind.IMPLIED_CLOSER)

    def _finish(self) -> None:
        """The input is over."""
        if not self.ended:
            if self._text is None and self._json is None and self.pos < len(self.buf):
                self.pos = len(self.buf)
            self._end_at(len(self.buf))
            self.ended = True

    def message(self) -> Message:
        """What has been read; in the middle of an answer, what is open comes last."""
        builder = self.builder
        segments = list(builder.segments)
        if not self.ended:
            segments += builder.open_segment(self._text.field if self._text is not None else None, self.base + self.pos)
        return Message(tuple(segments), tuple(builder.repairs))


def canonical(found: str, marks: dict[str, bool]) -> str:
    """The marker among `marks` that `found` is, its inner whitespace apart."""
    if found in marks:
        return found
    tight = squeeze(found)
    return next(core for core in marks if squeeze(core) == tight)


def longer(node: Node, found: str, rest: str) -> bool:
    """True when `rest`, which begins with the marker `found`, may turn out to be a longer marker."""
    return any(len(core) > len(found) and core.startswith(rest) for core in node.marks)


def squeeze(text: str) -> str:
    """`text` without whitespace."""
    return "".join(text.split())
