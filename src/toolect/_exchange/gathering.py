"""Turns of messages: gathered in an order that conversations have, their contents as text, their calls numbered."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from toolect._chat_completion import content_of
from toolect._message import Call, Content, Message, MessageError, Reasoning, Segment
from toolect._objects import Object
from toolect._turns import Assistant, PendingCalls, Results, ToolResult, Turn, User


class Gathering:
    """Collects turns, and results with their places for errors. Results that follow one another become one turn.

    A result that no call was made for is refused: it raises MessageError.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._waiting = PendingCalls()
        self._results: list[tuple[ToolResult, str]] = []

    def add(self, turn: Turn) -> None:
        """Add a turn; for results use `result`."""
        if self._results:
            self._settle()
        self._waiting.follow(turn)
        self.turns.append(turn)

    def result(self, result: ToolResult, where: str) -> None:
        """Add a result."""
        self._results.append((result, where))

    @property
    def open(self) -> int:
        """Number of calls whose result has not come yet."""
        return len(self._waiting.calls) - len(self._results)

    def done(self) -> tuple[Turn, ...]:
        """Return all turns."""
        if self._results:
            self._settle()
        return tuple(self.turns)

    def _settle(self) -> None:
        """Make one turn of the pending results, each with the id and the name of its call."""
        calls = self._waiting.follow(Results(tuple(result for result, _ in self._results)))
        known = []
        for call, (result, where) in zip(calls, self._results, strict=True):
            if call is None:
                waited = [*filter(None, calls), *self._waiting.calls]
                raise _without_call(result, waited, where)
            if not (result.call_id and result.name):
                result = replace(result, call_id=result.call_id or call.id or "", name=result.name or call.name)
            known.append(result)
        self.turns.append(Results(tuple(known)))
        self._results.clear()


def _without_call(result: ToolResult, calls: Sequence[Call], where: str) -> MessageError:
    ids = ", ".join(f"`{call.id}`" for call in calls[:8] if call.id)
    if not calls:
        return MessageError(
            "a result after the answer with its call", "one, and no call that was read before it", where,
            "put the answer that makes the call before it, or leave it out",
        )  # fmt: skip
    had = f"a result for the id `{result.call_id}`" if result.call_id else f"more than {len(calls)} results"
    expected = f"the result of a call that has none yet{f', one of {ids}' if ids else ''}"
    return MessageError(expected, had, where, "give it the id of its call, or leave it out")


def check(turns: Sequence[Turn]) -> None:
    """Raises MessageError where turns stand in an order that no conversation has."""
    gathering = Gathering()
    for number, turn in enumerate(turns):
        if isinstance(turn, Results):
            for index, result in enumerate(turn.results):
                gathering.result(result, f"turns[{number}].results[{index}]")
        else:
            gathering.add(turn)
    gathering.done()


# Contents as text, and calls with an id each, as every API wants them


def text_of(content: Object, where: str) -> str:
    """The text of a content, empty for none. Raises MessageError for a part that is no text."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for segment in content_of(content, where):
        if not isinstance(segment, Content):
            raise MessageError("text", "reasoning", where, "only a model's answer has reasoning")
        texts.append(segment.text)
    return "".join(texts)


def unread_text(call: Call) -> str:
    """A call that could not be read, in the model's own words; where a server had taken its name out, with that.

    Quoted so, it begins a call in no dialect.
    """
    if call.raw or not call.name:
        return call.raw or call.arguments_text
    return ": ".join(f"`{part}`" for part in (call.name, call.arguments_text) if part)


def numbered(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns, where calls without an id are numbered, and each result has the id of its call.

    What is a result of no call, or of one that could not be read, is the user's turn: an error that it sees.
    """
    turns = list(turns)
    taken = {call.id for turn in turns if isinstance(turn, Assistant) for call in turn.message.calls}
    names = (f"call_{number}" for number in itertools.count(1))
    free = (name for name in names if name not in taken)
    waiting = PendingCalls()
    ids: dict[int, str] = {}  # of each call, by its identity
    for turn in turns:
        calls = waiting.follow(turn)
        if isinstance(turn, Results):
            found = [
                msgspec.structs.replace(result, call_id=ids[id(call)], name=result.name or call.name)
                for result, call in zip(turn.results, calls, strict=True)
                if call is not None and id(call) in ids
            ]
            if found:
                yield Results(tuple(found))
            pairs = zip(turn.results, calls, strict=True)
            yield from (User(one.output, one.media) for one, call in pairs if call is None or id(call) not in ids)
        elif isinstance(turn, Assistant):
            yield msgspec.structs.replace(turn, message=_with_ids(turn.message, free, ids))
        else:
            yield turn


def unread_as_text(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns, where a call that could not be read is content, in the model's words, its result the user's."""
    for turn in numbered(turns):
        if isinstance(turn, Assistant) and any(not call.runnable for call in turn.message.calls):
            message = turn.message
            texts = [message.content, *(unread_text(call) for call in message.calls if not call.runnable)]
            thoughts = [one for one in message.segments if isinstance(one, Reasoning)]
            content = Content("\n".join(filter(None, texts)))
            turn = Assistant(Message([*thoughts, content, *message.runnable]))
        yield turn


def _with_ids(message: Message, free: Iterator[str], ids: dict[int, str]) -> Message:
    """`message`, where each call that may be executed has an id of its own, which is noted in `ids`."""
    seen: set[str] = set()
    segments: list[Segment] = []
    for one in message.segments:
        if isinstance(one, Call) and one.runnable:
            chosen = ids[id(one)] = one.id if one.id and one.id not in seen else next(free)
            seen.add(chosen)
            one = msgspec.structs.replace(one, id=chosen)
        segments.append(one)
    return Message(segments, message.repairs)
