"""A JSON value that is not JSON from some place on: where it ends, what was meant, and whether it is a call at all.

Long, for one slot: each answer depends on how far the others have come, as more text arrives.
"""

from __future__ import annotations

import re
from enum import Enum

from toolect._graph.misspelling import MORE
from toolect._graph.stop_plan import plan_of
from toolect._graph.trouble_plans import broken_plan, firm_plan
from toolect._reading.answer import WAIT, Answer
from toolect._reading.bare_value import bare_end
from toolect._reading.barren import Barren, said
from toolect._reading.course import Course
from toolect._reading.json_value import JsonValue, ValueSlot
from toolect._reading.next_call import call_again, call_taken_in, item_after, item_again
from toolect._reading.slot import Next, Slot
from toolect._reading.stop_check import ends_broken, opens
from toolect._reading.text_instead import text_instead
from toolect._shapes.loose import MAX_GUESS, MAX_GUESSES, Guess, LooseEnd, guess, keys_of
from toolect._shapes.meant import CLOSING
from toolect._shapes.mend import MAX_MENDING, MAX_REPAIR, NONE_MISSING, Mender
from toolect._shapes.shape_events import Arguments, CallEnds
from toolect._spec.grammar_model import SlotKind
from toolect._spec.shape_model import Hole
from toolect._values.json_lexemes import MAX_DEPTH, Broken
from toolect._values.text_values import read_json
from toolect.message import dumps

_NEXT = re.compile(r"\}\s{0,64}(?=\{)")
"""The end of an object that another one follows."""
_TAIL = re.compile(r"\}\s{0,64}\Z")
_OBJECT = re.compile(r"(?:```\w{0,16}\s*)?\{").match
MAX_ENDS = 4096
"""Signs in the broken JSON of one answer before which it might end, but no name follows. Beyond it: none ends it."""
_BEFORE_CALL = 1
"""Brackets of arguments that may be missing where another call begins. Where more are, or a closer is missing too, or a
comma comes last, this one was broken off."""
_BEFORE_END = MAX_DEPTH - 1
"""The same where the answer ends, or its last token is: after a comma or a bracket that opens, more was to come."""
_REST = re.compile(r"(?:\s*[\]};])*+(?:\s*```)?(?:[\s,]*\Z)?")
"""What may stand too many behind a value that was mended."""


class Unmended(Enum):
    """Why a broken value was not mended."""

    NO = 1
    """Nobody knows what was meant."""
    CUT = 2
    """The text ends in the middle of it."""


