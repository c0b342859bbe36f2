"""Finds texts of prompts that show the model a marker which the entry replaces by another one."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.document import Text
from toolect._spec.problems import Problems
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each field with a text in which such a marker stands."""
    markers = subject.dialect.graph().markers
    for old, new in subject.loaded.entry.mapping("markers", Problems()).entries:
        shown = old.text.strip()
        if not shown or any(shown in marker for marker in markers):
            continue
        for group, text in _texts(subject):
            if shown in text:
                instead = new.text.strip() if isinstance(new, Text) else ""
                yield warning(
                    "stale-marker",
                    f"`{group}` shows `{shown}`, which this dialect spells `{instead}`",
                    old.place,
                    label="replaced here",
                    help=f"give the entry a `{group}` of its own, or write `{group}: none`",
                )


def _texts(subject: Subject) -> Iterator[tuple[str, str]]:
    """All that the prompt says, by field."""
    if tools := subject.spec.tools:
        yield "tools", "\n".join((tools.text, tools.each, tools.parameter))
    if results := subject.spec.results:
        yield "results", "\n".join((results.text, results.each))
