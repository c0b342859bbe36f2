"""Ranking of the dialects that a text may be in: those whose marks it has are tried on all of it, and compared."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from toolect import registry
from toolect._compiled import Dialect, Tools
from toolect._detection.auto_search import AutoSearch
from toolect._detection.index import Index, index
from toolect._detection.traits import Traits
from toolect._graph.spelling import squeeze
from toolect._message import Call, Content, Message, Reasoning, Repair, RepairKind, Status, check_type, dumps, not_text
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of, write
from toolect._values.toolset import ToolSchemas, tool_schemas

HARD = frozenset(RepairKind) - {RepairKind.WHITESPACE, RepairKind.COERCION}
"""The repairs that speak against a dialect."""
PLACES = 400
"""Places of a text at which `detect` looks for openers. Beyond it: only markers are looked for."""
MOST = 1 << 14
"""Characters of a text that `detect` compares dialects by. Beyond it: those from the first traces on."""
_BEFORE = 256
"""Characters before the first trace that are looked at too: blanks and markers may belong to it."""
QUALITY = {Status.OK: 1.0, Status.REPAIRED: 0.7, Status.TRUNCATED: 0.5, Status.MALFORMED: 0.1}
"""Weight of an attempt at a call as evidence, by its status."""
WORTH_NAMING = 0.25
"""Share of the best dialect's score that a dialect needs to be a result."""
_NAME = re.compile(r"[^\W\d][\w.:/-]*\Z")
Said: TypeAlias = tuple[object, ...]


class MarkerCount(msgspec.Struct, frozen=True):
    """A marker of the dialect in the text: how often, and where first."""

    marker: str
    count: int
    at: int


