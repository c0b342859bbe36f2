"""Finds patterns of model ids that say next to nothing."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._model_ids import SPECIFIC, weight
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each pattern that fixes too few characters."""
    for pattern in subject.spec.models:
        if weight(pattern) < SPECIFIC:
            yield warning(
                "vague-model",
                f"the pattern `{pattern}` matches almost any model id",
                subject.places.entry("models", pattern),
                help="write what the ids of the models have in common",
            )
