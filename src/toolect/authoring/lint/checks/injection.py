"""Finds slots that a text can leave, where the grammar could prevent it."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.node import STRONG
from toolect.authoring.escaping import FREE, Answer, Escape, escapes
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Severity


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each slot that is left by a text that rendering writes, or by a short marker."""
    for escape in escapes(subject.dialect):
        key = subject.places.key_of(escape.slot)
        slot = f"`{key}`" if key else f"the {escape.slot}"
        if escape.answer is Answer.WRITES:
            severity = Severity.ERROR
            message = f"the text `{escape.witness}` in {slot} is written, and read as something else"
            advice = "close the slot with a marker of its own"
        elif _is_weak(escape):
            severity = Severity.WARNING
            end = escape.witness if escape.anywhere and len(escape.witness) < STRONG else escape.closer
            message = f"the text `{end}` ends {slot}, and not every {escape.slot} with it in can be written"
            advice = "use `ESCAPED` between quotes, `escapes: entities`, or a longer closer"
        else:
            continue
        forged = [f"{'an' if goal[0] in 'aeiou' else 'a'} {goal}" for goal in escape.forgeries if goal in _COUNTED]
        yield Diagnostic(
            "injection",
            message,
            subject.places.slot(escape.slot, escape.intended),
            severity,
            label=f"who fills it can forge {' or '.join(forged)}" if forged else "",
            witness=escape.text,
            reading=told(escape.read),
            help=advice,
        )


_COUNTED = ("argument", "call")


def _is_weak(escape: Escape) -> bool:
    """True when a marker that may be anywhere in ordinary text ends the slot."""
    short = escape.anywhere and len(escape.witness) < STRONG
    forges = any(goal in _COUNTED for goal in escape.forgeries)
    short = short or forges and 0 < len(escape.closer) < STRONG
    return short and escape.slot in FREE and escape.answer is Answer.REFUSES
