"""Answer reading: what an upstream's chunks say, as events of each choice, and how each of them finished."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from toolect._chat_completion import Ids, truncated
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._events import CallEnd, ContentDelta, Event
from toolect._exchange.definitions import SCHEMAS
from toolect._exchange.sent_calls import EventReader, Finish, finish_reason
from toolect._message import Call, Content, Json, Message, MessageError, Status
from toolect._spec.policies import ReadingPolicies
from toolect._validation import CallValidator
from toolect.openai.chunk_reader import ChunkReader, MessageAccumulator
from toolect.serve.api_errors import RequestError
from toolect.serve.api_requests import ModelRequest
from toolect.serve.text_prompts import chat_logprobs

NOBODY = [{"name": "\0"}]
"""Tools of which no model calls any: what looks like a call is content."""
PIECE = 1024
"""Characters that are read at a time: the worst take a twentieth of a second."""
_NATIVE = 1 << 20
"""First number of an upstream's own calls: those that are read from text are counted from 0."""
_CHUNK = frozenset(("id", "object", "created", "model", "choices", "usage", "error"))
_CHOICE = frozenset(("index", "delta", "message", "text", "finish_reason", "logprobs", "stop_reason"))
_DELTA = frozenset(
    ("role", "content", "reasoning_content", "reasoning", "thinking", "tool_calls", "function_call", "refusal")
)
_WITH_NUMBER = re.compile(r"(.*?)(\d{1,9})")


class ServedIds(Ids):
    """Ids that no earlier call of the conversation has: the wire's, counted on if need be, or those of the family."""

    def __init__(self, calls: Sequence[Call], dialect: Dialect | None, mint: Callable[[], str]) -> None:
        form = dialect.spec.ids if dialect else None
        if form is not None:
            numbers = itertools.count(form.first + len(calls))
            mint = lambda: form.form.replace("{index}", str(next(numbers)).zfill(form.digits))  # noqa: E731
        super().__init__([call.id for call in calls if call.id], mint)

    def give(self, wire: str | None) -> str:
        """`wire`, with the next number at its end that no earlier call has; or a new one."""
        found = _WITH_NUMBER.fullmatch(wire or "")
        if found is not None:
            number = int(found[2])
            while wire in self._given:
                number += 1
                wire = f"{found[1]}{str(number).zfill(len(found[2]))}"
        return super().give(wire)


