"""Call assembler: the parts of calls in the deltas of a streamed chat completion, joined into whole calls.

Servers count calls wrongly, change their ids, send the name after the arguments or the same call twice. A part with a
name continues the call at its index or begins another; one without belongs to the call at its index, else to that with
its id. What belongs nowhere is the arguments of the only call that lacks some. Where that is not clear no call without
arguments runs.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from toolect._chat_completion import (
    FREE_FORM,
    arguments_in,
    opaque_of_call,
    read_arguments,
    truncated,
    without_arguments,
)
from toolect._events import ArgumentsDelta, CallEnd, CallStart, Event
from toolect._message import Call, Json, MessageError, Status, dumps
from toolect._objects import plain
from toolect._shown import cut as shortened

K = TypeVar("K")
_SIGNS = re.compile(r'\\[\s\S]?|["{}\[\]]')
"""The signs that tell where JSON ends: quotes, brackets, and a backslash with what it escapes."""
_PLACEHOLDER = re.compile(r"(?:null|\{\s{0,30}\})\s*")
_BEGINNINGS = frozenset(("", "n", "nu", "nul", "null", "{", "{}"))
"""Arguments that may be the beginning of a placeholder."""
_UNDECIDED = 32
"""Characters within which arguments may still be a placeholder."""
_BARE: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
"""Members that the schema of a tool without parameters may have; with anything else it may take some."""
_UNCLEAR = "arguments came without a name, and may be those of another call"
_WHERE = "tool_calls[].function.arguments"


class StreamedCall:
    """One call as its parts come. `twin` is a call that was whole at its place: what repeats that is no other call."""

    def __init__(self, twin: StreamedCall | None, place: int | None) -> None:
        self.id = self.name = ""
        self.number = -1
        """Its number among the calls of the answer, once it has begun."""
        self.is_over = self.is_late = False
        """True when it has ended; when its name came after its arguments."""
        self.twin, self.place = twin, place
        self.is_nameless = self.is_guessed = self.shares = False
        """True when its arguments came without a name; by a guess; when another call waited for some at its place."""
        self.opaque: dict[str, Json] | None = None
        """Opaque fields, which its provider wants back."""
        self.texts: list[str] = []
        """The arguments in their pieces, other than a placeholder."""
        self.is_garbled = self.is_free_form = self._is_doubled = self._is_cumulative = False
        """True when pieces that came twice were not all alike; when its tool is free-form; when all come twice, or each
        with those before it."""
        self._held = self.first_copy = ""
        self.pieces = self._named_at = self._passed = self._repeated = self._size = 0
        self._quoted = self._escaped = False
        self._depth = self._signs = 0

    @property
    def is_whole(self) -> bool:
        """True where the arguments are something, and end; an empty object may stand for those that come."""
        return self._signs > 2 and not self._depth and not self._quoted

    @property
    def lacks_arguments(self) -> bool:
        """True where no part had arguments."""
        return not self.texts and self._held.strip() in ("", "null")

    @property
    def text(self) -> str:
        """The arguments so far."""
        return "".join(self.texts) or ("" if self.lacks_arguments else self._held)

    def continues(self, call_id: str, name: str, text: str, is_here: bool) -> bool:
        """True where a part with a name is one of the call, `is_here` with its index; else it begins another."""
        begins, other_id = _begins(text), bool(call_id and self.id and call_id != self.id)
        if not self.name:  # an id or arguments came first
            return not (self.texts and begins or other_id)
        if name != self.name:
            is_piece = is_here and len(self.texts) == self._named_at and not self._held and not other_id
            return is_piece and bool(self.id or name.startswith(self.name))
        if not self.texts:
            is_open = self.lacks_arguments and (is_here or bool(text)) and (self.place is not None or not other_id)
            return is_here and not other_id or is_open
        return not self.is_whole and not (begins and other_id and self.place is None)

    def repeats(self, other: StreamedCall) -> bool:
        """True where this call is a copy of `other`: of one id, or the whole of what had come in pieces."""
        is_same = not (self.id and other.id) or self.id == other.id or other.pieces > 1 == self.pieces
        return is_same and self.name in ("", other.name) and _canonical(self.text) == _canonical(other.text)

    def take(self, call_id: str, name: str, text: str) -> None:
        """Add a part of this call. Raises `MessageError` for arguments after its end, unless they repeat the others."""
        self.id = self.id or call_id
        self.is_late = self.is_late or bool(name and not self.name and self.text)
        if name != self.name and (not self.name or len(self.texts) == self._named_at):
            self.name = name if name.startswith(self.name) else self.name + name
            self._named_at = len(self.texts)
        if self.is_over:
            self._check_repeated(text)
            return
        if self.is_whole and _PLACEHOLDER.fullmatch(text):
            return
        if self._is_repetition(text):  # of all that there is, with more behind it or not
            text = text.lstrip()[len(self.text) :]
        elif self._is_second_copy(text):
            return
        if not self.texts:
            text = (self._held + text).lstrip()
            while (found := _PLACEHOLDER.match(text)) and found.end() < len(text):
                text = text[found.end() :]
            self._held = text
            if len(text) <= _UNDECIDED and "".join(text.split()) in _BEGINNINGS:
                return
        if text:
            self.texts.append(text)
            self.pieces += 1
            self._size += len(text)
            self._measure(text)

    def quoted(self, text: str) -> str:
        """A piece of the text of a free-form call, as a piece of its arguments in JSON."""
        begun, self.is_free_form = self.is_free_form, True
        return ("" if begun else f'{{"{FREE_FORM}": "') + dumps(text)[1:-1]

    def _is_repetition(self, text: str) -> bool:
        """True for arguments that begin with all those before them, which a part of one object cannot."""
        if self.is_whole or len(text) < self._size or text.lstrip()[:1] != "{":
            return False
        grows = len(text := text.lstrip()) > len(had := self.text) > 0 and text.startswith(had)
        self._is_cumulative = grows or self._is_cumulative
        return grows or self._is_cumulative and text == had

    def _is_second_copy(self, text: str) -> bool:
        """True for a piece that repeats the one before it, where all do: no object begins twice."""
        if self._is_doubled:
            is_second, self.first_copy = text == self.first_copy, "" if self.first_copy else text
            self.is_garbled = self.is_garbled or not is_second and not self.first_copy
            return is_second
        before = self.texts[0] if self.pieces == 1 else "" if self.texts else self._held
        self._is_doubled = before == text.lstrip() and before.startswith("{") and not (self.is_whole or before == "{}")
        return self._is_doubled

    def _check_repeated(self, text: str) -> None:
        had = self.text
        text = text if self._repeated else text.lstrip()
        if not had.startswith(text.rstrip(), self._repeated):
            what = f"no more arguments of the call `{self.id or self.name}`, which were whole"
            raise MessageError(what, f"`{shortened(text, 40)}`", _WHERE)
        self._repeated = (self._repeated + len(text)) % max(len(had), 1)

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

    def start(self, number: int) -> CallStart:
        """The event of its beginning."""
        self.number = number
        return CallStart(number, self.id or None, self.name)

    def pass_on(self) -> list[Event]:
        """The events of the arguments that have not been passed on."""
        new, self._passed = self.texts[self._passed :], len(self.texts)
        return [ArgumentsDelta(self.number, text) for text in new]

    def end(self, was_cut: bool, doubt: str) -> list[Event]:
        """The events of its end; `doubt` says why it must not run."""
        if self.is_free_form and not was_cut:
            self.texts.append('"}')
        text = self.text
        events = self.pass_on()
        if text or was_cut or doubt:
            call = read_arguments(Call(self.name, None, self.id or None, spelling=text), text)
        else:
            call = without_arguments(self.name, self.id or None)
        if was_cut and (call.status is Status.MALFORMED or not text.strip()):
            call = truncated(call, text)
        elif error := doubt or ("" if call.name else "the call has no name"):
            call = replace(call, arguments=None, spelling=text, status=Status.MALFORMED, repairs=(), error=error)
        call = replace(call, opaque=self.opaque) if self.opaque else call
        if not self.texts and (rest := call.arguments_text):
            events.append(ArgumentsDelta(self.number, rest))
        self.is_over, self.texts = True, [text]
        return [*events, CallEnd(self.number, call)]


class CallAssembler:
    """The calls of one answer, from the items of `tool_calls` in its deltas.

    A call ends when its arguments are whole and the next one has begun, else with the answer; calls end in the order in
    which they began. `tools` are OpenAI tool objects: those that take no parameters may be called without arguments
    where all others have theirs.
    """

    def __init__(self, tools: Iterable[Mapping[str, Any]] | None = None) -> None:
        self._bare = frozenset(_bare_names(tools or ()))
        self._count = 0
        self._all: list[StreamedCall] = []
        self._unstarted: dict[StreamedCall, None] = {}
        self._started: deque[StreamedCall] = deque()
        """The calls that have begun and not ended, in their order."""
        self._at: dict[int, StreamedCall] = {}
        """The last call of each index."""
        self._of: dict[str, StreamedCall] = {}
        """The last call of each id."""
        self._is_nameless = False
        """True when arguments came in a part without a name."""
        self._last: StreamedCall | None = None
        self._keys: set[tuple[str, str, str]] = set()
        """Ids, names and arguments of the first `_keyed` calls, which a whole message may repeat."""
        self._keyed = 0

    def part(self, part: Mapping[str, Any]) -> list[Event]:
        """The events of one item of a delta's `tool_calls`. Raises `MessageError`."""
        custom = part.get("custom")
        function = part.get("function") if custom is None else custom
        function = part if function is None else typed(function, dict, "tool_calls[].function")
        call_id = _word(part.get("id"), "tool_calls[].id")
        name = _word(function.get("name"), "tool_calls[].function.name")
        text = arguments_in(function) if custom is None else function.get(FREE_FORM)
        text = text if isinstance(text, str) else "" if text in (None, []) else dumps(plain(text, _WHERE))
        place = part.get("index")
        place = int(place) if isinstance(place, str) and place.isdecimal() and len(place) < 10 else place
        place = place if type(place) is int else None
        call, twin = self._find(place, call_id, name, text)
        opaque = opaque_of_call(part, part.get("function"), "tool_calls[]")
        events: list[Event] = []
        if call is None:
            call = StreamedCall(twin, place)
            before = self._at.get(place) if place is not None else None
            call.shares = before is not None and before.lacks_arguments
            last = self._last if place is None else None  # without an index, this may be a piece of that
            call.is_garbled = last is not None and last.name == name and bool(last.texts) and not last.is_whole
            events = self._begin(call)
        if not name and text.strip() not in ("", "{}", "null"):
            self._is_nameless = call.is_nameless = True
            is_found = call_id in self._of or place in self._at
            call.is_guessed = call.is_guessed or call.shares or not is_found
        if place is not None:
            self._at[place] = call
        if call_id and (name or call_id not in self._of):
            self._of[call_id] = call
        self._last = call
        call.opaque = opaque or call.opaque
        call.take(call_id, name, text if custom is None else call.quoted(typed(text, str, _WHERE)))
        if call.twin and call.is_whole and not call.repeats(call.twin):
            call.twin = None
        if call.texts and call.name and not (call.twin or call.is_late or call.is_over):
            events += self._start(call)
        return events

    def _find(
        self, place: int | None, call_id: str, name: str, text: str
    ) -> tuple[StreamedCall | None, StreamedCall | None]:
        """The call that a part belongs to; else none, and the one that it may repeat."""
        here = self._at.get(place) if place is not None else None
        same = self._of.get(call_id) if call_id else None
        if not name and here and same and here.id != call_id:  # several calls had this index
            here = same
        last = self._last
        is_rest = not name and text.strip() not in ("", "null") and text.lstrip()[0] != "{"
        goes_on = is_rest and last is not None and last.texts and not last.is_whole
        call = here or same or (last if place is None or goes_on else None)
        if call is None:
            return None, None
        if not name:
            begins = text.lstrip().startswith("{") if call.is_late else call.is_whole and _begins(text)
            begins = begins and text != call.first_copy  # the second of two copies
            is_another = begins and not call.is_over
            return (None, call) if is_another else (call, None)
        if not call.name and call.twin and not call.twin.is_late and call.is_whole and call.repeats(call.twin):
            del self._unstarted[call]
            call = call.twin
        if not call.is_over and call.continues(call_id, name, text, call is here or place is None):
            return call, None
        return None, next((one for one in (here, same) if one and one.name == name and one.is_whole), None)

    def _begin(self, call: StreamedCall) -> list[Event]:
        """The events of the calls before one that begins."""
        events: list[Event] = []
        last = next(reversed(self._unstarted), None)
        if last is not None and last.name and not (last.twin and last.is_whole):
            last.twin = None
            events += self._start(last)
        while self._started and self._started[0].is_whole and not self._started[0].is_late:
            events += self._started.popleft().end(False, "")
        self._all.append(call)
        self._unstarted[call] = None
        return events

    def _start(self, call: StreamedCall) -> list[Event]:
        """The event of a call's beginning, once, and its arguments so far."""
        if call.number >= 0:
            return call.pass_on()
        del self._unstarted[call]
        self._started.append(call)
        self._count += 1
        return [call.start(self._count - 1), *call.pass_on()]

    def _without_copies(self, calls: Iterable[StreamedCall]) -> Iterator[StreamedCall]:
        """Those of the calls, which have not begun, that are no copies of another one of the same id."""
        known = {(call.id, call.name, _canonical(call.text)) for call in self._all if call.number >= 0}
        for call in calls:
            key = call.id, call.name, _canonical(call.text)
            if not call.texts or not call.id or key not in known:
                known.add(key)
                yield call

    def whole(self, call: Call) -> list[Event]:
        """The events of a call that arrives whole; one that was streamed before is no other."""
        events = self.close()
        for known in self._all[self._keyed :]:
            key = known.name, _canonical(known.text)
            self._keys |= {("", *key), (known.id, *key)}
        self._keyed = len(self._all)
        if (call.id or "", call.name, _canonical(call.arguments_text)) in self._keys:
            return events
        index, text = self._count, call.arguments_text
        self._count += 1
        deltas = [ArgumentsDelta(index, text)] if text else []
        return [*events, CallStart(index, call.id, call.name), *deltas, CallEnd(index, call)]

    def close(self, was_cut: bool = False) -> list[Event]:
        """The ends of the calls that are open; `was_cut` when the answer was too long."""
        rest = [call for call in self._unstarted if call.name or call.text or call.id]
        rest = [call for call in rest if not (call.twin and call.repeats(call.twin))]
        rest = [*self._without_copies(rest)]
        orphans = [call for call in rest if not call.name and call.text]
        named = [call for call in (*self._started, *rest) if call.name]
        if len(orphans) == len(named) == 1 and not named[0].texts and named[0].name not in self._bare:
            named[0].texts = orphans[0].texts
            rest.remove(orphans.pop())
        given = {call.name for call in self._all if call.texts and call.text}
        # A name that came again, without arguments, with the id or at the index of a call that has some, is no other.
        full = {
            (one.name, key)
            for one in self._all
            if one.texts and one.text
            for key in (one.id, one.place)
            if key not in ("", None)
        }
        again = {one for one in named if not one.texts and one.name not in self._bare}
        again = {one for one in again if (one.name, one.id) in full or (one.name, one.place) in full}
        rest = [one for one in rest if one not in again or (one.name, one.id) not in full]
        lacking = [call for call in named if call.lacks_arguments and call.name not in self._bare]
        lost = bool(lacking) and (self._is_nameless or any(call.name in given for call in lacking))
        events: list[Event] = []
        for call in rest:
            events += self._start(call)
        for call in self._started:
            if call.texts:
                is_unclear = call.is_garbled or bool(orphans) and call.is_nameless or lost and call.is_guessed
            else:
                is_unclear = (
                    bool(orphans) or call in again or call.lacks_arguments and lost and call.name not in self._bare
                )
            events += call.end(was_cut, _UNCLEAR if is_unclear else "")
        self._started.clear()
        self._unstarted.clear()
        return events


def typed(value: Any, kind: type[K], where: str) -> K:
    """`value`, where it is of the kind that a server gives there. Raises `MessageError`."""
    if not isinstance(value, kind):
        raise MessageError(kind.__name__.lower(), type(value).__name__, where)
    return value


def _word(value: Any, where: str) -> str:
    """A name or an id; nothing where a server writes its null as a text."""
    word = typed(value or "", str, where)
    return "" if word in ("null", "None") else word


def _begins(text: str) -> bool:
    """True for the beginning of arguments that are something."""
    return text.lstrip().startswith("{") and not _PLACEHOLDER.fullmatch(text.strip())


def _canonical(text: str) -> str:
    """Arguments as they compare: JSON without its spacing, other text as it is."""
    try:
        return dumps(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _bare_names(tools: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The names of the tools that take no parameters."""
    for tool in tools:
        function = tool.get("function", tool)
        parameters = function.get("parameters") if isinstance(function, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        bare = isinstance(parameters, Mapping) and "type" in parameters and "properties" in parameters
        if parameters is None or bare and parameters.items() <= _BARE.items():
            yield str(function.get("name", ""))
