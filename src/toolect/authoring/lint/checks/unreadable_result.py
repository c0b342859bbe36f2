"""Finds `results` that cannot tell of plain outputs, or whose own text is read as a call."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._prompting.results import Output, defused, write_results
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.rendered import Unrepresentable

OUTPUTS = ("4711", "It is sunny.", '{"sky": "clear", "wind": [1, 2]}')
"""What tools say, of which nobody thinks of calls."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for the first output, a plain one or a whole answer made harmless, that cannot be told."""
    how = subject.spec.results
    if how is None:
        return
    answers = [str(trial.text) for trial in subject.trials if trial.message.calls and trial.text][:1]
    for output in (*OUTPUTS, *(defused(subject.dialect, how, answer) for answer in answers)):
        try:
            write_results(subject.dialect, how, [Output("get_weather", output, "call1")])
        except Unrepresentable as error:
            yield warning(
                "unreadable-result",
                f"a plain result cannot be told: {error}",
                subject.places.entry("results", "each"),
                witness=output,
                help="write text around the output that is no marker of a call",
            )
            return
