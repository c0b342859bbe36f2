"""The parser's stacks as nodes of a graph that grows while it is walked.

A node is a set of places in the network, each with its stack: everything the grammar may be in the middle of. Stepping
over a symbol leads to another node; both nodes and steps are made the first time they are needed and kept, so that
after warm-up a step is one dictionary look-up. Long, for all that is asked of a node is answered here, a line or two
each; what takes more is made elsewhere and kept (`made`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from toolect._graph.edge_choice import Choice, aged
from toolect._graph.network import ADMITTED, Edge, Network
from toolect._graph.spelling import GLUED, LONGEST_WORD, RUN_ON, border, marker_regex
from toolect._graph.symbols import Field, Hollow, Key, Mark, Op, OpCode, Pat, Terminal, is_echo, key_of
from toolect._graph.trails import Config, Stack, Trail, shared_ends, without
from toolect._spec.costs import Costs
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.policies import Policies

T = TypeVar("T")

STRONG = 4
"""Characters that a marker needs. With fewer: it is never implied, and stops only a slot that it closes itself. Signs
of up to three characters are common in prose and code."""


class Step:
    """A step over a symbol: the node it leads to and the tasks to run, in order."""

    __slots__ = ("blank", "expects", "field", "leads", "node", "tasks", "trail", "trails", "wrong")

    def __init__(
        self, node: Node, tasks: Trail, field: Field | None, layouts: list[tuple[str, str]], wrong: bool, blank: bool
    ) -> None:
        self.node, self.tasks, self.field, self.wrong = node, tasks, field, wrong
        self.blank = blank  # a marker with whitespace in it
        self.expects, self.trail = layouts[0]  # the whitespace that rendering writes before and after
        self.leads = frozenset(lead for lead, _ in layouts)
        self.trails = tuple(dict.fromkeys(trail for _, trail in layouts))


class Maker(Protocol):
    """Interface of `Graph`: it makes nodes, and has the grammar and the policies that they share."""

    network: Network
    policies: Policies
    costs: Costs
    ends: tuple[str, ...]
    closers: tuple[str, ...]
    markers: frozenset[str]
    starts: tuple[str, ...]
    text_closers: dict[str, str]
    lines: frozenset[str]
    think_openers: frozenset[str]
    shared: frozenset[str]

    @property
    def start(self) -> Node:
        """The node where an answer begins."""

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers and brackets that a call can begin with."""

    @property
    def long_openers(self) -> tuple[str, ...]:
        """Those of them that are no short signs."""

    def node(self, kernel: tuple[Config, ...]) -> Node:
        """The node of `kernel`."""

    def closure(self, kernel: tuple[Config, ...]) -> Iterator[tuple[Edge | None, Stack | None, Trail]]:
        """Every edge that `kernel` leads to without reading, in grammar order; None for the end of the answer."""

    def pattern(self, regex: str) -> re.Pattern[str]:
        """The compiled terminal `regex`."""


