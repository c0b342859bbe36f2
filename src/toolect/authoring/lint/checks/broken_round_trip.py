"""Finds messages that are read back as something else than was written."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._rendering.message_writer import word_for
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Severity


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each kind of segment that does not come back."""
    met: set[str] = set()
    for loss in subject.losses:
        kind, trial = word_for(loss.odd), loss.trial
        if loss.cause is Cause.GRAMMAR and kind not in met:
            met.add(kind)
            assert trial.back is not None
            silent = trial.back.clean
            message = f"what is written for `{told(trial.message)}` is read as something else"
            yield Diagnostic(
                "broken-round-trip",
                message + ", and nothing tells it" * silent,
                subject.places.segment(loss.odd),
                Severity.ERROR if silent else Severity.WARNING,
                label=f"this {kind} does not come back",
                witness=str(trial.text),
                reading=told(trial.back),
                help="write a marker where it begins or ends, or do not allow it there",
            )
