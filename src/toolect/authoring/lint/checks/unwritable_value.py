"""Finds values that the dialect has no way to write, though it writes strings."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.model import Role, Spec
from toolect.authoring.lint.attempt import alike, single_values
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Json, dumps


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic with the values that are refused, when a string as the only argument is not."""
    single = single_values(subject.trials)
    if not any(value == "x" and trial.text is not None for trial, value in single):
        return
    wrong = [(trial, value) for trial, value in single if trial.refusal and not alike(trial.refusal)]
    refused = {dumps(value): str(trial.refusal) for trial, value in wrong}
    if refused:
        first = next(iter(refused))
        others = f" (nor {', '.join(f'`{value}`' for value in list(refused)[1:5])})" if len(refused) > 1 else ""
        yield warning(
            "unwritable-value",
            f"there is no way to write the value `{first}`{others}",
            subject.places.values(),
            label=refused[first],
            witness=first,
            help=_help(subject.spec, [value for _, value in wrong]),
        )


def _help(spec: Spec, values: list[Json]) -> str:
    """What takes these values: a rule of the value language that they are written in, or else a codec."""
    if not any(rule.value for rule in spec.rules.values()):
        return "use a codec that has a place for it, for instance `schema`"
    lacking = [rule for rule in dict.fromkeys(map(_rule, values)) if rule not in spec.rules]
    if lacking:
        return f"give the value language a rule for it: {', '.join(f'`{rule}`' for rule in lacking)}"
    return f"let the rule `{_rule(values[0])}` of the value language take it"


def _rule(value: Json) -> Role:
    """What a value language calls the rule of such values."""
    match value:
        case None:
            return Role.NULL
        case bool():
            return Role.TRUE if value else Role.FALSE
        case int() | float():
            return Role.NUMBER
        case str():
            return Role.STRING
        case list():
            return Role.ARRAY
        case _:
            return Role.OBJECT
