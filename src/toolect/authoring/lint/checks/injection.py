"""Finds slots that a text can leave, where the grammar could prevent it."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.node import STRONG
from toolect.authoring.escaping import FREE, Answer, Escape, escapes
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Severity
from toolect.message import dumps


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each slot that is left by a text that rendering writes, or by a short marker."""
    for escape in escapes(subject.dialect):
        forged = ", ".join(f"{goal} by {dumps(text)}" for goal, text in escape.forgeries.items())
        if escape.answer is Answer.WRITES:
            severity = Severity.ERROR
            message = f"the {escape.slot} `{escape.witness}` is written, and read as something else"
            advice = "close the slot with a marker of its own"
        elif _is_weak(escape):
            severity = Severity.WARNING
            message = f"`{escape.witness}` in the {escape.slot} ends it, and no text with it in can be written"
            advice = "use `ESCAPED` between quotes, `escapes: entities`, or a longer closer"
        else:
            continue
        yield Diagnostic(
            "injection",
            message,
            subject.places.slot(escape.slot, escape.intended),
            severity,
            label=forged and f"forges {forged}",
            witness=escape.text,
            reading=told(escape.read),
            help=advice,
        )


def _is_weak(escape: Escape) -> bool:
    """True when a marker that may be anywhere in ordinary text ends the slot."""
    short = escape.anywhere and len(escape.witness) < STRONG
    return short and escape.slot in FREE and escape.answer is Answer.REFUSES
