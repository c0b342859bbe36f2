"""Fused streaming: a canonical answer that arrives in pieces, read by fused markers as far as it is one.

What happens is told when the search would tell it, or later. Where the text is not canonical, or has to be passed on as
it arrives, the search reads the answer from its beginning, and goes on: what was told by then is not told again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from toolect._building.finished import finished
from toolect._canonical.answer_state import AnswerState, Route
from toolect._canonical.fast_path import route
from toolect._canonical.text_slots import SECTION, TextSlot
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._graph.graph import Graph, TooDeepError
from toolect._message import Call, Content, Message, Reasoning, dumps
from toolect._search.answer_search import AnswerSearch
from toolect._spec.model import Role
from toolect._values.fitting import fits
from toolect._values.toolset import ToolSchemas

HELD: Final = 128
"""Characters that may come without a step or an event. Beyond it: the search reads the answer."""
LONGEST: Final = 8192
"""Characters of an answer. Beyond it: the search reads it, which keeps less."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*+\Z").match
_TEXTS: Final = (Role.CONTENT, Role.REASONING)


class FusedStream:
    """One answer, chunk by chunk. `make` makes the search that reads it where it is not canonical."""

    __slots__ = (
        "_count", "_early", "_given", "_graph", "_index", "_late", "_make", "_mark", "_message", "_route", "_said",
        "_search", "_started", "_to", "_told",
    )  # fmt: skip

    def __init__(self, graph: Graph, tools: ToolSchemas, make: Callable[[], AnswerSearch]) -> None:
        self._graph, self._make = graph, make
        self._to = to = AnswerState(graph, "", tools, route)
        to.open = True
        self._route: Route = route(graph.start)
        self._search: AnswerSearch | None = None
        self._message: Message | None = None
        sure = graph.policies.malformed == "report" and not graph.known_only
        self._early = sure and not graph.network.spec.tagged
        """Calls are told before the answer is over; not where one may yet become text, or be a tag around another."""
        self._told: list[Event] = []
        """What was told; once the search reads the answer, what of it that has not told again."""
        self._late: list[Event] = []
        """What has happened between chunks."""
        self._mark = 0
        """How much text there was at the last step or event."""
        self._count = self._index = 0
        """Segments and calls that were told."""
        self._started = False
        self._given = self._said = 0
        """Of the open call: whether it was told, so many arguments of it, and characters of their text."""

    def feed(self, chunk: str) -> list[Event]:
        """What more of the answer makes happen."""
        search = self._search
        if search is not None:
            found = search.feed(chunk)
            return self._new(found) if self._told or self._late else found
        to = self._to
        to.buf += chunk
        to.size = size = len(to.buf)
        events: list[Event] = []
        if to.waits is None or "}" in chunk or "]" in chunk:
            pos = to.pos
            if not self._step() or self._is_text():
                return self._pass_on()
            if to.pos > pos:
                self._mark = size
                self._tell(events)
        if to.waits is not None and not self._started and not to.called and self._count == len(to.segments):
            head = to.head()
            if head is not None and self._starts(head[0]):
                self._begin(events, *head)
        if events:
            self._mark = size
            self._told += events
        return events if size <= self._mark + HELD and size <= LONGEST else events + self._pass_on()

    def close(self) -> list[Event]:
        """What its end makes happen."""
        events: list[Event] = []
        if self._search is None and self._message is None:
            to = self._to
            to.open = False
            if self._step() and to.finished:
                self._tell(events)
                self._message = finished(to.segments, (), self._graph, to.tools)
            else:
                events = self._pass_on()
        if self._search is not None and not self._search.closed:
            events += self._new(self._search.close())
        return events

    @property
    def closed(self) -> bool:
        """True once the answer is over."""
        return self._message is not None or self._search is not None and self._search.closed

    @property
    def message(self) -> Message:
        """What has been read so far: what is open comes last."""
        return self._reader.message if self._message is None else self._message

    @property
    def in_call(self) -> bool:
        """True while a call is open."""
        return self._message is None and self._reader.in_call

    @property
    def pending(self) -> str:
        """Text that has come and waits for more."""
        return self._reader.pending if self._message is None else ""

    # Steps

    def _step(self) -> bool:
        """Read as far as is sure; False where the text nests too deep."""
        to, at = self._to, self._route
        to.waits = None
        try:
            while (to.pos < to.size or not to.open) and (then := at.go(to)) is not None:
                at = then
        except (TooDeepError, RecursionError):
            return False
        self._route = at
        return True

    def _is_text(self) -> bool:
        """True when text comes that has to be passed on, or for which no step is known."""
        at = self._route
        if type(at) is Route or isinstance(at, TextSlot) and at.plan.role in _TEXTS and at.says(self._to):
            return True
        return any(not isinstance(one, Call) for one in self._to.segments[self._count :])

    # Events

    def _tell(self, events: list[Event]) -> None:
        """Tell what the steps have read."""
        to = self._to
        for one in to.segments[self._count :]:
            if to.open and (not to.sure or not isinstance(one, Call) or self._may_go_on(one)):
                return
            self._count += 1
            if isinstance(one, Content):
                events.append(ContentDelta(one.text))
            elif isinstance(one, Reasoning):
                events.append(ReasoningDelta(one.text))
            else:
                if not self._started:
                    self._begin(events, one.name, one.id)
                if text := one.arguments_text[self._said :]:
                    events.append(ArgumentsDelta(self._index, text))
                events.append(CallEnd(self._index, one))
                self._index += 1
                self._started, self._given, self._said = False, 0, 0
        if to.called and to.sure and to.key is not None:
            if not self._started and self._starts(to.name):
                self._begin(events, to.name, to.id)
            if self._started and len(to.entries) - 1 > self._given:
                self._give(events)

    def _may_go_on(self, one: Call) -> bool:
        """True when more text may make a call another one, as one that has no arguments, or its closer in them."""
        to = self._to
        if not self._early or to.quoted or not one.arguments:
            return True
        if to.last in one.raw[: -len(to.last)] or SECTION in one.raw:
            return True
        return to.declared and one.name not in to.tools.by_name

    def _starts(self, name: str) -> bool:
        """True when the open call is surely one of the tool `name`."""
        to = self._to
        if not self._early or not to.strong or to.prose or _NAME(name) is None:
            return False
        return name in to.tools.by_name if to.declared else to.calls(name)

    def _begin(self, events: list[Event], name: str, identity: str | None) -> None:
        events.append(CallStart(self._index, identity, name))
        self._started = True

    def _give(self, events: list[Event]) -> None:
        """Tell the arguments that have come, but for the last, which may go on, if they are as they should be."""
        to, text = self._to, ""
        given = dict(to.entries[:-1])
        if len(given) < len(to.entries) - 1 or to.declared and not fits(to.tools.of(to.name), given):
            return
        for key, value in to.entries[self._given : -1]:
            text += f"{', ' if self._given else '{'}{dumps(key)}: {dumps(value)}"
            self._given += 1
        self._said += len(text)
        events.append(ArgumentsDelta(self._index, text))

    # The search

    @property
    def _reader(self) -> AnswerSearch:
        """The search, which says what has been read so far."""
        if self._search is None:
            self._late = self._pass_on()
        assert self._search is not None
        return self._search

    def _pass_on(self) -> list[Event]:
        """Let the search read the answer, from its beginning on."""
        self._search = search = self._make()
        return self._new(search.feed(self._to.buf))

    def _new(self, events: list[Event]) -> list[Event]:
        """What of the `events` of the search has not been told."""
        told, late, at = self._told, self._late, 0
        self._late = []
        while told and at < len(events):
            old, new = getattr(told[0], "text", ""), getattr(events[at], "text", "")
            if len(old) > len(new):
                told[0] = replace(told[0], text=old[len(new) :])
            else:
                del told[0]
            if len(new) > len(old):
                events[at] = replace(events[at], text=new[len(old) :])
            else:
                at += 1
        return late + events[at:]
