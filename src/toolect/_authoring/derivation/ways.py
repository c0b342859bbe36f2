"""The way of a text through the grammar: which rules and options its lexemes were read in.

It is walked on the graph of a traced network, in which entering and leaving rules, and taking options, are operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from toolect._authoring.derivation.grammar_options import name_of
from toolect._graph.graph import Graph
from toolect._graph.network import Network, RuleState
from toolect._graph.node import Node
from toolect._graph.symbols import Field, Mark, Op, OpCode
from toolect._graph.trails import Config, Trail
from toolect._search.trace import Lexeme
from toolect._spec.policies import Policies


class Take(NamedTuple):
    """A lexeme is read, and fills this field if it is no marker."""

    lexeme: Lexeme
    field: Field | None


Crossing: TypeAlias = Op | Take
"""What happens on a way: a rule begins or ends, an option is taken, or a lexeme is read."""
_END = Op(OpCode.END_RULE)


def traced(network: Network) -> Network:
    """The network with what is crossed as its operations, instead of what that does to a message."""
    made = Network(network.spec)
    made.states = [_traced(state) for state in network.states]
    for begin, option in network.options.items():
        made.states.append(made.states[begin])
        made.states[begin] = RuleState()
        made.states[begin].ops.append((Op(OpCode.OPTION, name=name_of(option)), len(made.states) - 1))
    return made


def _traced(state: RuleState) -> RuleState:
    made = RuleState()
    made.skips, made.final = [*(target for _, target in state.ops), *state.skips], state.final
    for edge in state.edges:  # a misspelled marker is as good as any: which one is meant is known only later
        symbol = edge.symbol
        made.edges.append(edge._replace(symbol=symbol._replace(wrong=False)) if isinstance(symbol, Mark) else edge)
    made.enters = [one._replace(before=(Op(OpCode.BEGIN_RULE, name=one.rule),), after=(_END,)) for one in state.enters]
    return made


class NetworkWalk:
    """Walks one network."""

    def __init__(self, network: Network) -> None:
        self.graph = Graph(traced(network), Policies())

    def ways(self, lexemes: Sequence[Lexeme]) -> list[list[Crossing]]:
        """What happens on the likeliest way through all lexemes: one list for each time that reading began."""
        start = self.graph.start
        way, found = _WayBuilder(start), list[list[Crossing]]()
        for lexeme in lexemes:
            begins = lexeme.key in start.choices
            node: Node | None = way.node
            if lexeme.key not in way.node.choices:
                node = None if begins and not self.graph.code else self._given_up(way.node, lexeme)
            if begins and lexeme.fresh or node is None:  # what was open is given up
                found.append(way.end())
                way, node = _WayBuilder(start), start
            if node is not start or begins:  # else the grammar does not know the reading
                way.take(node, lexeme)
        found.append(way.end())
        return [one for one in found if one] or found[:1]

    def _given_up(self, node: Node, lexeme: Lexeme) -> Node | None:
        """The node before the lexeme when rules that are open are given up, the innermost first."""
        ended: list[Config] = []
        for _, stack, trail in node.kernel:
            while stack is not None:
                trail = (*trail, (_END, 1))
                ended.append((stack.target, stack.parent, trail))
                stack = stack.parent
        after = self.graph.node(tuple(ended))
        return after if lexeme.key in after.choices else None


class _WayBuilder:
    """What has happened since reading began."""

    def __init__(self, start: Node) -> None:
        self.node = start
        self.takes: list[Take] = []
        self.before: list[list[Op]] = [[]]
        """What is crossed before each lexeme, and after the last one."""

    def take(self, node: Node, lexeme: Lexeme) -> None:
        """Go over a lexeme from `node`."""
        step = node.step(lexeme.key)
        self.takes.append(Take(lexeme, step.field))
        self.before.append([])
        self.node = step.node
        self._tell(step.tasks)

    def end(self) -> list[Crossing]:
        """All of it, to the end of the grammar if that may be here."""
        self._tell(self.node.kernel[0][2] if self.node.done is None else self.node.done)
        crossed: list[Crossing] = [*self.before[0]]
        for take, after in zip(self.takes, self.before[1:], strict=True):
            crossed += (take, *after)
        return crossed

    def _tell(self, trail: Trail) -> None:
        """Note what is decided by now."""
        for task, back in trail:
            at = len(self.takes) - back
            if isinstance(task, Op):
                self.before[at + (task is _END)].append(task)
            else:
                self.takes[at] = self.takes[at]._replace(field=task)
