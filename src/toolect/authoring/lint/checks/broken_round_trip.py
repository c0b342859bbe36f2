"""Finds messages that are read back as something else than was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolect._rendering.message_writer import word_for
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Severity
from toolect.message import Call, Segment


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
                help=_advice(trial.message.segments, trial.back.segments),
            )


def _advice(said: Sequence[Segment], read: Sequence[Segment]) -> str:
    """What to do where these segments are read back as others."""
    kinds = [[type(segment) for segment in segments] for segments in (said, read)]
    if Call in kinds[0] and Call not in kinds[1]:
        return "begin the call with a marker that no text has, or write one after its name"
    if len(kinds[1]) < len(kinds[0]) and Call not in kinds[0]:
        return "write a marker between them, which ends the first"
    if sorted(map(str, kinds[0])) == sorted(map(str, kinds[1])) and kinds[0] != kinds[1]:
        return "let texts stand before, between and after calls: `start: think? (content | call)*`"
    return "write a marker where it begins or ends, or do not allow it there"
