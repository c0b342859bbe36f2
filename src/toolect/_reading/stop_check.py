"""Is a marker that was found in free text the end of it? That depends on what is before, and on what follows."""

from __future__ import annotations

import re

from toolect._graph.needle import Needle
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, cut_off
from toolect._graph.stops import (
    Calls,
    EndToken,
    Implying,
    Instead,
    LineEnd,
    Misspelt,
    NameLine,
    Stop,
    Stray,
    Unled,
    Unopened,
)
from toolect._graph.symbols import is_echo
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.course import Course
from toolect._reading.json_ahead import bare_call
from toolect._reading.look_ahead import call_follows, opens_more
from toolect._reading.misspelled_stop import misspelled_closer, misspelled_opener
from toolect._reading.other_notation import attempted
from toolect._reading.passage import SPOKEN, Passage
from toolect._reading.probe import Probe
from toolect._reading.spoken_of import (
    in_quotes,
    is_spoken,
    named_in_sentence,
    shown,
    unless_rehearsed,
    unquoted,
)
from toolect._reading.stop_place import End, after, before, begins_near, out_of_place, space_after, spelled
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.json_lexemes import match_space
from toolect.message import RepairKind

MAX_CLOSED = 1 << 16
"""Characters behind the closer of a call in a value before the value's own has to come. Beyond it: that one counts."""
_FEW = 3
"""Lexemes that tell that a line is no more text: a name or a key, and what comes after it."""
_BLANKS = re.compile(rf"[ \t]{{0,{MAX_BLANK}}}").match
_GOES_ON = frozenset(" \t.,:;)")
"""What a sentence sets after a marker that it names."""


def ends_at(passage: Passage, course: Course, needle: Needle, at: int) -> End | Waiting | None:
    """The stop of `needle` when it is at index `at` and ends the text; None when it does not."""
    stop = needle.stop
    assert stop is not None
    found = _reads_as(passage, course, needle, stop, at)
    if found is None and isinstance(stop.otherwise, EndToken):
        end = at + len(stop.core)
        rest = match_space(course.buf, end).end()  # type: ignore[union-attr]  # matches the empty string
        if after(passage, course, stop, at).struct.match(course.buf, rest) is None:
            return End(stop.otherwise, stop.otherwise.lead, at, end)
        out_of_place(passage, course, stop, at)  # a second marker follows: together they are more than an end
    if type(found) is End and (quoted := shown(passage, course, found)) is not Answer.NO:
        return WAIT if quoted is Answer.WAIT else None
    if type(found) is End and (stop.repair is RepairKind.IMPLIED_CLOSER or isinstance(stop, EndToken)):
        found = misspelled_closer(passage, course, found) or found
    if passage.field.role is Role.REASONING and type(found) is End and found.stop.calls is not Calls.NOTHING:
        return unless_rehearsed(passage, course, found)
    return found


