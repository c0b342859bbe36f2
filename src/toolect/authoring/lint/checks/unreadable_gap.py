"""Finds gaps that are not read as gaps: the message comes back without them, and with them it does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each gap that makes a message unreadable."""
    met: set[str] = set()
    for loss in subject.losses:
        segments, trial = loss.trial.message.segments, loss.trial
        follows = any(isinstance(a, Call) and isinstance(b, Call) for a, b in pairwise(segments))
        gap = "between calls" if follows else "before call"
        if loss.cause is Cause.GAP and gap not in met:
            met.add(gap)
            assert trial.back is not None
            yield warning(
                "unreadable-gap",
                f"what is written for `{told(trial.message)}` is read as something else",
                subject.places.entry("gaps", gap),
                label="without it, the message comes back",
                witness=str(trial.text),
                reading=told(trial.back),
                help=f"leave out `{gap}`, or close with a marker what stands before it",
            )
