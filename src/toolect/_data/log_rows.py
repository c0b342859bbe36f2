"""Logs of requests with their responses: a conversation for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect._data.kinds import REQUESTS, RESPONSES
from toolect._data.open_row import TOOLS, OpenRow, what_is
from toolect._data.opening import opened
from toolect._data.streamed_answers import answers_of, is_streamed
from toolect._exchange.anthropic_messages import read_anthropic
from toolect._exchange.response_items import read_items
from toolect.message import BadMessage, Json
from toolect.turns import Turn


def log(one: OpenRow) -> Iterator[Sequence[Turn]]:
    """The turns of a request with each of its answers."""
    request = one.take(*(name for name in REQUESTS if isinstance(opened(one.row.get(name)), Mapping)))
    if request is None:
        request = {"messages": one.take("messages"), "tools": one.row.get("tools")}
    names = [name for name in RESPONSES if one.row.get(name) is not None]
    response = one.take(*names)
    if names == ["choices"]:
        response = {"choices": response}
    for key in TOOLS:
        if request.get(key) is not None:
            one.declare(request[key])
            break
    body = response.get("body", response) if isinstance(response, Mapping) else response
    if "input" in request:
        output = body.get("output") if isinstance(body, Mapping) else body
        yield read_items(items_with(request["input"], output), request.get("instructions"))
    elif isinstance(body, Mapping) and "choices" not in body and isinstance(body.get("content"), list):
        asked = request.get("messages")
        whole = [*asked, {"role": "assistant", "content": body["content"]}] if isinstance(asked, list) else asked
        yield read_anthropic(whole, request.get("system"))
    else:
        yield from _choices(one, request.get("messages"), body)


def items_with(given: Json, output: Json) -> Json:
    """The items of a request, which may be a text, and those of its response. Raises BadMessage."""
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if output is not None and not isinstance(output, list):
        raise BadMessage("a list of items", what_is(output), "output")
    return [*items, *(output or [])] if isinstance(items, list) else items


def _choices(one: OpenRow, messages: Json, body: Json) -> Iterator[Sequence[Turn]]:
    """A conversation for each of the answers to a request."""
    if not isinstance(messages, list):
        raise BadMessage("a list of messages", what_is(messages), "request.messages")
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
            raise BadMessage("a choice with a message", what_is(choice), f"response.choices[{number}]")
        if "text" in said and "content" not in said:
            said = {"content": said["text"]}
        yield one.turns([*messages, {"role": "assistant", **said}], "messages")
