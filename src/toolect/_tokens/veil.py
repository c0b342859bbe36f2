"""Hides markers that are only quoted: each of their characters becomes one that no text has, until all is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from toolect._message import Call, Content, Json, Message, Reasoning, Repair, Segment

_FIRST, _LAST = 0xD800, 0xDFFF
"""Lone surrogates: what was decoded from bytes has none."""


class Veil:
    """Characters in place of those of some markers, one for one."""

    def __init__(self, markers: Iterable[str]) -> None:
        signs = sorted({sign for marker in markers for sign in marker})[: _LAST - _FIRST + 1]
        self._over = {ord(sign): chr(_FIRST + at) for at, sign in enumerate(signs)}
        self._off = {_FIRST + at: sign for at, sign in enumerate(signs)}

    def over(self, text: str) -> str:
        """`text`, hidden."""
        return text.translate(self._over)

    def off(self, text: str) -> str:
        """`text` as it was."""
        return text if text.isascii() else text.translate(self._off)

    def message(self, message: Message) -> Message:
        """`message` with all its texts as they were."""
        return Message(tuple(map(self.segment, message.segments)), tuple(map(self._repair, message.repairs)))

    def segment(self, segment: Segment) -> Segment:
        """A segment with its texts as they were."""
        if not isinstance(segment, Call):
            kind: type[Content | Reasoning] = type(segment)
            return kind(self.off(segment.text), segment.span)
        return msgspec.structs.replace(
            segment,
            name=self.off(segment.name),
            arguments=self._json(segment.arguments),
            id=self._maybe(segment.id),
            spelling=self._maybe(segment.spelling),
            raw=self.off(segment.raw),
            repairs=tuple(map(self._repair, segment.repairs)),
            error=self._maybe(segment.error),
        )

    def event(self, event: Any) -> Any:
        """The event, with its texts as they were."""
        changed = {
            name: self.segment(value) if isinstance(value, Call) else self.off(value)
            for name in event.__struct_fields__
            if isinstance(value := getattr(event, name), Call | str)
        }
        return msgspec.structs.replace(event, **changed)

    def _maybe(self, text: str | None) -> str | None:
        return None if text is None else self.off(text)

    def _repair(self, repair: Repair) -> Repair:
        return Repair(repair.kind, repair.at, self.off(repair.detail))

    def _json(self, value: Json) -> Json:
        if isinstance(value, str):
            return self.off(value)
        if isinstance(value, dict):
            return {self.off(key): self._json(item) for key, item in value.items()}
        return [self._json(item) for item in value] if isinstance(value, list) else value
