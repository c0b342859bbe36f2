"""The parser's states as checks see them: every node that the grammar leads to, each with a text that gets there."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from toolect._compiled import Dialect
from toolect._graph.edge_choice import Choice
from toolect._graph.node import Node
from toolect._graph.symbols import ECHOES, Key, Mark, Pat
from toolect._graph.trails import Stack
from toolect._regular.shared_words import shortest
from toolect._regular.syntax import NotRegularError
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role

MAX_STATES = 2_000
"""States that are looked at."""
MAX_CHOICES = 60_000
"""What may come next in all nodes that are made on the way."""
DEPTH = 3
"""Two nodes are one state when they agree on what may come next and on so many rules to return to."""


class NodeState(NamedTuple):
    """A node, and the keys that lead to it."""

    node: Node
    path: tuple[tuple[Node, Key], ...]

    @property
    def text(self) -> str:
        """A wire text that leads here, as rendering would lay it out."""
        return spell(self.path)


class States:
    """What was found of a dialect: all states if `complete`."""

    def __init__(self, dialect: Dialect) -> None:
        self.found: list[NodeState] = []
        start = NodeState(dialect._graph().start, ())
        met = {_signature(start.node)}
        todo = deque([start])
        room = MAX_CHOICES
        while todo and len(self.found) < MAX_STATES and room >= 0:
            state = todo.popleft()
            self.found.append(state)
            for key in state.node.choices:
                node = state.node.step(key).node
                room -= len(node.choices)
                if room < 0:
                    break
                signature = _signature(node)
                if signature not in met:
                    met.add(signature)
                    todo.append(NodeState(node, (*state.path, (state.node, key))))
        self.complete = not todo and room >= 0


@lru_cache(maxsize=2)
def states(dialect: Dialect) -> States:
    """The states of a dialect, the nearest ones to the beginning first."""
    return States(dialect)


def spell(path: Iterable[tuple[Node, Key]]) -> str:
    """The wire text of a path: markers as they are written, a short word for what holds data."""
    text = ""
    words: dict[Role | None, str] = {}
    for node, key in path:
        choice = node.choices[key][0]
        text += choice.expects
        match choice.edge.symbol:
            case Mark(_, core, trail):
                for role, sign in ECHOES.items():
                    core = core.replace(sign, words.get(role, ""))
                text += core + trail
            case Pat(regex, field):
                words[field.role] = word(regex)
                text += words[field.role]
            case _:
                text += "{}" if key is SlotKind.JSON else "a"
    return text


@lru_cache(maxsize=256)
def word(regex: str) -> str:
    """A short word of a terminal; an ellipsis where none can be found."""
    try:
        return shortest(regex) or "…"
    except NotRegularError:
        return "…"


def _signature(node: Node) -> Hashable:
    return frozenset(map(_about, (c for choices in node.choices.values() for c in choices))), node.done is None


def _about(choice: Choice) -> Hashable:
    return choice.edge, tuple(_targets(choice.stack))


def _targets(stack: Stack | None) -> Iterator[int]:
    for _ in range(DEPTH):
        if stack is None:
            return
        yield stack.target
        stack = stack.parent
