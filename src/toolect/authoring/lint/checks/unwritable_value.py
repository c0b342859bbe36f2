"""Finds values that the dialect has no way to write, though it writes strings."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.lint.attempt import alike, single_values
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import dumps


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic with the values that are refused, when a string as the only argument is not."""
    single = single_values(subject.trials)
    if not any(value == "x" and trial.text is not None for trial, value in single):
        return
    refused = {
        dumps(value): str(trial.refusal) for trial, value in single if trial.refusal and not alike(trial.refusal)
    }
    if refused:
        first = next(iter(refused))
        others = f" (nor {', '.join(f'`{value}`' for value in list(refused)[1:5])})" if len(refused) > 1 else ""
        yield warning(
            "unwritable-value",
            f"there is no way to write the value `{first}`{others}",
            subject.places.values(),
            label=refused[first],
            witness=first,
            help="use a codec that has a place for it, for instance `schema`",
        )