def _reads_as(passage: Passage, course: Course, needle: Needle, stop: Stop, at: int) -> End | Waiting | None:
    buf, final = course.buf, course.final
    hidden = passage.hidden(course, at)
    if hidden is not False:
        return WAIT if hidden is None else None
    if stop.line and not passage.begins_line(course, stop, at):
        return None
    match stop:
        case LineEnd():
            return _line_end(passage, course, stop, at)
        case NameLine():
            return None if stop.direct and passage.text_before(course, at) else _name(passage, course, needle, stop, at)
        case Unopened():
            bare = bare_call(course, stop.shape, at)
            if bare is Answer.NO or not unquoted(passage, course, stop, at):
                return None
            return End(stop, needle.lead, at, at) if bare is Answer.YES else WAIT
        case Misspelt():
            return misspelled_opener(passage, course, stop, needle, at)
        case Stray(direct=True) if not course.builder.after_call or passage.text_before(course, at):
            if needle.regex is not None and needle.regex.match(buf, at) is None:
                return WAIT if not final and begins_near(stop, buf, at) else None
            out_of_place(passage, course, stop, at)
            return None
        case Instead(path=()) if passage.text_before(course, at):
            return None
        case _ if stop.core in course.graph.think_openers and passage.field.role is Role.CONTENT:
            named = named_in_sentence(passage, course, stop, at)
            if named is not Answer.NO:
                return WAIT if named is Answer.WAIT else None
        case EndToken() if "\n" in stop.lead and course.base + at > passage.start and buf[at - 1 : at] != "\n":
            return None  # it ends the answer only where a line begins
    end = spelled(passage, course, needle, stop, at)
    if end is None or end is WAIT:
        return end
    if isinstance(stop, Implying) and (later := _closes_later(passage, course, stop, end)) is not Answer.NO:
        return WAIT if later is Answer.WAIT else None
    if stop.last and (rest := _to_line_end(buf, end)) is not Answer.YES:
        if rest is Answer.NO:
            return None
        if not final:
            return WAIT
    if not final and len(buf) - at <= passage.plan.longest and _longer(passage, stop, buf[at:]):
        return WAIT
    otherwise, answer = stop.otherwise, Answer.NO
    if isinstance(otherwise, Instead) and not passage.text_before(course, at):
        step = passage.node.step(otherwise.key)
        if otherwise.named:
            answer = _named(course, step.node, end, step.trail, course.builder.after_call)
        else:
            answer = call_follows(course, otherwise, step.node, end, strong=False)
        if answer is not Answer.NO:
            stop = otherwise
    if answer is Answer.NO:
        answer = Answer.YES
        match stop.calls:
            case Calls.NAMED:
                trail = space_after(passage, course, stop, at)
                joined = stop.direct and course.builder.after_call and not passage.text_before(course, at)
                node = after(passage, course, stop, at)
                answer = _named(course, node, end, trail, joined)
                if answer is Answer.NO and opens_more(course, node, end):
                    answer = _call(passage, course, stop, at, end)
            case Calls.CALL:
                answer = _call(passage, course, stop, at, end)
    if answer is Answer.YES:
        wrong = is_echo(stop.core) and not buf.startswith(course.builder.spelled(stop.core), at)
        return End(stop, needle.lead, at, end, wrong)
    return WAIT if answer is Answer.WAIT else None


def _named(course: Course, node: Node, at: int, trail: str, joined: bool = False) -> Answer:
    """Is the name after a short sign, at index `at`, proved to begin a call? It may be `joined` to one before it."""
    from toolect._reading.proof import proof  # not part of starting up: few dialects need it

    return proof(course, node, at, trail, joined)


def _closes_later(passage: Passage, course: Course, stop: Implying, end: int) -> Answer:
    """Is the closer `stop`, which ends at index `end`, a part of a value whose own closer comes before any opener?"""
    if passage.field.role is not Role.VALUE or _opens(passage, course, stop, end):
        return Answer.NO
    own = course.finder.next(str(stop.path[1]), end)
    until = own if own >= 0 else len(course.buf)
    stops = (other for other in passage.plan.stops if isinstance(other, Implying | EndToken))
    openers = (other.core for other in stops if isinstance(other, EndToken) or _opens(passage, course, other, end))
    if until - end > MAX_CLOSED or any(0 <= course.finder.next(core, end) < until for core in openers):
        return Answer.NO
    return Answer.YES if own >= 0 else Answer.NO if course.final else WAIT


def _opens(passage: Passage, course: Course, stop: Stop, at: int) -> bool:
    """Does the marker `stop` at index `at` open something, after what it implies?"""
    return before(passage, course, stop, at).first(stop.key)


def _to_line_end(buf: str, at: int) -> Answer:
    """Does nothing but blanks stand between index `at` and the end of its line?"""
    end = _BLANKS(buf, at).end()  # type: ignore[union-attr]  # matches the empty string
    return WAIT if end == len(buf) else Answer.YES if buf[end] in "\n\r" else Answer.NO


def _line_end(passage: Passage, course: Course, stop: LineEnd, at: int) -> End | Waiting | None:
    """The end of the line at index `at`, where what the next line begins with is no more text."""
    found = End(stop, "", at, at)
    if stop.free:
        return found
    probe = Probe(course, passage.node.step(SlotKind.TEXT).node, at)
    for number in range(_FEW):
        comes = probe.space()
        lexeme = probe.next() if comes is Answer.YES else None
        if comes is WAIT or lexeme is WAIT:
            return WAIT
        if lexeme is None:
            return found if comes is Answer.NO and number == 0 else None
        if isinstance(lexeme.key, str):
            return found if number else None  # a marker by itself says where text ends
        probe.over(lexeme)
        if probe.node.text:
            return found
    return found


