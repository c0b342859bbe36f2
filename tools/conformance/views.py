"""Views of what was read, in every way that a case's project may put it; the rules are at the top of scoring.py."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from itertools import product
from typing import NamedTuple

from toolect._message import Call, Content, Message, Reasoning, RepairKind, Segment, Status
from tools.conformance.cases import Case
from tools.conformance.chunked import Markup


class Reading(NamedTuple):
    """A message read from a text, and the part of the prompt that opened its first segment."""

    message: Message
    text: str
    opener: str = ""
    markup: Markup = Markup()


class View(NamedTuple):
    """A message in upstream's words."""

    content: str
    reasoning: str
    calls: Sequence[Call]


class Keep(Enum):
    """Part of a segment that upstream's content keeps."""

    OUT = "nothing"
    TEXT = "its text"
    BARE = "its text without the markers in it"
    OWN = "its text and its own markup"
    WIRE = "its text and the markup around it"
    FIT = "the same without the markers that are out of place"


def views(case: Case, reading: Reading) -> Iterator[View]:
    """The message in every way the rules allow, ours first."""
    message = reading.message
    reads_calls = case.scope != "reasoning"
    called = [message.runnable, _attempts(message)] if reads_calls else [[]]
    reasoning = (Keep.OUT, Keep.TEXT, Keep.OWN, Keep.WIRE) if case.unsplit and message.reasoning else (Keep.OUT,)
    attempts = (Keep.OUT, Keep.TEXT, Keep.BARE, Keep.WIRE) if reads_calls else (Keep.WIRE, Keep.FIT)
    words = (Keep.TEXT,) if reads_calls else (Keep.TEXT, Keep.WIRE)
    for calls, of_reasoning, of_attempt, of_words in product(called, reasoning, attempts, words):
        thought = message.reasoning if of_reasoning is Keep.OUT else ""
        kept: dict[type[Segment], Keep] = {Reasoning: of_reasoning, Call: of_attempt, Content: of_words}
        content = _content(reading, {id(call) for call in calls}, kept)
        yield View(content, thought, calls)
        if of_reasoning is Keep.OUT and reading.opener:
            again = any(
                r.kind is RepairKind.STRAY_MARKER and r.detail == reading.opener.strip() for r in message.repairs
            )
            if thought or again:
                yield View(content, reading.opener.lstrip() + thought, calls)
        if reading.opener and of_reasoning in (Keep.OWN, Keep.WIRE):
            yield View(reading.opener + content, thought, calls)
        if not reads_calls:
            yield View(_endless(content, reading.markup.ends), thought, calls)
        if not calls and Keep.WIRE in (of_attempt if message.calls else None, of_reasoning):
            yield View(reading.text, thought, calls)


def _attempts(message: Message) -> list[Call]:
    return [call for call in message.calls if call.status is not Status.MALFORMED]


def _endless(text: str, ends: Collection[str]) -> str:
    return next((text.rstrip().removesuffix(end) for end in ends if text.rstrip().endswith(end)), text)


def _content(reading: Reading, calls: set[int], kept: Mapping[type[Segment], Keep]) -> str:
    """The content, with what is `kept` of each kind of segment; nothing of the calls that are among `calls`."""
    segments = reading.message.segments
    starts = [segment.span[0] if segment.span else 0 for segment in segments] + [len(reading.text)]
    parts: list[str] = []
    at = 0
    for number, segment in enumerate(segments):
        _, end = segment.span or (at, at)
        keep = Keep.OUT if id(segment) in calls else kept[type(segment)]
        if keep in (Keep.WIRE, Keep.FIT):
            strays = [r for r in reading.message.repairs if r.kind is RepairKind.STRAY_MARKER and keep is Keep.FIT]
            for stray in strays:
                if at <= stray.at < starts[number + 1]:
                    parts.append(reading.text[at : stray.at])
                    at = stray.at + len(stray.detail)
            parts.append(reading.text[at : starts[number + 1]])
            at = starts[number + 1]
        elif keep is Keep.OWN:
            parts.append(reading.text[at : _closed(reading, end, starts[number + 1])])
            at = starts[number + 1]
        else:
            text = segment.raw if isinstance(segment, Call) else segment.text
            parts.append(_bare(text, reading.markup.markers) if keep is Keep.BARE else text * (keep is Keep.TEXT))
            at = max(at, end)
    return "".join(parts)


def _closed(reading: Reading, at: int, until: int) -> int:
    """End offset of the closer behind the reasoning that ends at `at`; `at` when there is none before `until`."""
    found = (reading.text.find(closer, at, until) + len(closer) for closer in reading.markup.closers)
    return max((end for end in found if end > at), default=at)


def _bare(text: str, markers: Collection[str]) -> str:
    """The text without the markers."""
    for marker in sorted(markers, key=len, reverse=True):
        text = text.replace(marker, "")
    return text
