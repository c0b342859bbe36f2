"""The short way of a stream: chunks that are nothing but text of the open slot."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolect.compile.symbols import Field
from toolect.events import ArgumentsDelta, ContentDelta, Event, ReasoningDelta
from toolect.ir import dumps
from toolect.spec.model import Role

if TYPE_CHECKING:
    from toolect.engine.machine import Machine

_PLAIN = re.compile(r'[^"\\\x00-\x1f]+\Z').match


def quick_text(
    machine: Machine, field: Field, hint: Callable[[str], object | None]
) -> Callable[[str], list[Event] | None] | None:
    """A function that takes in a chunk of the text of `field`, or declines with None where `hint` finds a sign."""
    builder, parts = machine.builder, machine.builder.text_parts
    role, call = field.role, machine.builder.call
    if role is Role.CONTENT or role is Role.REASONING:
        event = ContentDelta if role is Role.CONTENT else ReasoningDelta

        def take(chunk: str) -> list[Event] | None:
            if hint(chunk) is not None:
                return None
            machine.base += len(chunk)
            parts.append(chunk)
            return [event(chunk)]

        return take
    if call is None or call.index < 0:
        return None
    if role is Role.STRING:

        def take_string(chunk: str) -> list[Event] | None:
            if hint(chunk) is not None:
                return None
            return machine.take_piece(field, chunk)

        return take_string
    if role is not Role.VALUE:
        return None
    written, index, writes, took = call.written, call.index, builder.writes, machine.took

    def take_value(chunk: str) -> list[Event] | None:
        if hint(chunk) is not None:
            return None
        took(chunk)
        parts.append(chunk)
        if not writes:
            return []
        text = chunk if _PLAIN(chunk) is not None else dumps(chunk)[1:-1]
        written.append(text)
        return [ArgumentsDelta(index, text)]

    return take_value
