"""Tells that a grammar, or one of its regular expressions, is too large to be looked at in full."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._regular.ambiguity import Undecided, ambiguity
from toolect.authoring.lint.states import MAX_TERMINALS, states
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import expressions
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for the grammar if its states were not all seen, and one for each such expression."""
    for name, pattern in expressions(subject.spec).items():
        found = ambiguity(pattern.regex)
        if isinstance(found, Undecided) and found.large:
            message = f"the terminal `{name}` is too large to be checked: {found.reason}"
            place = subject.places.terminal(name)
            yield warning("too-large", message, place, help="say what ends the text, not how long it may be")
    most = max((len(state.node.patterns) for state in states(subject.dialect)), default=0)
    if most > MAX_TERMINALS:
        message = f"{most} terminals may stand at one place: only {MAX_TERMINALS} of them are compared with each other"
        place = subject.places.rule("start")
        yield warning("too-large", message, place, help="make one terminal of those that mean the same")
    if not states(subject.dialect).complete:
        count = len(states(subject.dialect).found)
        message = f"{count} states of the grammar were looked at: what lies beyond them is not checked"
        yield warning("too-large", message, subject.places.rule("start"), help="split the dialect into several")
