"""The short way of free text in a stream: chunks that are nothing but more of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from toolect._graph.needle import ending
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import Field
from toolect._reading.builder import Builder
from toolect._reading.slot import Quick
from toolect._reading.text_source import Source
from toolect._spec.model import Role
from toolect.events import ContentDelta, Event, ReasoningDelta
from toolect.message import dumps

_PLAIN = re.compile(r'[^"\\\x00-\x1f]+\Z').match
"""Matches text that is in a JSON string as it is."""
_WORD = re.compile(r"\w+\Z").match


def passing(
    builder: Builder,
    field: Field,
    source: Source,
    sign: Callable[[str], re.Match[str] | None],
    leads: tuple[str, ...] = (),
) -> Quick | None:
    """What takes in chunks that are nothing but text of the open slot, which fills `field`; None for none.

    `sign` finds what may be more than that. With a group, the chunk is not taken in; without one, the text ends before
    it is clear: from there on it is left in the buffer of `source`, with the one of `leads` that stands before it.
    What was taken in is not in the buffer any more: `source` keeps it where it is the text of a call.
    """
    slot = builder.text
    if slot.unescaped is not None or field.role is None or slot.idle or slot.quotes and not slot.parts:
        return None
    role, parts, held = field.role, slot.parts, source.buf
    spoken = role is Role.CONTENT or role is Role.REASONING
    event = ContentDelta if role is Role.CONTENT else ReasoningDelta
    keep = None if spoken and not source.keeps else source.keeping()
    tell = None if spoken else _telling(builder, role)

    def take(chunk: str) -> list[Event] | None:
        nonlocal held
        text = held + chunk if held else chunk
        if slot.sections is not None:
            if not slot.sections.passes(text):
                return None
            slot.sections = None
        found = sign(text)
        if found is not None:
            if found.lastindex is not None:
                if found.start() >= len(held) or len(text) > MAX_LEXEME or _WORD(chunk) is None:
                    return None
                source.buf = held = text  # what decides about a marker is seldom inside a word
                return []
            at = found.start()
            if leads:
                at -= max([ending(text, lead, 0, at) for lead in leads])
            source.buf = held = text[at:]
            if not at:
                return []
            text = text[:at]
        elif held:
            source.buf = held = ""
        source.base += len(text)
        if keep is not None:
            keep(text)
        if tell is not None:
            return tell(text)
        parts.append(text)
        return [event(text)]

    return take


def _telling(builder: Builder, role: Role) -> Callable[[str], list[Event]]:
    """What takes in more of the text of an argument, and makes its events."""
    draft, values, slot, parts = builder.draft, builder.values, builder.text, builder.text.parts
    if role is Role.STRING:
        frame = values.said()
        say = None if frame is None else draft.passing()

        def tell_string(text: str) -> list[Event]:
            if frame is not None and say is not None and frame.said:
                frame.parts.append(text)
                return say(text if _PLAIN(text) is not None else dumps(text)[1:-1])
            events: list[Event] = []
            draft.events = events
            values.text(text)
            return events

        return tell_string
    emit = draft.passing() if slot.writes else None
    if emit is None:

        def tell_nothing(text: str) -> list[Event]:
            parts.append(text)
            if slot.writes:
                draft.write(dumps(text)[1:-1])
            return []

        return tell_nothing

    def tell_value(text: str) -> list[Event]:
        parts.append(text)
        return emit(text if _PLAIN(text) is not None else dumps(text)[1:-1])

    return tell_value
