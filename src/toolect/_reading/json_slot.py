"""A JSON value in a JSON slot: read strictly, repaired when broken, given back when it is no call."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from toolect._graph.misspelling import MORE
from toolect._graph.node import Node
from toolect._graph.stop_plan import broken_plan, plan_of
from toolect._graph.symbols import Field
from toolect._reading.again import MAX_AGAIN, written_again
from toolect._reading.answer import WAIT, Answer
from toolect._reading.course import Course
from toolect._reading.json_sink import ArgumentSink, CallSink
from toolect._reading.open_call import OpenCall
from toolect._reading.slot import Next, Quick, Slot
from toolect._reading.stop_check import ends_broken, opens
from toolect._shapes.alternatives import TEXTS
from toolect._shapes.elsewhere import calls_elsewhere
from toolect._shapes.loose import MAX_GUESS, MAX_GUESSES, Guess, LooseEnd, guess, keys_of
from toolect._shapes.mend import MAX_MENDING, MAX_REPAIR, NONE_MISSING, Mender
from toolect._shapes.mendable import Mendable
from toolect._shapes.shape_events import Arguments, CallBegins, CallEnds, Emit, Filled, Repaired, ShapeEvent
from toolect._spec.model import Hole, HoleKind, Role, Shape, SlotKind
from toolect._values.json_lexemes import MAX_DEPTH, Broken
from toolect._values.text_values import read_json
from toolect.events import Event
from toolect.message import RepairKind, dumps

_NEXT = re.compile(r"\}\s{0,64}(?=\{)")
"""The end of an object that another one follows."""
_TAIL = re.compile(r"\}\s{0,64}\Z")
_OBJECT = re.compile(r"(?:```\w{0,16}\s*)?\{").match
_BEFORE_CALL = 1
"""Brackets of arguments that may be missing where another call begins. Where more are, or a closer is missing too, or a
comma comes last, this one was broken off."""
_REST = re.compile(r"(?:\s*[\]};])*+(?:\s*```)?(?:[\s,]*\Z)?")
"""What may stand too many behind a value that was mended."""


class Unmended(Enum):
    """Why a broken value was not mended."""

    NO = 1
    """Nobody knows what was meant."""
    CUT = 2
    """The text ends in the middle of it."""


class Host(Slot, Protocol):
    """The slot in whose text the value is: it may be a part of that."""

    def commit(self, course: Course, start: int) -> None:
        """The value at character `start` is a call: the text before it is over, and the JSON slot begins."""

    def take_back(self, course: Course, end: int) -> Next:
        """The value is just text, up to character `end`."""


class JsonSlot:
    """One JSON value being read, from character `start` on. With a `host` it may turn out to be a part of its text."""

    __slots__ = (
        "_attempts", "_broken", "_emit", "_likely", "_loose", "_needed", "_over", "_own", "_plain", "_recorded",
        "_seen", "_sink", "_tripped", "host", "reader", "shape", "start",
    )  # fmt: skip

    def __init__(self, course: Course, field: Field, start: int, host: Host | None = None) -> None:
        self._own = field
        self.host = host  # until it is known that the value is a call
        self.start = self._needed = start
        self._recorded: list[ShapeEvent] = []  # what it holds, if it is a call
        self._broken: Broken | None = None
        self._over: tuple[int, int] | None = None  # where what is broken ends, and what may be missing there
        self._tripped: Broken | None = None  # the same, in the short way, before anything was made of it
        self._loose: LooseEnd | None = None  # looks for the end of what is broken
        self._seen = start  # how far it has looked while that may be just text
        self._likely = False  # what is broken begins as a call does
        self._attempts = course.builder.draft.attempts
        self.shape: Shape = field.shape or Hole(HoleKind.ARGUMENTS)
        draft = course.builder.draft
        self._plain = field.role in (Role.VALUE, Role.JSON)
        if self._plain:
            sink = ArgumentSink(draft, course.builder.leaf if field.role is Role.JSON else None)
            self._emit: Emit = sink.take
            self.reader = Mendable(Hole(HoleKind.ARGUMENTS), sink.take, plain=True)
            return
        self._sink = CallSink(draft)
        self._emit = self._sink.take if host is None else self._recorded.append
        self.reader = Mendable(self.shape, self._emit, tools=draft.tools)

    @property
    def field(self) -> Field:
        """What the text fills that is open here."""
        return self._own if self.host is None else self.host.field or self._own

    def needed(self) -> int | None:
        """The first character that may be asked for again."""
        return self._needed if self.host is None else self.host.needed()

    def pending(self, course: Course) -> str:
        """Argument text that is not safe to pass on; all of the value while it may be just text."""
        return self.reader.held + course.buf[course.pos :] if self.host is None else self.host.pending(course)

    def read(self, course: Course) -> Next:
        """Read on."""
        final = course.final
        if self._tripped is not None:
            tripped, self._tripped = self._tripped, None
            return self._trip(course, tripped)
        if self._broken is not None:
            return self._read_broken(course) if self.host is None else self._guess(course)
        reader, base = self.reader, course.base
        try:
            course.pos = reader.feed(course.buf, course.pos, base, final)
        except Broken as broken:
            return self._trip(course, broken)
        self._maybe_commit(course)
        self._needed = max(self._needed, course.builder.draft.last_end)
        if reader.done:
            end = course.base + course.pos
            if self.host is not None and not self._calls(course):
                return self._reject(course, end)
            self._commit(course)
            self._close(course, end)
            return None
        if final:
            course.pos = len(course.buf)
            if self.host is None:
                self._cut(course)
            elif not self._broken_off(course):
                return self._reject(course, course.base + course.pos)
        return WAIT

    def _broken_off(self, course: Course) -> bool:
        """Does the text end in what was to be a call? Then it is one, which is cut off."""
        draft = course.builder.draft
        if not self.reader.called and not self.reader.broken_off(draft.tools):
            return False
        self._commit(course)
        course.pos = len(course.buf)
        if draft.call is None:
            self._cut(course)
        return True

    def _trip(self, course: Course, broken: Broken) -> Next:
        """The text is not JSON from here on."""
        course.back_to(broken.resume)
        self._maybe_commit(course)
        draft = course.builder.draft
        if self.host is not None and (broken.limit or draft.guesses >= MAX_GUESSES):
            return self._reject(course, max(broken.resume, self.start + 1))
        self._broken = broken
        if self.host is not None or course.graph.start.json and draft.mending < MAX_MENDING:
            self._loose, self._seen = self.reader.loose(), broken.resume
        self._needed = max(self._needed, draft.last_end)
        return self

    def quick(self, course: Course) -> Quick | None:
        """Takes in chunks that do not decide what becomes of the value."""
        if self._broken is not None:
            return None
        reader, draft, plain, keep = self.reader, course.builder.draft, self._plain, course.keeping()
        passes, feed = reader.passes, reader.feed
        call: OpenCall | None = None
        emit: Callable[[str], list[Event]] | None = None  # more of its arguments

        def take(chunk: str) -> list[Event]:
            nonlocal call, emit
            if not course.buf and passes(chunk):
                if emit is None or draft.call is not call:
                    call, emit = draft.call, None if self.host is not None or plain else draft.passing()
                if emit is not None or plain:
                    keep(chunk)
                    course.base += len(chunk)
                    reader.passed(chunk)
                    return [] if emit is None else emit(chunk)
            events = draft.events = []
            text = course.buf = course.buf + chunk if course.buf else chunk
            try:
                pos = feed(text, 0, course.base, False)
            except Broken as broken:
                self._tripped, course.due = broken, True
                return events
            if reader.done or self.host is not None and reader.called:
                course.pos, course.due = pos, True
                return events
            if pos == len(text):
                keep(text)
                course.buf = ""
            else:
                keep(text[:pos])
                course.buf = text[pos:]
            course.base += pos
            return events

        return take

    def _maybe_commit(self, course: Course) -> None:
        """Once a name and arguments are there, what looked like a call is one."""
        if self.reader.called:
            self._commit(course)

    def _commit(self, course: Course) -> None:
        """What looked like a call is one."""
        host = self.host
        if host is not None:
            self.host = None
            host.commit(course, self.start)
            for event in self._recorded:
                self._sink.take(event)
            self._emit = self._sink.take
            self.reader.listen(self._emit)

    def _reject(self, course: Course, end: int) -> Next:
        """It was no call: give the text back."""
        assert self.host is not None
        course.pos = end - course.base
        return self.host.take_back(course, end)

    def _close(self, course: Course, end: int) -> None:
        draft = course.builder.draft
        nothing = draft.attempts == self._attempts and (draft.call is None or not draft.call.name)
        if not self._plain and nothing and not self._elsewhere(course, end) and draft.call is None:
            start = max(self._needed, draft.told)  # it may hold content
            raw = course.raw(start, end).strip()
            if raw != "[]" and raw.strip("]} \t\r\n"):
                draft.attempt(start, end, "expected a call in the shape of the dialect")
        if self._broken is not None:
            self._leave(course, end)
        else:
            course.leave_slot(SlotKind.JSON, end)

    def _elsewhere(self, course: Course, end: int) -> bool:
        """Is there a call in the value in the shape of some other format? Then it is read so."""
        draft = course.builder.draft
        if isinstance(self.shape, Hole) or self._broken is not None or draft.told > self.start:
            return False
        events = calls_elsewhere(course.raw(self.start, end), self.start, draft.tools)
        for event in events:
            self._sink.take(event)
            if type(event) is CallBegins:
                draft.note(RepairKind.SHAPE, event.at, "that of another format")
        return bool(events)

    def _cut(self, course: Course) -> None:
        """The input ended inside the value."""
        draft, end = course.builder.draft, course.base + course.pos
        call, reader = draft.call, self.reader
        reader.pass_quote()
        if call is not None and call.whole and not self._plain and not reader.passing:
            try:
                Mender(reader, "", end, self._note).close(end)
            except Broken:
                pass
            else:
                self._leave(course, end)
                return
        if draft.call is None and not self._plain:
            if draft.attempts == self._attempts:
                draft.begin_call(self.start)
                draft.truncate(end)
            else:
                draft.note(RepairKind.IMPLIED_CLOSER, end, "the end of the JSON value")
            course.leave_slot(SlotKind.JSON, end)

    # Broken JSON

    def _read_broken(self, course: Course) -> Next:
        """Find where the broken value ends: with its last bracket, at the next marker or value, or with the input."""
        if self._over is not None:
            return self._repair(course, *self._over)
        node = course.node.step(SlotKind.JSON).node
        buf, n, start, final = course.buf, len(course.buf), course.pos, course.final
        plan = broken_plan(node)
        at = start
        while True:
            found, needles = plan.next(course.finder, at)
            answers = [ends_broken(course, node, needle, found) for needle in needles]
            if found < 0 or Answer.YES in answers or Answer.WAIT in answers:
                break
            at = found + 1
        undecided = found >= 0 and Answer.YES not in answers
        missing = 0 if found < 0 else MAX_DEPTH
        if found >= 0 and any(opens(course, needle) for needle in needles):
            follows = any(needle.stop is not None and needle.stop.core in node.marks for needle in needles)
            missing = _BEFORE_CALL if follows or node.text else NONE_MISSING
        if not final and found >= 0 and (held := plan.held(buf, start, found)) < found:
            found, undecided = held, True  # a longer one may begin before it
        rows = node.json and (not node.text or plan_of(node).direct)
        if rows and (match := _NEXT.search(buf, start, n if found < 0 else found)) is not None:
            found, undecided, missing = match.start() + 1, False, MAX_DEPTH
        safe = found if found >= 0 else n if final else plan.hold_from(buf, start)
        if rows and found < 0 and not final and (tail := _TAIL.search(buf, start)) is not None:
            safe = min(safe, tail.start())
        end = -1 if self._loose is None else self._loose.find(buf[:safe] if safe < n else buf, start)
        if end < 0 and (undecided or found < 0 and not final):
            course.pos = safe
            return WAIT
        if end >= 0:
            missing = _BEFORE_CALL if buf[end : end + 1] == "{" else MAX_DEPTH
        end = end if end >= 0 else safe
        course.pos = end
        return self._repair(course, course.base + end, missing)

    def _guess(self, course: Course) -> Next:
        """Is what is broken a call? It must begin with a key of one, and be one when it is repaired."""
        broken, loose, host = self._broken, self._loose, self.host
        assert broken is not None and loose is not None and host is not None
        buf, base, final = course.buf, course.base, course.final
        if not self._likely:
            answer = guess(course.raw(self.start, min(base + len(buf), self.start + 600)), keys_of(self.shape))
            if answer is Guess.MORE and not final:
                return WAIT
            self._likely = answer is Guess.YES
            if not self._likely:
                return self._reject(course, max(broken.resume, self.start + 1))
        limit = self.start + MAX_GUESS - base
        end = loose.find(buf[:limit] if limit < len(buf) else buf, self._seen - base)
        if end < 0 and not final and len(buf) < limit:
            self._seen = base + len(buf)
            return WAIT
        if self._written_again(course, base + (end if end >= 0 else min(limit, len(buf)))) is Answer.YES:
            return self if self._broken is None else None
        if end < 0 and final:
            self._mended(course, base + len(buf), 0)  # as far as it goes
            if self._recorded and type(self._recorded[-1]) is CallEnds:
                self._recorded.pop()  # nothing says where it would have ended
            if self._broken_off(course):
                return WAIT
        if end < 0 or self._mended(course, base + end) != base + end or not self._calls(course):
            course.builder.draft.guesses += 1
            return self._reject(course, max(broken.resume, self.start + 1))
        self._commit(course)
        course.pos = end
        self._close(course, base + end)
        return None

    def _written_again(self, course: Course, end: int) -> Answer:
        """Is the call in the value, which is broken up to character `end`, written again? It is read from there."""
        draft, final = course.builder.draft, course.final or self.host is not None
        if self._plain or draft.guesses >= MAX_GUESSES:
            return Answer.NO
        until = end if self.host is not None else course.base + len(course.buf)
        said = [event.end for event in self._recorded if isinstance(event, Filled) and event.kind in TEXTS]
        start = max(self._needed, *said, 0) if draft.call is None else min(draft.call.start, self._needed)
        text = course.raw(start, min(until, start + 2 * MAX_AGAIN))
        found = written_again(text, end - start, final, course.graph.openers)
        if found >= 0:
            draft.guesses += self._loose is not None
            self._commit(course)
            self._fail(course, start + found)
            course.back_to(start + found)
        if found != -1:
            return Answer.WAIT if found == MORE else Answer.YES
        start = self.reader.unit_start
        if start < self._needed:
            return Answer.NO
        text = course.raw(start, min(until, start + 2 * MAX_AGAIN))
        found = written_again(text, end - start, final)
        if found >= 0:
            self._commit(course)
            self._end_broken(course, start + found)
            draft.guesses += 1
            self._broken, self._loose, self._over, self._needed = None, None, None, start + found
            self.reader.begin_again()
            course.back_to(start + found)
        return Answer.NO if found == -1 else Answer.WAIT if found == MORE else Answer.YES

    def _calls(self, course: Course) -> bool:
        """Is what was mended a call, if only one with a text for the only argument there is?"""
        named = next((e for e in self._recorded if isinstance(e, Filled) and e.kind is HoleKind.NAME), None)
        given = next((e for e in self._recorded if isinstance(e, Arguments)), None)
        if self.reader.called or named is None or given is None or not isinstance(named.value, str):
            return self.reader.called
        return course.builder.draft.places(named.value, given.value)

    def _mended(self, course: Course, end: int, missing: int = MAX_DEPTH) -> int | Unmended:
        """Read what is broken up to character `end`, mending it: where the value ends.

        That is before the `end` where text follows that cannot belong to it.
        """
        broken, start = self._broken, max(self._needed, self.start)
        assert broken is not None
        if end - start > MAX_REPAIR:
            return Unmended.NO
        mender = Mender(self.reader, course.raw(start, end), start, self._note)
        try:
            over = mender.read(broken, missing)
        except Broken:
            return Unmended.NO
        if over < 0:
            return Unmended.CUT
        rest = course.raw(over, end)
        after = _REST.match(rest).end()  # type: ignore[union-attr]  # matches the empty string
        if after == len(rest):
            return end
        good = self.reader.called or isinstance(self.shape, Hole) and _OBJECT(course.raw(self.start, self.start + 24))
        return over + after if good and rest[after:].lstrip()[0] not in "\"',:" else Unmended.NO

    def _note(self, at: int, why: str) -> None:
        """Something was mended at character `at`."""
        self._emit(Repaired(RepairKind.JSON, at, why))

    def _repair(self, course: Course, end: int, missing: int) -> Next:
        draft, broken = course.builder.draft, self._broken
        assert broken is not None
        again = self._written_again(course, end)
        if again is Answer.WAIT:
            self._over = end, missing
            return WAIT
        if again is Answer.YES:
            return self if self._broken is None else None
        spent, draft.mending = draft.mending, draft.mending + end - self.start
        mended = self._mended(course, end, missing) if spent < MAX_MENDING else Unmended.NO
        if mended is Unmended.CUT:
            self._cut(course)
            return WAIT
        if mended is not Unmended.NO:
            course.back_to(mended)
            self._close(course, mended)
            return None
        raw = course.raw(self.start, end).strip()
        plain = not self._plain and isinstance(self.shape, Hole) and not (draft.call is not None and draft.call.whole)
        text = _plain_text(raw) if plain else None
        if self._plain and raw[:1] not in ("{", "[", '"'):  # text where JSON should be
            self._note(broken.at, str(broken))
            self._emit(Arguments(raw, "", self.start))
        elif text and (call := draft.call) is not None and not call.written and draft.places(call.name, text):
            self._sink.forget()
            draft.write(dumps(text))
            call.take(text)
        else:
            self._fail(course, end)
            return None
        self._leave(course, end)
        return None

    def _fail(self, course: Course, end: int) -> None:
        """The call, which ends at character `end`, cannot be read, and it is the last one."""
        draft = course.builder.draft
        if draft.call is not None and draft.ruled:
            draft.call.fail(self._why())
        else:
            self._end_broken(course, end)
        if not self._plain:
            self._sink.forget()
        self._leave(course, end)

    def _end_broken(self, course: Course, end: int) -> None:
        """The call, which ends at character `end`, cannot be read."""
        draft, broken = course.builder.draft, self._broken
        if draft.call is None:
            draft.attempt(self._needed, end, str(broken))
        else:
            draft.call.fail(self._why())
            draft.end_call(end)

    def _why(self) -> str:
        return f"{self._broken} - at {self._broken.at}" if self._broken is not None else ""

    def _leave(self, course: Course, end: int) -> None:
        if not self._plain:
            self._sink.settle()
        course.spacing.loose = True
        course.leave_slot(SlotKind.JSON, end)


def _plain_text(raw: str) -> str | None:
    """The text that stands where JSON should, perhaps in quotes; None where it was to be a list or an object."""
    text = raw.strip()
    if text[:1] == '"':
        said = read_json(text)
        text = said.strip() if isinstance(said, str) else ""
    return text if text and text[0] not in '{["' else None


def begin_json(course: Course, node: Node) -> JsonSlot:
    """Begin the JSON slot of `node` here."""
    at = course.base + course.pos
    course.enter_slot(SlotKind.JSON, at)
    course.spacing.clear()
    course.spacing.loose = False
    return JsonSlot(course, node.json_field(), at)
