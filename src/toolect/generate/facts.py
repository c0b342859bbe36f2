"""What a spec has that can be drawn: its markers, its names and keys, and what its messages may hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from toolect.spec.holes import holes
from toolect.spec.leaves import leaves
from toolect.spec.model import HoleKind, Literal, Pattern, Role, Slot, SlotKind, Spec

if TYPE_CHECKING:
    from toolect.compiled import Dialect


class Facts(NamedTuple):
    """What drawing messages of a dialect goes by."""

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


@lru_cache(maxsize=256)
def facts(dialect: Dialect) -> Facts:
    """The facts of a dialect, found once."""
    spec = dialect.spec
    found = carried(spec)
    return Facts(
        markers=tuple(markers(spec)),
        names=_patterns(spec, Role.NAME),
        keys=_patterns(spec, Role.KEY),
        ids=_patterns(spec, Role.ID),
        fixed=tuple(sorted(set(spec.fixed_names.values()))),
        alone=_alone(spec),
        strings=tuple(sorted({codec.strings for codec in spec.codecs.values() if codec.strings})),
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
                found |= {part.text, *part.others}
    return sorted(found - {""}, key=lambda marker: (-len(marker), marker))


def _patterns(spec: Spec, role: Role) -> tuple[str, ...]:
    """The regular expressions of the terminals with this role."""
    names = {key.rpartition("/")[2] for key, value in spec.roles.items() if value is role}
    parts = (part for rule in spec.rules.values() for part in leaves(rule.expr))
    return tuple(sorted({part.regex for part in parts if isinstance(part, Pattern) and part.name in names}))


def _alone(spec: Spec) -> tuple[str, ...]:
    """The keys under which plain text is all arguments."""
    found = {codec.key for codec in spec.codecs.values() if codec.key}
    for key in _arguments_in_text(spec):
        codec = spec.codecs.get(key)
        if codec is None:
            found.add("value")
    return tuple(sorted(found))


def _arguments_in_text(spec: Spec) -> Iterator[str]:
    """The text slots that hold all arguments of a call."""
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            key = f"{rule.name}/{SlotKind.TEXT}"
            if part == Slot(SlotKind.TEXT) and spec.roles.get(key) is Role.ARGUMENTS:
                yield key
