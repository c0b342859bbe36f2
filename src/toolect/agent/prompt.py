"""Prompt of plain messages, for a model that reads and writes a dialect as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from toolect._chats.continuing import with_tools
from toolect._compiled import Dialect
from toolect._exchange.media import MediaApi, shown_by_user, written_parts
from toolect._exchange.plain_text import unread_text
from toolect._message import Content, Json, Message
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User

Definitions = list[dict[str, Json]]


def messages(dialect: Dialect, turns: Iterable[Turn], tools: Definitions) -> list[dict[str, Json]]:
    """The turns as messages with a role and a text; the tools stand in the first one, a system message."""
    out: list[dict[str, Json]] = []
    for turn in with_tools(shown_by_user(turns), dialect.render_tools(tools)):
        match turn:
            case System(text):
                out.append({"role": "system", "content": text})
            case User(text, media):
                out.append({"role": "user", "content": written_parts(text, media, MediaApi.CHAT)})
            case Assistant(message, text):
                out.append({"role": "assistant", "content": _wire(dialect, message, tools) if text is None else text})
            case Results(results):
                out += _results(dialect, results, tools)
    return out


def _wire(dialect: Dialect, message: Message, tools: Definitions) -> str:
    """A message that came without its wire text; what the dialect cannot carry is left to its content."""
    content = "\n".join(
        filter(None, [message.content, *(unread_text(one) for one in message.calls if not one.runnable)])
    )
    rest = [Content(content)] if content else []
    for form in (message, Message([*rest, *message.runnable]), Message(rest)):
        try:
            return str(dialect.render(form, tools=tools))
        except RenderError:
            pass
    return content  # the model's own words


def _results(dialect: Dialect, results: Iterable[ToolResult], tools: Definitions) -> Iterator[dict[str, Json]]:
    """The messages of one answer's results; of what was no call, or where results have no role, they are the user's."""
    results = list(results)
    read = [_harmless(dialect, one, tools) for one in results if one.call_id]
    if not dialect.telling.by_user:  # the model's own chat template writes the text around them
        yield from (one.to_openai() for one in read)
    elif read:
        yield {"role": "user", "content": _together(dialect, read, tools)}
    for result in results:
        if not result.call_id:
            yield {"role": "user", "content": result.output}


def _harmless(dialect: Dialect, one: ToolResult, tools: Definitions) -> ToolResult:
    """A result as it is, or with an output, and if need be without a name, that nothing reads as markup."""
    telling = dialect.telling
    plain = _defused(dialect, one, tools)
    for found in (one, plain):
        try:
            telling.results([found], tools)
        except RenderError:
            continue
        if telling.by_user or not telling.has_calls(found.output, tools):
            return found  # a template writes the output itself
    return msgspec.structs.replace(plain, name="", call_id="")


def _together(dialect: Dialect, read: list[ToolResult], tools: Definitions) -> str:
    """Results that are harmless one by one, together; where a call is read across them, each is escaped."""
    try:
        return dialect.telling.results(read, tools)
    except RenderError:
        return dialect.telling.results([_defused(dialect, one, tools) for one in read], tools)


def _defused(dialect: Dialect, one: ToolResult, tools: Definitions) -> ToolResult:
    return msgspec.structs.replace(one, output=dialect.telling.defused(one.output, tools))


def joined(messages: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """The messages, with what the user says twice in a row in one of them: chat templates refuse two."""
    out: list[dict[str, Json]] = []
    for message in messages:
        last = out[-1] if out else {}
        if message["role"] == "user" == last.get("role"):
            out[-1] = {**last, "content": _both(last["content"], message["content"])}
        else:
            out.append(message)
    return out


def _both(first: Json, second: Json) -> Json:
    """Two contents as one: texts with an empty line between them, else the parts of both."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [
        part for one in (first, second) for part in ([{"type": "text", "text": one}] if isinstance(one, str) else one)
    ]