def _call(passage: Passage, course: Course, stop: Stop, at: int, end: int) -> Answer:
    """Does a call follow the marker at `buf[at:end]`? After one that is nothing else, the end of the text is enough."""
    proper = stop.repair is None or stop.direct and not passage.text_before(course, at)
    strong = len(stop.core) >= STRONG and proper and not stop.core.isalnum()
    if isinstance(stop.otherwise, EndToken):
        rest = match_space(course.buf, end)
        strong = strong and course.final and rest is not None and rest.end() < len(course.buf)
    inside = passage.field.role is Role.VALUE and not stop.regular
    short = len(stop.core) < STRONG
    before = short and passage.text_before(course, at)
    prose = short and (course.bound is not None or before)
    glued, node = prose and passage.glued(course, at), after(passage, course, stop, at)
    spoken = not short and passage.field.role in SPOKEN and is_spoken(passage, course, stop, at)
    answer = call_follows(course, stop, node, end, strong, inside, prose, glued, empty=not before, spoken=spoken)
    if answer is Answer.NO and inside and not short and course.tools.declared and not passage.holds_call:
        other = call_follows(course, stop, node, end, strong)
        if other is Answer.WAIT:
            return other
        passage.holds_call = other is Answer.YES
    plain = strong and passage.field.role is Role.CONTENT and not isinstance(stop.otherwise, EndToken)
    plain = plain and not (spoken and course.buf[end : end + 1] in _GOES_ON)
    if answer is Answer.NO and plain and course.tools.declared:
        tool = attempted(course, end, any(node.naming(key) for key, _ in node.patterns))
        answer = WAIT if tool is WAIT else Answer.YES if tool else Answer.NO
    if answer is Answer.NO and strong and not isinstance(stop.otherwise, EndToken):
        out_of_place(passage, course, stop, at)
    return answer


def opens(course: Course, needle: Needle) -> bool:
    """True when a call may begin with the marker of `needle`, or with one that begins so."""
    word = "" if needle.stop is None else needle.stop.core.split(None, 1)[0]
    return word != "" and any(opener.startswith(word) for opener in course.graph.openers)


def ends_broken(course: Course, node: Node, needle: Needle, at: int, kept: int) -> Answer:
    """Does the marker of `needle`, whose beginning is at index `at`, end the broken JSON which `node` follows?

    That begins at character `kept`, or what of it can still be asked for does.
    """
    buf, stop = course.buf, needle.stop
    assert stop is not None
    spoken = Answer.NO if stop.core in course.graph.ends else in_quotes(course, at, at + len(stop.core), kept)
    if spoken is not Answer.NO:
        return WAIT if spoken is Answer.WAIT else Answer.NO
    core = course.builder.spelled(stop.core)
    if core != stop.core and not buf.startswith(core, at):
        return Answer.WAIT if not course.final and cut_off(core, buf, at) else Answer.NO
    if not stop.named:
        return Answer.YES
    trail = ""
    for key in (*stop.path, stop.key):
        step = node.step(key)
        node, trail = step.node, step.trail
    return _named(course, node, at + len(core), trail)


def _name(passage: Passage, course: Course, needle: Needle, stop: NameLine, at: int) -> End | Waiting | None:
    """The name with which a call begins at index `at`."""
    node = passage.node
    if stop.repair is not None:
        node = before(passage, course, stop, at)
    elif stop.key not in node.choices or passage.text_before(course, at):
        node = node.step(SlotKind.TEXT).node
    if isinstance(stop, Unled) and not course.tools.declared:
        return None
    from toolect._reading.proof import proof, unled  # not part of starting up: few dialects need it

    answer = unled(course, stop, node, at) if isinstance(stop, Unled) else proof(course, node, at)
    if answer is not Answer.YES:
        return WAIT if answer is Answer.WAIT else None
    match = course.graph.pattern(stop.core).match(course.buf, at, at + MAX_LEXEME)
    if (
        match is None
        or match.end() == at
        or not isinstance(stop, Unled)
        and stop.repair is not None
        and match[0] not in course.tools
    ):
        return None
    return End(stop, needle.lead, at, match.end())


def _longer(passage: Passage, stop: Stop, rest: str) -> bool:
    """True when `rest` may turn out to begin with a longer marker than `stop`."""
    return any(len(s.core) > len(rest) and s.core.startswith(rest) for s in passage.plan.stops if s is not stop)
