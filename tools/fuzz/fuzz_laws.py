"""One reading of one text, and the law that it breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from itertools import cycle

import msgspec

from toolect._authoring.laws import plain, same
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._message import Call, Json, Message, RepairKind, Segment, dumps, same_json
from toolect._rendered import RenderError
from toolect._rendering.differences import unchanged
from toolect._rendering.roundtrip import lossy, tools_of
from tools.fuzz.drawn_specs import DRAWN, drawn_files
from tools.reading_laws import event_violation, span_violation


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
    """Law that holds of every reading of every text."""

    RAISED = "raised"
    """Nothing raises."""
    SPANS = "spans"
    """The spans of the segments tile the text, together with the markup between them."""
    STREAM = "stream"
    """A stream ends with the message of the whole text, to the last span and repair."""
    EVENTS = "events"
    """The events of a stream say its message, what was sent is never taken back, and what waits ends what has come."""
    STRICT = "strict"
    """Strict mode finds clean what lenient mode reads without repairs, reads it alike, and runs nothing repaired."""
    ARGUMENTS = "arguments"
    """The arguments of a runnable call are what their JSON text says, and their words come before its end."""
    SERIAL = "serial"
    """A message can be written as JSON and read again, as it is and as an assistant message of the chat API."""
    RENDERED = "rendered"
    """The runnable calls, written again, are read back as they are, whole and by the character; and written alike."""


class Finding(msgspec.Struct, frozen=True):
    """A law that a run breaks, and what was read instead."""

    law: Law
    run: Run
    detail: str


def shown(finding: Finding) -> str:
    """A finding as data."""
    run = finding.run
    how = [*(f"{key}={value!r}" for key, value in run.options.items()), f"sizes={run.sizes}"]
    files = "\n".join(drawn_files(run.dialect)) if run.dialect.startswith(DRAWN) else ""
    return f"{finding.law} {run.dialect} {run.text!r}\n    {', '.join(how)}\n    {finding.detail}\n{files}".rstrip()


def broken(dialect: Dialect | Auto, run: Run, written: set[str] | None = None) -> Finding | None:
    """The first law that the run breaks; calls are not written again that are among the `written`, and held."""
    try:
        laws = _each(dialect, run, set() if written is None else written)
        return next((Finding(law, run, detail) for law, detail in laws if detail), None)
    except Exception as error:  # whatever it is: that is the law
        return Finding(Law.RAISED, run, f"{type(error).__name__}: {error}")


def _each(dialect: Dialect | Auto, run: Run, written: set[str]) -> Iterator[tuple[Law, str]]:
    """Every law, with what is wrong; an empty text where it holds."""
    message = dialect.parse(run.text, **run.options)
    yield Law.SPANS, span_violation(message, run.text)
    yield from _streamed(dialect, run, message)
    yield Law.STRICT, _strict(dialect, run, message)
    for call in message.runnable:
        yield Law.ARGUMENTS, misread(call, run.text)
    yield Law.SERIAL, _unlike(message)
    if isinstance(dialect, Dialect) and message.runnable:
        yield from _rewritten(dialect, message, run, written)


def _streamed(dialect: Dialect | Auto, run: Run, message: Message) -> Iterator[tuple[Law, str]]:
    """The laws of the text in chunks, which is `message` as a whole."""
    stream, events, came = dialect.stream(**run.options), [], 0
    for chunk in run.chunks():
        events += stream.feed(chunk)
        came += len(chunk)
        if not run.text.endswith(stream.pending, 0, came):
            yield Law.EVENTS, f"pending after {came} characters: {stream.pending!r}"
    events += stream.close()
    yield Law.STREAM, _difference(message, stream.message)
    yield Law.EVENTS, event_violation(events, stream.message)


def _difference(whole: Message, streamed: Message) -> str:
    """The first part of two messages that is not the same."""
    if repr(whole) == repr(streamed):  # says all that there is, and is quick
        return ""
    pairs = [
        (a, b)
        for a, b in zip([*whole.segments, *whole.repairs], [*streamed.segments, *streamed.repairs], strict=False)
        if plain(a) != plain(b)
    ]
    one, other = pairs[0] if pairs else (whole, streamed)
    return f"whole {one}, streamed {other}"


def _strict(dialect: Dialect | Auto, run: Run, message: Message) -> str:
    """Difference between strict mode and lenient mode, of which one read `message`; empty if there is none."""
    other = "lenient" if run.options.get("mode") == "strict" else "strict"
    strict, lenient = message, dialect.parse(run.text, **{**run.options, "mode": other})
    if other == "strict":
        strict, lenient = lenient, strict
    if strict.exact != lenient.exact:
        return f"strict clean is {strict.exact}: {strict}, lenient {lenient}"
    if any(call.runnable and call.repairs for call in strict.calls):
        return f"repaired in strict mode: {strict}"
    return f"strict {strict}, lenient {lenient}" if strict.exact and not same(strict, lenient) else ""


def misread(call: Call, text: str) -> str:
    """The arguments of a runnable call that are not in `text` up to its end.

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
        written = value.removeprefix("0") if value.startswith("0.") else value  # `.5` is mended to 0.5
        if not _within(filter(str.isalnum, written), before):
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


def _unlike(message: Message) -> str:
    """Difference after a round trip through JSON; empty if there is none."""
    form = dumps(message.to_dict())
    again = dumps(type(message).from_dict(json.loads(form)).to_dict())
    if again != form:
        return f"{form} is written again as {again}"
    back = Message.from_openai(json.loads(dumps(message.to_openai())))
    if (back.content, back.reasoning) != (message.content, message.reasoning):
        return f"{message} became {back}"
    runs, same = ([(call.name, dumps(call.arguments)) for call in one.runnable] for one in (message, back))
    return "" if runs == same and len(back.calls) == len(message.calls) else f"{message} became {back}"


def _rewritten(dialect: Dialect, message: Message, run: Run, written: set[str]) -> Iterator[tuple[Law, str]]:
    """The laws of what may be run, written again: with its content where that can be carried."""
    tools = run.options.get("tools")
    key = repr((tools, [(call.name, call.arguments, call.id) for call in message.runnable]))
    if key in written:
        return
    runnable: list[Segment] = [s for s in message.segments if not isinstance(s, Call) or s.runnable]
    for segments in (runnable, message.runnable):
        again = Message(segments)
        declared = tools or tools_of(again)
        try:
            text = str(dialect.render(again, declared))
        except RenderError:
            continue
        back = dialect.parse(text, declared)
        if not unchanged(again, back, lossy(dialect.spec)):
            yield Law.RENDERED, f"{text!r} is read as {back}"
        yield Law.RENDERED, _written_otherwise(dialect, back, declared, text)
        for _, detail in _streamed(dialect, Run(run.dialect, text, {"tools": declared}, (1,)), back):
            yield Law.RENDERED, detail and f"{text!r}: {detail}"
        break
    written.add(key)


def _written_otherwise(dialect: Dialect, back: Message, tools: list[Json], text: str) -> str:
    """Difference when the message that `text` says, which was written, is written again; empty if there is none."""
    try:
        again = str(dialect.render(back, tools))
    except RenderError as error:
        again = str(error)
    return "" if again == text else f"{text!r} is written again as {again!r}"