class BrokenSlot(ValueSlot):
    """The rest of a value that broke while `strict` read it."""

    __slots__ = ("_broken", "_likely", "_loose", "_over", "_over_again", "_seen", "_strict")

    def __init__(self, course: Course, value: JsonValue, broken: Broken, strict: Slot) -> None:
        super().__init__(value)
        self._broken, self._strict = broken, strict
        self._loose: LooseEnd | None = None  # looks for its end
        if value.host is not None or course.graph.start.json and course.builder.draft.mending < MAX_MENDING:
            self._loose = value.reader.loose()
        self._seen = broken.resume  # how far that has looked while the value may be just text
        self._likely = False  # it begins as a call does
        self._over: tuple[int, int] | None = None  # where it ends, and what may be missing there
        self._over_again = False  # it is written again, and read from there

    def quick(self, course: Course) -> None:
        """There is no short way."""

    def pending(self, course: Course) -> str:
        """All from where it broke, and argument text before it that is not safe to pass on."""
        if self.value.host is not None:
            return self.value.pending(course)
        at = max(self._broken.at, self.value.kept)
        return self.value.reader.before + course.raw(at, course.base + len(course.buf))

    def read(self, course: Course) -> Next:
        """Read on."""
        if self.value.host is not None:
            return self._guess(course)
        return self._find_end(course) if self._over is None else self._repair(course, *self._over)

    def _find_end(self, course: Course) -> Next:
        """Find where the broken value ends: with its last bracket, at the next marker or value, or with the input."""
        node = course.node.step(SlotKind.JSON).node
        buf, n, start, final = course.buf, len(course.buf), course.pos, course.final
        draft, base = course.builder.draft, course.base
        call, known, lasting = draft.call, draft.barren.get(False), draft.barren.get(True)
        vain: list[int] = []
        if known is not None and known.knows(node, call, base + start):
            vain = known.from_(base + start, MAX_ENDS - draft.vain, base)
        at, firm = vain[-1] + 1 if vain else start, False
        looked = at
        while True:
            if not firm and draft.vain + len(vain) >= MAX_ENDS:
                firm, looked = True, at
                if lasting is not None and lasting.knows(node, call, base + at):
                    at = lasting.end - base
            plan = firm_plan(node) if firm else broken_plan(node)
            found, needles = plan.next(course.finder, at)
            answers = [ends_broken(course, node, needle, found, self.value.kept) for needle in needles]
            if found < 0 or Answer.YES in answers or Answer.WAIT in answers:
                break
            if not firm:
                vain.append(found)
            at = found + 1
        sure = n if final else plan.hold_from(buf, start)  # from there on, more text may tell otherwise
        if not firm:
            places = [base + one for one in vain if one < sure]
            draft.barren[False] = Barren(node, said(call), base + start, base + min(at, sure), places)
        elif sure > looked:
            draft.barren[True] = Barren(node, said(call), base + looked, base + min(at, sure), [])
        undecided = found >= 0 and Answer.YES not in answers
        missing = 0 if found < 0 else MAX_DEPTH
        if found >= 0 and any(opens(course, needle) for needle in needles):
            follows = any(needle.stop is not None and needle.stop.core in node.marks for needle in needles)
            missing = _BEFORE_CALL if follows or node.text else NONE_MISSING
        elif any(needle.stop is not None and needle.stop.core in course.graph.ends for needle in needles):
            missing = _BEFORE_END
        if not final and found >= 0 and (held := plan.held(buf, start, found)) <= found:
            found, undecided = held, True  # a longer one may begin there, or before it
        rows = node.json and (not node.text or plan_of(node).direct)
        match = course.finder.search(_NEXT, start) if rows else None
        if match is not None and match.end() < (n if found < 0 else found):
            found, undecided, missing = match.start() + 1, False, MAX_DEPTH
        safe = found if found >= 0 else sure
        if rows and found < 0 and not final and (tail := _TAIL.search(buf, start)) is not None:
            safe = min(safe, tail.start())
        end = -1 if self._loose is None else self._loose.find(buf[:safe] if safe < n else buf, start)
        course.pos = end if end >= 0 else safe
        draft.vain += sum(at < course.pos for at in vain)  # the others are not looked at, or once more
        if end < 0 and (undecided or found < 0 and not final):
            return WAIT
        if end >= 0:
            missing = MAX_DEPTH if self._closed else _BEFORE_CALL
        return self._repair(course, course.base + course.pos, missing)

    def _guess(self, course: Course) -> Next:
        """Is what is broken a call? It must begin with a key of one, and be one when it is repaired."""
        value = self.value
        broken, loose, host = self._broken, self._loose, value.host
        assert loose is not None and host is not None
        buf, base, final = course.buf, course.base, course.final
        if not self._likely:
            answer = guess(course.raw(value.start, min(base + len(buf), value.start + 600)), keys_of(value.shape))
            if answer is Guess.MORE and not final:
                return WAIT
            self._likely = answer is Guess.YES
            if not self._likely:
                return value.reject(course, max(broken.resume, value.start + 1))
        limit = value.start + MAX_GUESS - base
        end = loose.find(buf[:limit] if limit < len(buf) else buf, self._seen - base)
        if end < 0 and not final and len(buf) < limit:
            self._seen = base + len(buf)
            return WAIT
        if self._written_again(course, base + (end if end >= 0 else min(limit, len(buf)))) is Answer.YES:
            return self._strict if self._over_again else None
        if end < 0 and final:
            self._mended(course, base + len(buf), 0)  # as far as it goes
            if value.recorded and type(value.recorded[-1]) is CallEnds:
                value.recorded.pop()  # nothing says where it would have ended
            if value.broken_off(course):
                return WAIT
        if end < 0 or self._mended(course, base + end) != base + end or not value.calls(course):
            course.builder.draft.guesses += 1
            return value.reject(course, max(broken.resume, value.start + 1))
        value.commit(course)
        course.pos = end
        value.close(course, base + end, broken=True)
        return None

    @property
    def _closed(self) -> bool:
        """True when its last bracket was found."""
        return self._loose is not None and self._loose.closed

    def _written_again(self, course: Course, end: int) -> Answer:
        """Is the call in the value, which is broken up to character `end`, written again? It is read from there."""
        value, draft = self.value, course.builder.draft
        if value.plain or draft.guesses >= MAX_GUESSES:
            return Answer.NO
        found = call_again(value, course, end, self._closed)
        if found >= 0:
            draft.guesses += self._loose is not None
            value.commit(course)
            self._fail(course, found)
            course.back_to(found)
        elif found == -1 and (found := item_again(value, course, end)) >= 0:
            self._begin_again(course, found)
            self._over_again = True
        return Answer.NO if found == -1 else Answer.WAIT if found == MORE else Answer.YES

    def _mended(self, course: Course, end: int, missing: int = MAX_DEPTH) -> int | Unmended:
        """Read what is broken up to character `end`, mending it: where the value ends.

        That is before the `end` where text follows that cannot belong to it.
        """
        value = self.value
        broken, start = self._broken, max(value.kept, value.start)
        if end - start > MAX_REPAIR:
            return Unmended.NO
        mender = Mender(value.reader, course.raw(start, end), start, value.note)
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
        good = (
            value.reader.called or isinstance(value.shape, Hole) and _OBJECT(course.raw(value.start, value.start + 24))
        )
        return over + after if good and rest[after:].lstrip()[0] not in "\"',:" else Unmended.NO

    def _repair(self, course: Course, end: int, missing: int) -> Next:
        """Make of the value, which ends at character `end`, what was meant; so many brackets may be `missing` there."""
        value = self.value
        draft, broken = course.builder.draft, self._broken
        size = end - value.start
        again = self._written_again(course, end)
        if again is Answer.WAIT:
            self._over = end, missing
            return WAIT
        swallowed = -1 if again is Answer.YES else call_taken_in(value, course, broken.at)
        over = bare_end(value, course, end)
        if MORE in (swallowed, over):
            self._over = end, missing
            return WAIT
        if over < end:
            course.back_to(over)
            end = over
        spent, draft.mending = draft.mending, draft.mending + size
        if again is Answer.YES:
            return self._strict if self._over_again else None
        if swallowed >= 0 and (draft.call is None or not draft.call.written):  # no marker is said in a name or key
            self._fail_before(course, swallowed, end)
            return None
        left = text_instead(value, course, broken, end) if swallowed < 0 else -1
        if left >= 0:
            course.back_to(left)
            value.leave(course, left)
            return None
        mended = self._mended(course, end, missing) if spent < MAX_MENDING else Unmended.NO
        if mended is Unmended.CUT:
            value.cut(course)
            return WAIT
        if mended is not Unmended.NO:
            course.back_to(mended)
            value.close(course, mended, broken=True)
            return None
        if swallowed < draft.told:
            swallowed = -1  # what was mended before it failed has told of that
        raw = course.raw(value.start, end).strip()
        plain = not value.plain and isinstance(value.shape, Hole) and not (draft.call is not None and draft.call.whole)
        text = _plain_text(raw) if plain else None
        if value.plain and raw[:1] not in ("{", "[", '"') and not _ends_within(raw):  # text where JSON should be
            value.note(broken.at, str(broken))
            value.emit(Arguments(raw, "", value.start))
        elif text and (call := draft.call) is not None and not call.written and draft.places(call.name, text):
            value.sink.forget()
            draft.write(dumps(text))
            call.take(text)
        elif (item := item_after(value, course, broken.at, end)) >= 0:
            self._begin_again(course, item)
            return self._strict
        else:
            self._fail_before(course, swallowed, end)
            return None
        value.leave(course, end)
        return None

    def _begin_again(self, course: Course, at: int) -> None:
        """The call is lost, and another one of the value begins at character `at`: it is read from there."""
        value = self.value
        course.builder.draft.guesses += 1
        value.commit(course)
        self._end_broken(course, at)
        value.kept = at
        value.reader.begin_again()
        course.back_to(at)

    def _fail(self, course: Course, end: int) -> None:
        """The call, which ends at character `end`, cannot be read, and it is the last one."""
        value = self.value
        draft = course.builder.draft
        if draft.call is not None and draft.ruled:
            draft.call.fail(self._why())
        else:
            self._end_broken(course, end)
        if not value.plain:
            value.sink.forget()
        value.leave(course, end)

    def _fail_before(self, course: Course, swallowed: int, end: int) -> None:
        """The same, where the next call, at the character `swallowed` unless that is negative, is read from there."""
        if swallowed >= 0:
            course.back_to(swallowed)
        self._fail(course, swallowed if swallowed >= 0 else end)

    def _end_broken(self, course: Course, end: int) -> None:
        """The call, which ends at character `end`, cannot be read."""
        draft, broken = course.builder.draft, self._broken
        if draft.call is None:
            draft.attempt(self.value.kept, end, str(broken))
        else:
            draft.call.fail(self._why())
            draft.end_call(end)

    def _why(self) -> str:
        return f"{self._broken} - at {self._broken.at}"


def _plain_text(raw: str) -> str | None:
    """The text that stands where JSON should, perhaps in quotes; None where it was to be a list or an object."""
    text = raw.strip()
    if text[:1] == '"':
        said = read_json(text)
        text = said.strip() if isinstance(said, str) else ""
    return text if text and text[0] not in '{["' else None


def _ends_within(raw: str) -> bool:
    """Does a string in other quotes than JSON's begin the text, and end in the middle of it?"""
    found = [raw.find(sign, 1) for sign in CLOSING.get(raw[:1], "")]
    return any(0 < at < len(raw) - 1 for at in found)
