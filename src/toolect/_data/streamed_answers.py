"""What a server streamed, as the answers that it tells."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from toolect._data.how_answered import check_answered, why_cut
from toolect._message import Json, Message, MessageError
from toolect._objects import as_list, word
from toolect.openai.chunk_reader import ChunkReader


def is_streamed(response: Json) -> bool:
    """True for the chunks of a stream: a list of them, or the text of server-sent events."""
    if isinstance(response, str):
        return response.lstrip().startswith(("data:", "event:", ":"))
    first = response[0] if isinstance(response, list) and response else None
    if isinstance(first, str):
        return first.lstrip().startswith(("data:", "{", "event:", ":"))
    return isinstance(first, Mapping) and ("choices" in first or first.get("type") == "message_start")


def answers_of(response: Json, tools: Sequence[Mapping[str, Json]] = ()) -> list[tuple[Message, str]]:
    """The answers of a streamed response, one for each choice, each with what cut it off or "". Raises MessageError."""
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
    """True for a stream that says with its last word that it is whole."""
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
