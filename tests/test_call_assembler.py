"""Calls that servers stream in pieces: whichever way these are damaged, none runs with the arguments of another."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import delta_damage as damage
import openai
import pytest
from chat_server import Reply, serving
from delta_damage import Damage, Made

from toolect import CallEnd, Message, Status, anthropic
from toolect._message import Json, MessageError
from toolect.agent import Agent, Tool
from toolect.openai import ChunkReader, chunks_to_events, from_openai


def chunks(parts: list[dict[str, Any]], finish: str = "tool_calls") -> list[dict[str, Any]]:
    """The chunks of an answer with these parts of calls."""
    deltas: list[dict[str, Any]] = [{"tool_calls": [part]} for part in parts]
    made = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    made.append({"index": 0, "delta": {}, "finish_reason": finish})
    return [
        {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [one]} for one in made
    ]


def read(parts: list[dict[str, Any]], tools: list[dict[str, Json]] | None = None) -> Message:
    """The message of these parts."""
    reader = ChunkReader(tools or ())
    for chunk in chunks(parts):
        reader.feed(chunk)
    reader.close()
    return reader.message


def ran(message: Message) -> Counter[str]:
    """The calls that would run."""
    return Counter(json.dumps([call.name, call.arguments], sort_keys=True) for call in message.runnable)


def meant(made: list[Made]) -> Counter[str]:
    """The calls that the model meant."""
    return Counter(json.dumps([name, arguments], sort_keys=True) for name, arguments in made)


@pytest.mark.parametrize("kind", [*damage.SHAPES, *damage.ADDRESSES], ids=lambda kind: kind.__name__)
def test_one_damage_is_undone(kind: Damage) -> None:
    """Each call is read as it was meant, in its order."""
    random = Random(kind.__name__)
    for _ in range(200):
        made = damage.calls(random)
        parts = damage.damaged(random, made, kind)
        found = read(parts, damage.TOOLS)
        assert [(call.name, call.arguments) for call in found.runnable] == made, parts


KINDS = [*damage.SHAPES, *damage.ADDRESSES]
UNKNOWABLE = {("copied", "changing_ids"), ("changing_ids", "copied")}
"""Two calls of one index and two ids are two."""


def pair(random: Random) -> list[Damage]:
    """Two kinds of damage that leave enough to know a call by."""
    while True:
        kinds = random.sample(KINDS, 2)
        if not set(kinds) <= set(damage.SHAPES) and (kinds[0].__name__, kinds[1].__name__) not in UNKNOWABLE:
            return kinds


@pytest.mark.parametrize("seed", range(4))
def test_no_call_runs_that_was_not_meant(seed: int) -> None:
    """Two kinds of damage at a time: what runs is what was meant, once, or nothing."""
    random, exact = Random(seed), 0
    for _ in range(1500):
        made, kinds = damage.calls(random), pair(random)
        parts = damage.damaged(random, made, *kinds)
        found = read(parts, damage.TOOLS)
        assert ran(found) <= meant(made), (kinds, parts, found.calls)
        exact += ran(found) == meant(made)
    assert exact > 1350


@pytest.mark.parametrize("kind", damage.UNSURE, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("tools", [(), damage.TOOLS], ids=["unknown", "known"])
def test_no_call_runs_without_its_arguments(kind: Damage, tools: Any) -> None:
    """Not even where indexes make no sense."""
    random = Random(kind.__name__)
    for _ in range(1000):
        made = [one for one in damage.calls(random) if one[1]]
        parts = damage.damaged(random, made, kind)
        try:
            found = read(parts, tools)
        except MessageError:
            continue  # arguments of a call that has ended
        assert not [call for call in found.runnable if not call.arguments], (parts, found.calls)


def part(index: int | None = None, text: Any = None, **more: Any) -> dict[str, Any]:
    """A part of a call."""
    function = {
        key: value for key, value in (("name", more.pop("name", None)), ("arguments", text)) if value is not None
    }
    return {**({} if index is None else {"index": index}), **more, "function": function}


TMP = {"folder": "tmp"}
TEXT = json.dumps(TMP)
CASES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, Any]]]] = {
    "index of the next": ([part(0, "", id="a", name="wipe"), part(1, TEXT)], [("wipe", TMP)]),
    "an id at two indexes": ([part(0, "", id="a", name="wipe"), part(1, TEXT, id="a")], [("wipe", TMP)]),
    "whole at another index": ([part(0, "", id="a", name="wipe"), part(1, TEXT, id="a", name="wipe")], [("wipe", TMP)]),
    "an id that changes": ([part(0, "", id="a", name="wipe"), part(0, TEXT[:5], id="b"), part(0, TEXT[5:], id="c")],
                           [("wipe", TMP)]),
    "nothing as text": ([part(0, "null", id="a", name="wipe"), part(0, TEXT, id="", name="null")], [("wipe", TMP)]),
    "name after arguments": ([part(0, TEXT), part(0, id="a", name="wipe")], [("wipe", TMP)]),
    "an empty object first": ([part(0, "{}", id="a", name="wipe"), part(0, TEXT)], [("wipe", TMP)]),
    "whole again at the end": ([part(0, "", id="a", name="wipe"), part(0, TEXT[:7]), part(0, TEXT[7:]),
                                part(0, TEXT, id="b", name="wipe")], [("wipe", TMP)]),
    "nobody's arguments": ([part(0, "", id="a", name="wipe"), part(1, "", id="b", name="copy"), part(7, TEXT)],
                           [("wipe", None), ("copy", None), ("", None)]),
    "one of two": ([part(0, "", id="a", name="wipe"), part(1, "", id="b", name="copy"), part(1, TEXT)],
                   [("wipe", None), ("copy", TMP)]),
    "two calls at one index": ([part(0, TEXT, id="a", name="wipe"), part(0, '{"folder": "b"}', id="b", name="wipe")],
                               [("wipe", TMP), ("wipe", {"folder": "b"})]),
    "an index for each piece": ([part(0, "", id="a", name="wipe"), part(1, TEXT[:5]), part(2, TEXT[5:])],
                                [("wipe", TMP)]),
    "the rest at another index": ([part(0, TEXT, id="a", name="wipe"), part(0, '{"folder"', id="b", name="wipe"),
                                   part(1, ': "b"}')], [("wipe", TMP), ("wipe", {"folder": "b"})]),
    "an index as text": ([part(0, "", id="a", name="wipe"), part("0", TEXT)], [("wipe", TMP)]),
    "no arguments": ([part(0, "null", id="a", name="wipe")], [("wipe", {})]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_parts_as_servers_send_them(case: str) -> None:
    """By the reader of chunks, all at once, and by the official client's stream."""
    parts, calls = CASES[case]
    assert [(call.name, call.arguments if call.runnable else None) for call in read(parts).calls] == calls
    events = [*chunks_to_events(chunks(parts))]
    assert [event.call for event in events if isinstance(event, CallEnd)] == read(parts).calls
    assert from_openai(chunks(parts)).calls == read(parts).calls
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(parts)) + "data: [DONE]\n\n"
    with serving([Reply(body=body.encode(), headers={"content-type": "text/event-stream"})]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
        with client.chat.completions.create(model="m", messages=[], stream=True) as stream:
            assert from_openai(stream).calls == read(parts).calls
        client.close()


def test_a_tool_that_takes_nothing_needs_no_arguments() -> None:
    """Where that is declared, and nothing is left over."""
    parts = [part(0, "", id="a", name="now"), part(1, "", id="b", name="wipe"), part(1, TEXT)]
    assert [call.name for call in read(parts, damage.TOOLS).runnable] == ["now", "wipe"]
    assert [call.name for call in read(parts).runnable] == ["wipe"]
    free = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}]
    assert [call.name for call in read(parts, free).runnable] == ["wipe"]
    assert not read([part(0, "", id="a", name="now"), part(1, TEXT)], damage.TOOLS).runnable


