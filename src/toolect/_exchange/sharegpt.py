"""Turns as rows of data sets: who speaks and a text, with calls and results as text.

Two habits are known. Calls and results have turns of their own, as JSON; or calls stand in the model's text, in its
dialect, and results in elements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from toolect._exchange.definitions import read_tools
from toolect._exchange.gathering import Gathering
from toolect._exchange.openai_messages import read_answer
from toolect._objects import Object, as_list, as_text, field
from toolect.message import BadMessage, Call, Content, Json, Message, Reasoning, Segment, dumps
from toolect.rendered import Unrepresentable
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

Tools = Sequence[Mapping[str, Json]]
_SPEAKERS = {
    "system": "system", "human": "user", "user": "user", "gpt": "model", "assistant": "model", "model": "model",
    "function_call": "calls", "tool_call": "calls", "observation": "result", "function": "result", "ipython": "result",
    "function_response": "result", "tool": "results", "tool_response": "results",
}  # fmt: skip
_OPENER = re.compile(r"\s*<(\w{1,40})>\s*")
_TOOLS = re.compile(r"<tools>\s*([\[{].*?[]}])\s*</tools>", re.DOTALL)
_RESULT = {"tool_call_id", "name", "content"}
_JSON = json.JSONDecoder()


class Dialect(Protocol):
    """What reads and writes a model's texts."""

    @property
    def name(self) -> str: ...

    def parse(self, text: str, tools: Any = ..., /) -> Any: ...

    def render(self, message: Message, tools: Any = ..., /) -> str: ...


class Row(NamedTuple):
    """What a row says; `told` is true where its system text tells of the tools itself."""

    turns: tuple[Turn, ...]
    tools: Tools
    told: bool


def read_row(row: Object, dialect: Dialect | None, sampled: bool) -> Row:
    """The turns and tools of a row. Its model's texts are read by `dialect`, and kept if they are `sampled` in that.

    Without a dialect they are content. Raises BadMessage.
    """
    key = next((key for key in ("conversations", "conversation") if field(row, key) is not None), "conversations")
    said = [_turn(turn, f"{key}[{index}]") for index, turn in enumerate(as_list(field(row, key), key))]
    if system := as_text(field(row, "system"), "system"):
        said.insert(0, ("system", system, "system"))
    first = next((text for speaker, text, _ in said if speaker == "system"), "")
    tools = read_tools(field(row, "tools") or _told_tools(first))
    gathering = Gathering()
    answer: Assistant | None = None
    place = ""
    for speaker, text, where in said:
        if answer is not None and speaker != "calls":
            gathering.add(answer, place)
            answer = None
        match speaker:
            case "system":
                gathering.add(System(text), where)
            case "user":
                gathering.add(User(text), where)
            case "model":
                answer, place = _answer(text, dialect, sampled, tools), where
            case "calls":
                before = answer.message.segments if answer else ()
                answer, place = Assistant(Message([*before, *_calls(text, f"{where}.value")])), where
            case "result":
                gathering.result(ToolResult("", "", text), where)
            case _:
                for result in _results(text):
                    gathering.result(result, where)
    if answer is not None:
        gathering.add(answer, place)
    names = [tool["function"]["name"] for tool in tools]
    return Row(gathering.done(), tools, bool(names) and all(_tells(first, name) for name in names))


def _tells(system: str, name: str) -> bool:
    """True for a text that has the name in quotes, or before its parameters."""
    return re.search(rf"""["'`]{re.escape(name)}["'`]|\b{re.escape(name)}\(""", system) is not None


def _answer(text: str, dialect: Dialect | None, sampled: bool, tools: Tools) -> Assistant:
    if dialect is None:
        return Assistant(Message([Content(text)] if text else []))
    message = dialect.parse(text, tools)
    read = Message(message.segments, message.repairs)
    return Assistant(read, text, dialect.name) if sampled else Assistant(read)


def _turn(turn: Object, where: str) -> tuple[str, str, str]:
    """Who speaks, what, and where that stands."""
    key, value = ("from", "value") if field(turn, "from") is not None else ("role", "content")
    speaker = field(turn, key)
    if not isinstance(speaker, str) or speaker not in _SPEAKERS:
        raise BadMessage(f"one of {', '.join(_SPEAKERS)}", repr(speaker), f"{where}.{key}")
    return _SPEAKERS[speaker], as_text(field(turn, value), f"{where}.{value}"), where


