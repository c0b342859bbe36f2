"""Finds a marker that is the beginning of another one there, where what follows it may look like the rest."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.node import Node
from toolect._graph.symbols import Pat
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.authoring.lint.states import State, states, written
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import beginning
from toolect.diagnostic import Diagnostic, warning

_DATA = {Role.NAME, Role.ID, Role.KEY, Role.VALUE, Role.CONTENT, Role.REASONING, Role.ARGUMENTS, Role.PAIR_KEY}
"""What the terminals hold whose words the message says."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such pair, at the first place where both may stand."""
    met: set[tuple[str, str]] = set()
    for state, cores, _ in states(subject.dialect).kinds():
        found: dict[str, dict[str, str]] = {}
        for short, long in _pairs(cores):
            if (short, long) not in met and not _word(short, long):
                met.add((short, long))
                what = _continues(state.node.step(short).node, long[len(short) :])
                if what:
                    found.setdefault(short, {})[long] = what
        for short, longer in found.items():
            yield _report(subject, state, short, longer)


def _pairs(cores: list[str]) -> Iterator[tuple[str, str]]:
    """Each marker with those that begin with it: they follow it in alphabetical order."""
    ordered = sorted(cores)
    for at, short in enumerate(ordered):
        for long in ordered[at + 1 :]:
            if not long.startswith(short):
                break
            yield short, long


def _word(short: str, long: str) -> bool:
    """True when the short marker is a word that the long one goes on with: it is matched only where the word ends."""
    return short.isidentifier() and (long[len(short)].isalnum() or long[len(short)] == "_")


def _continues(node: Node, rest: str) -> str:
    """What may come at `node` and begin with `rest`, or end within it and go on so."""
    return next((what for what, on in _ways(node, rest) if on is None or _goes_on(*on)), "")


def _goes_on(node: Node, rest: str) -> bool:
    """True when anything may come at `node` that does so. A place may lead back to itself: each is looked at once."""
    seen, left = {(node, rest)}, [(node, rest)]
    while left:
        for _, on in _ways(*left.pop()):
            if on is None:
                return True
            if on not in seen:
                seen.add(on)
                left.append(on)
    return False


def _ways(node: Node, rest: str) -> Iterator[tuple[str, tuple[Node, str] | None]]:
    """What may come at `node` and begins as `rest` does; where it ends within that, with where and how it goes on."""
    for kind in (SlotKind.TEXT, SlotKind.ESCAPED):
        if kind in node.choices:
            after = node.step(kind).node
            ends = [(rest.find(core), core) for core in after.marks if core in rest]
            yield "free text", (after, rest[min(ends)[0] :]) if ends else None
    for core in node.marks:
        written = node.lead(core) + core
        if written.startswith(rest):
            yield f"the marker `{core}`", None
        elif rest.startswith(written):
            yield f"the marker `{core}`", (node.step(core).node, rest[len(written) :])
    for terminal, pattern in node.patterns:
        symbol = node.choices[terminal][0].edge.symbol
        if not isinstance(symbol, Pat) or symbol.field.role not in _DATA:
            continue  # rendering chooses the word
        begun = pattern.match(rest)
        if begun and 0 < begun.end() < len(rest):
            yield "a terminal", (node.step(terminal).node, rest[begun.end() :])
        elif beginning(terminal.regex, rest) is not None:
            yield "a terminal", None
    if node.json and rest[0] in '{["':
        yield "JSON", None


def _report(subject: Subject, state: State, short: str, longer: dict[str, str]) -> Diagnostic:
    long, what = next(iter(longer.items()))
    listed = ", ".join(f"`{marker}`" for marker in longer)
    return warning(
        "prefix-marker",
        f"the marker `{short}` is the beginning of {listed}, and what follows it may be the rest",
        written(subject, state.node, short)[1],
        related=tuple((written(subject, state.node, marker)[1], "is taken when it matches") for marker in longer),
        witness=state.text + long,
        reading=f"the marker `{long}`, never `{short}` and then {what} with `{long[len(short) :]}`",
        help=f"write another sign after `{short}`, or let what follows it not begin like that",
    )