class Node:
    """Everything the grammar may be in the middle of, and what may come next."""

    __slots__ = (
        "_coding", "_json_field", "_made", "_struct", "_text_field",
        "arrival", "begun", "choices", "done", "echoes", "escaped", "graph",
        "json", "kernel", "longest", "marks", "over", "patterns", "steps", "text", "value",
    )  # fmt: skip

    def __init__(self, graph: Maker, kernel: tuple[Config, ...]) -> None:
        self.graph, self.kernel = graph, kernel
        self.choices: dict[Key, list[Choice]] = {}
        self.marks: dict[str, bool] = {}
        """Core → True when it is a misspelling."""
        self.echoes: list[str] = []
        """Those of the marks that repeat a name or a key."""
        self.patterns: list[tuple[Terminal, re.Pattern[str]]] = []
        self.done: Trail | None = None
        self.begun = 0
        """Number of lexemes since a call may have begun; 0 when that is not open."""
        self.value = True
        found = list(graph.closure(kernel))
        shared = shared_ends([trail for _, _, trail in found])
        self.arrival: Trail = shared
        """Tasks that end things here, whatever comes next."""
        for edge, stack, trail in found:
            rest = without(trail, len(shared))
            if edge is None:
                self.done = rest
            else:
                self._add(Choice(edge, stack, rest))
                begun = (back for task, back in rest if isinstance(task, Op) and task.code is OpCode.BEGIN_CALL)
                self.begun = max(self.begun, *begun, 0)
        self.over = any(isinstance(task, Op) and task.code is OpCode.END_CALL for task, _ in self.arrival)
        """The call is over here."""
        self.steps: dict[Key, Step] = {}
        texts = self.choices.get(SlotKind.TEXT, ())
        if self.patterns and texts and all(choice.edge.symbol is ADMITTED for choice in texts):
            del self.choices[SlotKind.TEXT]  # a name is none
        self.text = SlotKind.TEXT in self.choices
        self.json = SlotKind.JSON in self.choices
        self.escaped = SlotKind.ESCAPED in self.choices
        self.longest = max(map(len, self.marks), default=0)
        self._text_field, self._json_field = self._field(SlotKind.TEXT), self._field(SlotKind.JSON)
        self._struct: re.Pattern[str] | None = None
        self._coding: tuple[Node, ...] | None = None
        self._made: dict[Callable[[Node], Any], Any] = {}

    def _add(self, choice: Choice) -> None:
        symbol = choice.edge.symbol
        key = key_of(symbol)
        self.value = self.value and self.graph.network.spec.rules[choice.edge.rule].value
        match symbol:
            case Mark():
                core = symbol.core
                if (
                    symbol.wrong and core in self.marks
                ):  # nothing else may begin with it, least of all a marker as it is
                    first = self.choices[core][0]
                    if not self.marks[core] or first.trail != choice.trail:
                        return
                if core not in self.marks and is_echo(core):
                    self.echoes.append(core)
                self.marks[core] = symbol.wrong
            case Pat(regex):
                if key not in self.choices:
                    self.patterns.append((Terminal(regex), self.graph.pattern(regex)))
        self.choices.setdefault(key, []).append(choice)

    def step(self, key: Key) -> Step:
        """The step over the marker, pattern or slot `key`, which must be among `choices`."""
        step = self.steps.get(key)
        if step is None:
            step = self.steps[key] = self._step(key)
        return step

    def _step(self, key: Key) -> Step:
        chosen = self.choices[key]
        first = chosen[0]
        symbol = first.edge.symbol
        field = None if type(symbol) is Mark else symbol.field  # type: ignore[union-attr]  # Pat and Hollow have one
        tasks = aged(first)
        if all(aged(c) == tasks for c in chosen):
            kernel: tuple[Config, ...] = tuple((c.edge.target, c.stack, ()) for c in chosen)
        else:
            kernel = tuple((c.edge.target, c.stack, aged(c)) for c in chosen)
            tasks = ()
        node = self.graph.node(kernel)
        layouts = [(c.expects, s.trail if type(s := c.edge.symbol) is Mark else "") for c in chosen]
        if gap := self.gap(key):  # where no text may stand between calls, there is no slot that trims it
            layouts.append((gap + layouts[0][0], layouts[0][1]))
        blank, wrong = False, False
        if isinstance(key, str):
            blank, wrong = any(map(str.isspace, key)), self.marks[key]
        return Step(node, tasks, field, layouts, wrong, blank)

    def first(self, key: Key) -> bool:
        """True when `key` opens its rule here."""
        return self.choices[key][0].edge.first

    def calling(self, key: Key) -> bool:
        """True when `key` opens a rule in which calls are read."""
        return any(c.edge.first and c.edge.rule in self.graph.network.calling for c in self.choices[key])

    def gap(self, key: Key) -> str:
        """The whitespace that the dialect writes between two calls, where the second begins with `key`."""
        return self.graph.network.spec.gaps.between_calls if self.over and self.calling(key) else ""

    def naming(self, key: Key) -> bool:
        """True when `key` is a terminal that holds the name of a call."""
        symbol = self.choices[key][0].edge.symbol
        return type(symbol) is Pat and symbol.field.role is Role.NAME

    def fills(self, key: Key) -> set[Role | None]:
        """The roles that the terminal or slot `key` may fill here: what follows decides."""
        symbols = (choice.edge.symbol for choice in self.choices[key])
        return {symbol.field.role for symbol in symbols if not isinstance(symbol, Mark)}

    def named(self, key: Key) -> bool:
        """True when a call that `key` opens begins with its name, at most a short sign before it."""
        if not any(self.graph.network.spec.roles.get(c.edge.rule) is Role.CALL for c in self.choices[key]):
            return False
        if not isinstance(key, str):
            return self.first(key) and self.naming(key)
        if len(key) >= STRONG or not self.first(key):
            return False
        inner = self.step(key).node
        return any(inner.naming(name) and not inner.step(name).node.strong for name, _ in inner.patterns)

    @property
    def strong(self) -> bool:
        """True when nothing but long markers may come next."""
        return len(self.marks) == len(self.choices) and all(len(core) >= STRONG for core in self.marks)

    @property
    def struct(self) -> re.Pattern[str]:
        """Matches the longest marker that may come next, its inner whitespace as it likes."""
        if self._struct is None:
            cores = (core for core in self.marks if core not in self.echoes)
            self._struct = marker_regex({core: self.border(core) if core.isidentifier() else "" for core in cores})
        return self._struct

    def border(self, core: str) -> str:
        """An expression for where the marker `core` ends, by what may stand right behind it: see `spelling.border`."""
        if core in self.graph.network.spec.glued:
            return GLUED if len(core) <= LONGEST_WORD else RUN_ON
        step = self.step(core) if core[-1].isalnum() else None
        if step is None or step.trail:
            return border(core, [])
        to = step.node
        words = [re.escape(mark) for mark in to.marks if mark[0].isalnum() and not to.lead(mark)]
        return border(core, [*words, *(name.regex for name, _ in to.patterns)])

    def made(self, make: Callable[[Node], T]) -> T:
        """The result of `make` for this node: made once, and kept with it."""
        try:
            return self._made[make]  # type: ignore[no-any-return]  # a T, or None if that is what was made
        except KeyError:
            return self._made.setdefault(make, make(self))  # type: ignore[no-any-return]  # threads take the same

    def _field(self, kind: SlotKind) -> Field | None:
        symbol = self.choices[kind][0].edge.symbol if kind in self.choices else None
        return symbol.field if isinstance(symbol, Hollow) else None

    def text_field(self) -> Field:
        """The field that the TEXT slot of this node fills."""
        assert self._text_field is not None
        return self._text_field

    def json_field(self) -> Field:
        """The field that the JSON slot of this node fills."""
        assert self._json_field is not None
        return self._json_field

    def escaped_slot(self) -> Hollow:
        """The ESCAPED slot of this node."""
        symbol = self.choices[SlotKind.ESCAPED][0].edge.symbol
        assert isinstance(symbol, Hollow)
        return symbol

    def lead(self, key: Key) -> str:
        """The whitespace the dialect writes before `key` here."""
        return self.choices[key][0].expects

    @property
    def coding(self) -> Node | None:
        """The node after a statement, when one may begin here."""
        if self._coding is None:
            graph, rule = self.graph, self.graph.network.spec.code
            ways = (c for choices in self.choices.values() for c in choices if c.edge.first and c.edge.rule == rule)
            stack = next((choice.stack for choice in ways), None) if rule else None
            self._coding = () if stack is None else (graph.node(((stack.target, stack.parent, ()),)),)
        return self._coding[0] if self._coding else None

    @property
    def sole(self) -> str | None:
        """The marker that must come next, when there is just one and it opens nothing."""
        return self.made(_sole) or None


def _sole(node: Node) -> str:
    if node.done is not None or len(node.marks) != len(node.choices) or not node.marks:
        return ""
    proper = [core for core, wrong in node.marks.items() if not wrong]
    core = next(iter(proper or node.marks))
    ways = {(c.edge.target, c.stack) for choices in node.choices.values() for c in choices}
    return core if (len(ways) == 1 or len(proper) == 1) and not node.first(core) else ""
