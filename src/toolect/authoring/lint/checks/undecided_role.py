"""Finds slots and terminals whose place in the grammar does not decide what they fill."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from toolect._graph.edge_choice import Choice, aged
from toolect._graph.graph import Graph
from toolect._graph.symbols import Field, Hollow, Key, Op, OpCode
from toolect._graph.trails import Config, Trail
from toolect._spec.model import Role
from toolect.authoring.lint.states import State, spell, states
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each pair of ways, at the first place where they cannot be told apart."""
    graph = subject.dialect.graph()
    met: set[frozenset[tuple[str, Key]]] = set()
    for state in states(subject.dialect):
        for key, choices in state.node.choices.items():
            for one, two in combinations(choices, 2):
                pair = _conflict(graph, one, two)
                where = frozenset((choice.edge.rule, key) for choice in (one, two))
                if pair is not None and where not in met:
                    met.add(where)
                    yield _report(subject, state, key, (one, two), pair)


def _conflict(graph: Graph, one: Choice, two: Choice) -> tuple[str, str] | None:
    """What the two ways say, where that differs and only one of them is taken."""
    here, there = one.edge.symbol, two.edge.symbol
    if isinstance(here, Hollow) and isinstance(there, Hollow) and here.field != there.field:
        return _filled(here.field), _filled(there.field)
    first, second = _after(graph, one), _after(graph, two)
    for place in first.keys() & second.keys():
        trails = first[place], second[place]
        if trails[0] != trails[1]:
            return _said(*trails), _said(*reversed(trails))
    return None


def _after(graph: Graph, choice: Choice) -> dict[object, Trail]:
    """Where the way goes on behind the choice, with what it has to do on the way."""
    config: Config = (choice.edge.target, choice.stack, aged(choice))
    return {
        (edge, stack): tuple(task for task in trail if not (isinstance(task[0], Op) and task[0].code is OpCode.SPACE))
        for edge, stack, trail in graph.closure((config,))
    }


def _said(trail: Trail, other: Trail) -> str:
    """What `trail` does and `other` does not, in words."""
    for task in trail:
        if task not in other:
            what = task[0]
            return _filled(what) if isinstance(what, Field) else str(what.code.name).lower().replace("_", " ")
    return "nothing"


def _filled(field: Field) -> str:
    return str(field.role or Role.MARKUP)


def _report(
    subject: Subject, state: State, key: Key, choices: tuple[Choice, Choice], pair: tuple[str, str]
) -> Diagnostic:
    names, places = zip(*(subject.places.lexeme(choice.edge.rule, key) for choice in choices), strict=True)
    before = "" if isinstance(choices[0].edge.symbol, Hollow) else "what ends before "
    return warning(
        "undecided-role",
        f"nothing tells whether {before}`{names[0]}` is {pair[0]} or {pair[1]}",
        places[0],
        label=f"it is always {pair[0]}",
        related=((places[1], f"it is never {pair[1]}"),) if places[0] != places[1] else (),
        witness=spell((*state.path, (state.node, key))),
        help="put a marker before one of them that tells it from the other",
    )
