"""Answer reading: one answer, whole or in pieces, to its message and events, by search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import msgspec

from toolect._building.builder import Builder
from toolect._building.finished import finished
from toolect._building.inner_calls import DelayedEvents, without_inner
from toolect._events import CallEnd, Event
from toolect._explanation import Explanation
from toolect._graph.graph import Graph, TooDeepError
from toolect._graph.node import Node
from toolect._graph.spelling import canonical
from toolect._message import Call, Message, Segment, kind_of, not_text
from toolect._salvage import value_without_loss
from toolect._search import code_edges, json_edges, marker_edges, resync, string_edges, text_edges, value_recovery
from toolect._search.actions import MoreText
from toolect._search.follow import TEXT
from toolect._search.grammar_edges import last_marker
from toolect._search.hypothesis import (
    Act,
    Action,
    EdgeContext,
    Expansion,
    Hypothesis,
    Mode,
    Search,
    TextState,
)
from toolect._search.island import island
from toolect._search.path import Path
from toolect._search.performer import Performer
from toolect._search.prefill import prompt_tail
from toolect._search.recorder import MAX_PLACES, Recorder
from toolect._search.stepping import Stepping, safe
from toolect._search.tape_window import Tape
from toolect._search.trace import Trace
from toolect._search.window import Window
from toolect._shown import one_line
from toolect._spec.model import Spec
from toolect._values.toolset import NO_TOOLS, ToolSchemas

_TRIMMED: Final = 8192
_KEPT: Final = 4096
_MARGIN: Final = 1200


def _recovered(text: str) -> Any:
    """The object or list that a text is, which is no JSON: as the search reads it, or json-repair without a loss."""
    graph, answer = value_recovery.graph(), value_recovery.enclosed(text)
    value = value_recovery.value_of(AnswerSearch(graph.network.spec, graph, NO_TOOLS).read(answer)) if answer else None
    return value_without_loss(text) if value is None else value


class AnswerSearch:
    """One answer to a prompt that ends with `prefix`. Not `streaming`, it makes no events."""

    def __init__(
        self,
        spec: Spec,
        graph: Graph,
        tools: ToolSchemas,
        strict: bool = False,
        prefix: str = "",
        streaming: bool = False,
        trace: Trace | None = None,
    ) -> None:
        self._graph, self._tools = graph, tools
        self._builder = Builder(tools, spec, graph.policies, streaming, strict)
        self._builder.text.mend = _recovered
        self._tape = Tape()
        self._window = window = Window(graph, tools, spec.ref)
        window.raw = self._raw
        self._performer = self._performs(trace)
        self._stepping = self._steps()
        first = Hypothesis(0, 0, -1, graph.start, Mode.BETWEEN, "", EdgeContext(), Action(None, ()))
        if prefix:
            self._prefill(first, prompt_tail((*spec.prefill, *graph.think_openers), prefix)[1])
        self._search = Search(first, self, self._perform, self._key_of)
        self._waiting = DelayedEvents()
        self._late: list[Event] = []
        """Events that came between chunks."""
        self.closed = False

    # What a search over several grammars does otherwise

    def _performs(self, trace: Trace | None) -> Performer:
        """The performer of the actions."""
        return Performer(self._graph, self._builder, self._raw, trace)

    def _steps(self) -> Stepping:
        """The deterministic steps of a hypothesis."""
        return Stepping(self._window, self._performer)

    def _key_of(self, one: Hypothesis) -> tuple[object, ...]:
        """The merge key: equal hypotheses have the same one."""
        return one.key

    def _raw(self, start: int, end: int) -> str:
        window = self._window
        return window.cut(start, end) if window.base <= start <= end else self._tape.raw(start, end)

    def _perform(self, acts: Iterable[Act]) -> None:
        performer = self._performer
        for act in acts:
            act.perform(performer)

    def _prefill(self, one: Hypothesis, opening: str) -> None:
        """Begin where the prompt leaves off: it ends with `opening`, which is none of the answer."""
        path, at = Path(one.node, one.context, self._window.ref), 0
        while opening:
            match = None
            if path.node.text:
                solid = at + len(opening[at:]) - len(opening[at:].lstrip())
                match = path.node.step(TEXT).node.struct.match(opening, solid)
                if match is not None and match[0]:
                    path.skip_text(at - len(opening))
                else:
                    match = path.node.struct.match(opening, at)
            else:
                match = path.node.struct.match(opening, at)
            if match is None:
                break
            core, at = canonical(match[0], path.node.marks), match.end()
            one.state = path.node.step(core).trail
            path.shift(core, match.start() - len(opening), at - len(opening))
            while at < len(opening) and one.state and opening[at] == one.state[0]:
                at, one.state = at + 1, one.state[1:]
        self._perform(path.acts)
        one.node, one.context = path.node, path.context
        one.action.acts = tuple(path.acts[-1:])
        self._builder.segments.clear()
        self._builder.repairs.clear()
        self._performer.tail = (0, (one.state,)) if one.state else None

    @property
    def begun(self) -> tuple[Node, str, str]:
        """The node at which the answer begins, the blanks that may come first, and the last marker of the prompt."""
        first = self._search.live[0]
        return first.node, first.state, last_marker(first) or ""

    # Edges

    def expand(self, one: Hypothesis, final: bool) -> Expansion:
        """The hypotheses that follow one. What is nested too deep is skipped."""
        try:
            return self._expand(one, final)
        except TooDeepError:
            return resync.too_deep(self._window, one)

    def _expand(self, one: Hypothesis, final: bool) -> Expansion:
        match one.mode:
            case Mode.BETWEEN:
                coded = code_edges.begin(self._window, one, final)
                return marker_edges.expand(self._window, one, final) if coded is None else coded
            case Mode.TEXT:
                return text_edges.expand(self._window, one, final)
            case Mode.JSON:
                return json_edges.expand(self._window, one, final)
            case Mode.STRING:
                return string_edges.expand(self._window, one, final)
            case Mode.CODE:
                return code_edges.expand(self._window, one, final)
            case Mode.SKIPPED:
                return resync.skip(self._window, one, final)
            case _:
                return resync.after(self._window, one, final)

    def step(self, one: Hypothesis, final: bool) -> bool:
        """Move the only hypothesis on in place."""
        try:
            return self._stepping.go(one, final)
        except TooDeepError:  # before anything of the step was done
            return False

    # Reading

    def feed(self, chunk: str) -> list[Event]:
        """Read more of the answer: its events."""
        through = self._stepping.through
        if through is None:
            return self._more(chunk, False)
        events = through.feed(chunk)
        return self._more(through.kept + chunk, False) if events is None else events

    def _more(self, text: str, final: bool) -> list[Event]:
        """Read more of the answer: all that has come since."""
        draft, window, late, through = self._builder.draft, self._window, self._late, self._stepping.through
        events = draft.events = []
        self._late, self._stepping.through = [], None
        if text:
            self._tape.add(text)
            window.buf += text
            if through is not None:
                through.settle()
        if final or text and self._tape.size >= window.need:
            self._run(final)
            if len(window.buf) > _TRIMMED:
                self._trim()
        released = self._waiting.released(events, draft.torn[1])
        return late + released if late else released

    def _catch_up(self) -> None:
        """Read what was passed through."""
        through = self._stepping.through
        if through is not None:
            self._late = self._more(through.kept, False)

    def close(self) -> list[Event]:
        """End the answer: its last events."""
        if self.closed:
            return []
        self._catch_up()
        self.closed = True
        return [*self._more("", True), *self._waiting.over(lambda: self.message)]

    def read(self, text: str) -> Message:
        """The message of an answer that is there as a whole."""
        self._tape.add(text)
        self._window.buf = text
        self.closed = True
        self._run(True)
        return self.message

    def explain(self, dialect: str, text: str) -> Explanation:
        """Why an answer that is there as a whole is read as it is."""
        if not isinstance(text, str):
            raise not_text(text)
        self._search.edges = recorder = Recorder(self, self._window)
        message = self.read(text)
        failed = [one_line(f"a call is {call.status}: {call.error}") for call in message.calls if call.error]
        explanation = recorder.explain(dialect, text, self._search.live[-1])
        return msgspec.structs.replace(explanation, failed=tuple(failed[:MAX_PLACES]))

    @property
    def message(self) -> Message:
        """The message so far: what is open comes last."""
        self._catch_up()
        builder = self._builder
        segments, repairs, torn = self._segments, tuple(builder.repairs), builder.draft.torn
        if self.closed:
            return finished(segments, repairs, self._graph, self._tools, torn)
        return Message(tuple(without_inner(segments, repairs, torn, None, False)), repairs)

    @property
    def _segments(self) -> list[Segment]:
        builder, text = self._builder, self._performer.island
        if self.closed:
            return list(builder.segments)
        field = None if text is None or text.dropped or not text.begun else text.node.text_field()
        return [*builder.segments, *builder.open_segment(field, self._read_to if text is None else text.emitted)]

    @property
    def in_call(self) -> bool:
        """True while a call is open."""
        self._catch_up()
        return self._builder.call is not None

    @property
    def pending(self) -> str:
        """Text that has come and waits for more."""
        self._catch_up()
        return self._raw(self._read_to, self._tape.size)

    @property
    def _read_to(self) -> int:
        """The first character that waits for more."""
        return self._tape.size if self._search.done else min(one.needed for one in self._search.live)

    @property
    def node(self) -> Node:
        """The node behind the traced lexemes."""
        return self._performer.node

    @property
    def work(self) -> int:
        """Expansions so far."""
        return self._search.work

    def _run(self, final: bool) -> None:
        search, window = self._search, self._window
        if search.done:
            return
        window.need = 0
        if not search.run(final) and not search.done:
            best = search.live[-1]
            if best.mode is Mode.TEXT:
                self._tell(best)
            search.commit()

    def _tell(self, best: Hypothesis) -> None:
        """Text in which no marker can begin any more is passed on."""
        window, search = self._window, self._search
        low = max(best.emitted - window.base, 0)
        at = self._safe(best, low)
        if at <= low:
            return
        upto, action = window.base + at, best.action
        last = action.acts[-1] if action.acts else None
        if isinstance(last, MoreText) and action.holders == 1 and not action.children and action is not search.root:
            action.acts = (*action.acts[:-1], MoreText(upto))
        else:
            best.action = Action(action, (MoreText(upto),))
            best.action.hold()
            action.holders -= 1
        best.emitted = upto
        state: TextState = best.state
        if not state.solid:
            best.state = state._replace(solid=window.said(state.start, at))
        search.passed_on(best)

    def _safe(self, best: Hypothesis, low: int) -> int:
        """The index up to which the open text can only be text, from index `low` on."""
        return safe(self._window, best, island(best.node), low)

    def _trim(self) -> None:
        """Forget text that no edge can ask for any more."""
        window, search = self._window, self._search
        low = min(one.needed for one in search.live) - _MARGIN
        if low - window.base > _KEPT + len(window.buf) - (low - window.base):
            window.buf = window.buf[low - window.base :]
            window.base = low


class Stream:
    """One answer, chunk by chunk. Belongs to one consumer; `reset` makes it ready for the next answer."""

    __slots__ = ("_check", "_make", "_reader")

    def __init__(self, make: Callable[[], AnswerSearch], check: Callable[[Call], Call] | None = None) -> None:
        if not callable(make):
            raise TypeError(f"expected the reader of a dialect, as `dialect.stream()` has it, got {kind_of(make)}")
        self._make = make
        self._check = check
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next chunk begins a new answer."""
        self._reader = self._make()

    def feed(self, chunk: str) -> list[Event]:
        """Read the next chunk: its events. Raises ValueError after `close`."""
        if not isinstance(chunk, str):
            raise not_text(chunk)
        if self._reader.closed:
            raise ValueError("expected no text after close; reset() begins a new answer")
        return self._checked(self._reader.feed(chunk))

    def close(self) -> list[Event]:
        """End the answer: its last events, none the second time."""
        return self._checked(self._reader.close())

    @property
    def message(self) -> Message:
        """The message so far; the final one after `close`."""
        return with_checked(self._reader.message, self._check)

    @property
    def in_call(self) -> bool:
        """True while a call is open."""
        return self._reader.in_call

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more."""
        return self._reader.pending

    def _checked(self, events: list[Event]) -> list[Event]:
        check = self._check
        if check is None:
            return events
        return [CallEnd(one.index, check(one.call)) if isinstance(one, CallEnd) else one for one in events]


M = TypeVar("M", bound=Message)


def with_checked(message: M, check: Callable[[Call], Call] | None) -> M:
    """The message with what `check` makes of its calls."""
    if check is None:
        return message
    segments = tuple(check(one) if isinstance(one, Call) else one for one in message.segments)
    return msgspec.structs.replace(message, segments=segments)
