"""Finds corpus files that do not keep the format, with the line that does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from toolect._spec.document import read_text
from toolect._spec.problems import Problems
from toolect.authoring.corpus import CorpusError, read
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Place

NAME = "unreadable-corpus"


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for what keeps the file from being read, else for each line that cannot be used."""
    file = subject.corpus_file
    if file is None or not file.exists():
        return
    problems = Problems()
    read_text(file, problems, NAME)
    if problems.found:
        yield from (replace(d, check=NAME) for d in problems.found)
        return
    try:
        cases = read(file)
    except CorpusError as error:
        yield _told(file, error)
        return
    for case in cases:
        for part in ("options", "expectations"):
            try:
                getattr(case, part)
            except CorpusError as error:
                yield _told(file, error)


def _told(file: Path, error: CorpusError) -> Diagnostic:
    return Diagnostic(
        NAME, error.reason, Place(str(file), error.line, 1), help="docs/guide/corpus.md describes the format"
    )
