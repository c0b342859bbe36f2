"""Finds calls with two places for arguments, and arguments with two for their value: only the last is kept."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.grammar_model import Alt, Expr, Pattern, Ref, Repeat, Seq, Slot
from toolect._spec.holes import holes
from toolect._spec.leaves import leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.shape_model import HoleKind
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Severity

_WITHIN = {Role.CALL: (Role.ARGUMENTS, "arguments"), Role.ARGUMENT: (Role.VALUE, "value")}
"""What a rule with a role holds once, and what that is called."""
_ARGUMENTS = {HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each rule that holds what it may hold once in several places, or in one that repeats."""
    spec = subject.spec
    for rule in spec.rules.values():
        role = spec.roles.get(rule.name)
        if role not in _WITHIN:
            continue
        held, what = _WITHIN[role]
        if not any(whole > 1 or whole and parts for whole, parts in _held(spec, rule, rule.expr, held, {rule.name})):
            continue
        places = [*_places(spec, rule, rule.expr, held, {rule.name})]
        (first, name), (second, other) = places[0], places[-1]
        twice = f"`{name}` and `{other}`" if len({*places}) > 1 else f"`{name}`, more than once"
        yield Diagnostic(
            "dropped-text",
            f"the {what} of `{rule.name}` may stand in {twice}: the last is kept, and the call is `ok`",
            subject.places.part(second, other),
            Severity.ERROR,
            label="kept",
            related=((subject.places.part(first, name), "dropped"),) if len({*places}) > 1 else (),
            help=f"make them alternatives: one place holds the {what}",
        )


Held = frozenset[tuple[int, bool]]
"""What may come: how often all of it (2 stands for more than once), and whether a part of it does."""
_NOTHING: Held = frozenset(((0, False),))


def _held(spec: Spec, rule: Rule, expr: Expr, held: Role, above: set[str]) -> Held:
    """What may come of it in texts of `expr`, each way once."""
    match expr:
        case Seq(items):
            found = _NOTHING
            for item in items:
                found = _one_after_the_other(found, _held(spec, rule, item, held, above))
            return found
        case Alt(items):
            return frozenset().union(*(_held(spec, rule, item, held, above) for item in items))
        case Repeat(item, once=once):
            one = _held(spec, rule, item, held, above)
            return _NOTHING | one | (frozenset() if once else _one_after_the_other(one, one))
        case Ref() if (inner := _inner(spec, rule, expr, above)) is not None:
            return _held(spec, inner, inner.expr, held, above | {inner.name})
        case _:
            return frozenset(((int(_is(spec, rule, expr, held)), _is_part(spec, rule, expr, held)),))


def _one_after_the_other(first: Held, second: Held) -> Held:
    return frozenset((min(a + b, 2), part or other) for a, part in first for b, other in second)


def _places(spec: Spec, rule: Rule, expr: Expr, held: Role, above: set[str]) -> Iterator[tuple[str, str]]:
    """Where below `expr` it is held, or a part of it: a rule, and what the rule calls that."""
    for part in leaves(expr):
        if (inner := _inner(spec, rule, part, above)) is not None:
            yield from _places(spec, inner, inner.expr, held, above | {inner.name})
        elif _is(spec, rule, part, held) or _is_part(spec, rule, part, held):
            yield rule.name, _name(part)


def _inner(spec: Spec, rule: Rule, part: Expr, above: set[str]) -> Rule | None:
    """The rule that a part stands for, if that is a part of the same call or argument, and no value."""
    if not isinstance(part, Ref) or part.rule in above or spec.rules[part.rule].value:
        return None
    role = _role(spec, rule, part)
    return None if role in (Role.CALL, Role.ARGUMENT, Role.ARGUMENTS, Role.VALUE) else spec.rules[part.rule]


def _is(spec: Spec, rule: Rule, part: Expr, held: Role) -> bool:
    shape = spec.shapes.get(f"{rule.name}/{_name(part)}") or spec.shapes.get(_name(part))
    whole = held is Role.ARGUMENTS and shape is not None and bool(holes(shape) & _ARGUMENTS)
    return whole or _role(spec, rule, part) is held


def _is_part(spec: Spec, rule: Rule, part: Expr, held: Role) -> bool:
    return held is Role.ARGUMENTS and _role(spec, rule, part) is Role.ARGUMENT


def _role(spec: Spec, rule: Rule, part: Expr) -> Role | None:
    """What a part means where a rule has it; nothing for a marker."""
    name = _name(part)
    return said_of(spec.roles, rule.name, name) if name else None


def _name(part: Expr) -> str:
    match part:
        case Ref(rule):
            return rule
        case Slot(kind):
            return kind.value
        case Pattern(_, name):
            return name
        case _:
            return ""
