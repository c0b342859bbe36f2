"""What a model's answer says: a message of content, reasoning and call segments, as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

# A JSON value. The one place where `Any` is honest: its type is the model's choice.
Json: TypeAlias = Any
Span: TypeAlias = tuple[int, int]


class Status(StrEnum):
    """How a call attempt ended."""

    OK = "ok"
    """Read as the dialect writes it."""
    REPAIRED = "repaired"
    """Read after at least one repair that is more than whitespace or another spelling of a value."""
    TRUNCATED = "truncated"
    """The input ended inside it; what arrived is kept, and it must not be run."""
    MALFORMED = "malformed"
    """An attempt that could not be read; `raw` and `error` tell why."""


class RepairKind(StrEnum):
    """What was relaxed to read a text."""

    WHITESPACE = "whitespace"
    """Whitespace between markers that the dialect does not write, or lacks."""
    IMPLIED_OPENER = "implied-opener"
    """A wrapper's opener was missing."""
    IMPLIED_CLOSER = "implied-closer"
    """A closer was missing, at the end or before a marker that can only follow it."""
    STRAY_MARKER = "stray-marker"
    """A marker out of place: a closer too many was absorbed, an opener that no call follows was left in the text."""
    MISSPELLED_MARKER = "misspelled-marker"
    """A marker was written in a way the spec lists as a misspelling."""
    JSON = "json"
    """Broken JSON was repaired."""
    UNESCAPED = "unescaped"
    """A quote or a line break inside a quoted string was not escaped."""
    DOUBLE_ENCODED = "double-encoded"
    """An arguments object arrived as a JSON string, or the other way round."""
    MISSING_ARGUMENTS = "missing-arguments"
    """A call without arguments was read as one with an empty object, or an argument without a value was left out."""
    LIST = "list"
    """A single call stood for a list of calls, or a list for a single one."""
    DUPLICATE_KEY = "duplicate-key"
    """An argument came more than once; the last one counts."""
    POSITIONAL = "positional"
    """An argument had no name; it got the one that the tool's schema has at its place."""
    COERCION = "coercion"
    """A value did not have the spelling its declared type asks for."""
    UNKNOWN_TOOL = "unknown-tool"
    """Code calls something that is no tool: it is content."""
    AFTER_END = "after-end"
    """Text followed the end of the answer."""


class Repair(msgspec.Struct, frozen=True):
    """One relaxation: its kind, the character offset in the wire text, and what was found or supplied."""

    kind: RepairKind
    at: int
    detail: str = ""


class Content(msgspec.Struct, frozen=True, eq=False, tag="content"):
    """Text for the user; `span` is the characters of the wire text it was read from."""

    text: str
    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("content", self.text))


class Reasoning(msgspec.Struct, frozen=True, eq=False, tag="reasoning"):
    """The model's thinking; `span` is the characters of the wire text it was read from."""

    text: str
    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reasoning) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("reasoning", self.text))


class Call(msgspec.Struct, frozen=True, eq=False, tag="call"):
    """One attempt to call a tool.

    `arguments` is the parsed JSON value (an object, unless the attempt is malformed). Two calls are equal when
    name, arguments, id and runnability are: layout (`span`, `raw`, `repairs`, the arguments' spelling) does not count.
    """

    name: str
    arguments: Json
    id: str | None = None
    spelling: str | None = None
    """The arguments as the model spelled them in JSON, where that differs from `dumps(arguments)`."""
    raw: str = ""
    span: Span | None = None
    status: Status = Status.OK
    repairs: tuple[Repair, ...] = ()
    error: str | None = None
    """Why a malformed or truncated attempt could not be read."""

    @property
    def arguments_text(self) -> str:
        """The arguments as JSON text: the model's own where there is one. Incomplete when truncated."""
        return dumps(self.arguments) if self.spelling is None else self.spelling

    @property
    def runnable(self) -> bool:
        """True for a call that may be executed."""
        return self.status is Status.OK or self.status is Status.REPAIRED

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Call)
            and self.name == other.name
            and self.id == other.id
            and self.runnable == other.runnable
            and same_json(self.arguments, other.arguments)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("call", self.name, self.id))


Segment: TypeAlias = Content | Reasoning | Call


class Message(msgspec.Struct, frozen=True, eq=False):
    """One assistant answer: its segments in wire order, and the repairs made outside of calls."""

    segments: Sequence[Segment] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def content(self) -> str:
        """All content, concatenated."""
        return "".join(s.text for s in self.segments if type(s) is Content)

    @property
    def reasoning(self) -> str:
        """All reasoning, concatenated."""
        return "".join(s.text for s in self.segments if type(s) is Reasoning)

    @property
    def calls(self) -> list[Call]:
        """Every call attempt, whatever its status."""
        return [s for s in self.segments if type(s) is Call]

    @property
    def runnable(self) -> list[Call]:
        """The calls that may be executed."""
        return [s for s in self.segments if type(s) is Call and s.runnable]

    @property
    def clean(self) -> bool:
        """True when nothing had to be relaxed and every attempt was read: strict mode accepts the text."""
        return not self.repairs and all(c.status is Status.OK and not c.repairs for c in self.calls)

    def to_openai(self) -> dict[str, Json]:
        """The message in the chat-completions shape; see `toolect.openai.to_openai`."""
        from toolect.openai import to_openai

        return to_openai(self)

    @classmethod
    def from_openai(cls, message: Json) -> Message:
        """The message of an OpenAI-shaped assistant message, mapping or object. Raises BadMessage."""
        from toolect.openai import from_openai

        return from_openai(message)

    def markup(self, text: str) -> Iterator[Span]:
        """The spans of `text` that no segment covers: together with the segments they tile it."""
        at = 0
        for segment in self.segments:
            start, end = segment.span or (at, at)
            if start > at:
                yield at, start
            at = end
        if at < len(text):
            yield at, len(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and tuple(self.segments) == tuple(other.segments)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(tuple(self.segments))


def dumps(value: Json) -> str:
    """`value` as JSON text: ", " and ": " between, no ASCII escaping, as chat templates print it."""
    return _encode(value)


_encode = json.JSONEncoder(ensure_ascii=False).encode


def same_json(a: Json, b: Json) -> bool:
    """True when two JSON values are the same value of the same type: 1, 1.0 and true all differ."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_json(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    return bool(a == b) or a != a and b != b
