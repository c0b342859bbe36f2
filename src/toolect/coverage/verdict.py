"""What a dialect makes of a feature, found out by writing messages in it and reading them back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from toolect.compile.symbols import Mark, is_echo
from toolect.compiled import Dialect
from toolect.coverage.features import Sense
from toolect.engine.schema import type_of
from toolect.events import ArgumentsDelta
from toolect.ir import Call, Json, Message, Segment, dumps
from toolect.rendered import Unrepresentable


class Verdict(StrEnum):
    """How a dialect does with a feature, the best first."""

    CARRIED = "carried"
    """It comes back as it was, whoever reads it."""
    WITH_SCHEMA = "with-schema"
    """It comes back where the tools are declared with the types of their arguments."""
    CHANGED = "changed"
    """It is written, and something else comes back."""
    REFUSED = "refused"
    """It is not written: `Unrepresentable`."""


RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


class Trial(msgspec.Struct, frozen=True):
    """What became of one message: a verdict, why it is not better, and what shows that."""

    verdict: Verdict
    reason: str = ""
    witness: str = ""


CARRIED = Trial(Verdict.CARRIED)


class Finding(msgspec.Struct, frozen=True):
    """The verdict on a feature, which is the worst of its messages: `carried` of them, out of `tried`, are carried."""

    verdict: Verdict
    reason: str
    witness: str
    carried: int
    tried: int


def markers(dialect: Dialect) -> list[str]:
    """The markers of the dialect, those of its value language too, and its end tokens."""
    network = dialect.graph().network
    cores = {e.symbol.core for s in network.states for e in s.edges if type(e.symbol) is Mark and not e.symbol.wrong}
    return sorted(core for core in {*cores, *dialect.graph().ends} if not is_echo(core) and len(core) > 1)


def find(trials: Sequence[Trial]) -> Finding:
    """The finding that the trials of a feature come to."""
    worst = max(trials, key=lambda trial: RANK[trial.verdict], default=CARRIED)
    good = sum(trial.verdict is Verdict.CARRIED for trial in trials)
    return Finding(worst.verdict, worst.reason, worst.witness, good, len(trials))


def judge(dialect: Dialect, message: Message, sense: Sense) -> Trial:
    """What becomes of a message: it is rendered, and read strictly without tools, then with them."""
    tools = declared(message)
    try:
        text = written(dialect, message, tools)
    except Unrepresentable as error:
        return Trial(Verdict.REFUSED, f"{error.slot}: {error.reason}", error.witness)
    return _read(dialect, message, sense, text, tools)


def written(dialect: Dialect, message: Message, tools: list[Json]) -> str:
    """The message in the dialect, by these tools only if it cannot be written without. Raises Unrepresentable."""
    try:
        return str(dialect.render(message))
    except Unrepresentable as error:
        try:
            return str(dialect.render(message, tools))
        except Unrepresentable:
            raise error from None


def _read(dialect: Dialect, message: Message, sense: Sense, text: str, tools: list[Json]) -> Trial:
    """What becomes of a message once it is written."""
    if sense is Sense.STREAM:
        return _streamed(dialect, text, tools)
    bare = dialect.parse(text, mode="strict")
    if same(message, bare, sense):
        return CARRIED
    told = dialect.parse(text, tools, mode="strict")
    if same(message, told, sense):
        return Trial(Verdict.WITH_SCHEMA, "without declared types: " + difference(message, bare, sense), text)
    return Trial(Verdict.CHANGED, difference(message, told, sense), text)


def _streamed(dialect: Dialect, text: str, tools: list[Json]) -> Trial:
    """Whether a part of the arguments is sent when half of the text has arrived."""
    bare, told = _sent(dialect, text, []), _sent(dialect, text, tools)
    if bare >= _EARLY:
        return CARRIED
    if told >= _EARLY:
        return Trial(Verdict.WITH_SCHEMA, "without declared types the arguments are sent late", text)
    return Trial(Verdict.CHANGED, "when half of the text has arrived, hardly any arguments are sent", text)


def _sent(dialect: Dialect, text: str, tools: list[Json]) -> float:
    """The share of the arguments that is sent when half of the text has arrived."""
    stream = dialect.stream(tools)
    early = stream.feed(text[: len(text) // 2])
    late = [*stream.feed(text[len(text) // 2 :]), *stream.close()]
    sizes = [sum(len(event.text) for event in events if isinstance(event, ArgumentsDelta)) for events in (early, late)]
    return sizes[0] / max(sum(sizes), 1)


_EARLY = 0.2


def declared(message: Message) -> list[Json]:
    """Tools with schemas of just the types that the message's arguments have, at any depth."""
    values: dict[str, dict[str, list[Json]]] = {}
    for call in message.calls:
        keys = values.setdefault(call.name, {})
        for key, value in call.arguments.items():
            keys.setdefault(key, []).append(value)
    return [
        {"name": name, "parameters": {"properties": {key: _schema(several) for key, several in keys.items()}}}
        for name, keys in values.items()
    ]


