"""Rows as conversations: one reader for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from toolect._chats.chat_registry import chat
from toolect._chats.comparing import Change
from toolect._data.account import Unfit, because
from toolect._data.kinds import LISTS, REQUESTS, RESPONSES, TEXTS, Kind, kind_of
from toolect._data.opening import opened
from toolect._data.row_mending import Tools, mended_messages, tools_in
from toolect._data.streamed_answers import answers_of, is_streamed
from toolect._detection.guess import dialect
from toolect._exchange.anthropic_messages import read_anthropic
from toolect._exchange.openai_messages import read_answer, read_messages
from toolect._exchange.response_items import read_items
from toolect._exchange.sharegpt import read_row
from toolect.conversation import Conversation
from toolect.message import BadMessage, Call, Content, Json, Message, RepairKind, Segment
from toolect.turns import Assistant, System, Turn, User

RETOLD = "the system text told of the tools itself: it is left out, the tools are kept"
UNDECLARED = "calls of a tool that is not declared"
NO_TOOLS = "calls, and no tools are declared"
REPAIRED = "calls were repaired"
TRANSCRIPT_REPAIRED = "the transcript was repaired"
_TOOLS = ("tools", "available_tools", "functions")
_QUESTIONS = ("prompt", "question", "instruction")


class Source(msgspec.Struct, frozen=True):
    """How rows are read. Without a kind it is found out row by row."""

    kind: Kind | None = None
    dialect: str = ""
    """What answers that are text are in; "" where they are nothing but content."""
    chat: str = ""
    """What transcripts are written in."""
    field: str = ""
    """The column that holds the turns or the text; "" to look for it."""
    retell: bool = True
    """Leave out a system text that tells of the tools, and tell of them as the target does."""

    def __str__(self) -> str:
        """The kind in words, for a report."""
        what = str(self.kind or "rows of any kind")
        if self.chat:
            return f"{what} of {self.chat}"
        if not self.dialect:
            return what
        return f"{what}, with calls in the text ({'any dialect' if self.dialect == 'auto' else self.dialect})"


class Reading(NamedTuple):
    """A conversation that a row tells, the columns that it was told in, and what was seen in them."""

    conversation: Conversation
    columns: frozenset[str]
    notes: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()


class _Row:
    """One row while it is read."""

    def __init__(self, row: Mapping[str, Json], source: Source) -> None:
        self.row, self.source = row, source
        self.taken: set[str] = set()
        self.notes: list[Change] = []
        self.changes: list[Change] = []
        self.tools: Tools = self._tools()

    def _tools(self) -> Tools:
        name = next((name for name in _TOOLS if self.row.get(name) is not None), None)
        if name is None:
            return tools_in(None)
        self.taken.add(name)
        return self.declare(self.row[name])

    def declare(self, given: Json) -> Tools:
        """From now on these tools are declared."""
        self.tools = tools_in(given)
        self.notes += self.tools.notes
        return self.tools

    def take(self, *names: str) -> Json:
        """The value of the first of the columns that there is, opened."""
        for name in (self.source.field, *names) if self.source.field else names:
            if self.row.get(name) is not None:
                self.taken.add(name)
                return opened(self.row[name])
        return None

    def turns(self, messages: Json, where: str) -> tuple[Turn, ...]:
        """The turns of messages, with the calls that stand in their texts."""
        if not isinstance(messages, list):
            raise BadMessage("a list of messages", _what(messages), where)
        return read_messages(mended_messages(messages, self.tools, self.notes), where, self.answer)

    def answer(self, message: Any, where: str) -> Message:
        """What an assistant message says; one without calls may have them in its text."""
        said = read_answer(message, where)
        if not self.source.dialect or any(isinstance(one, Call) for one in said.segments):
            return said
        segments: list[Segment] = []
        for segment in said.segments:
            segments += self.spoken(segment.text).segments if isinstance(segment, Content) else [segment]
        return Message(segments)

    def spoken(self, text: str) -> Message:
        """What a text says in the dialect of the source."""
        if not self.source.dialect:
            return Message([Content(text)] if text else [])
        message = dialect(self.source.dialect).parse(text, list(self.tools.tools) or None)
        return Message(message.segments, message.repairs)

    def conversation(self, turns: Sequence[Turn]) -> Reading:
        """The conversation of the turns, with what is to say about its calls."""
        bare = tuple(self._seen(turn, number) for number, turn in enumerate(turns))
        conversation = Conversation(bare, self.tools.tools)
        return Reading(conversation, frozenset(self.taken), tuple(self.notes), tuple(self.changes))

    def _seen(self, turn: Turn, number: int) -> Turn:
        """An answer as what it says, not as it was spelled."""
        if not isinstance(turn, Assistant):
            return turn
        message = turn.message
        calls = message.calls
        if not calls and not message.repairs:
            return turn if turn.text is None else Assistant(message)
        kinds = {repair.kind for call in calls for repair in call.repairs} | {r.kind for r in turn.message.repairs}
        if meant := sorted(kinds - {RepairKind.WHITESPACE, RepairKind.COERCION}):
            self.notes.append(Change(REPAIRED, number, ", ".join(meant)))
        if calls:
            declared = self.tools.schemas
            unknown = [call.name for call in calls if call.runnable and call.name not in declared]
            if unknown:
                self.notes.append(Change(UNDECLARED, number, ", ".join(unknown)) if declared else Change(NO_TOOLS))
        return turn if turn.text is None else Assistant(turn.message)


def readings(row: Json, source: Source) -> list[Reading]:
    """The conversations that a row tells; only logs have several. Raises Unfit."""
    kind = source.kind or kind_of(row, source.field)
    if isinstance(row, str) and kind in (Kind.ANSWER, Kind.TRANSCRIPT):
        row = {TEXTS[0]: row}
    if isinstance(row, list):
        row = {LISTS[1 if kind is Kind.SHAREGPT else 0]: row}
    if not isinstance(row, Mapping):
        raise Unfit(Change("no object", detail=f"expected an object as a row, got {_what(row)}"))
    if kind is None:
        there = ", ".join(f"`{key}`" for key in [*row][:8]) or "no columns"
        raise Unfit(Change("no conversation", detail=f"expected a kind of row that is known, got {there}"))
    try:
        one = _Row(row, source)
        found = [one.conversation(turns) for turns in _READERS[kind](one)]
    except BadMessage as error:
        raise Unfit(because(error)) from None
    if not any(reading.conversation.turns for reading in found):
        raise Unfit(Change("no turns", detail=f"expected turns in a row of {kind}, got none"))
    return found


Reader: TypeAlias = Callable[[_Row], Iterator[Sequence[Turn]]]


def _messages(one: _Row) -> Iterator[Sequence[Turn]]:
    yield one.turns(one.take(*LISTS), "messages")


def _anthropic(one: _Row) -> Iterator[Sequence[Turn]]:
    yield read_anthropic(one.take(*LISTS), one.take("system"))


def _responses(one: _Row) -> Iterator[Sequence[Turn]]:
    items = one.take("input")
    output = one.take("output") or []
    said = [{"role": "user", "content": items}] if isinstance(items, str) else items
    yield read_items([*said, *output] if isinstance(said, list) else said, one.take("instructions"))


def _sharegpt(one: _Row) -> Iterator[Sequence[Turn]]:
    name = "conversations" if one.row.get("conversation") is None else "conversation"
    row = {name: one.take(name), "system": one.take("system"), "tools": list(one.tools.tools) or None}
    reader = dialect(one.source.dialect) if one.source.dialect else None
    turns, tools, told = read_row(row, reader, False)
    one.tools = tools_in(list(tools))
    if told and one.source.retell:
        first = next(turn.text for turn in turns if isinstance(turn, System))
        one.changes.append(Change(RETOLD, detail=first[:60]))
        turns = tuple(turn for turn in turns if not isinstance(turn, System))
    elif told:
        one.tools = tools_in(None)
    yield turns


def _query(one: _Row) -> Iterator[Sequence[Turn]]:
    query, answers = one.take("query"), one.take("answers")
    if not isinstance(query, str):
        raise BadMessage("text", _what(query), "query")
    if not isinstance(answers, list):
        raise BadMessage("a list of calls or its JSON text", _what(answers), "answers")
    calls = {"role": "assistant", "tool_calls": answers}
    yield (User(query), *one.turns([calls], "answers"))


def _prompted(one: _Row) -> Iterator[Sequence[Turn]]:
    prompt, completion = one.take("prompt"), one.take("completion")
    asked = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    said = [{"role": "assistant", "content": completion}] if isinstance(completion, str) else completion
    said = [said] if isinstance(said, Mapping) else said
    if not isinstance(asked, list) or not isinstance(said, list):
        raise BadMessage("a text or a list of messages", _what(said), "completion")
    yield one.turns([*asked, *said], "messages")


_ROLES = {"ai": "assistant", "agent": "assistant", "environment": "user", "env": "user"}


def _trajectory(one: _Row) -> Iterator[Sequence[Turn]]:
    names = [name for name in ("messages", "history", *LISTS) if isinstance(opened(one.row.get(name)), list)]
    rows = one.take(*names) if names else one.take("trajectory")
    if not isinstance(rows, list):
        raise BadMessage("a list of messages or steps", _what(rows), "trajectory")
    messages: list[Json] = []
    for step in rows:
        if isinstance(step, Mapping) and step.get("role") is None and {"action", "response", "observation"} & {*step}:
            messages += _step(step)
        elif isinstance(step, Mapping):
            messages.append(_told(step))
        else:
            messages.append(step)
    yield one.turns(messages, "trajectory")


def _told(step: Mapping[str, Json]) -> dict[str, Json]:
    """A message of an agent's history with the names of the chat-completions API."""
    found = {**step, "role": _ROLES.get(step["role"], step["role"]) if isinstance(step.get("role"), str) else None}
    if found.get("content") is None:
        found["content"] = step.get("text") or step.get("system_prompt")
    ids = step.get("tool_call_ids")
    if found["role"] == "tool" and not found.get("tool_call_id") and isinstance(ids, list) and ids:
        found["tool_call_id"] = ids[0]
    return found


