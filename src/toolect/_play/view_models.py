"""View models of the playground: what a request asks for, computed and bounded, as JSON for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

import toolect
from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._message import Call, Json, Message, Repair

MAX_TEXT = 4 << 20
"""Characters of a text. Beyond it: refused."""
MAX_FRAMES = 4_000
"""Chunks of a replay. Beyond it: chunks are longer than asked for, and the answer says how long."""
MAX_SPANS = 4_000
"""Stretches of a text that are coloured. Beyond it: the rest is one stretch."""
MAX_PLACES = 50
"""Places that an explanation shows."""
MAX_EXPLAINED = 20_000
"""Characters of a text that is explained. Beyond it: no explanation, as it costs several times a reading."""

View: TypeAlias = dict[str, Any]
Reader: TypeAlias = Dialect | Auto


class Asked(msgspec.Struct, frozen=True):
    """A request of the page: a text, its dialect, the declared tools, and what each view needs besides."""

    text: str = ""
    dialect: str = registry.AUTO
    schemas: list[dict[str, Any]] = []
    to: str = ""
    """The dialect of a conversion, or the chat of a conversation."""
    size: int = 1
    """Characters of a replay's chunk."""
    messages: list[dict[str, Any]] = []
    entry: str = ""
    grammar: str = ""
    explain: bool = False

    def __post_init__(self) -> None:
        if len(self.text) > MAX_TEXT:
            raise ValueError(f"expected a text of at most {MAX_TEXT:,} characters, got {len(self.text):,}")

    @property
    def reader(self) -> Reader:
        """The reader of the text. Raises `UnknownNameError`."""
        return Auto() if self.dialect == registry.AUTO else registry.dialect(self.dialect)


def names() -> View:
    """The dialects and chats that can be chosen, by name."""
    return {"dialects": toolect.dialects(), "chats": toolect.chats(), "version": toolect.__version__}


def read(asked: Asked) -> View:
    """The text as its dialect reads it: message, coloured spans, evidence, explanation."""
    return reading(asked, asked.reader)


def reading(asked: Asked, reader: Reader) -> View:
    """The text as `reader` reads it."""
    message = reader.parse(asked.text, asked.schemas)
    view: View = {"message": message_view(message), "spans": spans(message, asked.text), "clean": message.clean}
    if isinstance(reader, Auto):
        view["found"] = [_evidence(one) for one in toolect.detect(asked.text, asked.schemas)]
    if asked.explain and not message.clean and len(asked.text) <= MAX_EXPLAINED:
        explained = reader.explain(asked.text, asked.schemas)
        places, more = explained.places[:MAX_PLACES], explained.places[MAX_PLACES:]
        view["explanation"] = str(
            msgspec.structs.replace(explained, places=places, left_out=explained.left_out + len(more))
        )
    return view


def replay(asked: Asked) -> View:
    """The events of a stream: for each chunk its last character and what came of it."""
    size = max(asked.size, 1, -(-len(asked.text) // MAX_FRAMES))
    stream = asked.reader.stream(tools=asked.schemas)
    frames: list[View] = []
    for start in range(0, len(asked.text), size):
        chunk = asked.text[start : start + size]
        frames.append({"end": start + len(chunk), "events": [*map(_event, stream.feed(chunk))]})
    frames.append({"end": len(asked.text), "events": [*map(_event, stream.close())], "closed": True})
    return {"frames": frames, "size": size}


def convert(asked: Asked) -> View:
    """The text in another dialect, with what that cannot carry."""
    done = toolect.convert(asked.text, asked.dialect, to=asked.to, tools=asked.schemas)
    losses = [{"segment": one.segment, "slot": one.slot, "reason": one.reason} for one in done.losses]
    return {
        "text": str(done.text),
        "losses": losses,
        "spans": spans(toolect.dialect(asked.to).parse(done.text), done.text),
    }


def conversation(asked: Asked) -> View:
    """A conversation as its chat writes it, with the origin of each character."""
    written = toolect.chat(asked.to).render(toolect.Conversation.from_openai(asked.messages, asked.schemas))
    found = [{"start": s.start, "end": s.end, "kind": str(s.origin), "turn": s.turn} for s in written.spans]
    return {"text": str(written), "spans": found}


VIEWS: Mapping[str, Callable[[Asked], View]] = {
    "read": read,
    "replay": replay,
    "convert": convert,
    "conversation": conversation,
}
"""The views that compile nothing of a visitor's, by name."""


def message_view(message: Message) -> View:
    """A message with what the page shows of each segment."""
    return {
        "segments": [_segment(one) for one in message.segments],
        "repairs": [_repair(one) for one in message.repairs],
        "dialects": [*getattr(message, "dialects", ())],
    }


def spans(message: Message, text: str) -> list[View]:
    """Stretches that tile the text, each with its kind and the number of its segment, -1 for markup."""
    found: list[View] = []
    for start, end, kind, segment in _stretches(message, text):
        if len(found) == MAX_SPANS:
            found[-1] = {"start": found[-1]["start"], "end": len(text), "kind": "rest", "segment": -1}
            break
        found.append({"start": start, "end": end, "kind": kind, "segment": segment})
    return found


def _stretches(message: Message, text: str) -> Iterator[tuple[int, int, str, int]]:
    at = 0
    for number, segment in enumerate(message.segments):
        start, end = segment.span or (at, at)
        if start > at:
            yield at, start, "markup", -1
        if end > start:
            yield start, end, f"call {segment.status}" if isinstance(segment, Call) else _kind(segment), number
        at = max(at, end)
    if at < len(text):
        yield at, len(text), "markup", -1


def _segment(segment: Any) -> View:
    if not isinstance(segment, Call):
        return {"kind": _kind(segment), "text": segment.text, "span": segment.span}
    return {
        "kind": "call",
        "name": segment.name,
        "arguments": segment.arguments_text,
        "id": segment.id,
        "status": str(segment.status),
        "runnable": segment.runnable,
        "error": segment.error,
        "repairs": [_repair(one) for one in segment.repairs],
        "span": segment.span,
        "salvaged": segment.salvaged,
    }


def _kind(segment: Any) -> str:
    return type(segment).__name__.lower()


def _repair(repair: Repair) -> View:
    return {"kind": str(repair.kind), "at": repair.at, "detail": repair.detail}


def _evidence(found: Any) -> View:
    return {
        "dialect": found.dialect,
        "same": [*found.same],
        "score": round(found.score, 3),
        "markers": [one.marker for one in found.markers],
        "against": [*found.against],
    }


def _event(event: Any) -> Json:
    """An event, with as much of a finished call as the page shows."""
    kind = type(event).__struct_config__.tag
    if kind == "call-end":
        return {"type": kind, "index": event.index, "call": _segment(event.call)}
    view: View = msgspec.to_builtins(event)
    return view
