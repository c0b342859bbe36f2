"""Turns as rows of data sets: who speaks and a text, with calls and results as text.

Two habits are known. Calls and results have turns of their own, as JSON; or calls stand in the model's text, in its
dialect, and results in elements.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from toolect._detection.dropped import with_dropped
from toolect._exchange.definitions import read_tools
from toolect._exchange.embedded_tools import definitions_in, element_results, one_each, tells_of
from toolect._exchange.gathering import Gathering
from toolect._exchange.media import refuse_media
from toolect._exchange.openai_messages import read_answer
from toolect._exchange.order_of_calls import in_order_of_calls
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment, dumps
from toolect._objects import Object, as_list, as_object, as_text, field, not_finite, word
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User

Tools = Sequence[Mapping[str, Json]]
_SPEAKERS = {
    "system": "system", "human": "user", "user": "user", "gpt": "model", "assistant": "model", "model": "model",
    "function_call": "calls", "tool_call": "calls", "observation": "result", "function": "result", "ipython": "result",
    "function_response": "result", "tool": "results", "tool_response": "results",
}  # fmt: skip
_OF_RESULTS = {"result", "results"}


class TextReader(Protocol):
    """Reader of a model's texts."""

    @property
    def name(self) -> str: ...

    def parse(self, text: str, tools: Any = ..., /) -> Any: ...


class RowDialect(TextReader, Protocol):
    """Reader and writer of a model's texts."""

    @property
    def spec(self) -> Any: ...

    def render(self, message: Message, tools: Any = ..., /) -> str: ...


class ShareGptRow(NamedTuple):
    """Turns and tools of a row; `in_system` is true where its system text describes the tools."""

    turns: tuple[Turn, ...]
    tools: Tools
    in_system: bool


def read_row(row: Object, dialect: TextReader | None, sampled: bool) -> ShareGptRow:
    """The turns and tools of a row. Its model's texts are read by `dialect`, and kept if they are `sampled` in that.

    Without a dialect they are content. Raises MessageError.
    """
    key = next((key for key in ("conversations", "conversation") if field(row, key) is not None), "conversations")
    said = [_turn(turn, f"{key}[{index}]") for index, turn in enumerate(as_list(field(row, key), key))]
    if system := as_text(field(row, "system"), "system"):
        said.insert(0, ("system", system, "system"))
    first = next((text for speaker, text, _ in said if speaker == "system"), "")
    tools = read_tools(field(row, "tools")) or definitions_in(first)
    gathering = Gathering()
    answer: Assistant | None = None
    for number, (speaker, text, where) in enumerate(said):
        if answer is not None and speaker != "calls":
            gathering.add(answer)
            answer = None
        match speaker:
            case "system":
                gathering.add(System(text))
            case "user":
                gathering.add(User(text))
            case "model":
                answer = _answer(text, dialect, sampled, tools)
            case "calls":
                before = answer.message.segments if answer else ()
                answer = Assistant(Message([*before, *_calls(text, f"{where}.value")]))
            case _:
                beside = {one for one, *_ in said[number - 1 : number] + said[number + 1 : number + 2]}
                texts = [text] if beside & _OF_RESULTS else one_each(text, gathering.open)
                found = element_results(text) if speaker == "results" else []
                for result in found or [ToolResult("", "", one) for one in texts]:
                    gathering.result(result, where)
    if answer is not None:
        gathering.add(answer)
    return ShareGptRow(gathering.done(), tools, tells_of(first, tools))


def _answer(text: str, dialect: TextReader | None, sampled: bool, tools: Tools) -> Assistant:
    if dialect is None:
        return Assistant(Message([Content(text)] if text else []))
    message = dialect.parse(text, tools)
    read = Message(message.segments, with_dropped(text, message))
    return Assistant(read, text, dialect.name) if sampled else Assistant(read)


def _turn(turn: Object, where: str) -> tuple[str, str, str]:
    """Speaker, text and place of a turn."""
    turn = as_object(turn, where, "a turn")
    key, value = ("from", "value") if field(turn, "from") is not None else ("role", "content")
    speaker = field(turn, key)
    if not isinstance(speaker, str) or speaker not in _SPEAKERS:
        raise MessageError(f"one of {', '.join(_SPEAKERS)}", word(speaker), f"{where}.{key}")
    return _SPEAKERS[speaker], as_text(field(turn, value), f"{where}.{value}"), where


def _calls(text: str, where: str) -> Sequence[Segment]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("the JSON of a call", "a text that is no JSON", where) from None
    return read_answer({"tool_calls": value if isinstance(value, list) else [value]}, where).segments


def row_of(turns: Sequence[Turn], tools: Tools, dialect: RowDialect | None) -> dict[str, Json]:
    """The row: with a dialect calls stand in the model's text, and results in elements; else both have turns as JSON.

    Results stand in the order of their calls, as nothing else tells which call each is of. Raises RenderError.
    """
    refuse_media(turns, "such a row")
    habit = _in_turns if dialect is None else _in_texts
    turns = in_order_of_calls(turns, dialect.spec if dialect else None, partial(_sampled, dialect))
    said = [{"from": who, "value": text} for turn in turns for who, text in habit(turn, tools, dialect)]
    return {"conversations": said, **({"tools": dumps(list(tools))} if tools else {})}


def _sampled(dialect: RowDialect | None, turn: Assistant) -> Sequence[str | None] | None:
    """The ids of calls in an answer that is written as it was sampled."""
    kept = dialect is not None and turn.text is not None and turn.dialect == dialect.name
    return [call.id for call in turn.message.calls] if kept else None


def _in_texts(turn: Turn, tools: Tools, dialect: RowDialect | None) -> Iterator[tuple[str, str]]:
    match turn:
        case Assistant(message, text, name) if dialect is not None:
            yield "gpt", text if text is not None and name == dialect.name else str(dialect.render(message, tools))
        case Results(results):
            answered = ({"tool_call_id": one.call_id, "name": one.name, "content": one.output} for one in results)
            texts = (dumps({key: value for key, value in one.items() if value or key == "content"}) for one in answered)
            yield "tool", "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)
        case System(text):
            yield "system", text
        case User(text):
            yield "human", text


def _in_turns(turn: Turn, tools: Tools, dialect: RowDialect | None) -> Iterator[tuple[str, str]]:
    match turn:
        case Assistant(message):
            if any(isinstance(segment, Reasoning) for segment in message.segments):
                raise RenderError("reasoning", "it stands in a text: name a dialect (--to-dialect)", message.reasoning)
            kinds = [isinstance(segment, Call) for segment in message.segments]
            if kinds != sorted(kinds):
                raise RenderError("content", "no text follows a call: name a dialect (--to-dialect)", message.content)
            if message.content or not message.calls:
                yield "gpt", message.content
            for call in message.calls:
                if not call.runnable:
                    raise RenderError("call", f"a {call.status} call has no turn of its own", call.raw)
                if not_finite(call.arguments) is not None:
                    raise RenderError("arguments", "expected finite numbers", call.arguments_text)
            calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
            if calls:
                yield "function_call", dumps(calls[0] if len(calls) == 1 else calls)
        case Results(results):
            yield from (("observation", result.output) for result in results)
        case _:
            yield from _in_texts(turn, tools, dialect)
