"""The parser's states as checks see them: every node that the grammar leads to, each with a text that gets there."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache

from toolect.compile.node import Choice, Node, Stack
from toolect.compile.symbols import ECHOES, Mark, Pat
from toolect.compiled import Dialect
from toolect.regular.tree import NotRegular
from toolect.regular.words import shortest
from toolect.spec.model import Role, SlotKind

MAX_STATES = 2_000
"""States that are looked at."""
DEPTH = 3
"""Two nodes are one state when they agree on what may come next and on so many rules to return to."""


class State:
    """A node, and the keys that lead to it."""

    __slots__ = ("node", "path")

    def __init__(self, node: Node, path: tuple[tuple[Node, str], ...]) -> None:
        self.node, self.path = node, path

    @property
    def text(self) -> str:
        """A wire text that leads here, as rendering would lay it out."""
        return spell(self.path)


class States:
    """What was found of a dialect: all states if `complete`."""

    def __init__(self, dialect: Dialect) -> None:
        self.found: list[State] = []
        start = State(dialect.graph().start, ())
        met = {_signature(start.node)}
        todo = deque([start])
        while todo and len(self.found) < MAX_STATES:
            state = todo.popleft()
            self.found.append(state)
            for key in state.node.choices:
                node = state.node.step(key).node
                signature = _signature(node)
                if signature not in met:
                    met.add(signature)
                    todo.append(State(node, (*state.path, (state.node, key))))
        self.complete = not todo

    def __iter__(self) -> Iterator[State]:
        return iter(self.found)


@lru_cache(maxsize=2)
def states(dialect: Dialect) -> States:
    """The states of a dialect, the nearest ones to the beginning first."""
    return States(dialect)


def spell(path: Iterable[tuple[Node, str]]) -> str:
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
                text += "{}" if key == SlotKind.JSON else "a"
    return text


@lru_cache(maxsize=256)
def word(regex: str) -> str:
    """A short word of a terminal; an ellipsis where none can be found."""
    try:
        return shortest(regex) or "…"
    except NotRegular:
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