def _told_tools(system: str) -> Json:
    """The definitions that a system text holds in an element, as a list or one after the other."""
    if (found := _TOOLS.search(system)) is None:
        return None
    text, at = found[1], 0
    tools: list[Json] = []
    while at < len(text):
        try:
            value, at = _JSON.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        tools += value if isinstance(value, list) else [value]
        at = len(text) - len(text[at:].lstrip(", \t\r\n"))
    return tools


def _calls(text: str, where: str) -> Sequence[Segment]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("the JSON of a call", "a text that is no JSON", where) from None
    return read_answer({"tool_calls": value if isinstance(value, list) else [value]}, where).segments


def _results(text: str) -> list[ToolResult]:
    """The results that a turn tells: those in elements of one name, or the text as it is."""
    found: list[ToolResult] = []
    at, opener = 0, _OPENER.match(text)
    name = opener[1] if opener else ""
    while opener is not None and opener[1] == name:
        try:
            value, end = _JSON.raw_decode(text, opener.end())
        except (ValueError, RecursionError):
            value, end = None, -1
        closer = re.compile(rf"\s*</{name}>\s*")
        if end >= 0 and (closed := closer.match(text, end)) is not None:
            found.append(_result(value, text[opener.end() : end]))
        elif (closed := closer.search(text, opener.end())) is not None:
            found.append(ToolResult("", "", text[opener.end() : closed.start()]))
        else:
            break
        at = closed.end()
        opener = _OPENER.match(text, at)
    return found if found and at == len(text) else [ToolResult("", "", text)]


def _result(value: Json, text: str) -> ToolResult:
    """A result in JSON: its output under `content`, or all of it."""
    if not isinstance(value, dict) or "content" not in value or not value.keys() <= _RESULT:
        return ToolResult("", "", text)
    output, name, call_id = value["content"], value.get("name"), value.get("tool_call_id")
    return ToolResult(
        call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "",
        output if isinstance(output, str) else dumps(output),
    )  # fmt: skip


def row_of(turns: Sequence[Turn], tools: Tools, dialect: Dialect | None) -> dict[str, Json]:
    """The row: with a dialect calls stand in the model's text, and results in elements; else both have turns as JSON.

    Raises Unrepresentable.
    """
    habit = _in_turns if dialect is None else _in_texts
    said = [{"from": who, "value": text} for turn in turns for who, text in habit(turn, tools, dialect)]
    return {"conversations": said, **({"tools": dumps(list(tools))} if tools else {})}


def _in_texts(turn: Turn, tools: Tools, dialect: Dialect | None) -> Iterator[tuple[str, str]]:
    match turn:
        case Assistant(message, text, name) if dialect is not None:
            yield "gpt", text if text is not None and name == dialect.name else str(dialect.render(message, tools))
        case Results(results):
            told = ({"tool_call_id": one.call_id, "name": one.name, "content": one.output} for one in results)
            texts = (dumps({key: value for key, value in one.items() if value or key == "content"}) for one in told)
            yield "tool", "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)
        case System(text):
            yield "system", text
        case User(text):
            yield "human", text


def _in_turns(turn: Turn, tools: Tools, dialect: Dialect | None) -> Iterator[tuple[str, str]]:
    match turn:
        case Assistant(message):
            if any(isinstance(segment, Reasoning) for segment in message.segments):
                raise Unrepresentable("reasoning", "it stands in the model's text: name a dialect", message.reasoning)
            kinds = [isinstance(segment, Call) for segment in message.segments]
            if kinds != sorted(kinds):
                raise Unrepresentable("content", "no text follows a call: name a dialect", message.content)
            if message.content or not message.calls:
                yield "gpt", message.content
            for call in message.calls:
                if not call.runnable:
                    raise Unrepresentable("call", f"a {call.status} call has no turn of its own", call.raw)
            calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
            if calls:
                yield "function_call", dumps(calls[0] if len(calls) == 1 else calls)
        case Results(results):
            yield from (("observation", result.output) for result in results)
        case _:
            yield from _in_texts(turn, tools, dialect)