@pytest.mark.parametrize("case", CASES)
def test_an_agent_reads_them_alike(case: str) -> None:
    """What runs has its arguments; what does not is sent back."""
    parts, calls = CASES[case]
    ran: list[Any] = []
    folder = {"folder": {"type": "string", "default": ""}}
    handlers = [Tool(name, "Does.", folder, lambda **given: ran.append(given) or "") for name in ("wipe", "copy")]

    async def model(turns: list[Any], _: Any) -> AsyncIterator[Any]:
        for chunk in chunks(parts) if len(turns) == 1 else [{"choices": [{"delta": {"content": "Done."}}]}]:
            yield chunk

    result = asyncio.run(Agent(model, handlers).run("?"))
    assert ran == [arguments for _, arguments in calls if arguments is not None]
    assert [call.runnable for call in result.calls] == [arguments is not None for _, arguments in calls]


def test_a_message_after_its_deltas_is_no_other() -> None:
    """Some servers end with the whole of what they streamed."""
    call = {"id": "a", "type": "function", "function": {"name": "wipe", "arguments": TEXT}}
    whole = {"role": "assistant", "content": "Well.", "tool_calls": [call]}
    reader = ChunkReader()
    for choice in ({"delta": {"content": "Well."}}, {"delta": {"tool_calls": [part(0, TEXT, id="a", name="wipe")]}},
                   {"message": whole, "finish_reason": "stop"}):  # fmt: skip
        reader.feed({"choices": [choice]})
    reader.close()
    assert reader.message.content == "Well." and len(reader.message.calls) == 1


