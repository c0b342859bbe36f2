"""The parser's stacks as nodes of a graph that grows while it is walked.

A node is a set of places in the network, each with its stack: everything the grammar may be in the middle of. Stepping
over a symbol leads to another node; both nodes and steps are made the first time they are needed and kept, so that after
warm-up a step is one dictionary look-up. Texts that nest deeper than the grammar's own depth make new nodes; the graph
is thrown away and started afresh when it has grown past a bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from toolect.compile.network import Edge, Field, Hollow, Mark, Network, Op, OpCode, Pat, frame
from toolect.ir import RepairKind
from toolect.spec.model import Policies, Role, SlotKind

MAX_NODES = 20_000
"""Nodes kept before the graph is started afresh."""
MAX_STACK = 600
"""Rules open at a time; a value language uses about three for each level of nesting."""
STRONG = 4
"""Characters a marker must have at least to be implied, or to stop a slot it does not close itself."""


class Stack:
    """Where to go on when a rule ends: interned, so that equal stacks are the same object."""

    __slots__ = ("after", "depth", "parent", "target")

    def __init__(self, target: int, after: tuple[Op, ...], parent: Stack | None) -> None:
        self.target, self.after, self.parent = target, after, parent
        self.depth: int = 1 if parent is None else parent.depth + 1


Task: TypeAlias = tuple[Op | Field, int]
"""An operation or a field to fill, and how many lexemes back the lexeme it belongs to is."""
Trail: TypeAlias = tuple[Task, ...]
Config: TypeAlias = tuple[int, Stack | None, Trail]


class TooDeep(Exception):
    """The text nests deeper than `MAX_STACK`."""


class Choice:
    """An edge that may be taken from a node, with what crossing to it does."""

    __slots__ = ("edge", "expects", "stack", "trail")

    def __init__(self, edge: Edge, stack: Stack | None, trail: Trail) -> None:
        self.edge, self.stack, self.trail = edge, stack, trail
        space = "".join(t.space for t, _ in trail if isinstance(t, Op))
        symbol = edge.symbol
        self.expects: str = space + symbol.lead if type(symbol) is Mark else space


class Stop:
    """A marker that ends a TEXT slot: which steps lead to it, and what that means."""

    __slots__ = ("core", "direct", "end", "lead", "path", "probe", "repair")

    def __init__(
        self, core: str, lead: str, path: tuple[str, ...], repair: RepairKind | None, probe: bool, end: bool = False,
        direct: bool = False,
    ) -> None:  # fmt: skip
        self.core, self.lead, self.path, self.repair, self.probe, self.end = core, lead, path, repair, probe, end
        self.direct = direct  # only where no text comes before it


class Step:
    """A step over a symbol: the node it leads to and the tasks to run, in order."""

    __slots__ = ("expects", "field", "leads", "node", "tasks", "trail", "trails", "wrong")

    def __init__(
        self, node: Node, tasks: Trail, field: Field | None, layouts: list[tuple[str, str]], wrong: bool
    ) -> None:
        self.node, self.tasks, self.field, self.wrong = node, tasks, field, wrong
        self.expects, self.trail = layouts[0]  # the whitespace that rendering writes before and after
        self.leads = frozenset(lead for lead, _ in layouts)
        self.trails = tuple(dict.fromkeys(trail for _, trail in layouts))


class Node:
    """Everything the grammar may be in the middle of, and what may come next."""

    def __init__(self, graph: Graph, kernel: tuple[Config, ...]) -> None:
        self.graph = graph
        self.choices: dict[str, list[Choice]] = {}
        self.marks: dict[str, bool] = {}
        """Core → True when it is a misspelling."""
        self.patterns: list[tuple[str, re.Pattern[str]]] = []
        self.done: Trail | None = None
        self.value = True
        found = list(graph.closure(kernel))
        shared = _shared_ends([trail for _, _, trail in found])
        self.arrival: Trail = shared
        """What ends here whatever comes next."""
        for edge, stack, trail in found:
            rest = trail[len(shared) :]
            if edge is None:
                self.done = rest
            else:
                self._add(Choice(edge, stack, rest))
        self.steps: dict[str, Step] = {}
        self.text = SlotKind.TEXT in self.choices
        self.json = SlotKind.JSON in self.choices
        self.escaped = SlotKind.ESCAPED in self.choices
        self.longest = max(map(len, self.marks), default=0)
        self._struct: re.Pattern[str] | None = None
        self._stops: dict[str, Stop] | None = None
        self._implied: dict[str, tuple[str, ...]] | None = None
        self.plan: object = None
        """What the engine prepares for reading text here, once."""
        self.express: object = None
        """What the engine prepares for reading canonical text here, once."""

    def _add(self, choice: Choice) -> None:
        symbol = choice.edge.symbol
        self.value = self.value and self.graph.network.spec.rules[choice.edge.rule].value
        match symbol:
            case Mark():
                core = symbol.core
                if symbol.wrong and core in self.marks:
                    return
                self.choices.setdefault(core, []).append(choice)
                self.marks[core] = symbol.wrong
            case Pat(regex):
                if regex not in self.choices:
                    self.patterns.append((regex, self.graph.pattern(regex)))
                self.choices.setdefault(regex, []).append(choice)
            case Hollow(kind):
                self.choices.setdefault(kind, []).append(choice)

    def step(self, key: str) -> Step:
        """The step over the marker, pattern or slot `key`, which must be among `choices`."""
        step = self.steps.get(key)
        if step is None:
            step = self.steps[key] = self._step(key)
        return step

    def _step(self, key: str) -> Step:
        chosen = self.choices[key]
        first = chosen[0]
        symbol = first.edge.symbol
        field = None if type(symbol) is Mark else symbol.field  # type: ignore[union-attr]  # Pat and Hollow have one
        tasks = _aged(first)
        if all(_aged(c) == tasks for c in chosen):
            kernel = tuple((c.edge.target, c.stack, ()) for c in chosen)
        else:
            kernel = tuple((c.edge.target, c.stack, _aged(c)) for c in chosen)
            tasks = ()
        node = self.graph.node(kernel)
        layouts = [(c.expects, s.trail if type(s := c.edge.symbol) is Mark else "") for c in chosen]
        return Step(node, tasks, field, layouts, self.marks.get(key, False))

    def first(self, key: str) -> bool:
        """True when `key` opens its rule here."""
        return self.choices[key][0].edge.first

    def calling(self, key: str) -> bool:
        """True when `key` opens a rule in which calls are read."""
        return any(c.edge.first and c.edge.rule in self.graph.network.calling for c in self.choices[key])

    @property
    def struct(self) -> re.Pattern[str]:
        """Matches the longest marker that may come next, its inner whitespace as it likes."""
        if self._struct is None:
            self._struct = marker_regex(self.marks)
        return self._struct

    @property
    def stops(self) -> dict[str, Stop]:
        """The markers that end the TEXT slot of this node."""
        if self._stops is None:
            self._stops = {s.core: s for s in self._find_stops()}
        return self._stops

    def text_field(self) -> Field:
        """What the TEXT slot of this node fills."""
        symbol = self.choices[SlotKind.TEXT][0].edge.symbol
        assert isinstance(symbol, Hollow)
        return symbol.field

    def _find_stops(self) -> Iterator[Stop]:
        graph, policies = self.graph, self.graph.policies
        role = self.text_field().role
        after = self.step(SlotKind.TEXT).node
        inside = self.graph.network.spec.rules[self.choices[SlotKind.TEXT][0].edge.rule].value
        seen: set[str] = set()

        def stop(core: str, node: Node, path: tuple[str, ...], repair: RepairKind | None) -> Iterator[Stop]:
            if core in seen:
                return
            if repair is not None and len(core) < STRONG:
                return
            calling = node.calling(core) or repair is RepairKind.IMPLIED_OPENER
            if role is Role.REASONING and calling and policies.reasoning_calls == "ignore":
                return
            seen.add(core)
            lead = self.step(path[0]).node.lead(core) if len(path) == 1 else after.closing_lead(path)
            yield Stop(core, lead, path, repair, probe=calling)

        text = str(SlotKind.TEXT)
        for core in after.marks:
            yield from stop(core, after, (text,), None)
        if role in (Role.CONTENT, None):
            for core in self.marks:
                if core not in seen:
                    seen.add(core)
                    opener = next((o for o in after.marks if core in after.step(o).node.marks), None)
                    path = () if opener is None or policies.unwrapped != "accept" else (text, opener)
                    repair = RepairKind.IMPLIED_OPENER if path else None
                    yield Stop(core, "", path, repair, probe=self.calling(core), direct=True)
        if not inside:
            for whole in graph.network.spec.end:
                lead, end, _ = frame(whole)
                if end not in seen:
                    seen.add(end)
                    yield Stop(end, lead, (text,), None, probe=False, end=True)
        if inside:
            return
        # A closer that is missing before a marker which could only follow it.
        limit = 1 if role is Role.REASONING else 2
        for path, node in after.closings(limit):
            for core in node.marks:
                if not (role is Role.REASONING and core in self.graph.think_openers):
                    yield from stop(core, node, (text, *path), RepairKind.IMPLIED_CLOSER)
        if role is Role.REASONING and policies.unwrapped == "accept" and policies.reasoning_calls == "parse":
            for path, outside in list(after.closings(limit)):
                for opener in outside.marks:
                    if outside.calling(opener) and not (node := outside.step(opener).node).text:
                        for core in node.marks:
                            yield from stop(core, node, (text, *path, opener), RepairKind.IMPLIED_OPENER)
        # A wrapper's opener that is missing before a marker which could only follow it.
        if policies.unwrapped == "accept" and role in (Role.CONTENT, None):
            for opener in after.marks:
                if after.calling(opener) and not after.marks[opener]:
                    node = after.step(opener).node
                    if not node.text:
                        for core, wrong in node.marks.items():
                            if not wrong:
                                yield from stop(core, node, (text, opener), RepairKind.IMPLIED_OPENER)
        if role in (Role.CONTENT, None):
            for core in graph.think_closers:
                if core not in seen:
                    seen.add(core)
                    yield Stop(core, "", (), RepairKind.STRAY_MARKER, probe=False)
            for core in graph.closers:
                if core not in seen:
                    seen.add(core)
                    yield Stop(core, "", (), RepairKind.STRAY_MARKER, probe=False, direct=True)

    def lead(self, core: str) -> str:
        """The whitespace the dialect writes before marker `core` here."""
        return self.choices[core][0].expects

    def closing_lead(self, path: tuple[str, ...]) -> str:
        """The whitespace before the first closer that `path` implies after its slot."""
        key = path[1]
        return "" if self.first(key) else self.lead(key)

    def closings(self, limit: int) -> Iterator[tuple[tuple[str, ...], Node]]:
        """The nodes reached by implying one to `limit` closers, nearest first, with the closers."""
        level: list[tuple[tuple[str, ...], Node]] = [((), self)]
        met = {self}
        for _ in range(limit):
            nearer, level = level, []
            for path, node in nearer:
                for core, wrong in node.marks.items():
                    if wrong or node.first(core):
                        continue
                    target = node.step(core).node
                    if target not in met:
                        met.add(target)
                        level.append(((*path, core), target))
            yield from level

    @property
    def implied(self) -> dict[str, tuple[str, ...]]:
        """Marker → the closers that must be missing before it, for markers that cannot come next here."""
        if self._implied is None:
            self._implied = {}
            for path, node in self.closings(5):
                for core in node.marks:
                    if core not in self.marks and len(core) >= STRONG:
                        self._implied.setdefault(core, path)
        return self._implied

    @property
    def sole(self) -> str | None:
        """The marker that must come next, when there is just one and it opens nothing."""
        if self.done is not None or len(self.marks) != len(self.choices) or not self.marks:
            return None
        core = next(iter(self.marks))
        ways = {(c.edge.target, c.stack) for choices in self.choices.values() for c in choices}
        return core if len(ways) == 1 and not self.first(core) else None


def _aged(choice: Choice) -> Trail:
    symbol = choice.edge.symbol
    trail = tuple((task, back + 1) for task, back in choice.trail)
    if type(symbol) is Pat:
        return (*trail, (symbol.field, 1))
    return trail


def _shared_ends(trails: list[Trail]) -> Trail:
    """The longest common beginning of `trails` that only ends things."""
    shared: list[Task] = []
    for tasks in zip(*trails, strict=False):
        first = tasks[0]
        op = first[0]
        if not isinstance(op, Op) or op.code not in (OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.END_VALUE):
            break
        if any(task != first for task in tasks):
            break
        shared.append(first)
    return tuple(shared)


def marker_regex(cores: dict[str, bool]) -> re.Pattern[str]:
    """Matches any of `cores`, the longest first; a blank inside a core matches up to 64 blanks, or none between signs."""
    ordered = sorted(cores, key=len, reverse=True)
    return re.compile("|".join(map(spaced, ordered)) or r"(?!)")


def spaced(core: str) -> str:
    """A regular expression for `core` with its inner whitespace as the model likes."""

    def blank(match: re.Match[str]) -> str:
        at, end = match.span()
        least = 1 if core[at - 1].isalnum() and core[end].isalnum() else 0
        return rf"\s{{{least},64}}"

    parts = re.split(r"(\s+)", core)
    if len(parts) == 1:
        return re.escape(core)
    out, at = [], 0
    for part in parts:
        match = re.compile(r"\s+").match(core, at)
        out.append(blank(match) if match and part.isspace() else re.escape(part))
        at += len(part)
    return "".join(out)


class Graph:
    """The nodes of one dialect under one set of policies."""

    def __init__(self, network: Network, policies: Policies) -> None:
        self.network, self.policies = network, policies
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._openers: tuple[str, ...] | None = None
        self._reset()
        spec = network.spec
        self.ends = tuple(end.strip() for end in spec.end)
        thinking = {name for name, role in spec.roles.items() if role is Role.REASONING}
        marks = [(e, e.symbol) for s in network.states for e in s.edges if type(e.symbol) is Mark and e.rule in thinking]
        self.think_openers = frozenset(m.core for e, m in marks if e.first)
        self.think_closers = {m.core: m.trail for e, m in marks if not e.first and len(m.core) >= STRONG}
        self.closers = tuple(
            sorted(
                {
                    e.symbol.core
                    for s in network.states
                    for e in s.edges
                    if type(e.symbol) is Mark and not e.first and not e.symbol.wrong and len(e.symbol.core) >= STRONG
                    and not spec.rules[e.rule].value
                },
                key=len,
                reverse=True,
            )
        )  # fmt: skip
        self.markers: frozenset[str] = frozenset(
            e.symbol.core
            for s in network.states
            for e in s.edges
            if type(e.symbol) is Mark and not spec.rules[e.rule].value
            if len(e.symbol.core) >= STRONG
        )

    @property
    def openers(self) -> tuple[str, ...]:
        """What a call can begin with: markers, and the brackets of bare JSON."""
        if self._openers is None:
            start = self.start
            found = [s.core for s in start.stops.values() if s.probe or s.repair is RepairKind.IMPLIED_OPENER]
            self._openers = tuple(found) + (("{", "[") if start.json else ())
        return self._openers

    def _reset(self) -> None:
        self._nodes: dict[tuple[Config, ...], Node] = {}
        self._stacks: dict[tuple[int, tuple[Op, ...], Stack | None], Stack] = {}
        self.start = self.node(((self.network.starts["start"], None, ()),))

    def pattern(self, regex: str) -> re.Pattern[str]:
        """The compiled terminal `regex`, which never gives back what it has matched."""
        found = self._patterns.get(regex)
        if found is None:
            found = self._patterns[regex] = re.compile(regex)
        return found

    def drop_deep(self) -> None:
        """Forget all nodes, after a text that nested too deep made many."""
        self._reset()

    def node(self, kernel: tuple[Config, ...]) -> Node:
        """The node of `kernel`."""
        node = self._nodes.get(kernel)
        if node is None:
            if len(self._nodes) > MAX_NODES:
                self._nodes = {}
                self._stacks = {}
            node = self._nodes[kernel] = Node(self, kernel)
        return node

    def _push(self, target: int, after: tuple[Op, ...], parent: Stack | None) -> Stack:
        key = (target, after, parent)
        stack = self._stacks.get(key)
        if stack is None:
            stack = self._stacks[key] = Stack(target, after, parent)
            if stack.depth > MAX_STACK:
                raise TooDeep
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
            for space, target in state.spaces:
                more.append((target, stack, (*trail, (Op(OpCode.SPACE, None, space), 0))))
            more.extend((target, stack, trail) for target in state.skips)
            if state.final:
                if stack is None:
                    yield None, None, trail
                else:
                    ended = trail + tuple((op, 1) for op in stack.after)
                    more.append((stack.target, stack.parent, ended))
            todo.extend(reversed(more))
