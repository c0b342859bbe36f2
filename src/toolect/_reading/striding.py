"""What a stride has read so far: segments, and the call that is open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import Any

from toolect._graph.finder import Finder
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.symbols import ECHOES, Key
from toolect._spec.model import Role
from toolect._values.fitting import fits
from toolect._values.schema import Schema
from toolect._values.toolset import ToolSchemas
from toolect.message import Call, Json, Repair, Segment

MAX_FRAMES = 16
"""Open lists and objects of a value language that are read in large steps. Beyond it: lexeme by lexeme."""
MAX_SEGMENTS = 1 << 12
"""Segments of one answer. Beyond it: all that follows is content."""
MAX_SIGNS = 1 << 14
"""Signs that a stop may begin with, in what is said in one answer. Beyond it: only what can hardly be anything else."""
MAX_DIVIDERS = 1 << 14
"""Commas in the calls of one answer, where values are read one by one; twice as many of what tags begin with.
Beyond it: all that follows is content.
"""
LAST_SEGMENTS = 8
"""So many of them are left to who reads lexeme by lexeme, and stops right after the last."""
NO_TRAIL = ("",)
"""Nothing is written after what was read."""


def most_dividers(graph: Graph) -> int:
    """So many dividers are read in the calls of one answer."""
    return MAX_DIVIDERS if graph.divider == "," else 2 * MAX_DIVIDERS


def zero() -> int:
    """None."""
    return 0


class Striding:
    """The text of a stride and how far it has come. Indexes count from `buf[0]`, spans from the wire text's start.

    One is made for each answer: all of it stands in slots, which are read faster than what a class has.
    """

    __slots__ = (
        "after_call", "alone", "base", "before", "begun", "blank", "bound", "broken", "buf", "called", "clean",
        "closed", "counted", "declared", "dividers", "edge", "entries", "final", "finder", "finished", "first",
        "frames", "graph", "id", "json_end", "key", "last", "left", "listed", "name", "nested", "owed", "picky", "pos",
        "quote", "reach", "repairs", "room", "route", "said", "schemas", "seeking", "segments", "shaped", "size",
        "spelling", "start", "trails", "value", "ways", "wears",
    )  # fmt: skip

    def __init__(
        self, graph: Graph, route: Callable[[Node], Any], text: str, pos: int, base: int, final: bool,
        schemas: ToolSchemas, blank: bool,
    ) -> None:  # fmt: skip
        self.route = route  # the route at a node
        self.graph = graph
        self.buf, self.base, self.final = text, base, final
        self.wears = most_dividers(graph) - base if graph.divider else sys.maxsize
        """The first index before which there may be too many dividers."""
        self.listed: tuple[int, int] | None = None  # up to which index they were counted, and how many there were
        self.dividers: Callable[[], int] = zero  # how many there are in calls before the stride
        self.size = size = len(text)
        self.edge = sys.maxsize if final else size  # what ends there may go on
        self.schemas = schemas
        self.declared = schemas.declared  # tools are
        self.picky = graph.no_call or graph.known_only and self.declared  # calls of some names are none
        self.blank = blank  # no segment came before: content of nothing but whitespace is kept at the end
        self.segments: list[Segment] = []
        self.room = MAX_SEGMENTS  # so many of them may still come
        self.pos = self.before = self.first = pos
        self.said: Callable[[str], int] | None = None  # how often given signs are in what was said before the stride
        self.counted: dict[str, tuple[int, int, int]] = {}  # signs: when to count them next, up to where, how many more
        self.finished = False  # all of the text has been read
        self.bound = -1  # the index where a part of a text begins that is read up to the next content; -1 for no part
        self.left = False  # content begins at `pos`, which is not for who reads a part
        self.after_call = False  # a call, or JSON that may hold calls, was the last thing read
        self.trails: tuple[str, ...] = NO_TRAIL
        """What the last marker may write after itself; reading goes on at `pos`, after that, or at `before`."""
        self.last: Key = ""  # the last marker or terminal outside of values
        self.alone = False  # it reads the whole answer, and may note repairs
        self.repairs: tuple[Repair, ...] = ()  # those outside of calls
        self.ways: list[tuple[object, int]] | None = None
        """Where to note the runs of markers, and the scalars, that are taken: all of a place, and the number of it."""
        self.finder: Finder | None = None  # where words come next, if it has been asked for
        self.seeking: object = None  # for looks ahead, which take a stride as their view
        self.clean = True  # the machine can go on from here: nothing is owed, doubtful or half read
        self.broken = False
        """A run of markers said something that is no canonical call, when some of it had been taken in."""
        self.reach = 0  # how far it came where that was further than the machine can go on from
        # The open call
        self.called = self.closed = self.nested = self.shaped = False
        """`closed`: the first segment has what was to come of a call that began before the stride. `nested`: values of
        a value language are open, or have come. `shaped`: the arguments stood in a JSON object with the name."""
        self.begun: Collection[str] | None = None  # keys that it had before the stride; None when it began in it
        self.owed = 0  # how many lexemes must follow for the last quote to have ended its string
        self.quote: tuple[Node, int] | None = None  # the node and the index after that quote
        self.start = 0
        self.name = ""
        self.id: str | None = None
        self.entries: list[tuple[str, Json]] = []
        self.key: str | None = None  # of the argument whose value comes next
        self.frames: tuple[tuple[list[Json] | dict[str, Json] | None, str | None], ...] = ()
        """Lists and objects that are open, each with the key that was open around it; None: that of all arguments."""
        self.value: Json = None  # the arguments, when they came in one piece, or their object is closed
        self.spelling: str | None = None  # their JSON text then, where it is the model's own
        self.json_end = 0  # where that ended

    def next(self, word: str, pos: int) -> int:
        """The first index of `word` from `pos` on, or -1."""
        if self.finder is None:
            self.finder = Finder(self.buf, self.base)
        return self.finder.next(word, pos)

    def tired(self, signs: str, where: int) -> bool:
        """May there be too many of `signs` before index `where`? Those in calls count here, too."""
        if (known := self.counted.get(signs)) is None:
            spare = MAX_SIGNS if self.said is None else MAX_SIGNS - self.said(signs)
            known = self.first + spare, self.first, spare
        if where >= known[0]:
            _, at, spare = known
            spare -= sum(self.buf.count(sign, at, where) for sign in signs)
            known = where + max(spare, 0), where, spare
        self.counted[signs] = known
        return known[2] <= 0

    def worn(self) -> bool:
        """May there be too many dividers by now? Those in what is said count here, too."""
        at, known = self.listed or (self.first, self.dividers())
        known += self.buf.count(self.graph.divider, at, self.pos)
        self.listed = max(at, self.pos), known
        spare = most_dividers(self.graph) - known
        self.wears = self.pos + max(spare, 0)
        return spare < 0

    @property
    def blank_so_far(self) -> bool:
        """True when there is no segment yet."""
        return self.blank and not self.segments

    @property
    def tools(self) -> ToolSchemas:
        """The tools that are declared, by name."""
        return self.schemas

    def wants(self, name: str) -> bool:
        """True when a call of this tool is one."""
        graph = self.graph
        if graph.known_only and self.declared and name not in self.schemas:
            return False
        return name not in graph.network.spec.no_call

    def fits(self, name: str, arguments: Json) -> bool:
        """True when a call is one of the tool `name` just as it stands."""
        if type(arguments) is dict and "properties" in arguments:
            return False  # it may be what a tool declares
        if not self.declared:
            return name.isascii() or self.schemas.called(name) == name
        schema = self.schemas.by_name.get(name)
        return self.schemas.called(name) == name if schema is None else fits(schema, arguments)

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here: with the name of the open call, the key of the open argument."""
        return core.replace(ECHOES[Role.NAME], self.name).replace(ECHOES[Role.KEY], self.key or "")

    def enter_call(self, start: int) -> None:
        """A call begins at index `start`."""
        self.called, self.start = True, start
        self.name, self.id, self.key, self.value, self.spelling = "", None, None, None, None
        self.entries = []

    def resume(self, start: int, name: str, identity: str | None, key: str | None, keys: Collection[str]) -> None:
        """A call is open that began at index `start`; the argument `key` is, too, and those of `keys` have come."""
        self.enter_call(start)
        self.name, self.id, self.key, self.begun = name, identity, key, keys

    def open_value(self, value: list[Json] | dict[str, Json]) -> bool:
        """A list or object begins; False when nothing is known of what it is, or too many are open."""
        inside = self.frames and type(self.frames[-1][0]) is list
        arguments = not self.frames and self.key is None
        if arguments and (type(value) is list or self.entries or self.value is not None):
            return False
        if not arguments and not inside and self.key is None or len(self.frames) == MAX_FRAMES:
            return False
        self.frames = (*self.frames, (None if arguments else value, self.key))
        self.key = None
        return True

    def close_value(self) -> bool:
        """The innermost list or object ends; False when a value is missing in it."""
        if not self.frames or self.key is not None:
            return False
        (value, self.key), self.frames = self.frames[-1], self.frames[:-1]
        if value is not None:
            return self.give(value)
        arguments = dict(self.entries)  # all of them have come
        complete = len(arguments) == len(self.entries) and not self.begun
        self.value, self.entries, self.nested = arguments, [], False
        return complete

    def give(self, value: Json) -> bool:
        """A value is complete; False when there is no place for it, or its key came before."""
        key, owner = self.key, self.frames[-1][0] if self.frames else None
        if isinstance(owner, list):
            owner.append(value)
            return key is None
        if key is None:
            return False
        if owner is None:
            self.entries.append((key, value))
        elif key in owner:
            return False
        else:
            owner[key] = value
        self.key = None
        return True

    def last_key(self) -> str | None:
        """The key of the value that came last."""
        owner = self.frames[-1][0] if self.frames else None
        if owner is None:
            return self.entries[-1][0] if self.entries else None
        return next(reversed(owner), None) if type(owner) is dict else None

    def schema(self) -> Schema | None:
        """What is declared of the value that comes next; None for nothing."""
        schema: Schema | None = self.schemas.of(self.name)
        owner: list[Json] | dict[str, Json] | None = None
        for inner, key in (*self.frames, (None, self.key)):
            if schema is None:
                return None
            if type(owner) is list:
                schema = schema.item(len(owner))
            elif key is not None:
                schema = schema.member(key)
            owner = inner
        return schema

    def kind(self) -> str | None:
        """The type that an argument has which comes next, where that is declared simply; None for anything else."""
        if self.key is None or self.frames and (len(self.frames) > 1 or self.frames[0][0] is not None):
            return None
        return self.schemas.of(self.name).kinds.get(self.key)

    def leave_call(self, end: int) -> bool:
        """The open call ends at index `end`; False when it is not one that could be read in strides."""
        if self.picky and not self.wants(self.name) or not self.name or self.frames:
            return False
        start, arguments, spelling = self.start, self.value, self.spelling
        if arguments is None:
            arguments = dict(self.entries)
            if len(arguments) < len(self.entries):
                return False
        elif self.entries:
            return False
        if not self.fits(self.name, arguments):
            return False
        if self.begun is not None:
            if not arguments.keys().isdisjoint(self.begun):
                return False
            self.begun, self.closed = None, True
        span = (start + self.base, end + self.base)
        self.segments.append(Call(self.name, arguments, self.id, spelling, self.buf[start:end], span))
        self.called, self.nested, self.after_call = False, False, True
        self.name = ""  # it proves nothing of what comes next
        return True

    def whole(self) -> bool:
        """True when the machine can go on from here with the call that is open, if one is."""
        if not self.clean or self.broken:
            return False
        if not self.called:
            return True
        if self.graph.code is not None:
            return False  # of a statement that is open, more has to be known
        before = self.begun or ()
        if not self.entries:
            return self.key not in before
        keys = {key for key, _ in self.entries}
        twice = self.key in keys or self.key in before or not keys.isdisjoint(before)
        return len(keys) == len(self.entries) and not twice

    def restore(self, saved: tuple[int, bool, int, int, tuple[str, ...], Key]) -> None:
        """Go back to where no call was open: the segments then, `after_call`, `pos`, `before`, `trails` and `last`."""
        count, self.after_call, self.pos, self.before, self.trails, self.last = saved
        del self.segments[count:]
        self.called = False
