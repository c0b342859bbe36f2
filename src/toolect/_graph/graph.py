"""All nodes of one dialect under one set of policies: made when first needed, forgotten when there are too many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._graph.code import Code
from toolect._graph.misspelling import parts
from toolect._graph.network import Edge, Network
from toolect._graph.node import STRONG, Node
from toolect._graph.openers import openers, signs
from toolect._graph.spelling import ZERO_WIDTH
from toolect._graph.symbols import Mark, Op, is_echo
from toolect._graph.trails import Config, Stack, Trail
from toolect._spec.model import Role
from toolect._spec.policies import Policies

MAX_NODES = 20_000
"""Nodes kept of one dialect's graph. Beyond it: the graph starts afresh. Texts that nest deep make new ones."""
MAX_STACK = 600
"""Grammar rules open at a time. Beyond it: `malformed`. A value language uses about three for each level of nesting."""


class TooDeepError(Exception):
    """The text nests deeper than `MAX_STACK`."""


class Graph:
    """The nodes of one dialect under one set of policies."""

    def __init__(self, network: Network, policies: Policies) -> None:
        self.network, self.policies = network, policies
        self._patterns: dict[str, re.Pattern[str]] = {}
        asides = policies.aside_calls != "run" and network.spec.aside
        self.strides = not asides and (policies.after_calls, policies.coercion) == ("keep", "spec")
        """No policy changes what is done with canonical text, and no marker is one by its place alone."""
        self.answers = 0
        """Number of answers read."""
        self.known_only = policies.unknown_tool == "content"
        """Calls of tools that are not declared are none."""
        self._long_openers: tuple[str, ...] | None = None
        spec = network.spec
        self.costs = spec.costs
        self.special_names = bool(spec.no_call or spec.reserved or spec.tagged or spec.code)
        """Calls of some names are none, or hold the call."""
        self.code = Code(spec) if spec.code else None
        """Lexical signs of code, where calls are statements."""
        self.lines = frozenset(line.strip() for line in spec.lines)
        """The markers that count only where a line begins, wherever they stand."""
        self._nodes: dict[tuple[Config, ...], Node] = {}
        self._stacks: dict[tuple[int, tuple[Op, ...], Stack | None], Stack] = {}
        self.start = self.node(((self.network.starts["start"], None, ()),))
        self.ends = tuple(end.strip() for end in spec.end)
        texts = {name: role for name, role in spec.roles.items() if role in (Role.REASONING, Role.CONTENT)}
        marks = [(e, e.symbol) for s in network.states for e in s.edges if type(e.symbol) is Mark and e.rule in texts]
        self.think_openers = frozenset(m.core for e, m in marks if e.first and texts[e.rule] is Role.REASONING)
        strong = [m for e, m in marks if not (e.first or m.wrong) and len(m.core) >= STRONG and not m.core.isalpha()]
        self.text_closers = {m.core: m.trail for m in strong}
        """The closers of content and reasoning, but for words: no text anywhere; with what they write after."""
        self.closers = tuple(
            sorted(
                {
                    e.symbol.core
                    for s in network.states
                    for e in s.edges
                    if type(e.symbol) is Mark and not e.first and not e.symbol.wrong and len(e.symbol.core) >= STRONG
                    and not is_echo(e.symbol.core)
                    and not spec.rules[e.rule].value and network.may_end(e.target)
                },
                key=lambda core: (-len(core), core),
            )
        )  # fmt: skip
        self.markers: frozenset[str] = frozenset(
            e.symbol.core
            for s in network.states
            for e in s.edges
            if type(e.symbol) is Mark and not spec.rules[e.rule].value
            if len(e.symbol.core) >= STRONG and not is_echo(e.symbol.core)
        )
        all_marks = [e.symbol for s in network.states for e in s.edges if type(e.symbol) is Mark]
        self.shared = frozenset(m.core for m in all_marks if m.wrong) & {m.core for m in all_marks if not m.wrong}
        """Markers that are misspellings of others, too."""
        self.starts = (*self.markers, *self.ends)
        """Markers and ends, with which no terminal and no misspelt marker begins."""

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that a call can begin with, and the brackets of bare JSON."""
        return self.start.made(openers)

    @property
    def long_openers(self) -> tuple[str, ...]:
        """Those of them that are no short signs, which text is full of."""
        if self._long_openers is None:
            self._long_openers = tuple(core for core in self.openers if len(core) >= STRONG)
        return self._long_openers

    @property
    def signs(self) -> tuple[str, ...]:
        """The signs that may follow the name of a call whose openers are missing: a call has one of these."""
        return self.start.made(signs)

    @property
    def quotes(self) -> tuple[str, ...]:
        """The tokens that strings of a value language stand between."""
        return self.start.made(_quotes)

    @property
    def parts(self) -> frozenset[str]:
        """Parts that stay whole in a misspelling of the markers that a call can begin with."""
        return self.start.made(_parts)

    def pattern(self, regex: str) -> re.Pattern[str]:
        """The compiled terminal `regex`, which never gives back what it has matched, and begins with no sign unseen."""
        found = self._patterns.get(regex)
        if found is None:
            found = self._patterns[regex] = re.compile(rf"(?![{ZERO_WIDTH}])(?:{regex})")
        return found

    def node(self, kernel: tuple[Config, ...]) -> Node:
        """The node of `kernel`."""
        node = self._nodes.get(kernel)
        if node is None:
            if len(self._nodes) > MAX_NODES:
                self._nodes = {}
                self._stacks = {}
            node = self._nodes.setdefault(kernel, Node(self, kernel))
        return node

    def _push(self, target: int, after: tuple[Op, ...], parent: Stack | None) -> Stack:
        key = (target, after, parent)
        stack = self._stacks.get(key)
        if stack is None:
            if parent is not None and parent.depth >= MAX_STACK:
                raise TooDeepError
            stack = self._stacks.setdefault(key, Stack(target, after, parent))
        return stack

    def closure(self, kernel: tuple[Config, ...]) -> Iterator[tuple[Edge | None, Stack | None, Trail]]:
        """Every edge that `kernel` leads to without reading, in grammar order; None for the end of the answer."""
        states, starts = self.network.states, self.network.starts
        todo = list(reversed(kernel))
        met: set[tuple[int, Stack | None]] = set()
        while todo:
            at, stack, trail = todo.pop()
            if (at, stack) in met:
                continue
            met.add((at, stack))
            state = states[at]
            for edge in state.edges:
                yield edge, stack, trail
            more: list[Config] = []
            for enter in state.enters:
                begun = trail + tuple((op, 0) for op in enter.before)
                more.append((starts[enter.rule], self._push(enter.target, enter.after, stack), begun))
            more.extend((target, stack, (*trail, (op, 0))) for op, target in state.ops)
            more.extend((target, stack, trail) for target in state.skips)
            if state.final:
                if stack is None:
                    yield None, None, trail
                else:
                    ended = trail + tuple((op, 1) for op in stack.after)
                    more.append((stack.target, stack.parent, ended))
            todo.extend(reversed(more))


def _quotes(start: Node) -> tuple[str, ...]:
    network = start.graph.network
    opening: set[str] = set()
    closing: set[str] = set()
    for edge in (edge for state in network.states for edge in state.edges):
        if isinstance(edge.symbol, Mark) and len(edge.symbol.core) >= STRONG and network.spec.rules[edge.rule].value:
            (opening if edge.first else closing).add(edge.symbol.core)
    return tuple(sorted(opening & closing))


def _parts(start: Node) -> frozenset[str]:
    return frozenset(part for core in start.graph.openers if len(core) >= STRONG for part in parts(core))
