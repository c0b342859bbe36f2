"""Which ids of a text are taught."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from toolect._message import Span
from toolect._tokens.encoded_text import Encoded
from toolect._training.rows import IGNORED, Example
from toolect._training.wishes import Teach
from toolect._transcript import Origin, Transcript

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat
    from toolect._chats.template_chat import TemplateChat


def example_of(
    encoded: Encoded,
    text: Transcript,
    chat: Chat | TemplateChat,
    wish: Teach,
    wanted: set[int],
    failed: set[tuple[int, int]],
    reason: str,
) -> Example:
    """What a text teaches, by the answers in it that are `wanted`."""
    taught: list[tuple[int, int, float]] = []
    for start, end, origin, turn in text.spans:
        if origin is Origin.ANSWER and turn in wanted:
            weight = wish.weights.get(turn, 1.0)
            taught += ((a, b, weight) for a, b in _taught(encoded, (start, end), turn, chat, wish, failed))
    labels = [IGNORED] * len(encoded.ids)
    weights = [0.0] * len(encoded.ids)
    spans = iter(taught)
    now = next(spans, None)
    for at, (start, end) in enumerate(encoded.spans):
        while now is not None and now[1] <= start:
            now = next(spans, None)
        if now is not None and now[0] <= start and end <= now[1]:
            labels[at], weights[at] = encoded.ids[at], now[2]
    return Example(encoded.ids, labels, weights, tuple(sorted(wanted)), encoded, reason)


def _taught(
    encoded: Encoded, answer: Span, turn: int, chat: Chat | TemplateChat, wish: Teach, failed: set[tuple[int, int]]
) -> Iterator[Span]:
    """The stretches of an answer that are taught, in order; markup belongs to the segments beside it."""
    start, end = answer
    said = encoded.text[start:end]
    ends = [token for token in (*chat.ends, *chat.dialect.spec.end) if token and said.endswith(token)]
    body = end - max(map(len, ends), default=0)
    segments = [one for one in encoded.segments if one.turn == turn]
    if turn in wish.cut:  # its model did not come to what the chat writes behind the last that it said
        body = min(body, segments[-1].end if segments else start)
    untaught: list[Span] = [] if wish.end and turn not in wish.cut else [(body, end)]
    calls = 0
    for at, one in enumerate(segments):
        before = segments[at - 1].end if at else start
        after = segments[at + 1].start if at + 1 < len(segments) else body
        if one.kind == "call":
            if not wish.failed and (turn, calls) in failed:
                untaught.append((one.start, one.end))
            calls += 1
        elif one.kind == "reasoning" and not wish.reasoning:
            untaught.append((before, after))
        elif one.kind == "content" and not wish.content:
            untaught.append((max(before, one.start), one.end))
    if not (wish.content or any(one.call is not None for one in segments)):
        untaught = [answer]  # only calls are taught, and there is none
    edges = [start, *(edge for span in sorted(untaught) for edge in span), end]
    yield from ((a, b) for a, b in list(pairwise(edges))[::2] if a < b)