class CallRules:
    """Rules of a client for the calls of a choice: any, one, or none; calls that break a rule must not be executed."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        functions = [tool["function"] for tool in request.tools]
        schemas: dict[str, Json] = {
            one["name"]: next((one[key] for key in SCHEMAS if one.get(key)), {}) for one in functions
        }
        self._validator = CallValidator(schemas) if request.validate != "off" else None
        self.runnable = 0
        self.ended: list[Call] = []
        self.violations: list[Json] = []
        """Violations in the arguments of the calls that are passed on."""

    def judged(self, call: Call) -> Call:
        """A call, malformed where its client does not want it."""
        if call.runnable:
            why = ""
            if unwanted := self._request.no_calls:
                why = f"the request asks for no calls: {unwanted}"
            elif self.runnable and not self._request.parallel:
                why = "the request asks for one call at most: `parallel_tool_calls` is false"
            elif self._request.named not in (None, call.name):
                why = f"the request asks for a call of `{self._request.named}`"
            if why:
                call = replace(call, status=Status.MALFORMED, error=why)
            elif self._validator is not None:
                held = self._validator(call)
                if self._request.validate == "refuse":
                    call = held
                elif held.violations:
                    found = [str(violation) for violation in held.violations]
                    self.violations.append({"index": self.runnable, "name": call.name, "violations": found})
        self.runnable += call.runnable
        self.ended.append(call)
        return call


class ChoiceReading:
    """One choice of an answer."""

    def __init__(self, request: ModelRequest, reader: EventReader, opening: str, most: int) -> None:
        self.rules = CallRules(request)
        self.finish: str | None = None
        self.stop_sequence: str | None = None
        self.length = 0
        """Characters so far."""
        self._request, self._reader, self._native = request, reader, ChunkReader(request.tools)
        self._most = most
        self._before = reader.feed(opening) if opening else []
        self.said, self.extras = MessageAccumulator(), dict[str, Json]()
        """Message and extra fields so far, of an answer that does not stream."""

    def take(self, choice: dict[str, Any]) -> Iterator[list[Event]]:
        """The events of a chunk's choice, those of a long text piece by piece. Raises RequestError for nonsense."""
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish = {"function_call": "tool_calls", "eos": "stop"}.get(reason, reason)
        met = choice.get("stop_reason")
        if isinstance(met, str) and met in (self._request.options.get("stop") or ()):
            self.stop_sequence = met
        text, found = choice.get("text"), list[Event]()
        if isinstance(text, str):
            found = [ContentDelta(text)]
        elif text is not None:
            raise RequestError(502, f"expected text of the upstream, got {type(text).__name__}")
        elif "delta" in choice or "message" in choice:
            try:
                found = self._native.feed_choice(choice)
            except MessageError as error:
                raise RequestError(502, f"the upstream's answer makes no sense: {error}") from None
        events, self._before = self._before, []
        for event in found:
            if type(event) is not ContentDelta:
                self.length += len(getattr(event, "text", ""))
                events.append(self._apart(event))
                continue
            for at in range(0, len(event.text), PIECE):
                if at:
                    yield self._judged(events)
                    events = []
                piece = event.text[at : at + PIECE]
                self.length += len(piece)
                events += self._reader.feed(piece)
        yield self._judged(events)

    def keep(self, events: Iterable[Event], extras: dict[str, Json]) -> None:
        """Add events and extra fields to the answer so far."""
        for event in events:
            self.said.add(event)
        self.extras = merged(self.extras, extras)

    def close(self) -> list[Event]:
        """The events of the end."""
        events, self._before = self._before, []
        events += self._reader.close()
        events += map(self._apart, self._native.close())
        return self._judged(events)

    def _judged(self, events: list[Event]) -> list[Event]:
        for at, event in enumerate(events):
            if type(event) is CallEnd:
                events[at] = CallEnd(event.index, self.rules.judged(event.call))
        return events

    def _apart(self, event: Event) -> Event:
        """An event whose call has a number that none from the text has; one that is too long is cut off."""
        if type(event) is CallEnd and self.length > self._most:
            event = CallEnd(event.index, truncated(event.call, event.call.arguments_text[: self._most]))
        return replace(event, index=event.index + _NATIVE) if hasattr(event, "index") else event


def merged(kept: dict[str, Json], more: dict[str, Json]) -> dict[str, Json]:
    """Extras together; lists of log probabilities follow one another."""
    found = {key: {**kept.get(key, {}), **more.get(key, {})} for key in kept.keys() | more.keys()}
    parts = [one.get("choice", {}).get("logprobs") for one in (kept, more)]
    lists = [one["content"] for one in parts if isinstance(one, dict) and isinstance(one.get("content"), list)]
    if len(lists) == 2:
        found["choice"]["logprobs"] = {**parts[1], "content": [*lists[0], *lists[1]]}
    return found


class PlainReader:
    """Reader of text as content, without a look for calls."""

    def feed(self, chunk: str) -> list[Event]:
        """The text as content."""
        return [ContentDelta(chunk)]

    def close(self) -> list[Event]:
        """Nothing."""
        return []


