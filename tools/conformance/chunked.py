"""Reading a text with a dialect in every way a user may: complete, and streamed in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from toolect._authoring.laws import same
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._graph.node import STRONG
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, Status
from toolect._spec.grammar_model import Expr, Literal
from toolect._spec.leaves import leaves
from toolect._spec.model import Role, Spec
from tools.reading_laws import event_violation


class Streamed(NamedTuple):
    """Result of a stream: the message of its events before the end of input, its message after it, and all events."""

    open: Message
    closed: Message
    events: list[Event]


def stream(dialect: Dialect | Auto, chunks: Iterable[str], options: Mapping[str, Json]) -> Streamed:
    """Read a text that arrives in these chunks."""
    stream = dialect.stream(**options)
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    open_ = message_of_events(events)
    events += stream.close()
    return Streamed(open_, stream.message, events)


def message_of_events(events: Iterable[Event]) -> Message:
    """The message as a consumer of these events knows it: a call that has not ended is a truncated one."""
    segments: list[Segment] = []
    calls: dict[int, int] = {}
    for event in events:
        match event:
            case ContentDelta(text=text):
                segments.append(Content(text))
            case ReasoningDelta(text=text):
                segments.append(Reasoning(text))
            case CallStart(index=index, id=id_, name=name):
                calls[index] = len(segments)
                segments.append(Call(name, {}, id_, spelling="", status=Status.TRUNCATED))
            case ArgumentsDelta(index=index, text=text):
                call = segments[calls[index]]
                assert isinstance(call, Call)
                segments[calls[index]] = replace(call, spelling=call.arguments_text + text)
            case CallEnd(index=index, call=call):
                at = calls.setdefault(index, len(segments))
                segments[at : at + 1] = [call]
    return Message(segments)


def splits(text: str) -> Iterator[list[str]]:
    """The text by character, and in two at every place."""
    yield list(text)
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]


def disagreement(complete: Message, streamed: Streamed) -> str:
    """Difference between a stream's message or events and the complete reading; empty if there is none."""
    if not same(complete, streamed.closed):
        return f"streamed message {_show(streamed.closed)}, complete {_show(complete)}"
    return event_violation(streamed.events, complete)


def _show(message: Message) -> str:
    return f"{list(message.segments)!r} {list(message.repairs)!r}"


def opener(spec: Spec, prefix: str) -> str:
    """The longest prompt tail of the dialect that `prefix` ends with."""
    return max((tail for tail in spec.prefill if prefix.endswith(tail)), key=len, default="")


def reasoning_prefix(spec: Spec) -> str:
    """A prompt tail that leaves reasoning open; empty in a dialect without one."""
    return next((tail for tail, rule in spec.prefill.items() if spec.roles.get(rule) is Role.REASONING), "")


@dataclass(frozen=True)
class Markup:
    """Markers of a dialect: all that no text is likely to hold, those that end reasoning, and those that end all."""

    markers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


def markup(spec: Spec) -> Markup:
    """The markers of a dialect."""
    rules = {name: list(_markers(rule.expr)) for name, rule in spec.rules.items()}
    closers = tuple(found[-1] for name, found in rules.items() if found and spec.roles.get(name) is Role.REASONING)
    return Markup(tuple({text for found in rules.values() for text in found}), closers, spec.end)


def _markers(expr: Expr) -> Iterator[str]:
    """The markers in a rule, cut where they have line breaks; those too short to tell from text are left out."""
    return (part for literal in literals(expr) for part in literal.text.split("\n") if len(part) >= STRONG)


def literals(expr: Expr) -> Iterator[Literal]:
    """The markers in an expression of a grammar."""
    return (part for part in leaves(expr) if isinstance(part, Literal))