class Detection(msgspec.Struct, frozen=True):
    """A dialect that a text may be in, and what speaks for it and against it."""

    dialect: str
    same: tuple[str, ...]
    """Other dialects that read the text just as this one does: nothing in it tells them apart."""
    score: float
    """Fit of the dialect to the text, from 0 to 1."""
    sure: float
    """Lead over the other results, from 0 to 1."""
    markers: tuple[MarkerCount, ...] = ()
    """The dialect's markers in the text."""
    calls: int = 0
    """Calls that were read as the dialect writes them."""
    repaired: int = 0
    """Calls that were read after repairs."""
    broken: int = 0
    """Attempts at calls that could not be read, or that the end of the text cut off."""
    coverage: float = 0.0
    """The share of the text that is not content."""
    against: tuple[str, ...] = ()
    """Evidence against it, in words."""

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialect, and those that nothing tells apart from it."""
        return (self.dialect, *self.same)


def detect(text: str, tools: Tools | None = None, limit: int = 5, prefix: str = "") -> tuple[Detection, ...]:
    """The dialects that `text` may be in, the likeliest first; see `toolect.detect`."""
    if not isinstance(text, str):
        raise not_text(text)
    check_type(limit, int, "a limit of results")
    prefix = prefix or ""
    given = list(tools) if tools is not None else None
    reader = AutoSearch(index(), tool_schemas(given), {}, prefix=prefix)
    reader.read(text[:MOST])
    return among(text, index(), registry.dialect, given, limit, prefix, reader.message.dialects)


def among(
    text: str,
    known: Index,
    dialect: Callable[[str], Dialect],
    tools: Tools | None,
    limit: int,
    prefix: str,
    read: Sequence[str] = (),
) -> tuple[Detection, ...]:
    """The same, of the dialects that are `known`; in those that are `read` are the calls that the text has.

    The first of these is the first result, unless the text has what speaks for another one alone.
    """
    schemas = tool_schemas(tools)
    given = list(tools) if tools is not None else None
    names, start = traces(known, text)
    names += [name for name in dict.fromkeys(read) if name not in names]
    text, cut = text[start : start + MOST], len(text) > start + MOST
    prefix = "" if start else prefix
    readings = [
        DialectReading(
            known.traits[name], TextSample(text, start, cut), dialect(name).parse(text, given, prefix=prefix), schemas
        )
        for name in names
    ]
    most = max((reading.attempts for reading in readings), default=0)
    others = [marker for marker in known.markers if marker in text]
    groups: dict[Said, list[tuple[float, bool, float, int, bool, int, DialectReading]]] = {}
    scores = [reading.score(reading.attempts if reading.traits.name in read else most, others) for reading in readings]
    best = max((score for score, one in zip(scores, readings, strict=True) if one.traits.name in read), default=0)
    alike = Counter((score, one.coverage, one.marked) for score, one in zip(scores, readings, strict=True))
    for score, reading in zip(scores, readings, strict=True):
        if score > 0:
            order = -known.order[reading.traits.name]
            is_asked = best or alike[score, reading.coverage, reading.marked] > 1
            spelled = bool(is_asked) and _spells(dialect(reading.traits.name), reading.message, text, given)
            if best and not spelled:  # the search has found another one likelier
                score = min(score, best)
            is_read = reading.traits.name in read[:1]
            rank = (score, is_read, reading.coverage, reading.marked, spelled, order, reading)
            groups.setdefault(reading.said, []).append(rank)
    ranked = sorted((sorted(group, key=_rank) for group in groups.values()), key=lambda group: _rank(group[0]))
    ranked = [group for group in ranked if group[0][0] >= WORTH_NAMING * ranked[0][0][0]]
    weights = [group[0][0] ** 8 for group in ranked]
    return tuple(
        group[0][-1].detection(
            tuple(reading.traits.name for *_, reading in group[1:]),
            score,
            score * weight / sum(weights),
        )
        for group, weight in zip(ranked[: max(limit, 0)], weights, strict=False)
        for score in (group[0][0],)
    )


def _rank(entry: tuple[float, bool, float, int, bool, int, object]) -> tuple[float, ...]:
    return tuple(-value for value in entry[:6])


def _spells(dialect: Dialect, message: Message, text: str, tools: Tools | None) -> bool:
    """True when the dialect writes the message as the text has it, blanks apart: then it does not only read it."""
    if not all(call.runnable for call in message.calls):
        return False
    try:
        own = dialect._with_names(tool_schemas(tools))
        written = str(write(own, message, tools_of(message) if tools is None else [*tools]))
    except (RenderError, ValueError):
        return False
    return squeeze(written) == squeeze(text)


class TextSample(NamedTuple):
    """The part of a text that is looked at: from character `start` on, and whether it is `cut` off."""

    text: str
    start: int
    cut: bool


def candidates(known: Index, text: str) -> list[str]:
    """The dialects of which the text has an opener, or any other marker."""
    return traces(known, text)[0]


def traces(known: Index, text: str) -> tuple[list[str], int]:
    """The dialects of which the text has an opener, or any other marker, and where to begin when it is a long one."""
    first = 0
    if len(text) > MOST:
        first = next(_places(known, text), (len(text), ()))[0]
        if (match := known.strong.search(text, 0, first)) is not None:
            first = match.start()
        first = max(min(first, len(text) - MOST // 2) - _BEFORE, 0)
    text = text[first : first + MOST]
    found = dict.fromkeys(name for _, names in _places(known, text) for name in names)
    marked = [name for name in known.order if any(marker in text for marker in known.traits[name].markers)]
    others = [name for name in known.order if any(marker in text for marker in known.traits[name].thinking)]
    return list(dict.fromkeys([*found, *marked])) or others, first


def _places(known: Index, text: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The first places where a call of some dialects may begin, each with these."""
    places = heapq.merge(*(map(re.Match.start, regex.finditer(text)) for regex in (known.regex, *known.led)))
    for _, at in zip(range(PLACES), places, strict=False):
        if names := known.calling(text, at):
            yield at, names