def _step(step: Mapping[str, Json]) -> list[Json]:
    """What an agent said and did in one step, and what it was told of it."""
    said = step.get("response")
    if not isinstance(said, str) or not said:
        parts = (step.get("thought"), step.get("action"))
        said = "\n\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    messages: list[Json] = [{"role": "assistant", "content": said}]
    if isinstance(step.get("observation"), str):
        messages.append({"role": "user", "content": step["observation"]})
    return messages


def _log(one: _Row) -> Iterator[Sequence[Turn]]:
    request = one.take(*(name for name in REQUESTS if isinstance(opened(one.row.get(name)), Mapping)))
    if request is None:
        request = {"messages": one.take("messages"), "tools": one.row.get("tools")}
    names = [name for name in RESPONSES if one.row.get(name) is not None]
    response = one.take(*names)
    if names == ["choices"]:
        response = {"choices": response}
    for key in _TOOLS:
        if request.get(key) is not None:
            one.declare(request[key])
            break
    body = response.get("body", response) if isinstance(response, Mapping) else response
    if "input" in request:
        output = body.get("output") if isinstance(body, Mapping) else body
        items = (
            [{"role": "user", "content": request["input"]}] if isinstance(request["input"], str) else request["input"]
        )
        yield read_items([*items, *(output or [])] if isinstance(items, list) else items, request.get("instructions"))
    elif isinstance(body, Mapping) and "choices" not in body and isinstance(body.get("content"), list):
        asked = request.get("messages")
        whole = [*asked, {"role": "assistant", "content": body["content"]}] if isinstance(asked, list) else asked
        yield read_anthropic(whole, request.get("system"))
    else:
        yield from _choices(one, request.get("messages"), body)


