"""The texts that the answers of a conversation were, or will be, sampled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolect._chats.continuing import Beginning, Written
from toolect._compiled import Dialect
from toolect._message import Json, Message, Reasoning
from toolect._rendered import Part, Rendered, RenderError
from toolect._shown import alike
from toolect._transcript import Origin, Transcript
from toolect.conversation import Assistant, Conversation

_OPENED = 64
"""Characters of an answer that a prompt may have written already."""
_PROBE = "~"
"""A reasoning that shows where reasonings stand."""
Piece = tuple[str, Origin, int]


class SampledText(NamedTuple):
    """A text that answers were sampled in, the numbers of their turns, and why it ends."""

    text: Transcript
    answers: set[int]
    reason: str


def sampled_texts(
    conversation: Conversation, chat: Written, wanted: set[int], options: Mapping[str, Any]
) -> Iterator[SampledText]:
    """The texts that the wanted answers were sampled in. What is written again in another way was not sampled there."""
    pieces: list[Piece] = []
    said: set[int] = set()
    prompt, text = Transcript(), ""
    beginning = chat.beginning(conversation, **options)
    if (one := _one_text(conversation, chat, wanted, beginning)) is not None:
        yield one
        return
    for number, turn in enumerate(conversation.turns[: max(wanted, default=-1) + 1]):
        if not isinstance(turn, Assistant):
            continue
        now, answer = _sampled(beginning, number, turn, chat, conversation.tools)
        if said and now.startswith(text):
            pieces += now.after(len(text)).pieces
        else:
            if said & wanted:
                at = alike(text, now)
                reason = (
                    f"for turn {number} `{chat.name}` writes otherwise what came before: from character {at} on "
                    f"{now[at : at + 30]!r} where {text[at : at + 30]!r} was"
                )
                yield SampledText(Transcript(pieces, (), prompt.author), said, reason)
            pieces, said = [*now.pieces], set()
        prompt, text = now, now + "".join(piece[0] for piece in answer)
        pieces += [(one, origin, number) for one, origin, _ in answer]
        said.add(number)
    if said & wanted:
        yield SampledText(Transcript(pieces, (), prompt.author), said, "")


def _one_text(conversation: Conversation, chat: Written, wanted: set[int], beginning: Beginning) -> SampledText | None:
    """The whole conversation as one text, where nothing is lost by it: each answer stands behind a prompt of its own.

    Some chats ask for answers without reasoning by another prompt, and history goes on from the plain one as well.
    """
    turns = conversation.turns[: max(wanted, default=-1) + 1]
    said = {number: turn for number, turn in enumerate(turns) if isinstance(turn, Assistant)}
    if len(said) < 2 or any(turn.text is not None or turn.message.reasoning for turn in said.values()):
        return None
    text, last = beginning(len(turns), False), max(said)
    pieces: list[Piece] = []
    at = 0
    for number, turn in said.items():
        prompt, answer = _sampled(beginning, number, turn, chat, conversation.tools)
        words = "".join(piece[0] for piece in answer)
        if number < last:
            given = beginning(number, True), beginning(number, True, True)
            prompt = max((one for one in given if text.startswith(one)), key=len, default=Transcript())
            if not text.startswith(words, len(prompt)):
                return None
        if len(prompt) <= at or prompt[:at] != text[:at]:
            return None
        pieces += [*prompt.after(at).pieces, *answer]
        at = len(prompt) + len(words)
    return SampledText(Transcript(pieces, (), text.author), {*said}, "")


def _sampled(
    beginning: Beginning, number: int, turn: Assistant, chat: Written, tools: Sequence[Mapping[str, Json]]
) -> tuple[Transcript, list[Piece]]:
    """The prompt of an answer, and what the model wrote after it.

    An answer without reasoning is one to the prompt that said so itself, where the chat has such a one.
    """
    whole = beginning(number + 1, False)
    prompts = [beginning(number, True)]
    if turn.text is None and not turn.message.reasoning:
        prompts.append(beginning(number, True, True))
    fitting = [prompt for prompt in prompts if whole.startswith(prompt)]
    prompt = max(fitting, key=len, default=prompts[0])
    if fitting and (turn.text is None or turn.text in whole[len(prompt) :]):
        rest = whole.after(len(prompt)).pieces
        size = max((at for at, piece in enumerate(rest, 1) if piece[1:] == (Origin.ANSWER, number)), default=0)
        said = [text for text, _, _ in rest[:size]]  # also what the chat writes before it, and the prompt has not
    elif turn.text is None:
        said = [Rendered(_written(turn.message, chat.dialect, tools, prompt))]
    else:
        said = [Rendered(_after(prompt, turn.text))]
    if not "".join(said).endswith(tuple(filter(None, chat.ends))):
        said.append(chat.end_after(bool(turn.message.calls)))
    return prompt, [(text, Origin.ANSWER, number) for text in said if text]


def _written(message: Message, dialect: Dialect, tools: Sequence[Mapping[str, Json]], prompt: str) -> str:
    """Text of a model after a prompt. A reasoning that this opened is closed, also where the answer has none."""
    if not message.reasoning and _opened(dialect, prompt):
        thinking = Message([Reasoning(_PROBE), *message.segments])
        return _after(prompt, dialect.render(thinking, list(tools) or None)).removeprefix(_PROBE)
    return _after(prompt, dialect.render(message, list(tools) or None))


def _opened(dialect: Dialect, prompt: str) -> bool:
    """True when a prompt has opened a reasoning, which the answer goes on with."""
    try:
        return _after(prompt, dialect.render(Message([Reasoning(_PROBE)]))).startswith(_PROBE)
    except RenderError:  # the dialect has no reasoning
        return False


def _after(prompt: str, said: str) -> str:
    """An answer without what the prompt has written of it already: its markup, or a text that is no single sign."""
    least, most = 3, _OPENED
    if isinstance(said, Rendered) and said.spans:
        least, most = 1, said.spans[0].end if said.spans[0].part is Part.MARKUP else 0
    sizes = range(min(len(said), most), least - 1, -1)
    return said[next((size for size in sizes if prompt.endswith(said[:size])), 0) :]
