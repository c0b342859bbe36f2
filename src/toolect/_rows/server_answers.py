"""Answers of a server to a request: choices, a message, items, or the chunks of a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolect._exchange.anthropic_messages import blocks_of
from toolect._message import Json, Message, MessageError
from toolect._objects import as_list, got, word
from toolect._rows.finish_reasons import SAID, check_answered, check_said, why_cut
from toolect._rows.patterns import opened
from toolect.anthropic import from_events
from toolect.openai.chunk_reader import ChunkReader


class ServerAnswer(NamedTuple):
    """An answer as messages of an API ("" for the request's), and its finish reason if it was cut off, or ""."""

    api: str
    messages: list[Json]
    cut: str = ""


def answers_to(
    response: Json,
    name: str,
    of_request: Callable[[Json], list[ServerAnswer]],
    tools: Sequence[Mapping[str, Json]] = (),
) -> list[ServerAnswer]:
    """The answers in a response; `of_request` reads those of the request's own API. Raises MessageError."""
    check_answered(response, name)
    body = opened(response.get("body", response)) if isinstance(response, Mapping) else response
    check_answered(body, f"{name}.body")
    events = [*_chunks(body)] if is_streamed(body) else []
    if own := of_request(events or body):
        return own
    if events:
        api = _stream_of(events[0])
        if api is None:
            return of_chunks(body, tools)
        body = _streamed_answer(events, api)
        if isinstance(body, ServerAnswer):
            return [body]
    if isinstance(body, str):
        return [ServerAnswer("openai", [{"role": "assistant", "content": body}])]
    if isinstance(body, list):
        return _of_list(body, name)
    if not isinstance(body, Mapping):
        raise MessageError("an answer", "none" if body is None else f"`{type(body).__name__}`", name)
    if "output" in body:
        if not isinstance(body["output"], list) or not body["output"]:
            raise MessageError("an answer", "no items", f"{name}.output")
        return [ServerAnswer("responses", body["output"], why_cut(body.get("status")))]
    if "choices" not in body and isinstance(body.get("content"), list):
        message = {"role": "assistant", "content": body["content"]}
        return [ServerAnswer("anthropic", [message], why_cut(body.get("stop_reason")))]
    return _of_choices(body.get("choices"), body, name)


def _of_list(body: list[Json], name: str) -> list[ServerAnswer]:
    """The answer, or the choices, that a list is."""
    types = [one.get("type") if isinstance(one, Mapping) and "role" not in one else None for one in body]
    if (
        "function_call" in types
        or "reasoning" in types
        or any(isinstance(one, Mapping) and one.get("type") == "message" and "role" in one for one in body)
    ):
        return [ServerAnswer("responses", body)]
    if body and all(one in ("text", "tool_use", "thinking") for one in types):
        return [ServerAnswer("anthropic", [{"role": "assistant", "content": body}])]
    if body and all(isinstance(one, Mapping) and ("role" in one or "from" in one) for one in body):
        return [ServerAnswer("", body)]
    return _of_choices(body, body, name)


def _of_choices(choices: Json, body: Json, name: str) -> list[ServerAnswer]:
    """An answer for each choice."""
    place = name if choices is None else f"{name}.choices[{{}}]"
    if choices is None:
        choices = [{"message": body}]
    if not isinstance(choices, list) or not choices:
        raise MessageError("at least one choice", "none", f"{name}.choices")
    found = []
    for number, choice in enumerate(choices):
        where = place.format(number)
        said = choice.get("message", choice) if isinstance(choice, Mapping) else None
        if said is body and isinstance(body, Mapping) and isinstance(body.get("message"), Mapping):
            choice, said = body, body["message"]
        if not isinstance(said, Mapping):
            raise MessageError("a choice with a message", got(choice), where)
        check_answered(choice, where)
        check_said(said, where)
        if "text" in said and "content" not in said:
            said = {"content": said["text"]}
        if said is choice or said is body:  # a choice, or a response, has more than its message
            said = {key: said[key] for key in SAID if key in said}
        reason = choice.get("finish_reason") or choice.get("done_reason")
        found.append(ServerAnswer("openai", [{"role": "assistant", **said}], why_cut(reason)))
    return found


def is_streamed(response: Json) -> bool:
    """True for the chunks of a stream: a list of them, or the text of server-sent events."""
    if isinstance(response, str):
        return response.lstrip().startswith(("data:", "event:", ":"))
    first = response[0] if isinstance(response, list) and response else None
    if isinstance(first, str):
        return first.lstrip().startswith(("data:", "{", "event:", ":"))
    return isinstance(first, Mapping) and ("choices" in first or _stream_of(first) is not None)


def _stream_of(event: Mapping[str, Json]) -> str | None:
    """The API whose stream begins with this event, or None: others have chunks with deltas of the answer."""
    kind = str(event.get("type"))
    return "anthropic" if kind == "message_start" else "responses" if kind.startswith("response.") else None


def _streamed_answer(events: Sequence[Mapping[str, Json]], api: str) -> ServerAnswer | Json:
    """The answer that the events of a stream come to, or the response. Raises MessageError for one without an end."""
    name, inside = ("delta", "stop_reason") if api == "anthropic" else ("response", "status")
    ends = (said for one in reversed(events) if isinstance(said := one.get(name), Mapping) and said.get(inside))
    end = next(ends, None)
    if end is None or end[inside] == "in_progress":
        raise MessageError("a stream that ends", "one without its end", "response")
    if api == "responses":
        return end
    message = from_events(events)
    if (broken := next((call for call in message.calls if not call.runnable), None)) is not None:
        raise MessageError("a call that can be read", f"`{broken.error}`", "response")
    cut = why_cut(end[inside])
    return ServerAnswer("anthropic", [{"role": "assistant", "content": [*blocks_of(message)]}], cut)


def of_chunks(response: Json, tools: Sequence[Mapping[str, Json]] = ()) -> list[ServerAnswer]:
    """The answers of a streamed response of chat completions; calls without an id get none. Raises MessageError."""
    found = []
    for answer, cut in streamed_answers(response, tools):
        said: dict[str, Json] = answer.to_openai()
        for made, call in zip(said.get("tool_calls", ()), answer.runnable, strict=True):
            made["id"] = call.id
        found.append(ServerAnswer("openai", [said], cut))
    return found


def streamed_answers(response: Json, tools: Sequence[Mapping[str, Json]] = ()) -> list[tuple[Message, str]]:
    """The answers of a streamed response, by choice, each with the reason it was cut off or "". Raises MessageError."""
    open_ones: dict[int, ChunkReader] = {}
    ends: dict[int, Json] = {}
    for number, chunk in enumerate(_chunks(response)):
        check_answered(chunk, f"response[{number}]")
        for choice in as_list(chunk.get("choices") or (), "response.choices"):
            if not isinstance(choice, Mapping):
                continue
            check_answered(choice, f"response[{number}].choices")
            index = _number(choice.get("index") or 0)
            reader = open_ones.setdefault(index, ChunkReader(tools))
            if choice.get("delta") or choice.get("message"):
                try:
                    reader.feed_choice(choice)
                except MessageError as error:
                    raise MessageError("chunks of a stream", f"`{error}`", f"response[{number}]") from None
            if choice.get("finish_reason"):
                ends[index] = choice["finish_reason"]
    if not open_ones:
        raise MessageError("chunks with choices", "none", "response")
    if not open_ones.keys() <= ends.keys() and not _is_done(response):
        raise MessageError("a stream that ends", "one without a `finish_reason`", "response")
    found = []
    for index, reader in sorted(open_ones.items()):
        cut = why_cut(ends.get(index))
        reader.close(bool(cut))
        found.append((reader.message, cut))
    return found


def _is_done(response: Json) -> bool:
    """True for a stream that ends with `[DONE]`."""
    last = response if isinstance(response, str) else response[-1]
    return isinstance(last, str) and last.rstrip().endswith("[DONE]")


def _number(index: Json) -> int:
    """The number of a choice. Raises MessageError."""
    if not isinstance(index, int):
        raise MessageError("the number of a choice", word(index), "response.choices[].index")
    return index


def _chunks(response: Json) -> Iterator[Mapping[str, Json]]:
    """The objects of a stream, whichever way it was kept."""
    if isinstance(response, str):
        lines = response.splitlines()
        response = [line.partition(":")[2].strip() for line in lines if line.startswith("data:")]
    for number, chunk in enumerate(response):
        if isinstance(chunk, str):
            chunk = chunk.strip().removeprefix("data:").strip()
            if not chunk or chunk == "[DONE]" or chunk.startswith((":", "event:")):
                continue
            try:
                chunk = json.loads(chunk)
            except (ValueError, RecursionError):
                raise MessageError("a chunk in JSON", "a text that is none", f"response[{number}]") from None
        if not isinstance(chunk, Mapping):
            raise MessageError("a chunk of a stream", f"`{type(chunk).__name__}`", f"response[{number}]")
        yield chunk
