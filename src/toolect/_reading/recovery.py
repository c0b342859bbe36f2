"""What to make of text that is not what may come next: every way is named, recorded, and bounded."""

from __future__ import annotations

import re

from toolect._graph.expectations import expectations, in_words
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK, MIN_LEXEME, cut_off
from toolect._graph.symbols import ECHOES, Op, OpCode
from toolect._graph.trouble_plans import attempt_plan, end_plan, skip_plan
from toolect._reading.answer import WAIT, Answer
from toolect._reading.brackets import bracketed
from toolect._reading.could_grow import could_grow
from toolect._reading.course import Boundary, Course
from toolect._reading.crossing import end_answer
from toolect._reading.lacking import lacks_arguments
from toolect._reading.mending import go_over
from toolect._reading.missing import (
    cut_closer,
    lacks_closer,
    lacks_json,
    lacks_opener,
    lacks_rest,
    lacks_sign,
    lacks_value,
    last_closer,
    next_call,
    next_value,
)
from toolect._reading.one_too_many import extra_sign, twice
from toolect._reading.open_call import MAX_REPAIRS
from toolect._reading.other_notation import attempted
from toolect._reading.probe import Departed, Lexeme
from toolect._reading.slot import Next, Slot
from toolect._reading.text_slot import TextSlot
from toolect._reading.value_mend import MAX_MENDS, mend
from toolect._reading.value_places import last_closers
from toolect._spec.grammar_model import SlotKind
from toolect.message import RepairKind

_OVER = Op(OpCode.END_CALL)


def depart(course: Course, lexeme: Lexeme, pos: int) -> None:
    """Go over what stands at `pos` in the place of a marker."""
    key, at, end = lexeme.key, course.base + pos, course.base + lexeme.end
    assert isinstance(key, str)
    if lexeme.departed is Departed.MISSING:
        course.imply(key, at, RepairKind.IMPLIED_CLOSER)
        return
    course.pos = lexeme.end
    if lexeme.departed is Departed.STRAY:
        course.builder.note(RepairKind.STRAY_MARKER, at, key)
        return
    course.shift(key, at, end, lexed=True, wrong=True)


def is_tired(course: Course) -> bool:
    """Too much was wrong outside of calls: what is not there as it is written is text."""
    draft = course.builder.draft
    return draft.call is None and len(draft.repairs) >= MAX_REPAIRS


def recover(course: Course, node: Node, pos: int) -> Next:
    """Nothing that may come next is at `pos`: find out what to make of it."""
    buf, at, spelled, final = course.buf, course.base + pos, course.builder.spelled, course.final
    for end in course.graph.ends:
        if buf.startswith(end, pos):
            call = course.builder.call
            if (
                call is not None
                and call.written
                and not course.raw(max(call.start, at - MAX_BLANK), at).rstrip().endswith((",", "[", "{"))
            ):
                for core in last_closers(node):
                    course.imply(core, at, RepairKind.IMPLIED_CLOSER)
            return end_answer(course, at, at + len(end))
    if course.builder.call is not None and len(course.builder.call.repairs) >= MAX_REPAIRS:
        return give_up(course, "too many repairs")
    if node.json and lacks_json(course, node, pos) or lacks_value(course, node, pos):
        return None
    begins = _begins_again(course, node, pos) if node.value else Answer.NO
    if begins is not Answer.NO:
        return None if begins is Answer.YES else WAIT
    doubled = twice(course, node, pos)
    if doubled is not Answer.NO:
        return None if doubled is Answer.YES else WAIT
    for core in sorted(node.implied, key=len, reverse=True):
        if buf.startswith(found := spelled(core), pos):
            for closer in node.implied[core]:
                course.imply(closer, at, RepairKind.IMPLIED_CLOSER)
            course.pos = pos + len(found)
            course.shift(core, at, at + len(found))
            return None
    lacking = lacks_arguments(course, node, pos)
    if lacking is not Answer.NO:
        return None if lacking is Answer.YES else WAIT
    again = (course.last,) if node.json and course.last in course.graph.bracketed else ()
    for core in (*course.graph.closers, *again):
        if buf.startswith(core, pos):
            course.builder.note(RepairKind.STRAY_MARKER, at, core)
            course.pos = pos + len(core)
            return None
    if is_tired(course):
        return _skip(course, node)
    if course.builder.call is not None and len(course.builder.call.repairs) < MAX_MENDS:
        mended = mend(course, node, pos)
        if mended is not None:
            return WAIT if mended is WAIT else go_over(course, mended, pos)
    for look in (next_value, extra_sign, next_call, _other_name):
        answer = look(course, node, pos)
        if answer is not Answer.NO:
            return None if answer is Answer.YES else WAIT
    if lacks_sign(course, node, at) or lacks_closer(course, node, at):
        return None
    for look in (lacks_rest, lacks_opener):
        answer = look(course, node, pos)
        if answer is not Answer.NO:
            return None if answer is Answer.YES else WAIT
    if final and cut_closer(course, node, pos):
        return None
    if final and node.patterns and len(buf) - pos < MIN_LEXEME and buf[pos:].isalnum():
        course.pos = len(buf)  # the beginning of a terminal
        return WAIT
    if final and could_grow(node, buf, pos, spelled):
        if _is_cut(course, node, pos):
            course.builder.truncate(len(buf) + course.base)
        course.pos = len(buf)
        return WAIT
    if course.home is not None:
        from toolect._reading.code_slot import skip_statement  # not part of starting up: few dialects need it

        return skip_statement(course, node)
    begins = _begins_again(course, node, pos)
    if begins is not Answer.NO:
        return None if begins is Answer.YES else WAIT
    call = course.builder.call
    fresh = _is_opened(course, node) if call is None else not call.name
    name = attempted(course, pos) if fresh else ""
    if name is WAIT:
        return WAIT
    if name:
        return attempt(course, node, at, name)
    closed = None if call is None else bracketed(course, node, pos)
    if closed is WAIT:
        return WAIT
    if call is not None:
        call.fail(f"expected {in_words(node)}, got {buf[pos]!r} - at {at}")
    course.lost(*expectations(node))
    if closed is None or closed.end < 0:
        return _skip(course, node)
    return _skip(course, node, course.base + closed.end, closed.node)


