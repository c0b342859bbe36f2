"""The message so far: its segments, the call that is open, and the events of what is new."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from toolect._building.doubts import doubt, misfits
from toolect._building.inner_calls import NEVER
from toolect._building.open_call import OpenCall, note
from toolect._events import MAX_DELTA, ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Reasoning, Repair, RepairKind, Segment, Span, dumps
from toolect._salvage import MAX_TEXT, without_loss
from toolect._shapes.elsewhere import only_call
from toolect._spec.model import Role, Spec
from toolect._spec.policies import Policies
from toolect._values.fitting import Fitting, placed
from toolect._values.toolset import ToolSchemas

_RAW = 128
"""Characters of a call that are looked at for how it begins."""
_SENTENCE = re.compile(r"[^\W\d_a-z][^{}\[\]<>()=_]* [^{}\[\]<>()=_]*[.!?:。！？…]\Z").match
"""Matches a sentence: that is no attempt at a call. Instead of one, a model may say what it does."""
MAX_SALVAGED = 2 * MAX_TEXT
"""Characters of malformed calls of one answer that json-repair is given. Beyond it: they stay malformed."""


def without(raw: str, markers: Collection[str]) -> str | None:
    """The text between the markers with which the text of a call begins and ends; None where one is missing."""
    text, opened, closed = raw.strip(), False, False
    while opener := next((one for one in markers if text.startswith(one)), ""):
        text, opened = text[len(opener) :].lstrip(), True
    while closer := next((one for one in markers if text.endswith(one)), ""):
        text, closed = text[: -len(closer)].rstrip(), True
    return text if opened and closed else None


class Draft:
    """Draft of one answer: the message so far, and its events. `events` is None where nobody listens."""

    __slots__ = (
        "raw", "markers", "segments", "repairs", "ahead", "events", "call", "ruled", "count", "attempts", "last_end",
        "last_name",
        "passed", "tools", "torn", "_strict",
        "_tagged", "_no_call", "_known", "_repeated", "_good_only", "_salvages", "_salvage_left", "_coded", "_fits",
        "_aside", "_says_aside",
    )  # fmt: skip

    raw: Callable[[int, int], str]
    markers: Callable[[], Collection[str]]

    def __init__(self, tools: ToolSchemas, spec: Spec, policies: Policies, streaming: bool, strict: bool) -> None:
        self.segments: list[Segment] = []
        self.repairs: list[Repair] = []  # those outside of calls
        self.passed = 0  # how many of them there were when an attempt became content
        self.events: list[Event] | None = [] if streaming else None
        self.call: OpenCall | None = None
        self.ahead = 0  # characters of the open text that were passed on before they are read
        self.ruled = False  # a call rule is open: it, not the JSON value, ends the call
        self.count = 0  # calls reported
        self.attempts = 0  # calls ended, whatever became of them
        self.last_end = 0  # where the last call ended
        self.last_name = ""  # what the last call called
        self.torn = NEVER, NEVER  # where the first call broke off in the middle; the number of the one after it
        self._strict = strict
        self.tools = tools
        self._salvage_left = MAX_SALVAGED
        self.obey(spec, policies)

    def obey(self, spec: Spec, policies: Policies) -> None:
        """Set the dialect and the policies for the rest of the answer."""
        self._tagged = spec.tagged  # the name of a call is that of a tag around it
        self._no_call = spec.no_call
        self._aside = spec.aside if policies.aside_calls != "run" else ()
        self._known = self.tools if policies.unknown_tool == "content" and self.tools else None
        self._coded = spec.code != ""  # calls are code: one of something that is no tool is reported
        self._repeated = policies.repeated_keys
        self._good_only = policies.malformed == "content"
        self._says_aside = bool(self._aside) and policies.aside_calls == "content"
        self._salvages = policies.malformed == "salvage" and not self._strict
        self._fits = policies.coercion == "spec" and bool(self.tools)

    @property
    def passed_on(self) -> int:
        """The character up to which segments have been passed on."""
        span = self.segments[-1].span if self.segments else None
        return self.last_end if span is None else max(self.last_end, span[1])

    def note(self, kind: RepairKind, at: int, detail: str) -> None:
        """A repair was made at character `at`."""
        note(self.repairs if self.call is None else self.call.repairs, kind, at, detail)

    def say(self, role: Role, text: str) -> None:
        """The event of more content or reasoning."""
        events = self.events
        if events is None or self.ahead and not (text := self._new(text)):
            return
        kind = ContentDelta if role is Role.CONTENT else ReasoningDelta
        last = events[-1] if events else None
        if type(last) is kind and len(last.text) < MAX_DELTA:
            events[-1] = kind(last.text + text)
        else:
            events.append(kind(text))

    def add(self, role: Role, text: str, span: Span) -> None:
        """The segment of content or reasoning."""
        self.segments.append(Content(text, span) if role is Role.CONTENT else Reasoning(text, span))

    # The open call

    def begin_call(self, start: int) -> OpenCall:
        """A call begins at character `start`, or where what was passed on before it ends."""
        self.call = OpenCall(max(start, self.passed_on))
        return self.call

    def start_call(self, call: OpenCall) -> None:
        """The name is known: report it, unless the call may yet turn out to be content, or to have other arguments."""
        if not call.name or self.says_no or call.index >= 0 or self._good_only or self._salvages:
            return
        if self._says_aside:
            return
        if self._tagged and call.name not in self.tools:  # it may be a tag around a call
            return
        if self._known is None or call.name in self._known:
            self._report(call)

    @property
    def plain(self) -> bool:
        """True when what comes of the open call can be taken as it is: nothing but keys and values have come."""
        call = self.call
        return (
            call is not None
            and self.ruled
            and call.error is None
            and not (call.whole or call.repeated or call.list_key is not None or call.nameless and call.key is None)
        )

    @property
    def says_no(self) -> bool:
        """True when the name of the open call says that no call is made."""
        return self.call is not None and self.call.name in self._no_call

    def _report(self, call: OpenCall) -> None:
        """The events of the name, and of whatever arguments came before it."""
        call.index = self.count
        self.count += 1
        self._name_tool(call)
        if self.events is not None:
            self.events.append(CallStart(call.index, call.id, call.tool))
            if self._fits and call is self.call and self.tools.of(call.name).node:
                call.fitting = Fitting(self.tools.of(call.name))
            text = call.text if call.fitted is None else call.fitted
            self._pass_on(call, text if call.fitting is None else call.fitting.feed(text))

    def _name_tool(self, call: OpenCall) -> None:
        """Find out which tool the name stands for."""
        if not call.tool:
            call.tool = self.tools.called(call.name)
            if call.tool != call.name:
                call.note(RepairKind.TOOL_NAME, call.start, call.name)

    def _pass_on(self, call: OpenCall, text: str) -> None:
        """The event of more of the arguments' JSON text, where the call is reported."""
        events = self.events
        if events is None or call.index < 0 or not text:
            return
        last = events[-1] if events else None
        if type(last) is ArgumentsDelta and last.index == call.index and len(last.text) < MAX_DELTA:
            events[-1] = ArgumentsDelta(call.index, last.text + text)
        else:
            events.append(ArgumentsDelta(call.index, text))

    def write(self, text: str) -> None:
        """More of the arguments' JSON text: kept, and passed on once the call is reported."""
        call = self.call
        if call is None or not text or call.repeated:
            return
        call.written.append(text)
        if self.ahead and not (text := self._new(text)):
            return
        self._pass_on(call, text if call.fitting is None else call.fitting.feed(text))

    @property
    def streams(self) -> bool:
        """True when the arguments of the open call are passed on as they come."""
        call, listens = self.call, self.events is not None and self.torn[1] == NEVER
        return listens and call is not None and call.index >= 0 and not call.repeated

    def emit_content(self, text: str) -> list[Event]:
        """Pass on content before it is read."""
        self.ahead += len(text)
        return [ContentDelta(text)]

    def emit_reasoning(self, text: str) -> list[Event]:
        """Pass on reasoning before it is read."""
        self.ahead += len(text)
        return [ReasoningDelta(text)]

    def emit_value(self, text: str) -> list[Event]:
        """Pass on more of a value that is a string before it is read."""
        return self.emit_arguments(dumps(text)[1:-1])

    def emit_arguments(self, text: str) -> list[Event]:
        """Pass on more of the arguments' JSON text before it is read."""
        call = self.call
        assert call is not None
        self.ahead += len(text)
        text = text if call.fitting is None else call.fitting.feed(text)
        return [ArgumentsDelta(call.index, text)] if text else []

    def _new(self, text: str) -> str:
        """The part of a text that was not passed on before."""
        old = min(len(text), self.ahead)
        self.ahead -= old
        return text[old:]

    def places(self, name: str, value: Json) -> bool:
        """True when `value`, which stands where all arguments should, is the only one that the tool `name` takes.

        Or it is the call itself, alone in a tag.
        """
        if self._tagged and name not in self.tools and only_call(value, self.tools) is not None:
            return True
        return self._fits and placed(self.tools.of(name), value, "") is not None

    @property
    def takes_some(self) -> bool:
        """True unless the open call is one of a declared tool that has no parameters."""
        call = self.call
        return call is None or call.name not in self.tools or bool(self.tools.of(call.name).names)

    @property
    def needs_some(self) -> bool:
        """True when the open call is one of a declared tool that requires a parameter."""
        return self.call is not None and bool(self.tools.of(self.call.name).lacks(()))

    def open_argument(self, call: OpenCall, key: str, at: int) -> None:
        """The argument `key`, written at character `at`, begins."""
        call.key = key
        call.repeated = self._repeated in ("first", "malformed") and key in call.keys
        if call.repeated and self._repeated == "malformed":
            call.fail(f"the argument {key!r} came twice - at {at}")
        elif call.repeated:
            call.note(RepairKind.DUPLICATE_KEY, at, "the first value counts")

    def write_key(self, call: OpenCall) -> None:
        """Write the JSON text before the value of the open argument."""
        if call.key is not None:
            self.write(("{" if not call.entries else ", ") + dumps(call.key) + ": ")

    def extend(self, call: OpenCall, value: list[Json]) -> None:
        """More of the list that is the open argument: it may come in several elements, one after the other."""
        if call.list_key != call.key:
            self.end_list(call)
            call.list_key, call.list = call.key, []
        call.list += value

    def end_list(self, call: OpenCall) -> None:
        """The list that came last has no more elements."""
        if call.list_key is not None:
            key, call.key, call.list_key = call.key, call.list_key, None
            self.argument(call, call.list)
            call.key = key

    def argument(self, call: OpenCall, value: Json) -> None:
        """The value of the open argument, in one piece."""
        self.end_list(call)
        self.write_key(call)
        self.write(dumps(value))
        call.give(call.key or "", value)

    # Its end

    def end_call(self, end: int) -> None:
        """The open call, if there is one, ends at character `end`."""
        call = self.call
        if call is None:
            return
        sound = call.sound
        self._end_call(call, end)
        read = call.start < self.last_end  # else nothing was
        if self.torn[0] == NEVER and read and not (sound and call.surely_over(end)):
            self.torn = end, call.index if (sound or call.sound) and call.index >= 0 else self.count

    def pass_over(self, at: int) -> None:
        """Note that a possible opener at character `at` is text: what comes next may stand inside a value."""
        if self.call is not None:
            self.call.passed = True
        elif self.torn[0] == NEVER:
            self.torn = at, self.count

    def _end_call(self, call: OpenCall, end: int) -> None:
        if end < call.start:  # nothing was read of it
            call.start = end = max(end, self.passed_on)
        self.end_list(call)
        self.last_end = end
        self.attempts += 1
        self.last_name = call.name
        call.repeated = False
        if not call.name and call.id and call.sound and (tool := self.tools.only_fit(call.arguments)):
            call.name = tool
            call.note(RepairKind.TOOL_NAME, call.start, call.id)
        if self._tagged and call.name not in self.tools and (inner := only_call(call.arguments, self.tools)):
            call.note(RepairKind.WRAPPED, call.start, call.name)
            call.name, call.fitting, call.entries = inner[0], None, []
            call.written = [dumps(inner[1])]
            call.take(inner[1])
        if aside := self._is_aside(call, end):
            call.fail(f"a call behind `{aside}`, which is no place for one - at {call.start}")
        call.settle(end)
        if self._salvages and not aside and call.error is not None and not call.truncated:
            self._salvage(call, end)
        doubt(call, self.tools)
        if call.sound and not call.whole:
            self.write("}" if call.entries else "{}")
        self._name_tool(call)
        if self._fits:
            self._pass_on(call, call.fit(self.tools.of(call.name)))
        misfits(call, self.tools, self._fits, self.raw(call.start, min(end, call.start + _RAW)))
        self.call = None
        done = call.result(end, self.raw(call.start, end), self._strict)
        if call.name in self._no_call:
            later = self._take_later(end)
            for repair in call.repairs:
                note(self.repairs, repair.kind, repair.at, repair.detail)
            self.repairs += later
            if call.sound and not done.arguments:
                return  # it has nothing else to say
            self._as_content(done, (call.start, end))
            return
        named = call.name and not (self.tools.declared and call.tool not in self.tools)
        if call.error and not named and call.index < 0 and not (call.whole or call.entries):
            text = without(done.raw, self.markers())
            if text is not None and _SENTENCE(text) is not None and self.tools.names.search(text) is None:
                self._envelope(done.raw, text, call.start)
                return
        unknown = self._known is not None and done.name not in self._known
        if unknown or aside and self._says_aside or self._good_only and not done.runnable:
            if not unknown:
                later = self._take_later(end)
                self.repairs += call.repairs
                self.passed = len(self.repairs)
                self.repairs += later
            if self._coded and done.name not in self.tools:
                self.note(RepairKind.UNKNOWN_TOOL, call.start, done.name)
            self._as_content(done, (call.start, end))
            return
        if call.index < 0:
            self._report(call)
        self.segments.append(done)
        if self.events is not None:
            self.events.append(CallEnd(call.index, done))

    def _is_aside(self, call: OpenCall, end: int) -> str | None:
        """The marker before the arguments of a call, which ends at character `end`, that says it is to be none."""
        if not self._aside:
            return None
        head = self.raw(call.start, min(end, call.start + _RAW)).partition("{")[0]
        return next((marker for marker in self._aside if marker in head), None)

    def _salvage(self, call: OpenCall, end: int) -> None:
        """Let the malformed `call`, which ends at character `end`, have the arguments that json-repair makes of it.

        It stays what it is where these are not sure to be all of them, or where its tool is not known.
        """
        tool, size = self.tools.called(call.name), end - call.start
        unsure = not call.name or call.contrary or call.strange or self.tools.declared and tool not in self.tools
        if unsure or size > self._salvage_left:
            return
        self._salvage_left -= size
        found = without_loss(call.text, self.raw(call.start, end))
        if found is None or self.tools.of(tool).lacks(found):
            return
        call.note(RepairKind.SALVAGED, call.start, call.error or "")
        call.error, call.list_key, call.written = None, None, [dumps(found)]
        call.take(found)

    def _take_later(self, end: int) -> list[Repair]:
        """Take away the repairs after character `end`: the text there may be looked at before the call ends."""
        at = len(self.repairs)
        while at and self.repairs[at - 1].at >= end:
            at -= 1
        later = self.repairs[at:]
        del self.repairs[at:]
        return later

    def _as_content(self, done: Call, span: Span) -> None:
        """Make content of a text that looked like a call, with the blanks between it and the text before."""
        text, before = done.raw, self.segments[-1] if self.segments else None
        if text and isinstance(before, Content) and before.span is not None:
            blanks = self.raw(before.span[1], span[0])
            if blanks.isspace():
                text, span = blanks + text, (before.span[1], span[1])
        if text:
            self.add(Role.CONTENT, text, span)
            self.say(Role.CONTENT, text)

    def _envelope(self, raw: str, inner: str, at: int) -> None:
        """The markers of a call, from character `at` on, stand around no call: what they hold is text."""
        self.note(RepairKind.STRAY_MARKER, at, raw.partition(inner)[0].strip())
        start = at + raw.index(inner)
        self.add(Role.CONTENT, inner, (start, start + len(inner)))
        self.say(Role.CONTENT, inner)

    def truncate(self, end: int) -> None:
        """The input ended inside the open call, if there is one."""
        if self.call is not None:
            self.call.cut()
            self.end_call(end)

    def attempt(self, start: int, end: int, why: str) -> None:
        """Characters `start:end` were an attempt at a call without one in it."""
        call = self.begin_call(start)
        call.fail(f"{why} - at {call.start}")
        self.end_call(end)
