"""Finds values that are written alike, so that reading cannot tell them apart."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._values.schema_keywords import type_of
from toolect._values.text_values import sniff
from toolect.authoring.lint.attempt import alike, single_values
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Json, dumps


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each type of value that is read as another value."""
    met: set[str] = set()
    for old, new, text in (*_refused(subject), *_lost(subject)):
        if type_of(old) not in met:
            met.add(type_of(old))
            yield warning(
                "indistinct-value",
                f"the {type_of(old)} `{dumps(old)}` is written like the {type_of(new)} `{dumps(new)}`",
                subject.places.values(),
                label="though a schema declares the type",
                witness=text,
                reading=dumps(new),
                help="use the codec `schema`, or a slot that writes them differently",
            )


def _refused(subject: Subject) -> Iterator[tuple[Json, Json, str]]:
    """Values that their codec does not tell from others: the value, the other one, the text of both."""
    for trial, value in single_values(subject.trials):
        if trial.refusal is not None and alike(trial.refusal):
            text = trial.refusal.witness
            yield value, sniff(text), text


def _lost(subject: Subject) -> Iterator[tuple[Json, Json, str]]:
    """Values that are read back as others, though the schema does not admit those."""
    for loss in subject.losses:
        if loss.cause is Cause.VALUE and (found := loss.values):
            yield *found, str(loss.trial.text)
