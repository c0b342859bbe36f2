"""Fused streaming: a canonical answer that arrives in pieces, read by fused markers as far as it is one.

Runs of markers are gone over when they have come. The text of a slot that is open, and the arguments of a call in JSON,
are passed on as they come, by the search's own rules of what can only be text. Where the text is not canonical, the
search reads the answer from its beginning, and goes on: what was passed on by then is not passed on again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from toolect._building.finished import finished
from toolect._canonical.answer_state import AnswerState, Route
from toolect._canonical.fast_path import often_read, single_route
from toolect._canonical.marker_runs import may_end
from toolect._canonical.open_json import ArgumentLexer
from toolect._canonical.shaped_json import NO_OBJECT
from toolect._canonical.text_slots import SECTION, ContentRun, Thought, Value
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._graph.graph import Graph, TooDeepError
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_NAME, squeeze
from toolect._message import Call, Content, Message, Segment, dumps
from toolect._search.answer_search import AnswerSearch
from toolect._search.stepping import NEAR_PART, TextSigns, safe
from toolect._search.window import Window
from toolect._values.fitting import Fitting
from toolect._values.toolset import ToolSchemas

HELD: Final = 128
"""Characters that may come without a step or an event. Beyond it: the search reads the answer."""
LONGEST: Final = 8192
"""Characters of an answer. Beyond it: the search reads it, which keeps less."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*+\Z").match
_NEXT: Final = re.compile(r"\}\s*,").search
"""Another call in the same value."""


def streams(graph: Graph) -> bool:
    """True where calls are passed on before the answer is over, and none of them may yet become text, or a tag.

    And where markers are worth fusing: the graph has read some answers.
    """
    sure = graph.policies.malformed == "report" and not graph.known_only
    return graph.strides and sure and not graph.network.spec.tagged and often_read(graph)


def _literal(node: Node) -> bool:
    """True where calls have values of a value language: arguments are not passed on before the call is over."""
    return any(rule.value for rule in node.graph.network.spec.rules.values())


