"""Logs of requests with their responses: a conversation for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect._data.how_answered import SAID, check_answered, check_said, seen_in, why_cut
from toolect._data.kinds import REQUESTS, RESPONSES
from toolect._data.left_out import of_blocks, of_items, told
from toolect._data.open_row import TOOLS, OpenRow, what_is
from toolect._data.opening import opened
from toolect._data.streamed_answers import answers_of, is_streamed
from toolect._exchange.anthropic_messages import read_anthropic
from toolect._exchange.response_items import read_items
from toolect._message import Json, MessageError
from toolect._turns import Turn


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
    if response is None:
        check_answered(one.row, "response")
        raise MessageError("an answer", "none", "response")
    check_answered(response, "response")
    body = opened(response.get("body", response)) if isinstance(response, Mapping) else response
    check_answered(body, "response.body")
    if "input" in request:
        yield _items(one, request, body)
    elif isinstance(body, Mapping) and "choices" not in body and isinstance(body.get("content"), list):
        asked = request.get("messages")
        whole = [*asked, {"role": "assistant", "content": body["content"]}] if isinstance(asked, list) else asked
        turns = read_anthropic(whole, request.get("system"))
        one.beside = told(map(of_blocks, whole))
        yield _ended(one, turns, why_cut(body.get("stop_reason")))
    else:
        yield from _choices(one, request.get("messages"), body)


def _items(one: OpenRow, request: Mapping[str, Json], body: Json) -> Sequence[Turn]:
    """The turns of a request of the Responses API with its answer."""
    output = body.get("output") if isinstance(body, Mapping) else body
    if not output:
        raise MessageError("an answer", "no items", "response.output")
    cut = why_cut(body.get("status")) if isinstance(body, Mapping) else ""
    said = items_with(request["input"], output)
    one.beside = of_items(said)
    return _ended(one, read_items(said, request.get("instructions")), cut)


def _ended(one: OpenRow, turns: Sequence[Turn], cut: str) -> Sequence[Turn]:
    """The turns, when it is noted how the last of them ended."""
    one.seen = seen_in(turns, cut)
    return turns


def items_with(given: Json, output: Json) -> Json:
    """The items of a request, which may be a text, and those of its response. Raises MessageError."""
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if output is not None and not isinstance(output, list):
        raise MessageError("a list of items", what_is(output), "output")
    return [*items, *(output or [])] if isinstance(items, list) else items


def _choices(one: OpenRow, messages: Json, body: Json) -> Iterator[Sequence[Turn]]:
    """A conversation for each of the answers to a request."""
    if not isinstance(messages, list):
        raise MessageError("a list of messages", what_is(messages), "request.messages")
    if is_streamed(body):
        for answer, cut in answers_of(body, one.tools.tools):
            yield _ended(one, one.turns([*messages, answer.to_openai()], "messages"), cut)
        return
    if isinstance(body, str):
        yield _ended(one, one.turns([*messages, {"role": "assistant", "content": body}], "messages"), "")
        return
    choices = body.get("choices") if isinstance(body, Mapping) else None
    place = "response" if choices is None else "response.choices[{}]"
    if choices is None:
        choices = [{"message": body}]
    if not isinstance(choices, list) or not choices:
        raise MessageError("at least one choice", "none", "response.choices")
    for number, choice in enumerate(choices):
        where = place.format(number)
        said = choice.get("message", choice) if isinstance(choice, Mapping) else None
        whole = isinstance(said, Mapping) and said is not choice and body is not said
        if not isinstance(said, Mapping):
            raise MessageError("a choice with a message", what_is(choice), where)
        check_answered(choice, where)
        check_said(said, where)
        if "text" in said and "content" not in said:
            said = {"content": said["text"]}
        if not whole:  # a choice, or a response, has more than its message
            said = {name: said[name] for name in SAID if name in said}
        turns = one.turns([*messages, {"role": "assistant", **said}], "messages")
        yield _ended(one, turns, why_cut(choice.get("finish_reason")))
