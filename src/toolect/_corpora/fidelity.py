"""Fidelity of a dialect, feature by feature, found by rendering messages in it and parsing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from toolect._compiled import Dialect
from toolect._corpora.features import Feature, Sense
from toolect._events import ArgumentsDelta
from toolect._graph.symbols import Mark, is_echo
from toolect._message import Call, Json, Message, Segment
from toolect._rendered import RenderError
from toolect._rendering.differences import IDS, MEANING, SegmentChange, differences, unchanged
from toolect._rendering.roundtrip import tools_of
from toolect._spec.model import Spec


class FeatureVerdict(StrEnum):
    """Verdict on a dialect and a feature, the best first."""

    CARRIED = "carried"
    """It comes back as it was, whoever reads it."""
    WITH_SCHEMA = "with-schema"
    """It comes back where the tools are declared with the types of their arguments."""
    CHANGED = "changed"
    """It is written, and something else comes back."""
    REFUSED = "refused"
    """It is not written: `RenderError`."""


RANK = {verdict: rank for rank, verdict in enumerate(FeatureVerdict)}


class FeatureOutcome(msgspec.Struct, frozen=True):
    """Result of one message: a verdict, why it is not better, and a witness."""

    verdict: FeatureVerdict
    reason: str = ""
    witness: str = ""


CARRIED = FeatureOutcome(FeatureVerdict.CARRIED)


class Finding(msgspec.Struct, frozen=True):
    """The verdict on a feature, which is the worst of its messages: `carried` of them, out of `tried`, are carried."""

    verdict: FeatureVerdict
    reason: str
    witness: str
    carried: int
    tried: int


def markers(dialect: Dialect) -> list[str]:
    """The markers of the dialect, those of its value language too, and its end tokens."""
    network = dialect._graph().network
    cores = {e.symbol.core for s in network.states for e in s.edges if type(e.symbol) is Mark and not e.symbol.wrong}
    return sorted(core for core in {*cores, *dialect._graph().ends} if not is_echo(core) and len(core) > 1)


def find_worst(outcomes: Sequence[FeatureOutcome]) -> Finding:
    """The finding of a feature: its worst outcome, and how many messages are carried."""
    worst = max(outcomes, key=lambda outcome: RANK[outcome.verdict], default=CARRIED)
    good = sum(outcome.verdict is FeatureVerdict.CARRIED for outcome in outcomes)
    return Finding(worst.verdict, worst.reason, worst.witness, good, len(outcomes))


Outcomes: TypeAlias = list[list[FeatureOutcome]]
"""Outcomes of the messages of each feature."""


def outcomes(features: Sequence[Feature], held: Sequence[str], spec: Spec) -> Outcomes:
    """Outcomes of a dialect for the messages of features, and for those that hold markers: `held`, or else its own."""
    dialect = Dialect(spec)
    words = held or markers(dialect)
    return [
        [judge(dialect, message, one.sense) for message in (*one.messages, *one.with_markers(words))]
        for one in features
    ]


class LostFeature(msgspec.Struct, frozen=True):
    """A feature that a conversion loses: `lost` of the `tried` messages that its source carries; why, and a witness."""

    feature: str
    reason: str
    witness: str
    lost: int
    tried: int


def losses(features: Sequence[Feature], source: Outcomes, target: Outcomes) -> Iterator[LostFeature]:
    """Features lost between two dialects that were tried with the same messages.

    A message that comes back as it was is, to whoever reads it, the message that was meant. So what a conversion loses
    is known from its two ends: the messages that the source carries and the target does not.
    """
    for feature, ours, theirs in zip(features, source, target, strict=True):
        carried = [] if feature.sense is Sense.STREAM else [b for a, b in zip(ours, theirs, strict=True) if good(a)]
        if gone := [one for one in carried if not good(one)]:
            yield LostFeature(feature.name, gone[0].reason, gone[0].witness, len(gone), len(carried))


def untyped(features: Sequence[Feature], source: Outcomes, target: Outcomes) -> Iterator[str]:
    """The other features with a message that the source carries by itself, and the target with declared tools only."""
    lost = {one.feature for one in losses(features, source, target)}
    for feature, ours, theirs in zip(features, source, target, strict=True):
        if feature.sense is Sense.STREAM or feature.name in lost:
            continue
        if any((a.verdict, b.verdict) == _UNTYPED for a, b in zip(ours, theirs, strict=True)):
            yield feature.name


_UNTYPED = FeatureVerdict.CARRIED, FeatureVerdict.WITH_SCHEMA
"""Verdicts of a source and a target on a message that the target carries with declared tools only."""


def judge(dialect: Dialect, message: Message, sense: Sense) -> FeatureOutcome:
    """The outcome of a message: it is rendered, and read strictly without tools, then with them."""
    tools = tools_of(message)
    try:
        text = written(dialect, message, tools)
    except RenderError as error:
        return FeatureOutcome(FeatureVerdict.REFUSED, f"{error.slot}: {error.reason}", error.witness)
    return _read(dialect, message, sense, text, tools)


def written(dialect: Dialect, message: Message, tools: list[Json]) -> str:
    """The message in the dialect, by these tools only if it cannot be written without. Raises RenderError."""
    try:
        return str(dialect.render(message))
    except RenderError as error:
        try:
            return str(dialect.render(message, tools))
        except RenderError:
            raise error from None


def _read(dialect: Dialect, message: Message, sense: Sense, text: str, tools: list[Json]) -> FeatureOutcome:
    """The outcome of a message that was written as `text`."""
    if sense is Sense.STREAM:
        return _streamed(dialect, text, tools)
    bare = dialect.parse(text, mode="strict")
    if same(message, bare, sense):
        return CARRIED
    back = dialect.parse(text, tools, mode="strict")
    if same(message, back, sense):
        return FeatureOutcome(
            FeatureVerdict.WITH_SCHEMA, "without declared types: " + difference(message, bare, sense), text
        )
    return FeatureOutcome(FeatureVerdict.CHANGED, difference(message, back, sense), text)


def _streamed(dialect: Dialect, text: str, tools: list[Json]) -> FeatureOutcome:
    """Outcome by the share of the arguments that is sent when half of the text has arrived."""
    bare, declared = _sent(dialect, text, []), _sent(dialect, text, tools)
    if bare >= _EARLY:
        return CARRIED
    if declared >= _EARLY:
        return FeatureOutcome(FeatureVerdict.WITH_SCHEMA, "without declared types the arguments are sent late", text)
    return FeatureOutcome(
        FeatureVerdict.CHANGED, "when half of the text has arrived, hardly any arguments are sent", text
    )


def _sent(dialect: Dialect, text: str, tools: list[Json]) -> float:
    """The share of the arguments that is sent when half of the text has arrived."""
    stream = dialect.stream(tools=tools)
    early = stream.feed(text[: len(text) // 2])
    late = [*stream.feed(text[len(text) // 2 :]), *stream.close()]
    sizes = [sum(len(event.text) for event in events if isinstance(event, ArgumentsDelta)) for events in (early, late)]
    return sizes[0] / max(sum(sizes), 1)


_EARLY = 0.2


def good(outcome: FeatureOutcome) -> bool:
    """True when the message came back, for anyone or for those who know the tools."""
    return outcome.verdict in (FeatureVerdict.CARRIED, FeatureVerdict.WITH_SCHEMA)


# Comparing

_COUNTED = {
    Sense.MEANING: MEANING,
    Sense.STREAM: MEANING,
    Sense.IDS: MEANING | IDS,
    Sense.ORDER: MEANING | {SegmentChange.ORDER},
    Sense.SPELLING: MEANING | {SegmentChange.SPELLING},
}
"""The changes that a message must not undergo to be carried."""


def same(message: Message, back: Message, sense: Sense) -> bool:
    """True when the message read back is the same, in every respect that the sense asks for."""
    return unchanged(message, back, _COUNTED[sense])


def difference(message: Message, back: Message, sense: Sense) -> str:
    """The first difference of a message that was read back, in one line."""
    found = next(differences(message, back, _COUNTED[sense]))
    match found.old, found.new:
        case None, new:
            return f"{_named(new)} is added"
        case old, None:
            return f"{_named(old)} is lost"
        case Call(), Call(runnable=False) as new:
            return f"the call is {new.status}: {new.error}"
        case Call() as old, Call() as new if found.change in IDS:
            return f"the id {old.id!r} comes back as {new.id!r}"
        case Call() as old, Call() as new if old.name == new.name:
            before, after = old.arguments_text, new.arguments_text
        case old, new:
            before, after = _named(old), _named(new)
    return f"{before[:_SHOWN]} comes back as {after[:_SHOWN]}"


def _named(segment: Segment | None) -> str:
    if segment is None:
        return "nothing"
    if isinstance(segment, Call):
        return f"a call of {segment.name!r}"
    return f"{type(segment).__name__.lower()} {segment.text[:_SHOWN]!r}"


_SHOWN = 60
"""Characters of a segment or of arguments that are shown."""
