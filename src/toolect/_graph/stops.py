"""The markers that end free text: nobody writes a terminator, they follow from what may come next."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from toolect._graph.node import STRONG, Node, layout
from toolect._graph.symbols import Hollow, Key, Mark, Terminal, split_space
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole, Shape
from toolect.message import RepairKind

_MISSING = 3
"""Markers that may be missing before JSON: a wrapper's opener, that of a call, and what says which kind it is."""


_LINED = frozenset((Role.VALUE, Role.ARGUMENTS, Role.STRING))
"""Text that may end with its line."""
_NAMES = frozenset((Role.NAME, Role.REF))
"""What a call may begin with that says which tool it calls."""
_TAG = ("<", "[")
"""What a marker begins with that is told from text without its line."""


class Calls(Enum):
    """What has to follow a marker for it to count."""

    NOTHING = 0
    CALL = 1
    """A call, or what a call is read in."""
    NAMED = 2
    """A call that begins with its name, which has to be one."""


class Stop:
    """What ends a TEXT slot: a marker, unless it is a `NameLine`. Its kind says what it means.

    `path` has the steps that lead to it from the node of the slot, `lead` is the whitespace that is written before it.
    """

    __slots__ = ("calls", "core", "direct", "key", "last", "lead", "line", "otherwise", "path", "repair")

    def __init__(self, core: str, lead: str, path: tuple[Key, ...], calls: Calls = Calls.NOTHING) -> None:
        self.core, self.lead, self.path, self.calls = core, lead, path, calls
        self.line = False
        """It counts only where a line begins."""
        self.last = False
        """It counts only where its line ends after it."""
        self.key: Key = core
        self.repair: RepairKind | None = None
        """What going over it is when the grammar has nothing of the kind here."""
        self.direct = False
        """It counts only where no text comes before it."""
        self.otherwise: Stop | None = None
        """What the same marker is besides: an `Instead` comes first, where no text stands before it; an `EndToken` is
        left where it begins no call.
        """

    @property
    def named(self) -> bool:
        """True when a call has to follow that begins with its name."""
        return self.calls is Calls.NAMED

    @property
    def regular(self) -> bool:
        """True for what the grammar has here."""
        return self.repair is None


class Following(Stop):
    """A marker that comes next after the text."""

    __slots__ = ()


class LineEnd(Stop):
    """The end of a line, which ends the text: what follows it, besides, does not begin with a marker."""

    __slots__ = ("free",)

    def __init__(self, free: bool) -> None:
        super().__init__("\n", "", (SlotKind.TEXT,))
        self.free = free
        """Whatever follows, the text ends: else it goes on in a line with which nothing else begins."""


class Instead(Stop):
    """A marker that stands where the text would begin: after text only where a wrapper's opener is missing."""

    __slots__ = ()

    def __init__(self, core: str, lead: str, path: tuple[Key, ...], calls: Calls = Calls.NOTHING) -> None:
        super().__init__(core, lead, path, calls)
        self.direct = True
        self.repair = RepairKind.IMPLIED_OPENER if path else None


class NameLine(Stop):
    """The name with which a call begins, `core` being its regular expression: it counts only where a line begins."""

    __slots__ = ()

    def __init__(self, name: Terminal, path: tuple[Key, ...]) -> None:
        super().__init__(name.regex, "", path, Calls.NAMED)
        self.key = name
        self.direct = not path  # a line begins, or the whole text
        self.repair = RepairKind.IMPLIED_CLOSER if len(path) > 1 else None


class Unled(NameLine):
    """The name with which a call begins whose openers, the steps of `path`, are missing: it counts only before text."""

    __slots__ = ("ref", "terminal")

    def __init__(self, name: Terminal, path: tuple[Key, ...], ref: str) -> None:
        super().__init__(name, path)
        self.terminal = name
        self.repair = RepairKind.IMPLIED_OPENER
        self.ref = ref
        """How the name is written: `{name}`, or as a part of an id."""


class EndToken(Stop):
    """What ends the answer."""

    __slots__ = ()

    def __init__(self, core: str, lead: str) -> None:
        super().__init__(core, lead, ())

    @property
    def regular(self) -> bool:
        """The grammar does not know of it."""
        return False


class Implying(Stop):
    """A marker that could only follow another, closer or wrapper's opener, which is missing."""

    __slots__ = ()

    def __init__(self, core: str, lead: str, path: tuple[Key, ...], calls: Calls, repair: RepairKind) -> None:
        super().__init__(core, lead, path, calls)
        self.repair = repair


class Misspelt(Stop):
    """What is left whole of an opener `of` a call that is spelled otherwise: `core` is a part of it."""

    __slots__ = ("of",)

    def __init__(self, part: str, of: Stop) -> None:
        super().__init__(part, of.lead, of.path, Calls.CALL)
        self.of = of
        self.repair = RepairKind.MISSPELLED_MARKER


class Unopened(Stop):
    """A bracket where a call in JSON of `shape` begins, and the markers before it, `path`, are missing."""

    __slots__ = ("shape",)

    def __init__(self, bracket: str, path: tuple[Key, ...], shape: Shape, repair: RepairKind) -> None:
        super().__init__(bracket, "", path, Calls.CALL)
        self.repair = repair
        self.shape = shape


class Stray(Stop):
    """A closer of what is not open."""

    __slots__ = ()

    def __init__(self, core: str, direct: bool) -> None:
        super().__init__(core, "", ())
        self.direct, self.repair = direct, RepairKind.STRAY_MARKER


class Landmark(Stop):
    """A marker at which reading goes on after what could not be read."""

    __slots__ = ()

    def __init__(self, core: str, calls: Calls = Calls.NOTHING) -> None:
        super().__init__(core, "", (), calls)


def stops_of(node: Node) -> dict[Key, Stop]:
    """The stops of the TEXT slot of `node`, each marker once, the likeliest reading of it first."""
    return node.made(_stops)


def _stops(node: Node) -> dict[Key, Stop]:
    seen: dict[Key, Stop] = {}
    for stop in Finder(node).all():
        first = seen.setdefault(stop.key, stop)
        if first.calls is not Calls.NOTHING and isinstance(stop, EndToken):
            first.otherwise = stop
    return seen


class Finder:
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
        lead = at.lead(core) if len(path) == 1 else self.after.closing_lead(path) or at.lead(core)
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
        for path, node in self.after.closings(2):
            for core in node.marks:
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