class AnswerReading:
    """An upstream's answer to a request: its choices and its usage."""

    def __init__(self, request: ModelRequest, dialect: Dialect | None, prefix: str, opening: str, most: int) -> None:
        self.choices: dict[int, ChoiceReading] = {}
        self.usage: dict[str, Json] | None = None
        self.cut = False
        """True when it was too long."""
        self._request, self._dialect, self._prefix, self._opening, self._most = request, dialect, prefix, opening, most

    def check_prefill(self) -> None:
        """Raise RequestError for a beginning of the answer that is no content: what follows could not be read."""
        reader, words = self._reader(), self._request.prefill
        made = MessageAccumulator()
        for event in [*reader.feed(words), *reader.close()]:
            made.add(event)
        if made.message != Message([Content(words)] if words else []):
            why = f"expected words to go on from, got markup: {words[:80]!r} - at the last message"
            raise RequestError(400, why, param="messages")

    def take(self, chunk: dict[str, Any]) -> Iterator[tuple[int, list[Event], dict[str, Json]]]:
        """The events of each choice of a chunk, and the fields of a chunk that are passed on as they are.

        A long text comes piece by piece, so that others need not wait; too long an answer is `cut`.
        """
        usage = chunk.get("usage")
        if isinstance(usage, dict) and all(type(usage.get(f"{one}_tokens")) is int for one in ("prompt", "completion")):
            self.usage = {k: v for k, v in usage.items() if not k.endswith("_details") or isinstance(v, dict)}
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            return
        beside = {key: value for key, value in chunk.items() if key not in _CHUNK}
        for choice in choices:
            index = choice.get("index") or 0 if isinstance(choice, dict) else None
            if type(index) is not int or not 0 <= index < max(self._request.count, 1):
                raise RequestError(502, f"expected choices 0 to {self._request.count - 1} of the upstream, got others")
            extras = self._extras(choice, beside)
            for events in self._choice(index).take(choice):
                yield index, events, extras
                extras = {}
                self.cut = sum(one.length for one in self.choices.values()) > self._most
                if self.cut:
                    return

    def close(self, ended: bool) -> list[tuple[int, list[Event]]]:
        """The last events of each choice. Raises RequestError where an answer is not whole, or not what was asked for.

        `ended` says that the upstream has said so itself, in a stream; a whole answer has a finish reason.
        """
        for index in range(self._request.count):
            choice = self._choice(index) if self.cut else self.choices.get(index)
            if choice is None:
                raise RequestError(502, "the upstream ended without an answer" if not self.choices else
                                   f"expected {self._request.count} choices of the upstream, got fewer")  # fmt: skip
            if self.cut:
                choice.finish = "length"
            if choice.finish == "error" or choice.finish is None and not (ended and self._request.stream):
                raise RequestError(502, "the upstream broke off before the answer was over", code="upstream_broke_off")
        made = [(index, choice.close()) for index, choice in sorted(self.choices.items())]
        for choice in self.choices.values():
            over = finish_reason(choice.finish, ()) == "stop"
            if self._request.must_call and over and not choice.rules.runnable:
                wish = f"`{self._request.named}`" if self._request.named else "a tool"
                broken = next((f" that can be run: {call.error}" for call in choice.rules.ended), "")
                why = f"`tool_choice` asks for a call of {wish}, but the model made none{broken}"
                raise RequestError(502, why, code="tool_choice_not_kept", param="tool_choice")
        return made

    def finish(self, index: int) -> Finish:
        """Finish of a choice: the upstream's reason, usage and stop sequence, and violations of the calls."""
        choice = self.choices[index]
        violations = choice.rules.violations
        extensions = {"tool_call_violations": violations} if violations else None
        return Finish(choice.finish, self.usage, choice.stop_sequence, extensions)

    @property
    def reasons(self) -> str:
        """The finish reasons of the choices, joined by commas."""
        return ",".join(sorted({finish_reason(one.finish, one.rules.ended) for one in self.choices.values()}))

    @property
    def statuses(self) -> Counter[str]:
        """Number of call attempts of each status."""
        return Counter(str(call.status) for one in self.choices.values() for call in one.rules.ended)

    @property
    def repairs(self) -> Counter[str]:
        """Number of repairs of each kind that the calls have."""
        calls = (call for one in self.choices.values() for call in one.rules.ended)
        return Counter(str(repair.kind) for call in calls for repair in call.repairs)

    def _choice(self, index: int) -> ChoiceReading:
        choice = self.choices.get(index)
        if choice is None:
            choice = self.choices[index] = ChoiceReading(self._request, self._reader(), self._opening, self._most)
        return choice

    def _reader(self) -> EventReader:
        tools = self._request.tools
        policies: ReadingPolicies = {} if tools else {"unknown_tool": "content"}
        if self._dialect is None:
            return Auto().stream(tools=tools, unknown_tool="content") if tools else PlainReader()
        return self._dialect.stream(tools=tools or NOBODY, prefix=self._prefix, **policies)

    def _extras(self, choice: dict[str, Any], beside: dict[str, Json]) -> dict[str, Json]:
        """Fields of the upstream that are only passed on, by their place: `chunk`, `choice` and `delta`."""
        if self._request.api != "chat":
            return {}
        of_choice = {key: value for key, value in choice.items() if key not in _CHOICE}
        if choice.get("logprobs") is not None:
            of_choice["logprobs"] = chat_logprobs(choice["logprobs"])
        delta = choice.get("delta", choice.get("message"))
        of_delta = {key: value for key, value in delta.items() if key not in _DELTA} if isinstance(delta, dict) else {}
        found = {"chunk": beside, "choice": of_choice, "delta": of_delta}
        return {key: value for key, value in found.items() if value}