class DialectReading:
    """Reading of a text in one dialect."""

    def __init__(self, traits: Traits, sample: TextSample, message: Message, schemas: ToolSchemas) -> None:
        text, start, cut = sample
        self.traits, self.message, self.size = traits, message, max(len(text), 1)
        self.calls = [c for c in message.calls if not (cut and c.span is not None and c.span[1] == len(text))]
        self.schemas = schemas
        self.content = [s for s in message.segments if isinstance(s, Content)]
        found = [
            MarkerCount(m, text.count(m), text.index(m) + start)
            for m in (*traits.markers, *traits.thinking)
            if m in text
        ]
        self.markers = tuple(
            one for one in found
            if not any(one.marker != f.marker and f.marker.startswith(one.marker) and f.at == one.at for f in found)
        )  # fmt: skip
        self.attempts = sum(call.status is not Status.MALFORMED and self._named(call) for call in self.calls)
        self.stray: list[str] = []

    @property
    def marked(self) -> int:
        """Number of characters of the text in markers of the dialect."""
        return sum(len(found.marker) * found.count for found in self.markers)

    @property
    def coverage(self) -> float:
        """The share of the text that is not content."""
        return 1 - sum(s.span[1] - s.span[0] for s in self.content if s.span) / self.size

    @property
    def said(self) -> Said:
        """Segments that the dialect reads, as far as they matter: outer blanks of content do not."""
        return tuple(
            (s.name, dumps(s.arguments), s.id, s.status) if isinstance(s, Call) else (type(s), s.text.strip())
            for s in self.message.segments
            if isinstance(s, Call) or s.text.strip()
        )

    def _named(self, call: Call) -> bool:
        return call.name in self.schemas or _NAME.match(call.name) is not None

    def score(self, most: int, known: Sequence[str]) -> float:
        """Rate the fit of the dialect, where some dialect reads `most` calls; `known` are markers of any."""
        self.stray = [m for m in known if any(m in segment.text for segment in self.content)]
        malformed = sum(call.status is Status.MALFORMED for call in self.calls)
        repairs = sum(repair.kind in HARD for repair in self.message.repairs)  # any template has its own blanks there
        repairs += sum(len(call.repairs) for call in self.calls)
        loss = min(0.2 * len(self.stray), 0.6) + min(0.01 * repairs, 0.1) + min(0.05 * malformed, 0.2)
        if not most:
            return max(0.3 * min(2 * self.marked / self.size + 0.5, 1) * bool(self.markers) - loss, 0)
        worth = sum(map(self._worth, self.calls))
        expected = max(1 if self._rehearses else most, len(self.calls) - malformed)
        return max(round(min(worth / expected, 1) * (1 - loss), 4), 0)

    @property
    def _rehearses(self) -> bool:
        """True when the reasoning holds markers of the dialect: what others call there is no call that it misses."""
        thoughts = [s.text for s in self.message.segments if isinstance(s, Reasoning)]
        return any(marker in thought for thought in thoughts for marker in self.traits.markers)

    def _worth(self, call: Call) -> float:
        worth = QUALITY[call.status]
        if not self._named(call):
            worth *= 0.2
        return worth * 0.6 if self.schemas and call.name not in self.schemas else worth

    def _repairs(self) -> list[Repair]:
        return [*self.message.repairs, *(repair for call in self.calls for repair in call.repairs)]

    def detection(self, same: tuple[str, ...], score: float, sure: float) -> Detection:
        """The result."""
        statuses = [call.status for call in self.calls]
        return Detection(
            self.traits.name,
            same,
            round(score, 3),
            round(sure, 3),
            tuple(sorted(self.markers, key=lambda found: (found.at, -len(found.marker)))),
            statuses.count(Status.OK),
            statuses.count(Status.REPAIRED),
            statuses.count(Status.TRUNCATED) + statuses.count(Status.MALFORMED),
            round(self.coverage, 3),
            tuple(self._against()),
        )

    def _against(self) -> Iterator[str]:
        for status in (Status.MALFORMED, Status.TRUNCATED):
            count = sum(call.status is status for call in self.calls)
            if count:
                yield f"{count} call{'s are' if count > 1 else ' is'} {status}"
        unknown = sorted({call.name for call in self.calls if self.schemas and call.name not in self.schemas})
        if unknown:
            yield f"not declared: {', '.join(unknown[:4])}"
        odd = sorted({call.name for call in self.calls if not self._named(call)})
        if odd:
            yield f"no name of a tool: {dumps(odd[0][:40])}"
        kinds = sorted({str(r.kind) for r in self._repairs()}, key=lambda kind: (kind not in HARD, kind))
        if kinds:
            yield f"repairs: {', '.join(kinds)}"
        if self.stray:
            yield f"left in the content: {', '.join(self.stray[:4])}"
        if not self.calls:
            yield "no call"
