"""One reading of one text, and the law that it breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from itertools import cycle

import msgspec

from toolect._detection.auto import Auto
from toolect._rendering.differences import unchanged
from toolect._rendering.roundtrip import lossy, tools_of
from toolect.authoring.laws import plain, same, untiled, untold
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message, RepairKind, Segment, same_json
from toolect.rendered import Unrepresentable


class Run(msgspec.Struct, frozen=True):
    """A text, and how it is read: `options` as for `Dialect.stream`, in chunks of these sizes, over and over."""

    dialect: str
    text: str
    options: dict[str, Json]
    sizes: tuple[int, ...]

    def chunks(self) -> Iterator[str]:
        """The text in pieces."""
        at = 0
        for size in cycle(self.sizes):
            if at >= len(self.text):
                return
            yield self.text[at : at + size]
            at += size


class Law(StrEnum):
    """What must hold of every reading of every text."""

    RAISED = "raised"
    """Nothing raises."""
    SPANS = "spans"
    """The spans of the segments tile the text, together with the markup between them."""
    STREAM = "stream"
    """A stream ends with the message of the whole text, to the last span and repair."""
    EVENTS = "events"
    """The events of a stream tell its message, and what was told is never taken back."""
    STRICT = "strict"
    """Strict mode finds clean what lenient mode reads without repairs, reads it alike, and runs nothing repaired."""
    ARGUMENTS = "arguments"
    """The arguments of a runnable call are what their JSON text says, and their words come before its end."""
    RENDERED = "rendered"
    """The runnable calls, written again, are read back as they are, whole and by the character."""


class Finding(msgspec.Struct, frozen=True):
    """A law that a run breaks, and what was read instead."""

    law: Law
    run: Run
    detail: str


def broken(dialect: Dialect | Auto, run: Run) -> Finding | None:
    """The first law that the run breaks."""
    try:
        return next((Finding(law, run, detail) for law, detail in _each(dialect, run) if detail), None)
    except Exception as error:  # whatever it is: that is the law
        return Finding(Law.RAISED, run, f"{type(error).__name__}: {error}")


def _each(dialect: Dialect | Auto, run: Run) -> Iterator[tuple[Law, str]]:
    """Every law, with what is wrong; an empty text where it holds."""
    message = dialect.parse(run.text, **run.options)
    yield Law.SPANS, untiled(message, run.text)
    yield from _streamed(dialect, run, message)
    yield Law.STRICT, _strict(dialect, run)
    for call in message.runnable:
        yield Law.ARGUMENTS, misread(call, run.text)
    if isinstance(dialect, Dialect) and message.runnable:
        yield from _rewritten(dialect, message, run)


def _streamed(dialect: Dialect | Auto, run: Run, message: Message) -> Iterator[tuple[Law, str]]:
    """The laws of the text in chunks, which is `message` as a whole."""
    stream = dialect.stream(**run.options)
    events = [event for chunk in run.chunks() for event in stream.feed(chunk)]
    events += stream.close()
    yield Law.STREAM, _difference(message, stream.message)
    yield Law.EVENTS, untold(events, stream.message)


def _difference(whole: Message, streamed: Message) -> str:
    """The first part of two messages that is not the same."""
    if plain(whole) == plain(streamed):
        return ""
    pairs = [
        (a, b)
        for a, b in zip([*whole.segments, *whole.repairs], [*streamed.segments, *streamed.repairs], strict=False)
        if plain(a) != plain(b)
    ]
    one, other = pairs[0] if pairs else (whole, streamed)
    return f"whole {one}, streamed {other}"


def _strict(dialect: Dialect | Auto, run: Run) -> str:
    """How strict mode and lenient mode disagree."""
    strict, lenient = (dialect.parse(run.text, **{**run.options, "mode": mode}) for mode in ("strict", "lenient"))
    if strict.clean != lenient.clean:
        return f"strict clean is {strict.clean}: {strict}, lenient {lenient}"
    if any(call.runnable and call.repairs for call in strict.calls):
        return f"repaired in strict mode: {strict}"
    return f"strict {strict}, lenient {lenient}" if strict.clean and not same(strict, lenient) else ""


def misread(call: Call, text: str) -> str:
    """What of the arguments is not in `text` up to the end of a runnable call.

    Its own text is too little: of several calls in one broken value, the first has all of that.
    """
    try:
        said = json.loads(call.arguments_text)
    except ValueError as error:
        return f"{call.arguments_text!r} is no JSON: {error}"
    if not isinstance(said, dict) or not (same_json(said, call.arguments) or _repeated(call)):
        return f"the text says {said!r}, the call {call.arguments!r}"
    before = text[: call.span[1] if call.span else len(text)]
    if "\\" in before or "&" in before or "%" in before:  # escapes
        return ""
    for value in _texts(call.arguments):
        if not _within(filter(str.isalnum, value), before):
            return f"{value!r} is not in {before!r}"
    return ""


def _repeated(call: Call) -> bool:
    """True when the text has a key twice: which value counts is a policy."""
    return any(repair.kind is RepairKind.DUPLICATE_KEY for repair in call.repairs)


def _texts(value: Json) -> Iterator[str]:
    """The strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _within(signs: Iterator[str], text: str) -> bool:
    """True when these characters come in `text` in this order."""
    rest = iter(text)
    return all(sign in rest for sign in signs)


def _rewritten(dialect: Dialect, message: Message, run: Run) -> Iterator[tuple[Law, str]]:
    """The laws of what may be run, written again: with its content where that can be carried."""
    runnable: list[Segment] = [s for s in message.segments if not isinstance(s, Call) or s.runnable]
    for segments in (runnable, message.runnable):
        again = Message(segments)
        tools = run.options.get("tools") or tools_of(again)
        try:
            text = str(dialect.render(again, tools))
        except Unrepresentable:
            continue
        back = dialect.parse(text, tools)
        if not unchanged(again, back, lossy(dialect.spec)):
            yield Law.RENDERED, f"{text!r} is read as {back}"
        for _, detail in _streamed(dialect, Run(run.dialect, text, {"tools": tools}, (1,)), back):
            yield Law.RENDERED, detail and f"{text!r}: {detail}"
        return