class FusedStream:
    """One answer, chunk by chunk. `make` makes the search that reads it where it is not canonical."""

    __slots__ = (
        "_calm", "_count", "_fitting", "_given", "_graph", "_index", "_json", "_late", "_make", "_mark", "_message",
        "_need", "_route", "_said", "_search", "_sent", "_started", "_to", "_told", "_value", "_window",
        "closed",
    )  # fmt: skip

    def __init__(self, graph: Graph, tools: ToolSchemas, make: Callable[[], AnswerSearch]) -> None:
        self._graph, self._make = graph, make
        self._to = to = AnswerState(graph, "", tools, single_route)
        to.open = True
        self._route: Route = single_route(graph.start)
        self._window = Window(graph, tools, graph.network.spec.ref)
        self._search: AnswerSearch | None = None
        self._message: Message | None = None
        self.closed = False
        self._told: list[Event] = []
        """What was passed on; once the search reads the answer, what of it that has not passed on again."""
        self._late: list[Event] = []
        """What has happened between chunks."""
        self._mark = self._need = 0
        """How much text there was at the last step or event; how much there has to be for the next."""
        self._calm: TextSigns | None = None
        """What ends the text that is open, where all of it was passed on."""
        self._count = self._index = 0
        """Segments and calls that were passed on."""
        self._sent = 0
        """The index up to which the text of the open slot was passed on."""
        # The open call
        self._started = False
        self._json: ArgumentLexer | None = None
        self._fitting: Fitting | None = None
        self._given = self._said = 0
        """So many arguments, and characters of their text, were passed on."""
        self._value = -1
        """Where the argument begins the text of which is passed on as it comes."""

    def feed(self, chunk: str) -> list[Event]:
        """What more of the answer makes happen."""
        search = self._search
        if search is not None:
            found = search.feed(chunk)
            return self._new(found) if self._told or self._late else found
        to, events, json, calm = self._to, list[Event](), self._json, self._calm
        to.buf += chunk
        to.size = size = len(to.buf)
        if not chunk or size < self._need:
            return events
        if json is not None and json.plain(chunk, size):
            self._write(chunk, events)
        elif calm is not None and calm.stops.search(chunk) is None and not chunk[-1].isspace():
            self._say(chunk, size, events)
        elif not self._go(chunk, events):
            self._told += events
            return events + self._pass_on()
        if events:
            self._mark = size
            self._told += events
        return events if size <= self._mark + HELD and size <= LONGEST else events + self._pass_on()

    def _go(self, chunk: str, events: list[Event]) -> bool:
        """Take the steps that are sure, and pass on what is open; False where the search has to read it."""
        to, json = self._to, self._json
        self._calm = None
        if json is not None and not json.over:
            if not self._more_json(json, events):
                return False
            if not json.over:
                return True
        pos = to.pos
        if json is None and to.waits is not None and "}" not in chunk and "]" not in chunk:
            return '"' not in chunk and "{" not in chunk or self._begin_json(events)
        if not self._step() or self._route.unknown or to.frames and to.frames[-1][0] is not None:
            return False
        if to.pos > pos:
            self._mark = to.size
        if to.pos > pos or self._count < len(to.segments):
            self._tell(events)
        if to.waits is not None and self._json is not None and self._json.over:
            return _NEXT(to.buf, self._json.sent) is None
        if to.called and to.name and not self._started:
            known = to.name in to.tools.by_name if to.declared else to.calls(to.name)
            if not known or not (to.strong or self._graph.start.made(_literal)):
                return False
        if to.waits is not None:
            return self._count == len(to.segments) and self._begin_json(events)
        if to.trail:
            return to.trail.startswith(to.buf[to.pos :])
        return self._more_text(events)

    def _begin_json(self, events: list[Event]) -> bool:
        """Pass on what is known of a call whose JSON has begun; False where the search has to read it."""
        to = self._to
        assert to.waits is not None and to.waits[0].json is not None
        head = to.head()
        if head is None or head.start == NO_OBJECT:
            return head is None
        if not self._started:
            if self._bare and not (head.start >= 0 and head.led) or not self._starts(head.name):
                return head.start < 0
            if isinstance(self._route, ContentRun) and to.content_end > max(self._sent, to.pos):
                self._say(to.buf[max(self._sent, to.pos) : to.content_end], to.content_end, events)
            self._begin(events, head.name, head.id)
        if head.start < 0:
            return True
        names = frozenset(to.tools.of(head.name).names)
        self._json = json = ArgumentLexer(to.waits[0].json.node, head.start, head.outer, names, head.known)
        return self._more_json(json, events)

    def _say(self, text: str, end: int, events: list[Event]) -> None:
        """Pass on more of the text that is open, up to index `end`."""
        self._sent = end
        if self._value >= 0:
            self._write(dumps(text)[1:-1], events)
        else:
            events.append((ContentDelta if isinstance(self._route, ContentRun) else ReasoningDelta)(text))

    def close(self) -> list[Event]:
        """What its end makes happen."""
        events: list[Event] = []
        self.closed = True
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

    def _step(self) -> bool:
        """Read as far as is sure; False where the text nests too deep."""
        to, at = self._to, self._route
        to.waits = None
        try:
            while to.pos < to.size or not to.open:
                if to.trail and not self._after_marker(at) or (then := at.go(to)) is None:
                    break
                at = then
        except (TooDeepError, RecursionError):
            return False
        self._route = at
        return True

    def _after_marker(self, at: Route) -> bool:
        """Go over what the last marker writes behind itself; False where that is not there."""
        to = self._to
        trail, there = to.trail, to.buf.startswith(to.trail, to.pos)
        if there or not to.open and to.pos == to.size and may_end(at.node):
            to.pos, to.trail = to.pos + len(trail) * there, ""
            return to.pos < to.size or not to.open
        return False

    # What is open

    def _more_json(self, json: ArgumentLexer, events: list[Event]) -> bool:
        """Pass on what can only be the arguments of the call."""
        sent = json.sent
        fine = json.more(self._to.buf)
        if json.sent > sent and fine:
            self._write(self._to.buf[sent : json.sent], events)
        return fine

    def _more_text(self, events: list[Event]) -> bool:
        """Pass on what can only be the text of the slot; False where the search has to read it."""
        to, at, buf = self._to, self._route, self._to.buf
        if not isinstance(at, ContentRun | Thought | Value):
            self._need = at.needed(to)
            return self._need >= 0
        if self._count < len(to.segments):
            return not buf[to.pos :].strip()
        start = to.pos + len(at.space)
        if not buf.startswith(at.space, to.pos):
            return at.space.startswith(buf[to.pos :])
        if isinstance(at, Value):
            if not at.fits(to) or to.key in dict(to.entries) or not (self._started or self._starts_by(events)):
                return False
            if self._value < 0 and (start < to.size or at.sure) and at.is_text(to):
                self._value = start
                self._write(f'{self._before(to.key)}"', events)
        elif isinstance(at, ContentRun) and to.called:
            return False
        if start == to.size:
            return True
        low, plan = max(self._sent, start), at.plan
        begun = buf[low:].lstrip()
        tail = squeeze(begun)
        if tail and (sizes := [len(core) for core in plan.squeezed if core.startswith(tail) and core != tail]):
            self._need = to.size - len(begun) + min(sizes)
            return True
        if isinstance(at, Value) and self._value < 0:  # it is passed on as a whole
            self._need = plan.needed(buf, low)
            return True
        signs, window, window.buf = at.node.made(TextSigns), self._window, buf
        named = plan.content and plan.named is not None and to.declared
        name, found = window.find(window.names, low, MAX_NAME) if named else None, None
        if plan.led_words is not None:
            return False
        if signs.signs.search(buf, max(low - signs.margin, start)) is None:
            end = safe(window, plan, start, low) if named else plan.near_begun(buf, low, to.size)
            if name is not None:
                return False
        else:
            found = window.find(plan.regex, low, plan.reach)
            part = None if plan.near is None else window.find(plan.near, low, NEAR_PART)
            limit = plan.held(buf, low) if found is None else found.start()
            if part is not None and part.start() < limit or name is not None and name.start() < limit:
                return False
            end = safe(window, plan, start, low)
            if found is None:
                self._need = plan.needed(buf, low)
            elif to.size > found.end() + STRONG and not isinstance(at, ContentRun):  # no step is known over it
                return False
        end = window.without_blanks(low, end)
        if end > low and window.said(start, end):
            self._say(buf[low:end], end, events)
            if end == to.size and not named:
                self._calm = signs
        return True

    def _before(self, key: str | None) -> str:
        """What stands before the next value in the text of the arguments."""
        return f"{', ' if self._given else '{'}{dumps(key)}: "

    def _write(self, text: str, events: list[Event]) -> None:
        """Pass on more of the text of the arguments."""
        if self._fitting is not None:
            text = self._fitting.feed(text)
        if text:
            self._said += len(text)
            events.append(ArgumentsDelta(self._index, text))

    # What has been read

    def _tell(self, events: list[Event]) -> None:
        """Pass on what the steps have read."""
        to = self._to
        for one in to.segments[self._count :]:
            if to.open and self._may_go_on(one):
                return
            self._count += 1
            if not isinstance(one, Call):
                assert one.span is not None
                if text := one.text[max(self._sent - one.span[0], 0) :]:
                    events.append((ContentDelta if isinstance(one, Content) else ReasoningDelta)(text))
                continue
            if not self._started:
                self._begin(events, one.name, one.id)
            if text := one.arguments_text[self._said :]:
                events.append(ArgumentsDelta(self._index, text))
            events.append(CallEnd(self._index, one))
            self._index += 1
            self._started, self._json, self._fitting, self._value = False, None, None, -1
            self._given = self._said = 0
        if to.called and (self._started or self._starts_by(events)) and not to.literal:
            sure = len(to.last) >= STRONG or to.key is not None
            for key, value in to.entries[self._given : len(to.entries) - (not sure)]:
                if key in dict(to.entries[: self._given]):
                    return
                if self._value < 0:
                    text = self._before(key) + dumps(value)
                else:
                    assert isinstance(value, str)
                    text, self._value = dumps(value[max(self._sent - self._value, 0) :])[1:], -1
                self._write(text, events)
                self._given += 1

    def _may_go_on(self, one: Segment) -> bool:
        """True when more text may make it another one: content that nothing follows."""
        to = self._to
        if not isinstance(one, Call):
            ends = to.pos > to.text_end or to.waits is not None or one is not to.segments[-1]
            over = ends or to.last in self._graph.text_closers or to.last in self._graph.ends
            return isinstance(one, Content) and not over
        if not (self._started or to.strong or self._graph.start.made(_literal)) or SECTION in one.raw:
            return True
        if to.last and to.last in one.raw[: -len(to.last)]:
            return True
        sure = not to.declared and (to.strong or self._started or self._index > 0 or to.key is not None)
        return not sure and one.name not in to.tools.by_name

    def _starts_by(self, events: list[Event]) -> bool:
        """True when the open call is surely one: then it is passed on."""
        to = self._to
        if not self._starts(to.name):
            return False
        self._begin(events, to.name, to.id)
        return True

    @property
    def _bare(self) -> bool:
        """True when JSON has begun that no marker comes before."""
        waits = self._to.waits
        return waits is not None and not waits[0].first and isinstance(self._route, ContentRun)

    def _starts(self, name: str) -> bool:
        """True when the open call is surely one of the tool `name`."""
        to = self._to
        if to.prose or _NAME(name) is None:
            return False
        if to.declared:
            return name in to.tools.by_name and (to.sure or self._bare)
        return to.sure and to.calls(name)

    def _begin(self, events: list[Event], name: str, identity: str | None) -> None:
        events.append(CallStart(self._index, identity, name))
        self._started = True
        schema = self._to.tools.of(name)
        self._fitting = Fitting(schema) if schema.node else None

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
        """What of the `events` of the search has not been passed on."""
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
