"""Facts of a spec from which messages are drawn: its markers, its names and keys, and what its messages may hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

from toolect._compiled import Dialect
from toolect._regular.sample import sample
from toolect._regular.syntax import NotRegularError
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Repeat, Seq, Slot, SlotKind
from toolect._spec.holes import holes, keys
from toolect._spec.leaves import leaves
from toolect._spec.model import Role, Spec
from toolect._spec.shape_model import HoleKind


class Facts(NamedTuple):
    """Facts of a dialect from which its messages are drawn."""

    markers: tuple[str, ...]
    """Every fixed string of the dialect, longest first, and the brace that opens JSON."""
    names: tuple[str, ...]
    """The regular expressions that names must match, if there are any; `keys` and `ids` likewise."""
    keys: tuple[str, ...]
    ids: tuple[str, ...]
    fixed: tuple[str, ...]
    """Names that are written without being named: a rule stands for each."""
    alone: tuple[str, ...]
    """Keys of arguments that are written as plain text, where they come alone."""
    strings: tuple[str, ...]
    """Regular expressions that decide how a string is written."""
    has_ids: bool
    has_reasoning: bool


@lru_cache(maxsize=16)
def facts(dialect: Dialect) -> Facts:
    """The facts of a dialect."""
    spec, found = dialect.spec, carried(dialect.spec)
    return Facts(
        markers=tuple(markers(spec)),
        names=_patterns(spec, Role.NAME),
        keys=_patterns(spec, Role.KEY),
        ids=_patterns(spec, Role.ID),
        fixed=tuple(sorted(set(spec.fixed_names.values()))),
        alone=_alone(spec),
        strings=tuple(sorted({codec.quoted for codec in spec.codecs.values() if codec.quoted})),
        has_ids=not found.isdisjoint((HoleKind.ID, Role.ID)),
        has_reasoning=not found.isdisjoint((HoleKind.REASONING, Role.REASONING)),
    )


def carried(spec: Spec) -> frozenset[Role | HoleKind]:
    """The roles that the entry gives out, and the holes of its shapes."""
    return frozenset(spec.roles.values()).union(*map(holes, spec.shapes.values()))


def markers(spec: Spec) -> list[str]:
    """Every fixed string of the dialect, longest first, and the brace that opens JSON."""
    found = {"{", *spec.end, *spec.prefill, spec.gaps.before_call, spec.gaps.between_calls}
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            if isinstance(part, Literal):
                found.update(part.texts)
    return sorted(found - {""}, key=lambda marker: (-len(marker), marker))


def fixed(spec: Spec) -> list[str]:
    """The markers, and the keys of JSON shapes in their quotes; longest first."""
    return _longest({*markers(spec), *(f'"{key}"' for shape in spec.shapes.values() for key in keys(shape))})


def openers(spec: Spec, role: Role | None = None) -> list[str]:
    """The markers that something begins with, and the brace and bracket of JSON; longest first.

    With a `role`, only those of its rules.
    """
    return _longest(_edges(spec, role, 0) | ({"{", "["} if role is None else set()))


def closers(spec: Spec, role: Role | None = None) -> list[str]:
    """The markers at ends, and the brace and bracket of JSON, as `openers` has those at starts."""
    return _longest(_edges(spec, role, -1) | ({"}", "]"} if role is None else set()))


def _edges(spec: Spec, role: Role | None, side: int) -> set[str]:
    """The markers at this end of the rules, or of those with the role."""
    rules = (rule.expr for rule in spec.rules.values() if role is None or spec.roles.get(rule.name) is role)
    return set[str]().union(*(_edge(expr, side) for expr in rules))


def _edge(expr: Expr, side: int) -> set[str]:
    """The markers at this end of what they enclose with others, anywhere in `expr`."""
    match expr:
        case Seq(items) if items:
            found = set[str]().union(*(_edge(item, side) for item in items))
            edge = items[side]
            return found | {*edge.texts} if isinstance(edge, Literal) and len(items) > 1 else found
        case Alt(items):
            return set[str]().union(*(_edge(item, side) for item in items))
        case Repeat(item):
            return _edge(item, side)
        case _:
            return set()


def _longest(found: set[str]) -> list[str]:
    """The markers that are more than whitespace, with and without the whitespace around them, longest first."""
    both = {*found, *map(str.strip, found)}
    return sorted(filter(str.strip, both), key=lambda marker: (-len(marker), marker))


def _patterns(spec: Spec, role: Role) -> tuple[str, ...]:
    """The regular expressions of the terminals with this role, those that texts can be drawn from."""
    names = {key.rpartition("/")[2] for key, value in spec.roles.items() if value is role}
    parts = (part for rule in spec.rules.values() for part in leaves(rule.expr))
    found = {part.regex for part in parts if isinstance(part, Pattern) and part.name in names}
    return tuple(sorted(filter(_is_drawable, found)))


def _is_drawable(regex: str) -> bool:
    """True unless the expression looks at what is around it, which a text drawn by itself does not have."""
    try:
        sample(regex, Random(0))
    except NotRegularError:
        return False
    return True


def _alone(spec: Spec) -> tuple[str, ...]:
    """The keys under which plain text is all arguments."""
    found = {codec.key for codec in spec.codecs.values() if codec.key}
    if any(key not in spec.codecs for key in _arguments_in_text(spec)):
        found.add("value")
    return tuple(sorted(found))


def _arguments_in_text(spec: Spec) -> Iterator[str]:
    """The text slots that hold all arguments of a call."""
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            key = f"{rule.name}/{SlotKind.TEXT}"
            if part == Slot(SlotKind.TEXT) and spec.roles.get(key) is Role.ARGUMENTS:
                yield key
