"""Loss masks: the ids of a text that are taught, and the rows for trainers that they make."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolect._message import Span, check_type
from toolect._tokens.encoded_text import Encoded
from toolect._transcript import Origin, Transcript
from toolect._turns import PendingCalls, Results, Turn
from toolect.conversation import Assistant, Conversation

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat
    from toolect._chats.template_chat import TemplateChat


@dataclass(frozen=True, slots=True)
class Teach:
    """Selection of what is taught of the model's own text.

    `answers` are all, the last one, or those of these turns (their numbers in the conversation, from 0).
    """

    answers: Literal["all", "last"] | tuple[int, ...] = "all"
    content: bool = True
    reasoning: bool = True
    failed: bool = True
    """Also calls that could not be read, or whose result is an error."""
    end: bool = True
    """Also the token that ends an answer."""
    cut: tuple[int, ...] = ()
    """Answers that were cut off, by the numbers of their turns: what closes and ends them is not taught."""
    weights: Mapping[int, float] = field(default_factory=dict)
    """Weights of the loss of answers, by the numbers of their turns: 1 for others, 0 for not at all."""


CALLS = Teach(content=False, reasoning=False)
Taught: TypeAlias = Teach | Literal["all", "last", "calls"] | Sequence[int]
"""Answers of a conversation that have a loss: all, the last, of all the calls alone, or those with these numbers."""


def wish_of(teach: Taught) -> Teach:
    """A `Teach` from its short forms. Raises ValueError for what is none."""
    known = {"all": Teach(), "last": Teach("last"), "calls": CALLS}
    if isinstance(teach, str) and teach in known:
        return known[teach]
    answers = teach.answers if isinstance(teach, Teach) else teach
    if answers in ("all", "last") and isinstance(teach, Teach):
        return teach
    if isinstance(answers, str | bytes | Mapping) or not isinstance(answers, Iterable):
        raise ValueError(f"expected teach 'all', 'last', 'calls', numbers of turns or a Teach, got {teach!r}")
    return replace(teach, answers=tuple(answers)) if isinstance(teach, Teach) else Teach(tuple(answers))


def wanted_of(conversation: Conversation, wish: Teach) -> set[int]:
    """The numbers of the answers that are wanted. Raises ValueError for turns that are no answers."""
    said = [number for number, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    wanted: Iterable[int] = said
    if wish.answers == "last":
        wanted = said[-1:]
    elif wish.answers != "all":
        wanted = map(int, wish.answers)
        for number in wish.answers:
            if number not in said:
                known = ", ".join(map(str, said)) or "there are none"
                raise ValueError(f"expected numbers of answers ({known}), got {number}")
    return {number for number in wanted if wish.weights.get(number, 1)}


def failed_calls(turns: Sequence[Turn]) -> set[tuple[int, int]]:
    """The calls that failed: the numbers of their turn, and among the calls of that."""
    waiting = PendingCalls()
    places = {}
    failed = set()
    for number, turn in enumerate(turns):
        if isinstance(turn, Assistant):
            for index, call in enumerate(turn.message.calls):
                places[id(call)] = number, index
                if not call.runnable:
                    failed.add((number, index))
        calls = waiting.follow(turn)
        if isinstance(turn, Results):
            for asked, result in zip(calls, turn.results, strict=True):
                if asked is not None and result.is_error:
                    failed.add(places[id(asked)])
    return failed


def example_of(
    encoded: Encoded,
    text: Transcript,
    chat: Chat | TemplateChat,
    wish: Teach,
    wanted: set[int],
    failed: set[tuple[int, int]],
    reason: str,
) -> Example:
    """Training example of a text, for the answers in it that are `wanted`."""
    taught: list[tuple[int, int, float]] = []
    for start, end, origin, turn in text.spans:
        if origin is Origin.ANSWER and turn in wanted:
            weight = wish.weights.get(turn, 1.0)
            taught += ((a, b, weight) for a, b in _taught(encoded, (start, end), turn, chat, wish, failed))
    labels = [IGNORED] * len(encoded.ids)
    weights = [0.0] * len(encoded.ids)
    spans = encoded.spans
    for start, end, weight in taught:
        low, high = bisect_left(spans, (start,)), bisect_left(spans, (end,))
        while high > low and spans[high - 1][1] > end:  # an id of characters on both sides of the end
            high -= 1
        labels[low:high] = encoded.ids[low:high]
        weights[low:high] = [weight] * (high - low)
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
    if turn in wish.cut:  # the model did not write what the chat has behind its last segment
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


# Rows for trainers: one text to learn from, or several packed into one


IGNORED = -100
"""The label of an id that is not taught."""


@dataclass(frozen=True, slots=True)
class Example:
    """One text to learn from: its ids, the label of each (`IGNORED` where it is not taught), and the weight."""

    ids: list[int]
    labels: list[int]
    weights: list[float]
    answers: tuple[int, ...]
    """The numbers of the turns that are taught here."""
    encoded: Encoded
    reason: str = ""
    """Reason why it ends here and another example follows; empty for the last one."""

    def columns(self) -> dict[str, list[int]]:
        """A tokenized row for trainers: ids, labels, and masks with 1 for every id, and for those that are taught."""
        return {
            "input_ids": self.ids,
            "attention_mask": [1] * len(self.ids),
            "labels": self.labels,
            "assistant_masks": [int(label != IGNORED) for label in self.labels],
        }

    def segments(self) -> list[dict[str, Any]]:
        """The text in stretches that are taught and such that are not, each a `label` and a `text`."""
        found: list[dict[str, Any]] = []
        for (start, end), label in zip(self.encoded.spans, self.labels, strict=True):
            taught = label != IGNORED
            start = max(start, found[-1]["end"]) if found else 0
            if found and found[-1]["label"] == taught:
                found[-1]["end"] = max(end, start)
            else:
                found.append({"label": taught, "start": start, "end": max(end, start)})
        text = self.encoded.text
        return [{"label": one["label"], "text": text[one["start"] : one["end"]]} for one in found]


@dataclass(frozen=True, slots=True)
class Packed:
    """Several examples as one row: `positions` begin again with each, `lengths` are theirs."""

    ids: list[int]
    labels: list[int]
    weights: list[float]
    positions: list[int]
    lengths: list[int]


def pack(rows: Iterable[Example], length: int) -> list[Packed]:
    """Examples as rows of at most `length` ids, in their order. Raises ValueError for one that is longer."""
    check_type(length, int, "the length of rows")
    found: list[Packed] = []
    for number, row in enumerate(rows):
        size = len(row.ids)
        if size > length:
            raise ValueError(f"expected examples of at most {length:,} ids, got {size:,} in example {number}")
        if not found or len(found[-1].ids) + size > length:
            found.append(Packed([], [], [], [], []))
        last = found[-1]
        last.ids.extend(row.ids)
        last.labels.extend([IGNORED, *row.labels[1:]][:size])  # the first id of an example follows nothing
        last.weights.extend([0.0, *row.weights[1:]][:size])
        last.positions.extend(range(size))
        last.lengths.append(size)
    return found
