"""What happens while an answer arrives: something started, a new part of it, its end."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from toolect._message import Call

MAX_DELTA = 4096
"""Characters of an event that more text of the same chunk is joined to. Beyond it: it is another event."""


class ContentDelta(msgspec.Struct, frozen=True, gc=False, tag="content"):
    """The next part of the content."""

    text: str


class ReasoningDelta(msgspec.Struct, frozen=True, gc=False, tag="reasoning"):
    """The next part of the reasoning."""

    text: str


class CallStart(msgspec.Struct, frozen=True, gc=False, tag="call-start"):
    """Call number `index` of this answer, counted from 0, has a name. `id` is the wire's, if it came first."""

    index: int
    id: str | None
    name: str


class ArgumentsDelta(msgspec.Struct, frozen=True, gc=False, tag="arguments"):
    """The next part of the JSON text of call `index`'s arguments; the parts join to `call.arguments_text`."""

    index: int
    text: str


class CallEnd(msgspec.Struct, frozen=True, tag="call-end"):
    """Call `index` is over, well or not: `call` is the authoritative result."""

    index: int
    call: Call


Event: TypeAlias = ContentDelta | ReasoningDelta | CallStart | ArgumentsDelta | CallEnd
