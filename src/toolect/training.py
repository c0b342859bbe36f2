"""What a model is taught by a conversation: ids, and which of them it wrote itself.

`examples` makes of a conversation the texts that its answers were, or will be, sampled after, each with its answers.
Where a chat rewrites what came before (reasoning of earlier turns is dropped), one conversation is several examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from toolect._shown import alike
from toolect._tokens.adapting import adapted
from toolect._tokens.encoded_text import Encoded
from toolect._tokens.encoding import encode
from toolect.conversation import Assistant, Conversation
from toolect.message import Span
from toolect.rendered import Rendered
from toolect.transcript import Origin, Transcript
from toolect.turns import Results, Turn, Waiting

if TYPE_CHECKING:
    from toolect._chats.template_chat import TemplateChat
    from toolect._chats.verbs import Chat

__all__ = ["IGNORED", "Example", "Packed", "Teach", "examples", "pack"]

IGNORED = -100
"""The label of an id that is not taught."""


@dataclass(frozen=True, slots=True)
class Teach:
    """Which of what the model wrote it is taught.

    `answers` are all, the last one, or those of these turns (their numbers in the conversation, from 0).
    """

    answers: Literal["all", "last"] | tuple[int, ...] = "all"
    content: bool = True
    reasoning: bool = True
    failed: bool = True
    """Also calls that could not be read, or whose result is an error."""
    end: bool = True
    """Also the token that ends an answer."""


CALLS = Teach(content=False, reasoning=False)
Taught: TypeAlias = Teach | Literal["all", "last", "calls"] | Sequence[int]


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
    """Why it ends here, and what follows is another example; empty for the last one."""

    def columns(self) -> dict[str, list[int]]:
        """A row as trainers take it that is tokenized already."""
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


def examples(
    conversation: Conversation,
    chat: Chat | TemplateChat,
    tokenizer: object,
    teach: Taught = "all",
    *,
    sampled: Mapping[int, Sequence[int]] | None = None,
    **options: Any,
) -> list[Example]:
    """What a conversation teaches; nothing where it has no answer that is.

    `sampled` has the ids of answers by the numbers of their turns: they are kept. `options` are those of
    `Chat.render`: `thinking`, `date`, `unsafe`. Raises Unrepresentable for what the chat cannot carry, ValueError for
    turns that are no answers.
    """
    wish = _wish(teach)
    wanted = _wanted(conversation, wish)
    failed = _failed(conversation.turns)
    own = adapted(tokenizer)
    found = []
    for text, answers, reason in _texts(conversation, chat, wanted, options):
        kept = {turn: ids for turn, ids in (sampled or {}).items() if turn in answers}
        encoded = encode(text, own, sampled=kept)
        found.append(_example(encoded, text, chat, wish, wanted & answers, failed, reason))
    return found


def pack(rows: Iterable[Example], length: int) -> list[Packed]:
    """Examples as rows of at most `length` ids, in their order. Raises ValueError for one that is longer."""
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


# Which answers


def _wish(teach: Taught) -> Teach:
    if isinstance(teach, Teach):
        return teach
    if isinstance(teach, str):
        known = {"all": Teach(), "last": Teach("last"), "calls": CALLS}
        if teach not in known:
            raise ValueError(f"expected teach 'all', 'last', 'calls', numbers of turns or a Teach, got {teach!r}")
        return known[teach]
    return Teach(tuple(teach))


def _wanted(conversation: Conversation, wish: Teach) -> set[int]:
    said = [number for number, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    if wish.answers == "all":
        return {*said}
    if wish.answers == "last":
        return {*said[-1:]}
    for number in wish.answers:
        if number not in said:
            known = ", ".join(map(str, said)) or "there are none"
            raise ValueError(f"expected numbers of answers ({known}), got {number}")
    return {int(number) for number in wish.answers}


def _failed(turns: Sequence[Turn]) -> set[tuple[int, int]]:
    """The calls that failed: the numbers of their turn, and among the calls of that."""
    waiting = Waiting()
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


# The texts


class _Text(NamedTuple):
    """A text that answers were sampled in, the numbers of their turns, and why it ends."""

    text: Transcript
    answers: set[int]
    reason: str


def _texts(
    conversation: Conversation, chat: Chat | TemplateChat, wanted: set[int], options: Mapping[str, Any]
) -> Iterator[_Text]:
    """The texts that the wanted answers were sampled in. What is told again in another way was not sampled there."""
    pieces: list[tuple[str, Origin, int]] = []
    said: set[int] = set()
    prompt, text = Transcript(), ""
    for number, turn in enumerate(conversation.turns[: max(wanted, default=-1) + 1]):
        if not isinstance(turn, Assistant):
            continue
        now, answer = _sampled(Conversation(conversation.turns[: number + 1], conversation.tools), turn, chat, options)
        if said and now.startswith(text):
            pieces += now.after(len(text)).pieces
        else:
            if said & wanted:
                at = alike(text, now)
                reason = (
                    f"for turn {number} `{chat.name}` writes otherwise what came before: from character {at} on "
                    f"{now[at : at + 30]!r} where {text[at : at + 30]!r} was"
                )
                yield _Text(Transcript(pieces, (), prompt.author), said, reason)
            pieces, said = [*now.pieces], set()
        prompt, text = now, now + "".join(piece[0] for piece in answer)
        pieces += [(one, origin, number) for one, origin, _ in answer]
        said.add(number)
    if said & wanted:
        yield _Text(Transcript(pieces, (), prompt.author), said, "")


def _sampled(
    conversation: Conversation, turn: Assistant, chat: Chat | TemplateChat, options: Mapping[str, Any]
) -> tuple[Transcript, list[tuple[str, Origin, int]]]:
    """The prompt of the last answer, and what the model wrote after it.

    An answer without reasoning is one to the prompt that said so itself, where the chat has such a one.
    """
    before = Conversation(conversation.turns[:-1], conversation.tools)
    whole = chat.render(conversation, False, **options)
    prompts = [chat.render(before, True, **options)]
    if options.get("thinking") is None and turn.text is None and not turn.message.reasoning:
        prompts.append(chat.render(before, True, **{**options, "thinking": False}))
    fitting = [prompt for prompt in prompts if whole.startswith(prompt)]
    if fitting and (turn.text is None or turn.text in whole[len(fitting[0]) :]):
        prompt = max(fitting, key=len)
        answer = [piece for piece in whole.after(len(prompt)).pieces if piece[1] is Origin.ANSWER]
        return prompt, answer
    prompt = prompts[0]
    said = turn.text
    if said is None:
        said = str(chat.dialect.render(turn.message, list(conversation.tools) or None))
    opened = next((size for size in range(min(len(said), 64), 0, -1) if prompt.endswith(said[:size])), 0)
    number = len(conversation.turns) - 1
    end = next(iter(chat.ends), "")
    answer = [(Rendered(said[opened:]), Origin.ANSWER, number), (end, Origin.ANSWER, number)]
    return prompt, [piece for piece in answer if piece[0]]


# Labels


def _example(
    encoded: Encoded,
    text: Transcript,
    chat: Chat | TemplateChat,
    wish: Teach,
    wanted: set[int],
    failed: set[tuple[int, int]],
    reason: str,
) -> Example:
    taught: list[Span] = []
    for start, end, origin, turn in text.spans:
        if origin is Origin.ANSWER and turn in wanted:
            taught += _taught(encoded, (start, end), turn, chat, wish, failed)
    labels = [IGNORED] * len(encoded.ids)
    spans = iter(taught)
    now = next(spans, None)
    for at, (start, end) in enumerate(encoded.spans):
        while now is not None and now[1] <= start:
            now = next(spans, None)
        if now is not None and now[0] <= start and end <= now[1]:
            labels[at] = encoded.ids[at]
    weights = [float(label != IGNORED) for label in labels]
    return Example(encoded.ids, labels, weights, tuple(sorted(wanted)), encoded, reason)


def _taught(
    encoded: Encoded, answer: Span, turn: int, chat: Chat | TemplateChat, wish: Teach, failed: set[tuple[int, int]]
) -> Iterator[Span]:
    """The stretches of an answer that are taught, in order; markup belongs to the segments beside it."""
    start, end = answer
    said = encoded.text[start:end]
    ends = [token for token in (*chat.ends, *chat.dialect.spec.end) if token and said.endswith(token)]
    body = end - max(map(len, ends), default=0)
    untaught: list[Span] = [] if wish.end else [(body, end)]
    segments = [one for one in encoded.segments if one.turn == turn]
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