def test_a_long_call_in_small_pieces_is_read_in_linear_time() -> None:
    """Also one that is repeated."""
    text = json.dumps({"folder": "x" * 40_000})
    pieces = [part(0, text[i : i + 2]) for i in range(0, len(text), 2)]
    found = read([part(0, "", id="a", name="wipe"), *pieces, part(1, "", id="b", name="copy"), *pieces])
    assert [call.name for call in found.runnable] == ["wipe"] and len(found.calls) == 2


@pytest.mark.parametrize("finish", [None, "length", "content_filter"])
@pytest.mark.parametrize("text", ["", '{"folder": "tm'])
def test_a_call_that_its_answer_is_cut_off_in_does_not_run(finish: str | None, text: str) -> None:
    """Neither streamed nor whole, of either API: the tool would run without its arguments."""
    part: dict[str, Any] = {"index": 0, "id": "a", "type": "function", "function": {"name": "wipe", "arguments": text}}
    streamed = chunks([part], "")
    streamed[-1]["choices"][0]["finish_reason"] = finish
    message = {"role": "assistant", "content": None, "tool_calls": [part]}
    stop = {"length": "max_tokens", "content_filter": "refusal"}.get(finish or "", finish)
    begun = {"type": "tool_use", "id": "a", "name": "wipe", "input": {}}
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}},
    ]
    ends = [{"type": "content_block_stop", "index": 0}, {"type": "message_delta", "delta": {"stop_reason": stop}}]
    found = [from_openai(streamed), anthropic.from_events([*events, *(ends if stop else ())])]
    if finish:
        found.append(from_openai({"choices": [{"index": 0, "message": message, "finish_reason": finish}]}))
        found.append(anthropic.from_anthropic({"role": "assistant", "content": [begun], "stop_reason": stop}))
    assert [[call.status for call in one.calls] for one in found] == [[Status.TRUNCATED]] * len(found)


@pytest.mark.parametrize("reason", [[], {}, 3])
def test_a_finish_reason_that_is_no_word_cuts_nothing_off(reason: Any) -> None:
    """Servers write what they like."""
    message = {"role": "assistant", "content": "Hi."}
    block = {"type": "text", "text": "Hi."}
    assert from_openai({"choices": [{"message": message, "finish_reason": reason}]}).content == "Hi."
    assert anthropic.from_anthropic({"role": "assistant", "content": [block], "stop_reason": reason}).content == "Hi."
