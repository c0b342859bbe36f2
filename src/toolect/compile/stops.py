"""The markers that end free text: nobody writes a terminator, they follow from what may come next."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.compile.node import STRONG, Node
from toolect.compile.symbols import split_space
from toolect.ir import RepairKind
from toolect.spec.model import Role, SlotKind, StopKind

TEXT = str(SlotKind.TEXT)


class Stop:
    """A marker that ends a TEXT slot: which steps lead to it, and what that means."""

    __slots__ = (
        "calling", "core", "direct", "end", "inside", "lead", "named", "otherwise", "path", "pattern", "repair",
    )  # fmt: skip

    def __init__(
        self, core: str, lead: str, path: tuple[str, ...], repair: RepairKind | None, calling: bool, end: bool = False,
        direct: bool = False, named: bool = False, pattern: bool = False,
    ) -> None:  # fmt: skip
        self.core, self.lead, self.path, self.repair, self.calling, self.end = core, lead, path, repair, calling, end
        # `calling`: it counts only if a call follows
        self.direct = direct  # only where no text comes before it
        self.inside = False  # without text before it, it may as well go on with what is open
        self.named = named  # a call that begins with its name: the name has to be one
        self.pattern = pattern  # no marker but a terminal, which counts only where a line begins
        self.otherwise: Stop | None = None  # the end of the answer, when the same marker opens no call


def find_stops(node: Node) -> Iterator[Stop]:
    """The stops of the TEXT slot of `node`, each marker once, the likeliest reading of it first."""
    seen: dict[str, Stop] = {}
    for stop in Finder(node).all():
        first = seen.setdefault(stop.core, stop)
        if stop.end and first.calling:
            first.otherwise = stop
    yield from seen.values()


class Finder:
    """Looks for the stops of one TEXT slot."""

    def __init__(self, node: Node) -> None:
        self.node, self.graph = node, node.graph
        field = node.text_field()
        self.role = field.role
        self.sealed = field.codec is not None and field.codec.stops is StopKind.CLOSER
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
            for stop in self._stop(core, self.after, (TEXT,), None):
                stop.inside = stop.named and self.node.goes_on(core)
                yield stop
        for node, path in ((self.after, (TEXT,)), (self.node, ())):
            for regex, _ in node.patterns if self.calls else ():
                if node.calling(regex) and node.named(regex):
                    yield Stop(regex, "", path, None, calling=True, direct=not path, named=True, pattern=True)
        if self.outside:
            yield from self._where_text_begins()
        if self.sealed:
            return
        if self.value:
            yield from self._where_text_begins()
            if not self.after.arrival:
                return  # a quoted string: its closer alone ends it
        for end in self.graph.network.spec.end:
            lead, core, _ = split_space(end)
            yield Stop(core, lead, (TEXT,), None, calling=False, end=True)
        yield from self._missing_closers()
        if self.unwrapped:
            yield from self._missing_openers()
        if self.outside:
            for core in self.graph.text_closers:
                yield Stop(core, "", (), RepairKind.STRAY_MARKER, calling=False)
            for core in self.graph.closers:
                yield Stop(core, "", (), RepairKind.STRAY_MARKER, calling=False, direct=True)

    def _stop(self, core: str, at: Node, path: tuple[str, ...], repair: RepairKind | None) -> Iterator[Stop]:
        """The marker `core` of node `at`, which `path` leads to."""
        if repair is not None and len(core) < STRONG and not (self.reasoning and at.named(core)):
            return
        calling = at.calling(core) or repair is RepairKind.IMPLIED_OPENER
        if calling and not self.calls:
            return
        lead = at.lead(core) if len(path) == 1 else self.after.closing_lead(path)
        yield Stop(core, lead, path, repair, calling=calling, named=calling and at.named(core))

    def _where_text_begins(self) -> Iterator[Stop]:
        """Markers that may come instead of text, and after text only if a wrapper's opener is missing."""
        for core in self.node.marks:
            if core in self.after.marks:
                continue
            inside = () if self.value else self.after.marks
            opener = next((o for o in inside if core in self.after.step(o).node.marks), None)
            path = (TEXT, opener) if opener is not None and self.unwrapped else ()
            repair = RepairKind.IMPLIED_OPENER if path else None
            calling = self.node.calling(core)
            named = calling and self.node.named(core)
            yield Stop(core, "", path, repair, calling=calling, direct=True, named=named)

    def _missing_closers(self) -> Iterator[Stop]:
        """Markers that could only follow a closer which is missing."""
        for path, node in self.after.closings(1 if self.reasoning else 2):
            for core in node.marks:
                if not (self.reasoning and core in self.graph.think_openers):
                    yield from self._stop(core, node, (TEXT, *path), RepairKind.IMPLIED_CLOSER)

    def _missing_openers(self) -> Iterator[Stop]:
        """Markers that could only follow a wrapper's opener which is missing."""
        before: list[tuple[tuple[str, ...], Node]] = []
        if self.outside:
            before = [((), self.after)]
        elif self.reasoning:
            before = list(self.after.closings(1))
        for path, node in before:
            for opener, wrong in node.marks.items():
                if wrong or not node.calling(opener):
                    continue
                inner = node.step(opener).node
                if not inner.text:
                    for core in (c for c, misspelled in inner.marks.items() if not misspelled):
                        yield from self._stop(core, inner, (TEXT, *path, opener), RepairKind.IMPLIED_OPENER)
