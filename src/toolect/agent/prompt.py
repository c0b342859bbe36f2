"""A conversation as plain messages, for a model that reads and writes a dialect as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from toolect._prompting.results import Output, defused, has_calls, write_results
from toolect._prompting.tools import write_tools
from toolect._spec.prompts import ResultRole, ResultText, ToolText
from toolect.compiled import Dialect
from toolect.message import Content, Json, Message
from toolect.rendered import Unrepresentable
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

PLAIN_RESULTS = ResultText("[{name}] {output}", between="\n", role=ResultRole.USER)
"""How results are told in a dialect that does not say."""
PLAIN_TOOLS = ToolText("You may call these tools, in the format that you know:\n\n{tools}")
"""How tools are told in a dialect that does not say."""


def messages(dialect: Dialect, turns: Iterable[Turn], tools: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """The turns as messages with a role and a text; the tools stand in the first one, a system message."""
    out: list[dict[str, Json]] = []
    for turn in with_tools(dialect, turns, tools):
        match turn:
            case System(text):
                out.append({"role": "system", "content": text})
            case User(text):
                out.append({"role": "user", "content": text})
            case Assistant(message, text):
                out.append({"role": "assistant", "content": _wire(dialect, message, tools) if text is None else text})
            case Results(results):
                out += _results(dialect, results, tools)
    return out


def with_tools(dialect: Dialect, turns: Iterable[Turn], tools: list[dict[str, Json]]) -> list[Turn]:
    """The turns, of which the first, the system's, tells of the tools as well."""
    turns = [*turns]
    told = write_tools(dialect.spec.tools or PLAIN_TOOLS, tools).strip()
    if not told:
        return turns
    first = turns[0] if turns else None
    if isinstance(first, System):
        return [msgspec.structs.replace(first, text=f"{first.text}\n\n{told}"), *turns[1:]]
    return [System(told), *turns]


def _wire(dialect: Dialect, message: Message, tools: list[dict[str, Json]]) -> str:
    """A message that came without its wire text; what the dialect cannot carry is left to its content."""
    for told in (message, Message([s for s in message.segments if isinstance(s, Content)])):
        try:
            return str(dialect.render(told, tools=tools))
        except Unrepresentable:
            pass
    return message.content  # the model's own words


def _results(
    dialect: Dialect, results: Iterable[ToolResult], tools: list[dict[str, Json]]
) -> Iterator[dict[str, Json]]:
    """What came of one answer's calls; what was no call is told by the user, as is what the dialect gives them."""
    results, how = list(results), dialect.spec.results or PLAIN_RESULTS
    read = [_harmless(dialect, how, Output(r.name, r.output, r.call_id), tools) for r in results if r.call_id]
    match how.role:
        case ResultRole.USER if read:
            yield {"role": "user", "content": _together(dialect, how, read, tools)}
        case ResultRole.TOOL:
            # The model's own chat template writes the text around them.
            for one in read:
                yield {"role": "tool", "tool_call_id": one.id or "", "name": one.name, "content": one.output}
    for result in results:
        if not result.call_id:
            yield {"role": "user", "content": result.output}


def _harmless(dialect: Dialect, how: ResultText, one: Output, tools: list[dict[str, Json]]) -> Output:
    """A result as it is, or with an output, and if need be without a name, that nothing reads as markup."""
    plain = one._replace(output=defused(dialect, how, one.output, tools))
    for found in (one, plain):
        try:
            write_results(dialect, how, [found], tools)
        except Unrepresentable:
            continue
        if how.role is not ResultRole.TOOL or not has_calls(dialect, found.output, tools):
            return found  # a template writes the output itself
    return plain._replace(name="", id=None)


def _together(dialect: Dialect, how: ResultText, read: list[Output], tools: list[dict[str, Json]]) -> str:
    """Results that are harmless one by one; where a call is read across them, none is told as it is."""
    try:
        return write_results(dialect, how, read, tools)
    except Unrepresentable:
        plain = [one._replace(output=defused(dialect, how, one.output, tools)) for one in read]
        return write_results(dialect, how, plain, tools)


def joined(messages: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """The messages, with what the user says twice in a row in one of them: chat templates refuse two."""
    out: list[dict[str, Json]] = []
    for message in messages:
        last = out[-1] if out else {}
        if message["role"] == "user" == last.get("role"):
            out[-1] = {**last, "content": f"{last['content']}\n\n{message['content']}"}
        else:
            out.append(message)
    return out
