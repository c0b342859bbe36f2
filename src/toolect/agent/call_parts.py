"""One call as its parts come: its name, and the JSON text of its arguments in pieces."""

from __future__ import annotations

import re

from msgspec.structs import replace

from toolect._chat_completion import read_arguments, without_arguments
from toolect._events import ArgumentsDelta, CallEnd, CallStart, Event
from toolect._message import Call, Status
from toolect._shown import cut as shortened
from toolect.agent.errors import ModelError

_SIGNS = re.compile(r'\\[\s\S]?|["{}\[\]]')
"""What says where JSON ends: quotes, brackets, and a backslash with what it escapes."""


class CallParts:
    """One call, number `index` of its answer, as its parts come."""

    def __init__(self, index: int) -> None:
        self.left = False
        """Whether another call has taken its place, so that nothing more comes."""
        self._index, self._id, self._name = index, "", ""
        self._texts: list[str] = []
        self._started = self._over = self._quoted = self._escaped = False
        self._depth = self._signs = 0

    @property
    def whole(self) -> bool:
        """True where the arguments are something, and end; an empty object may stand for those that come."""
        return self._signs > 2 and not self._depth and not self._quoted

    def is_left(self, call_id: str, name: str) -> bool:
        """True where a part at the call's place begins another: its id, or where nobody counts, its name says so."""
        if call_id and self._id:
            return call_id != self._id
        if not (name and self._name):
            return False
        if self._texts:
            return name != self._name or self.whole
        return not self._id and name != self._name

    def take(self, call_id: str, name: str, text: str) -> list[Event]:
        """The events of a part of this call. Raises ModelError for arguments after the end."""
        self._id = self._id or call_id
        if name != self._name and not self._texts:
            self._name += name
        if not self._texts:
            text = text.lstrip()
        if self._over and text.strip():
            expected = f"no more arguments of the call `{self._id or self._name}`, which were whole"
            told = f"expected {expected}, got `{shortened(text, 40)}` - at `tool_calls[].function.arguments`"
            raise ModelError(f"the server's message makes no sense: {told}")
        if not text or self._over:
            return []
        self._texts.append(text)
        self._measure(text)
        return [*self.start(), ArgumentsDelta(self._index, text)]

    def _measure(self, text: str) -> None:
        """Count the brackets that are open after some more of the arguments."""
        held, self._escaped = self._escaped, False
        for sign in _SIGNS.findall(text, int(held)):
            self._signs += 1
            if sign[0] == "\\":
                self._escaped = len(sign) == 1
            elif sign == '"':
                self._quoted = not self._quoted
            elif not self._quoted:
                self._depth += 1 if sign in "{[" else -1

    def start(self) -> list[Event]:
        """The event of its beginning, once: when its name is known, or nothing else can become of it."""
        started, self._started = self._started, True
        return [] if started else [CallStart(self._index, self._id or None, self._name)]

    def end(self, cut: bool = False) -> list[Event]:
        """The events of its end."""
        self._over = True
        text = "".join(self._texts)
        events = self.start()
        if text or cut:
            call = read_arguments(Call(self._name, None, self._id or None, spelling=text), text)
        else:
            call = without_arguments(self._name, self._id or None)
            events.append(ArgumentsDelta(self._index, call.arguments_text))
        if cut and call.status is Status.MALFORMED:
            call = replace(call, status=Status.TRUNCATED, error="the answer was cut off inside the call")
        if not call.name:
            call = replace(call, status=Status.MALFORMED, error="the call has no name")
        return [*events, CallEnd(self._index, call)]
