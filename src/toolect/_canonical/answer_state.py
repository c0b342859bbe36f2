"""Semantic actions of fused markers: the segments so far, the call that is open, and what a run does to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from toolect._canonical.marker_runs import (
    BEGIN_CALL,
    BEGIN_LIST,
    BEGIN_OBJECT,
    END_CALL,
    END_VALUE,
    ID,
    KEY,
    KEY_AGAIN,
    NAME,
    NAME_AGAIN,
    REF,
    Hub,
    MarkerRun,
)
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import ECHOES
from toolect._message import Call, Json, Segment
from toolect._shapes.elsewhere import is_call, only_call
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.fitting import fits
from toolect._values.ref import named_by, split_ref
from toolect._values.schema import Schema
from toolect._values.toolset import ToolSchemas

MAX_FRAMES: Final = 16
"""Open lists and objects of a value language. Beyond it: the search reads the answer."""


class Route:
    """Route of fused reading at a node."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def go(self, to: AnswerState) -> Route | None:  # noqa: ARG002  # here no step is known
        """Take one step: where it leads. None where none can be taken, and at the end of the answer."""
        return None


class AnswerState:
    """Fused reading so far. One is made for each answer: all of it stands in slots."""

    __slots__ = (
        "before", "buf", "called", "declared", "entries", "finished", "frames", "graph", "id", "key", "last", "name",
        "pos", "prose", "route", "segments", "size", "spelling", "start", "strong", "tools", "value",
    )  # fmt: skip

    def __init__(self, graph: Graph, text: str, tools: ToolSchemas, route: Callable[[Node], Route]) -> None:
        self.graph, self.buf, self.size, self.tools, self.route = graph, text, len(text), tools, route
        self.declared = tools.declared
        self.segments: list[Segment] = []
        self.pos = self.before = 0
        """The index of what comes next; `before` that of the blanks which the last marker wrote behind itself."""
        self.last = ""
        """The last marker, if it may stand twice."""
        self.strong = True
        """No call of an unknown tool is text for that: its opener is no short sign."""
        self.finished = self.called = self.prose = False
        """`prose`: the call that comes begins in the middle of a line, with a short sign."""
        # The open call
        self.start, self.name = 0, ""
        self.id: str | None = None
        self.key: str | None = None
        """Of the argument whose value comes next."""
        self.entries: list[tuple[str, Json]] = []
        self.frames: tuple[tuple[list[Json] | dict[str, Json] | None, str | None], ...] = ()
        """Lists and objects that are open, each with the key that was open around it; None: that of all arguments."""
        self.value: dict[str, Json] | None = None
        """The arguments, when they came in one piece, or their object is closed."""
        self.spelling: str | None = None

    # The open call

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
        complete = len(arguments) == len(self.entries)
        self.value, self.entries = arguments, []
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
        """The schema of the value that comes next; None for none."""
        schema: Schema | None = self.tools.of(self.name)
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

    def takes(self, name: str, arguments: dict[str, Json], whole: bool) -> bool:
        """True when a call is one of the tool `name` just as it stands; its arguments may have come as a `whole`."""
        if "properties" in arguments:
            return False  # it may be what a tool declares
        if self.graph.special_names and self._is_special(name, arguments):
            return False
        if not self.declared:
            return name.isascii() or self.tools.called(name) == name
        schema = self.tools.by_name.get(name)
        if schema is None:
            odd = self.graph.known_only or self.tools.is_no_name(name)
            if not self.strong or odd or self.tools.called(name) != name:
                return False
            keys = {key for other in self.tools.values() for key in other.names} if whole else ()
            return not any(_misplaced(value, keys) for value in arguments.values())
        if not fits(schema, arguments):
            return False
        if is_call(arguments, name, self.tools):
            return False
        inner = [value for value in arguments.values() if type(value) in (dict, list)] if whole else ()
        return not inner or not any(_misplaced(value, schema.names) for value in inner)

    def _is_special(self, name: str, arguments: dict[str, Json]) -> bool:
        """True when a call of that name is perhaps none, or holds the call."""
        spec = self.graph.network.spec
        if name in spec.no_call:
            return True
        return name not in self.tools and (
            name in spec.reserved
            or spec.code != ""
            and not self.strong
            or spec.tagged
            and bool(only_call(arguments, self.tools))
        )

    def leave_call(self, end: int) -> bool:
        """The open call ends at index `end`; False when it is no canonical one."""
        arguments, start = self.value, self.start
        if not self.called or not self.name or self.frames or self.key is not None:
            return False
        if arguments is None:
            arguments = dict(self.entries)
            if len(arguments) < len(self.entries):
                return False
        elif self.entries:
            return False
        if not self.takes(self.name, arguments, self.spelling is not None):
            return False
        if self.prose and not self.entries and self.name not in self.tools:
            return False
        self.prose = False
        call = Call(self.name, arguments, self.id, self.spelling, self.buf[start:end], (start, end))
        self.segments.append(call)
        self.called = False
        return True

    # Steps

    def cross(self, hub: Hub, at: int) -> Route | None:
        """Go over a run of markers at index `at`, and the JSON after it; None where there is none."""
        match = hub.match(self.buf, at)
        return None if match is None else self.over(hub, match, at)

    def over(self, hub: Hub, match: re.Match[str], at: int) -> Route | None:
        """Go over the run of markers at index `at` that `hub` has matched, and the JSON after it."""
        run = hub.runs[match.lastindex]  # type: ignore[index]  # every expression has a group
        end = match.end()
        if end - at > MAX_LEXEME or run.coded and any(lead in match[0] for lead in run.coded):
            return None
        if run.json is not None:
            before = end = self._json(run, hub, match, end)
            if end < 0:
                return None
        elif run.actions and not self._act(run, hub, match):
            return None
        else:
            before = match.end(run.number)
        self.pos, self.before, self.last = end, before, run.last
        then = run.then
        if then is None:
            then = run.then = self.route(run.node)
        return then  # type: ignore[no-any-return]  # a Route

    def _act(self, run: MarkerRun, hub: Hub, match: re.Match[str]) -> bool:
        """Do what a run of markers does; False when that is no canonical call."""
        for act, group, offset in run.actions:
            if act == KEY:
                if self.key is not None or not match[group]:
                    return False
                self.key = match[group]
            elif act == BEGIN_CALL:
                if self.called:
                    return False
                self.called, self.start = True, (match.end(group) if group else match.start()) + offset
                self.name, self.id, self.key, self.value, self.spelling = "", None, None, None, None
                self.entries = []
            elif act == END_CALL:
                at_once = group == hub.start and not offset  # it ends before what is written before the run
                end = self.before if at_once else (match.end(group) if group else match.start()) + offset
                if not self.leave_call(end):
                    return False
            elif act == NAME:
                if self.name and self.name != match[group] or not match[group]:
                    return False
                self.name = match[group]
            elif act == REF:
                spec, ref = self.graph.network.spec, self.graph.network.spec.ref
                before, (self.name, identity) = self.name, split_ref(ref, match[group])
                named = named_by(ref, identity, self.tools, spec.trailing)
                if named != self.name or before not in ("", self.name):
                    return False
                self.id = identity if "{index}" in ref else None
            elif act == NAME_AGAIN:
                if match[group] != self.name:
                    return False
            elif act == KEY_AGAIN:
                if match[group] != self.last_key():
                    return False
            elif act == END_VALUE:
                if not self.close_value():
                    return False
            elif act in (BEGIN_LIST, BEGIN_OBJECT):
                if not self.open_value([] if act == BEGIN_LIST else {}):
                    return False
            else:
                assert act == ID
                if self.id is not None and self.id != match[group]:
                    return False
                self.id = match[group]
        return True

    def _json(self, run: MarkerRun, hub: Hub, match: re.Match[str], pos: int) -> int:
        """Read the JSON at index `pos`, after a run of markers: where it ends, -1 where that is no canonical call."""
        calls, segments = run.json, self.segments
        assert calls is not None
        if run.ends and not self._act(run, hub, match):
            return -1
        if run.actions and not run.ends or not calls.named:  # a rule is that of the one call
            found = calls.one(self.buf, pos)
            if found is None or not self._act(run, hub, match):
                return -1
            end, name, self.value, identity, self.spelling = found
            self.name = name or self.name
            self.id = self.id if identity is None else identity
            return end if not run.node.over or self.leave_call(end) else -1
        count = len(segments)
        end = calls.take(self.buf, pos, segments)
        if end < 0:
            return -1
        for call in segments[count:]:
            if type(call) is Call and not self.takes(call.name, call.arguments, True):
                return -1
        return end

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here: with the name of the open call, the key of the open argument."""
        return core.replace(ECHOES[Role.NAME], self.name).replace(ECHOES[Role.KEY], self.key or "")


def _misplaced(value: Json, names: Collection[str]) -> bool:
    """True when an object in a value has a key that is one of the tool's arguments: a bracket may be missing."""
    if isinstance(value, dict):
        return any(key in names or _misplaced(inner, names) for key, inner in value.items())
    return isinstance(value, list) and any(_misplaced(inner, names) for inner in value)


TEXT: Final = SlotKind.TEXT
