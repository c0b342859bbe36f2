"""What may end free text: the kind of a stop says what going over it means."""

from __future__ import annotations

from enum import Enum

from toolect._graph.symbols import Key, Terminal
from toolect._spec.grammar_model import SlotKind
from toolect._spec.shape_model import Shape
from toolect.message import RepairKind


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