def _schema(values: Sequence[Json]) -> Json:
    """The schema of several values."""
    schema: dict[str, Json] = {"type": sorted({type_of(value) for value in values})}
    objects, lists = [v for v in values if isinstance(v, dict)], [v for v in values if isinstance(v, list)]
    if objects:
        keys = {key: [value[key] for value in objects if key in value] for value in objects for key in value}
        schema["properties"] = {key: _schema(several) for key, several in keys.items()}
    if items := [item for value in lists for item in value]:
        schema["items"] = _schema(items)
    return schema


def good(trial: Trial) -> bool:
    """True when the message came back, for anyone or for those who know the tools."""
    return trial.verdict in (Verdict.CARRIED, Verdict.WITH_SCHEMA)


# Comparing


def same(message: Message, back: Message, sense: Sense) -> bool:
    """True when what was read back is the message, in every respect that the sense asks for."""
    return [_facts(s, sense) for s in message.segments] == [_facts(s, sense) for s in back.segments]


def _facts(segment: Segment, sense: Sense) -> tuple[str, ...]:
    """A segment as texts that compare by all that counts."""
    if not isinstance(segment, Call):
        return type(segment).__name__, segment.text
    arguments = segment.arguments
    match sense:
        case Sense.ORDER:
            spelled = dumps(arguments)
        case Sense.SPELLING:
            spelled = "".join(segment.arguments_text.split())
        case _:
            spelled = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    given = repr(segment.id) if sense is Sense.IDS else ""
    return "Call", segment.name, spelled, given, str(segment.runnable)


def difference(message: Message, back: Message, sense: Sense) -> str:
    """What is different about a message that was read back, in one line."""
    for old, new in zip(message.segments, back.segments, strict=False):
        if _facts(old, sense) != _facts(new, sense):
            return _changed(old, new, sense)
    missing, more = message.segments[len(back.segments) :], back.segments[len(message.segments) :]
    return f"{_named(missing[0])} is lost" if missing else f"{_named(more[0])} is added"


def _changed(old: Segment, new: Segment, sense: Sense) -> str:
    match old, new:
        case Call(), Call(runnable=False):
            return f"the call is {new.status}: {new.error}"
        case Call(), Call() if sense is Sense.IDS and old.id != new.id:
            return f"the id {old.id!r} comes back as {new.id!r}"
        case Call(), Call() if old.name == new.name:
            before, after = old.arguments_text, new.arguments_text
        case _:
            before, after = _named(old), _named(new)
    return f"{before[:_SHOWN]} comes back as {after[:_SHOWN]}"


def _named(segment: Segment) -> str:
    return (
        f"a call of {segment.name!r}"
        if isinstance(segment, Call)
        else f"{type(segment).__name__.lower()} {segment.text[:_SHOWN]!r}"
    )


_SHOWN = 60
