"""The stops of a text slot: nobody writes a terminator, they follow from what may come next."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.node import STRONG, Node
from toolect._graph.stops import (
    Calls,
    EndToken,
    Following,
    Implying,
    Instead,
    LineEnd,
    NameLine,
    Stop,
    Stray,
    Unled,
    Unopened,
)
from toolect._graph.symbols import Hollow, Key, Mark, split_space
from toolect._graph.trails import layout
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole
from toolect.message import RepairKind

_MISSING = 3
"""Markers that may be missing before JSON: a wrapper's opener, that of a call, and what says which kind it is."""
_CLOSERS = 3
"""Closers that may be missing after a value before an opener of the next call; before other markers, one less."""
_LINED = frozenset((Role.VALUE, Role.ARGUMENTS, Role.STRING))
"""Text that may end with its line."""
_NAMES = frozenset((Role.NAME, Role.REF))
"""What a call may begin with that says which tool it calls."""
_TAG = ("<", "[")
"""What a marker begins with that is told from text without its line."""


def stops_of(node: Node) -> dict[Key, Stop]:
    """The stops of the TEXT slot of `node`, each marker once, the likeliest reading of it first."""
    return node.made(_stops)


def _stops(node: Node) -> dict[Key, Stop]:
    seen: dict[Key, Stop] = {}
    for stop in _Search(node).all():
        first = seen.setdefault(stop.key, stop)
        if first.calls is not Calls.NOTHING and isinstance(stop, EndToken):
            first.otherwise = stop
    return seen


