"""Goes over the place where a value language is broken, as if what was meant stood there."""

from __future__ import annotations

from toolect._reading.course import Course
from toolect._reading.quoted_slot import EscapedSlot
from toolect._reading.slot import Next
from toolect._reading.value_mend import Mend
from toolect._spec.grammar_model import SlotKind
from toolect._values.escapes import unescape
from toolect.message import RepairKind

_SEPARATORS = frozenset(",:=")
_SHOWN = 40
"""Characters of a string without quotes that are shown."""


def go_over(course: Course, mend: Mend, pos: int) -> Next:
    """Go over `buf[pos:mend.end]`."""
    at, end, call = course.base + pos, course.base + mend.end, course.builder.call
    unsure = call is not None and any(repair.kind is RepairKind.UNESCAPED for repair in call.repairs)
    if call is not None and unsure and not _SEPARATORS.isdisjoint(mend.path):
        call.fail(f"{mend.why} after quotes that were not escaped - at {at}")
    for core in mend.path:
        course.imply(core, at, RepairKind.IMPLIED_CLOSER)
    course.pos = mend.end
    if not mend.core:
        if not mend.path:
            course.builder.note(RepairKind.STRAY_MARKER, at, mend.why)
        return None
    if mend.bare is None:
        course.shift(mend.core, at, end, wrong=True)
    else:
        course.builder.note(RepairKind.MISSPELLED_MARKER, at, mend.why[:_SHOWN])
        course.shift(mend.core, at, at)
        _string(course, mend.bare, at, end)
    return EscapedSlot(course, course.node, mend.closers) if mend.closers else None


def _string(course: Course, text: str, at: int, end: int) -> None:
    """The inside of a string is `text`, at characters `at:end`."""
    slot = course.node.escaped_slot()
    course.enter_slot(SlotKind.ESCAPED, at)
    course.builder.text.begin(slot.field, at)
    course.builder.text.more(slot.field, unescape(text, slot.escapes))
    course.builder.text.end(slot.field, at, end)
    course.leave_slot(SlotKind.ESCAPED, end)
    course.shift(next(iter(course.node.marks)), end, end)
