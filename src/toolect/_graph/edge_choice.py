"""Choices at a node: edges of the network, with the tasks on the way to each."""

from __future__ import annotations

from toolect._graph.network import Edge
from toolect._graph.symbols import Mark, Op, OpCode, Pat
from toolect._graph.trails import Stack, Trail, layout


class Choice:
    """An edge that may be taken from a node, with what crossing to it does."""

    __slots__ = ("edge", "expects", "stack", "trail")

    def __init__(self, edge: Edge, stack: Stack | None, trail: Trail) -> None:
        self.edge, self.stack, self.trail = edge, stack, trail
        space = layout(trail)
        symbol = edge.symbol
        self.expects: str = space + symbol.lead if type(symbol) is Mark else space


def aged(choice: Choice) -> Trail:
    """The trail to the choice and over it, one lexeme later; the whitespace before it is settled then."""
    symbol = choice.edge.symbol
    trail = tuple((t, back + 1) for t, back in choice.trail if not isinstance(t, Op) or t.code is not OpCode.SPACE)
    if type(symbol) is Pat:
        return (*trail, (symbol.field, 1))
    return trail
