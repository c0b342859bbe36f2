"""Finds dialects without a corpus file."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic when the dialect's corpus should be there and is not."""
    file = subject.corpus_file
    if file is not None and not file.is_file():
        message = f"the dialect `{subject.name}` has no corpus"
        yield warning("missing-corpus", message, subject.place, help=f"write what the model wrote into `{file}`")