def _choices(one: _Row, messages: Json, body: Json) -> Iterator[Sequence[Turn]]:
    """A conversation for each of the answers to a request."""
    if not isinstance(messages, list):
        raise BadMessage("a list of messages", _what(messages), "request.messages")
    if is_streamed(body):
        for told in answers_of(body):
            yield one.turns([*messages, told.to_openai()], "messages")
        return
    if isinstance(body, str):
        yield one.turns([*messages, {"role": "assistant", "content": body}], "messages")
        return
    choices = body.get("choices") if isinstance(body, Mapping) else None
    if choices is None:
        choices = [{"message": body}]
    if not isinstance(choices, list) or not choices:
        raise BadMessage("at least one choice", "none", "response.choices")
    for number, choice in enumerate(choices):
        said = choice.get("message", choice) if isinstance(choice, Mapping) else None
        if not isinstance(said, Mapping):
            raise BadMessage("a choice with a message", _what(choice), f"response.choices[{number}]")
        if "text" in said and "content" not in said:
            said = {"content": said["text"]}
        yield one.turns([*messages, {"role": "assistant", **said}], "messages")


def _transcript(one: _Row) -> Iterator[Sequence[Turn]]:
    text = _text(one)
    found = chat(one.source.chat).parse(text)
    if not found.turns and text.strip():
        raise BadMessage(f"a transcript of `{one.source.chat}`", "a text without a turn of it", "text")
    for repair in found.repairs:
        one.notes.append(Change(TRANSCRIPT_REPAIRED, detail=f"{repair.kind} at character {repair.at}"))
    if found.tools and not one.tools.tools:
        one.declare([tool for tool in found.tools if tool.get("type") == "function"])
    yield found.turns


def _answer(one: _Row) -> Iterator[Sequence[Turn]]:
    text = _text(one)
    asked = next((one.take(name) for name in _QUESTIONS if isinstance(one.row.get(name), str)), None)
    said = Assistant(one.spoken(text))
    yield (User(asked), said) if isinstance(asked, str) else (said,)


def _text(one: _Row) -> str:
    """The text of a transcript or an answer."""
    for name in (one.source.field,) if one.source.field else TEXTS:
        if isinstance(one.row.get(name), str):
            one.taken.add(name)
            return str(one.row[name])
    raise BadMessage("a text", "none", one.source.field or TEXTS[0])


_READERS: dict[Kind, Reader] = {
    Kind.MESSAGES: _messages, Kind.ANTHROPIC: _anthropic, Kind.RESPONSES: _responses, Kind.SHAREGPT: _sharegpt,
    Kind.QUERY: _query, Kind.PROMPTED: _prompted, Kind.TRAJECTORY: _trajectory, Kind.LOG: _log,
    Kind.TRANSCRIPT: _transcript, Kind.ANSWER: _answer,
}  # fmt: skip


def _what(value: Json) -> str:
    return "nothing" if value is None else f"`{type(value).__name__}`"
