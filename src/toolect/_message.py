"""A model's answer: segments of content, reasoning and calls, in wire order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self, TypeAlias

import msgspec

from toolect._segments import (
    Call,
    Content,
    Json,
    MessageError,
    Reasoning,
    Repair,
    RepairKind,
    Segment,
    Span,
    Status,
    Violation,
    call_fields,
    check_type,
    converted,
    dumps,
    kind_of,
    not_text,
    same_json,
)

__all__ = [
    "Call",
    "Content",
    "Json",
    "Message",
    "MessageError",
    "Reasoning",
    "Repair",
    "RepairKind",
    "Said",
    "Segment",
    "Span",
    "Status",
    "Violation",
    "check_type",
    "dumps",
    "kind_of",
    "not_text",
    "same_json",
]  # fmt: skip

_finders: list[Callable[[str], tuple[str, ...]]] = []


def leaks_found_by(finder: Callable[[str], tuple[str, ...]]) -> None:
    """Register the function that finds markers left in a text: it belongs to dialects, a layer above messages."""
    _finders.append(finder)


Said: TypeAlias = "Message | Segment | Sequence[Segment] | Json"
"""A message to be written, in any form that `Message.of` takes."""


class Message(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True):
    """One assistant answer: its segments in wire order, and the repairs made outside of calls."""

    segments: Sequence[Segment] = ()
    repairs: tuple[Repair, ...] = ()

    def __post_init__(self) -> None:
        given: object = self.segments
        if not isinstance(given, list | tuple) and (isinstance(given, str) or not isinstance(given, Sequence)):
            hint = ": put it into a list" if isinstance(given, Content | Reasoning | Call) else ""
            raise TypeError(f"expected a message's segments as list, got {kind_of(given)}{hint}")

    @property
    def content(self) -> str:
        """All content, concatenated."""
        return "".join([s.text for s in self.segments if type(s) is Content])

    @property
    def reasoning(self) -> str:
        """All reasoning, concatenated."""
        return "".join([s.text for s in self.segments if type(s) is Reasoning])

    @property
    def calls(self) -> list[Call]:
        """Every call attempt, whatever its status."""
        return [s for s in self.segments if type(s) is Call]

    @property
    def runnable(self) -> list[Call]:
        """The calls that may be executed."""
        return [s for s in self.segments if type(s) is Call and s.runnable]

    @property
    def leaks(self) -> tuple[str, ...]:
        """The markers of any dialect that are left in the content, in their order.

        One in a code span or block, in quotation marks, or named in a sentence is none. It takes linear time.
        """
        text = self.content
        return _finders[-1](text) if text and _finders else ()

    @property
    def exact(self) -> bool:
        """True when nothing had to be relaxed and every attempt was read: strict mode accepts the text."""
        return not self.repairs and all(c.status is Status.OK and not c.repairs for c in self.calls)

    @property
    def clean(self) -> bool:
        """True when the message is `exact`, and no marker is left in its content: see `leaks`."""
        return self.exact and not self.leaks

    def to_openai(self, *, only_runnable: bool = True) -> dict[str, Json]:
        """The message as an assistant message of the chat-completions API.

        Attempts that must not be run are listed under `invalid_tool_calls`, unless `only_runnable` is off.
        """
        from toolect._chat_completion import assistant_message  # not part of starting up

        return assistant_message(self.segments, only_runnable)

    def to_dict(self) -> dict[str, Json]:
        """The message as a dictionary of JSON: all of it, as `toolect parse` writes it. `from_dict` reads it.

        `leaks` are there for readers of the dictionary: `from_dict` finds them again.
        """
        forms = [s.to_dict() if isinstance(s, Call) else msgspec.to_builtins(s) for s in self.segments]
        for form in forms:
            if form.get("signature") == "":
                del form["signature"]
            if form.get("opaque", 0) is None:
                del form["opaque"]
        leaks = self.leaks
        whole = {"segments": forms, "repairs": msgspec.to_builtins(self.repairs)}
        return {**whole, "leaks": [*leaks]} if leaks else whole

    @classmethod
    def from_dict(cls, form: Json) -> Self:
        """The message of such a dictionary. Raises MessageError."""
        if not isinstance(form, Mapping) or "segments" not in form:
            raise MessageError("a message as `to_dict` makes it", f"{kind_of(form)} without `segments`", "$")
        segments = form["segments"]
        if isinstance(segments, list):
            segments = [call_fields(s) if isinstance(s, Mapping) and s.get("type") == "call" else s for s in segments]
        return converted({**form, "segments": segments}, cls)

    def with_ids(self) -> Self:
        """The message with an id on every call, each its own: the one it has, or `call_` and 24 hexadecimal digits."""
        from toolect._chat_completion import with_ids  # not part of starting up

        return msgspec.structs.replace(self, segments=with_ids(self.segments))

    @classmethod
    def of(cls, given: Said) -> Message:
        """The message in any of its forms: a message, a segment or a list of segments, or what `from_openai` reads.

        Raises TypeError for what is no message at all, MessageError for one that does not fit.
        """
        if isinstance(given, Message):
            return given
        if isinstance(given, Content | Reasoning | Call):
            return cls((given,))
        listed = isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray)
        odd = (
            next((one for one in given if isinstance(one, str | Content | Reasoning | Call)), None) if listed else None
        )
        if listed and (odd is not None or not given):
            return cls(given)
        if given is None or isinstance(given, str | bytes | bytearray | int | float):
            hint = ": put it into Content(…)" if isinstance(given, str) else ""
            raise TypeError(f"expected a Message, a Call or a list of them, got {kind_of(given)}{hint}")
        return cls.from_openai(given)

    @classmethod
    def from_openai(cls, message: Json) -> Message:
        """The message that an assistant message, a response with `choices`, or a list of tool calls says.

        These may be mappings or objects. Raises MessageError for anything else.
        """
        from toolect._chat_completion import segments_of  # not part of starting up

        return cls(segments_of(message))

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
