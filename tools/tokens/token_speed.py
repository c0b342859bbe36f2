"""Times of encoding a conversation, and of reading an answer id by id: rows of the report on tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from tokenizers import Tokenizer

import toolect
from toolect._chats.verbs import Chat
from toolect._message import Call, Content, Message
from toolect._rendered import RenderError
from toolect._transcript import Transcript
from toolect.tokens import adapted, encode, load
from tools.bench.workloads import best
from tools.chats.chat_speed import DAY, conversations
from tools.tokens.original_tokenizers import CACHE, ORIGINALS

ANSWER = Message(
    [
        Content("High water is at 12:04; I look for the wind. " * 4),
        Call("wind", {"port": "Brest", "hours": [12, 18], "note": "in knots, from where it blows" * 4}, "abcdefghi"),
    ]
)
WORDS = """\
A conversation of 20 turns is encoded, beside the tokenizer's own time for its text (at most 1.3); an answer of a text
and a call is read id by id, beside the time in which the dialect's stream reads the same pieces as text (at most 3).
"""


def rows(seconds: float) -> Iterator[str]:
    """A row for each tokenizer, as Markdown."""
    heads = ("tokenizer", "ids", "encoding", "tokenizer's own, µs", "ids of an answer", "reading", "text stream, µs")
    yield "| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|"
    for name, original in ORIGINALS.items():
        chat, tokenizer = toolect.chat(original.chat), load(CACHE / name)
        own = Tokenizer.from_file(str(CACHE / name / "tokenizer.json"))
        text = next(_written(chat))
        encoded = encode(text, tokenizer)
        ours = best(lambda: encode(text, tokenizer), seconds)  # noqa: B023 - runs at once
        theirs = best(lambda: own.encode(str(text), add_special_tokens=False), seconds)  # noqa: B023
        answer = next(_told(chat.dialect))
        ids = encode(answer, tokenizer).ids
        pieces = [one.decode("utf-8", "replace") for one in map(adapted(tokenizer).piece, ids)]
        by_id = best(_reads(lambda: chat.dialect.token_stream(tokenizer), ids), seconds)  # noqa: B023
        by_text = best(_reads(chat.dialect.stream, pieces), seconds)
        cells = [name, len(encoded.ids), f"{ours / theirs:.2f}", f"{theirs:.0f}"]
        cells += [len(ids), f"{by_id / by_text:.2f}", f"{by_text:.0f}"]
        yield f"| {' | '.join(map(str, cells))} |"


def _written(chat: Chat) -> Iterator[Transcript]:
    """The conversation as the chat writes it, the first that it carries."""
    for conversation in conversations():
        with suppress(RenderError):
            yield chat.render(conversation, date=DAY)


def _told(dialect: toolect.Dialect) -> Iterator[toolect.Rendered]:
    """The answer, without its call where the dialect has none."""
    for message in (ANSWER, Message(ANSWER.segments[:1])):
        with suppress(RenderError):
            yield dialect.render(message)


def _reads(stream: Callable[[], object], pieces: Iterable[object]) -> Callable[[], object]:
    def read() -> object:
        one = stream()
        for piece in pieces:
            one.feed(piece)  # type: ignore[attr-defined]
        return one.close()  # type: ignore[attr-defined]

    return read
