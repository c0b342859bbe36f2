"""Parts of the answers in a transcript: their markup, their segments, and the markers that they only quote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from toolect._graph.graph import Graph
from toolect._message import Call, Content, Json, Message, Span
from toolect._rendered import Part, Rendered
from toolect._search.answer_search import AnswerSearch, Stream
from toolect._search.trace import Trace
from toolect._spec.model import Spec
from toolect._tokens.quoting import Quoting
from toolect._tokens.tokenizer_protocol import finder
from toolect._transcript import Origin, Transcript
from toolect._values.toolset import NO_TOOLS


class AnswerReader(Protocol):
    """The members of a dialect that reading answers needs."""

    spec: Spec

    def _graph(self) -> Graph:
        """The graph of nodes under the spec's policies."""

    def parse(self, text: str, tools: None, mode: Literal["lenient"], prefix: str, /) -> Message:
        """The message that `text` says, after a prompt that ends with `prefix`."""


class AnswerSpan(NamedTuple):
    """An answer at characters `start:end`, in turn number `turn`.

    `data` are the stretches that are no markup, `unread` those of which only reading tells; `prefix` is the end of the
    prompt.
    """

    start: int
    end: int
    turn: int
    data: tuple[Span, ...]
    unread: tuple[Span, ...]
    prefix: str


class Segment(NamedTuple):
    """Segment number `number` of the answer in turn `turn`; `kind` is "content", "reasoning" or "call"."""

    start: int
    end: int
    turn: int
    number: int
    kind: str
    call: Call | None


def answers(rendered: Transcript | Rendered) -> list[AnswerSpan]:
    """The answers in a text that was rendered."""
    if isinstance(rendered, Rendered):
        return [AnswerSpan(0, len(rendered), -1, *_parts(rendered, 0), "")]
    found: list[AnswerSpan] = []
    at = 0
    prefix = ""
    for text, origin, turn in rendered.pieces:
        end = at + len(text)
        if origin is Origin.ANSWER and text:
            data, unread = _parts(text, at)
            last = found[-1] if found and found[-1].end == at and found[-1].turn == turn else None
            if last is None:
                found.append(AnswerSpan(at, end, turn, data, unread, prefix))
            else:
                found[-1] = last._replace(end=end, data=last.data + data, unread=last.unread + unread)
        elif text:
            prefix = (prefix + text)[-256:]
        at = end
    return found


def _parts(text: str, at: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans of a piece of an answer that are no markup, and those that have to be read for it."""
    if not isinstance(text, Rendered):
        return (), ()
    if not text.spans:
        return (), ((at, at + len(text)),)
    return tuple((at + span.start, at + span.end) for span in text.spans if span.part is not Part.MARKUP), ()


def quoted_in(
    answer: AnswerSpan, text: str, dialect: AnswerReader | None, found: Sequence[re.Match[str]]
) -> list[Span]:
    """Spans of those markers `found` in the answer that are no markup."""
    quoted = [match.span() for match in found if _touches(match.span(), answer.data)]
    found = [match for match in found if _touches(match.span(), answer.unread)]
    if dialect is None or not found:
        return quoted
    own = text[answer.start : answer.end]
    message = dialect.parse(own, None, "lenient", answer.prefix)
    texts = _moved((s.span for s in message.segments if not isinstance(s, Call) and s.span), answer.start)
    calls = [call for call in message.calls if call.span and any(m[0] in said for m in found for said in _said(call))]
    gone_over: list[Span] | None = None
    for match in found:
        span = match.span()
        if _touches(span, texts):
            quoted.append(span)
        elif calls and _touches(span, _moved((call.span for call in calls if call.span), answer.start)):
            if gone_over is None:
                gone_over = _moved(_markers_of(own, dialect, answer.prefix), answer.start)
            if not any(start <= span[0] and span[1] <= end for start, end in gone_over):
                quoted.append(span)
    return quoted


def segments_of(answer: AnswerSpan, text: str, dialect: AnswerReader | None, quoted: Iterable[Span]) -> list[Segment]:
    """The segments of an answer, in which `quoted` markers are text."""
    if dialect is None:
        return []
    own = text[answer.start : answer.end]
    words = frozenset(text[start:end] for start, end in quoted if answer.start <= start < answer.end)
    if words:
        message = _read(own, dialect, answer, words, frozenset(start for start, _ in quoted))
    else:
        message = dialect.parse(own, None, "lenient", answer.prefix)
    found = []
    for number, segment in enumerate(message.segments):
        if segment.span is not None:
            call = segment if isinstance(segment, Call) else None
            kind = "call" if call else "content" if isinstance(segment, Content) else "reasoning"
            start, end = max(segment.span[0], 0) + answer.start, segment.span[1] + answer.start
            found.append(Segment(start, end, answer.turn, number, kind, call))
    return found


def _read(
    text: str, dialect: AnswerReader, answer: AnswerSpan, words: frozenset[str], quoted: frozenset[int]
) -> Message:
    """The message of an answer in which `words` are text where they begin at one of the characters `quoted`."""
    graph = dialect._graph()
    plain = Stream(lambda: AnswerSearch(dialect.spec, graph, NO_TOOLS, False, answer.prefix, streaming=True))
    stream = Quoting(plain, words, graph.openers)
    at = 0
    for match in finder(words).finditer(text):
        if match.start() + answer.start not in quoted:
            stream.text(text[at : match.start()])
            stream.rest()
            stream.marker(match[0])
            at = match.end()
    stream.text(text[at:])
    stream.close()
    return stream.message


def _markers_of(text: str, dialect: AnswerReader, prefix: str) -> list[Span]:
    """Spans of the markers of an answer that the parser reads as markers."""
    trace = Trace()
    AnswerSearch(dialect.spec, dialect._graph(), NO_TOOLS, False, prefix, trace=trace).read(text)
    return [(one.start, one.end) for one in trace.lexemes if isinstance(one.key, str) and not one.implied]


def _said(call: Call) -> list[str]:
    """All that a call says: its name, keys and values."""
    found: list[str] = [call.name, call.arguments_text]
    todo: list[Json] = [call.arguments]
    while todo:
        value: Any = todo.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += value
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return found


def _moved(spans: Iterable[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _touches(span: Span, others: Iterable[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)