class _Search:
    """Looks for the stops of one TEXT slot."""

    def __init__(self, node: Node) -> None:
        self.node, self.graph = node, node.graph
        field = node.text_field()
        self.role = field.role
        self.lines = node.graph.lines
        self.sealed = field.codec is not None and field.codec.quoted is not None
        self.after = node.step(SlotKind.TEXT).node
        self.value = node.graph.network.spec.rules[node.choices[SlotKind.TEXT][0].edge.rule].value
        self.outside = self.role in (Role.CONTENT, None)
        self.reasoning = self.role is Role.REASONING
        policies = node.graph.policies
        self.unwrapped = policies.unwrapped == "accept"
        self.calls = not (self.reasoning and policies.reasoning_calls == "ignore")

    def all(self) -> Iterator[Stop]:
        """Every stop, the same marker perhaps more than once."""
        for core in self.after.marks:
            for stop in self._stop(core, self.after, (SlotKind.TEXT,), None):
                stop.otherwise = self._next_part(stop, core)
                yield stop
        yield from self._name_lines()
        if self.outside:
            yield from self._where_text_begins()
        if self.sealed:
            return
        if self.role in _LINED:
            yield from self._line_ends()
        if self.value:
            yield from self._where_text_begins()
            if not self.after.arrival:
                return  # a quoted string: its closer alone ends it
        for end in self.graph.network.spec.end:
            lead, core, _ = split_space(end)
            yield EndToken(core, lead)
        yield from self._missing_closers()
        if self.unwrapped:
            yield from self._missing_openers()
            if self.outside and not self.node.json and not self.after.json:
                yield from self._bare_calls()
            if self.outside and not self.node.patterns and not self.after.patterns:
                yield from self._unled_calls()
            if self.reasoning and self.calls:
                yield from self._bare_after_reasoning()
        if self.outside:
            for core in self.graph.text_closers:
                yield Stray(core, direct=False)
            for core in self.graph.closers:
                yield Stray(core, direct=True)

    def _next_part(self, stop: Stop, core: str) -> Stop | None:
        """What `core` is right after what came before, where no text is: the next part of what is open there."""
        if stop.named and self.node.goes_on(core):
            return Instead(core, "", (), Calls.CALL)
        if stop.calls is Calls.NOTHING or core not in self.node.marks or not self.node.calling(core):
            return None
        if self.node.step(core).node is self.after.step(core).node:
            return None
        return Instead(core, "", (), _calls(True, self.node.named(core)))

    def _name_lines(self) -> Iterator[Stop]:
        """Names with which a call begins: where it may, and in reasoning whose closer is missing."""
        places: list[tuple[tuple[Key, ...], Node]] = [((SlotKind.TEXT,), self.after), ((), self.node)]
        if self.reasoning:
            places += (((SlotKind.TEXT, *path), node) for path, node in self.after.closings(1))
        for path, node in places if self.calls else ():
            for name, _ in node.patterns:
                if node.calling(name) and node.named(name):
                    yield NameLine(name, path)

    def _stop(self, core: str, at: Node, path: tuple[Key, ...], repair: RepairKind | None) -> Iterator[Stop]:
        """The marker `core` of node `at`, which `path` leads to."""
        if repair is not None and len(core) < STRONG and not (self.reasoning and (at.named(core) or at.heralds(core))):
            return
        calling = at.calling(core) or repair is RepairKind.IMPLIED_OPENER
        if calling and not self.calls:
            return
        lead = at.lead(core)
        if repair is RepairKind.IMPLIED_CLOSER:
            lead = self.after.closing_lead(path) or self.after.trail(path[1:]) + lead
        elif repair is not None:
            lead = self.after.closing_lead(path) or lead
        calls = _calls(calling, at.named(core))
        stop = Following(core, lead, path, calls) if repair is None else Implying(core, lead, path, calls, repair)
        leads = (lead, *(choice.expects for choice in at.choices[core] if len(path) == 1))
        if repair is None:
            told = core.startswith(_TAG) and not (calling and self.role in _LINED)
            trail = at.step(core).trail if self.role in _LINED and not core.startswith(_TAG) else ""
            stop.last = trail.startswith("\n")
        else:
            told = core.startswith(_TAG) or self.role not in _LINED
        stop.line = core in self.lines or not told and all("\n" in one for one in leads)
        yield stop

    def _line_ends(self) -> Iterator[Stop]:
        """The line break after the text, where no marker has to follow it."""
        others = [choice for choices in self.after.choices.values() for choice in choices]
        others = [c for c in others if not isinstance(c.edge.symbol, Mark) and c.expects.startswith("\n")]
        over = self.after.done is not None and layout(self.after.done).startswith("\n")
        if others or over:
            yield LineEnd(over or any(isinstance(choice.edge.symbol, Hollow) for choice in others))

    def _where_text_begins(self) -> Iterator[Stop]:
        """Markers that may come instead of text, and after text only if a wrapper's opener is missing."""
        for core in self.node.marks:
            if core in self.after.marks:
                continue
            inside = () if self.value else self.after.marks
            opener = next((o for o in inside if core in self.after.step(o).node.marks), None)
            path = (SlotKind.TEXT, opener) if opener is not None and self.unwrapped else ()
            stop = Instead(core, "", path, _calls(self.node.calling(core), self.node.named(core)))
            stop.line = core in self.lines
            yield stop

    def _missing_closers(self) -> Iterator[Stop]:
        """Markers that could only follow a closer which is missing."""
        for path, node in self.after.closings(_CLOSERS):
            for core in node.marks:
                if len(path) == _CLOSERS and not (self.role is Role.VALUE and node.calling(core)):
                    continue
                if not self.reasoning or core not in self.graph.think_openers or node.calling(core):
                    yield from self._stop(core, node, (SlotKind.TEXT, *path), RepairKind.IMPLIED_CLOSER)

    def _missing_openers(self) -> Iterator[Stop]:
        """Markers that could only follow a wrapper's opener which is missing."""
        before: list[tuple[tuple[str, ...], Node]] = []
        if self.outside:
            before = [((), self.after)]
        if self.outside or self.reasoning:
            before += self.after.closings(1)
        for path, node in before:
            for opener, wrong in node.marks.items():
                if wrong or not node.calling(opener):
                    continue
                inner = node.step(opener).node
                for core in (c for c, misspelled in inner.marks.items() if not misspelled):
                    if not inner.text or inner.calling(core):
                        yield from self._stop(core, inner, (SlotKind.TEXT, *path, opener), RepairKind.IMPLIED_OPENER)
                    elif self.reasoning and core not in self.graph.think_openers:
                        yield from self._stop(core, inner, (SlotKind.TEXT, *path, opener), RepairKind.IMPLIED_CLOSER)

    def _behind_markers(self) -> Iterator[tuple[tuple[Key, ...], Node]]:
        """The nodes before which nothing but markers of calls is missing, with their paths: the fewest first."""
        level: list[tuple[tuple[Key, ...], Node]] = [((SlotKind.TEXT,), self.after)]
        for _ in range(_MISSING):
            nearer, level = level, []
            for path, node in nearer:
                for core in (c for c, wrong in node.marks.items() if not wrong):
                    inner = node.step(core).node
                    yield (*path, core), inner
                    if not inner.text and (node is not self.after or node.calling(core)):
                        level.append(((*path, core), inner))

    def _bare_calls(self) -> Iterator[Stop]:
        """Brackets before which nothing but markers is missing: the fewest that lead to a call in JSON."""
        for path, inner in self._behind_markers():
            shape = inner.json_field().shape if inner.json else None
            if shape is not None and not isinstance(shape, Hole):
                for bracket in "{[":
                    yield Unopened(bracket, path, shape, RepairKind.IMPLIED_OPENER)
                return

    def _unled_calls(self) -> Iterator[Stop]:
        """Names before which nothing but markers is missing, and after which JSON or a long marker comes."""
        for path, inner in self._behind_markers():
            for name, _ in inner.patterns:
                then = inner.step(name).node
                roles = inner.fills(name)
                if not inner.text and len(roles) == 1 and roles <= _NAMES and (then.json or then.strong):
                    ref = self.graph.network.spec.ref if Role.REF in roles else "{name}"
                    yield Unled(name, path, ref)
                    return

    def _bare_after_reasoning(self) -> Iterator[Stop]:
        """Brackets of bare calls in JSON, which could only follow the closer of reasoning."""
        for path, node in self.after.closings(1):
            shape = node.json_field().shape if node.json else None
            if shape is not None and not isinstance(shape, Hole):
                for bracket in "{[":
                    yield Unopened(bracket, (SlotKind.TEXT, *path), shape, RepairKind.IMPLIED_CLOSER)


def _calls(calling: bool, named: bool) -> Calls:
    return Calls.NOTHING if not calling else Calls.NAMED if named else Calls.CALL