def _is_cut(course: Course, node: Node, pos: int) -> bool:
    """Does the text end in a marker with which the open call, that might be over here, goes on?"""
    if course.builder.call is None or node.done is None:
        return False
    begun = (node.step(core) for core in node.marks if cut_off(course.builder.spelled(core), course.buf, pos))
    return any(not any(task == _OVER for task, _ in step.tasks) for step in begun)


def attempt(course: Course, node: Node, at: int, name: str) -> Slot:
    """A call of `name` in another notation begins at character `at`, or has begun: it goes on to the next marker."""
    draft, start = course.builder.draft, course.graph.start
    call = draft.call or draft.begin_call(at)
    if call.index < 0 and call.id is None:  # else it has been told of, or will be, without a name
        call.name = name
        draft.start_call(call)
    call.fail(f"expected {in_words(node)}, got {course.buf[at - course.base]!r} - at {at}")
    course.lost(*expectations(node))
    course.restart()
    return TextSlot.skipping(course, start, attempt_plan(start), False)


def _is_opened(course: Course, node: Node) -> bool:
    """Has a marker led to `node` with which a call begins?"""
    start, key = course.graph.start, course.last
    places = (start, start.step(SlotKind.TEXT).node) if start.text else (start,)
    opened = any(key in place.choices and place.step(key).node is node for place in places)
    return opened and course.graph.begins_call(key)


def _begins_again(course: Course, node: Node, pos: int) -> Answer:
    """Does a call begin inside another one? Then that was broken off."""
    call = course.builder.call
    if call is None:
        return Answer.NO
    begins = Answer.YES if course.begins_call(pos) else _begins_named(course, pos)
    if begins is not Answer.YES:
        return begins
    at = course.base + pos
    if (closer := last_closer(node)) is not None and not call.error:
        course.imply(closer, at, RepairKind.IMPLIED_CLOSER)
        return Answer.YES
    call.fail(f"expected {in_words(node)}, and another call begins - at {at}")
    if any(course.buf.startswith(core, pos) for core in node.implied):
        return Answer.NO
    course.builder.break_off(at)
    course.pos = pos
    course.restart()
    return Answer.YES


def _begins_named(course: Course, pos: int) -> Answer:
    """Is a short sign at `buf[pos]`, and after it the name of a call?"""
    start = course.graph.start
    for core in start.marks:
        if len(core) < STRONG and course.buf.startswith(core, pos) and start.named(core):
            from toolect._reading.proof import proof  # not part of starting up: few dialects need it

            answer = proof(course, start.step(core).node, pos + len(core))
            if answer is not Answer.NO:
                return answer
    return Answer.NO


def _other_name(course: Course, node: Node, pos: int) -> Answer:
    """Is this the closer that must come, with another name or key in it? Then the call is malformed."""
    buf = course.buf
    for core in node.echoes:
        sign = next(sign for sign in ECHOES.values() if sign in core)
        before, _, after = core.partition(sign)
        match = re.compile(rf"{re.escape(before)}[\w.:/-]{{1,64}}").match(buf, pos)
        if match is None:
            continue
        rest = buf[match.end() : match.end() + len(after)]
        if rest == after:
            end = match.end() + len(after)
            if course.builder.call is not None:
                wanted, got = course.builder.spelled(core), buf[pos:end]
                course.builder.call.fail(f"expected `{wanted}`, got `{got}` - at {course.base + pos}")
            course.pos = end
            course.shift(core, course.base + pos, course.base + end)
            return Answer.YES
        if after.startswith(rest) and not course.final:
            return Answer.WAIT
    return Answer.NO


def give_up(course: Course, why: str) -> Slot:
    """The text is beyond a limit: the rest of it belongs to the open call, or is content."""
    if course.builder.call is not None:
        course.builder.call.fail(f"{why} - at {course.base + course.pos}")
    course.restart()
    course.lost("less nesting")
    return _skip(course, course.node)


def read_rest(course: Course) -> Slot:
    """Too many calls were broken, or too much was read: nothing but an end token is looked for any more."""
    draft, at = course.builder.draft, course.base + course.pos
    if draft.call is not None:
        draft.call.fail(f"too much before it - at {at}")
        draft.end_call(at)
    course.restart()
    course.lost("less before it")
    return TextSlot.skipping(course, course.node, end_plan(course.node), True)


def _skip(course: Course, node: Node, until: int = -1, then: Node | None = None) -> Slot:
    """Skip what cannot be read at `node`: it is content, or belongs to the open call, which ends at `until`.

    After that it goes on at `then`.
    """
    at, content = course.base + course.pos, course.builder.call is None
    if content and node.done is not None and course.bound is not None and at > course.bound:
        course.finish_tasks(at)
        raise Boundary(at)
    if content:
        course.builder.note(RepairKind.STRAY_MARKER, at, "text")
    return TextSlot.skipping(course, node, skip_plan(node), content, until, then)
