"""Messages in the shape of the chat-completions API, and streams of its chunks."""

from __future__ import annotations

import json
import pickle
import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolect
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, Reasoning, Repair, RepairKind, Status
from toolect.openai import MessageError, finish_reason, from_openai, to_openai
from toolect.openai.chunks import Chunks, events_to_chunks

MADE = re.compile(r"call_[0-9a-f]{24}")

texts = st.text(st.characters(), max_size=20)  # lone surrogates included
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
names = st.text(min_size=1, max_size=10)
arguments = st.dictionaries(texts, values, max_size=4)
runnable = st.builds(Call, names, arguments, id=st.none() | names)
stopped = st.builds(
    Call, names, st.none(), id=st.none() | names, spelling=texts, error=st.text(min_size=1),
    status=st.sampled_from([Status.TRUNCATED, Status.MALFORMED]),
)  # fmt: skip
messages = st.lists(st.builds(Content, texts) | st.builds(Reasoning, texts) | runnable | stopped, max_size=5).map(
    Message
)


def objects(value: Json) -> Any:
    """`value` as a client library returns it: attributes instead of keys, but for the arguments."""
    if isinstance(value, dict):
        return SimpleNamespace(**{k: item if k == "arguments" else objects(item) for k, item in value.items()})
    return [objects(item) for item in value] if isinstance(value, list) else value


def assistant(name: Any = "f", arguments: Any = "{}", **extra: Any) -> dict[str, Any]:
    """An assistant message with one call."""
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **extra}


def test_a_message_in_full() -> None:
    """Content, reasoning and calls each have their place, and arguments keep the model's own spelling."""
    call = Call("search", {"q": 1.0}, id="x1", spelling='{"q":1.0}')

    assert to_openai(Message([Reasoning("Hm."), Content("Look: "), call, Content("done")])) == {
        "role": "assistant",
        "content": "Look: done",
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "x1", "type": "function", "function": {"name": "search", "arguments": '{"q":1.0}'}}],
    }


@pytest.mark.parametrize(
    ("message", "content"),
    [(Message(), ""), (Message([Call("f", {})]), None), (Message([Content("a"), Call("f", {})]), "a")],
)
def test_content_without_text(message: Message, content: str | None) -> None:
    """Content is null only beside calls."""
    assert to_openai(message)["content"] == content


def test_attempts_that_must_not_run_are_listed_apart() -> None:
    """A truncated or malformed attempt never stands among the calls, and never vanishes."""
    cut = Call("f", None, id="i", spelling='{"a', status=Status.TRUNCATED, error="input ended")
    out = to_openai(Message([cut, Call("g", {})]))

    assert [c["function"]["name"] for c in out["tool_calls"]] == ["g"]
    assert out["invalid_tool_calls"] == [
        {"name": "f", "arguments": '{"a', "id": "i", "status": "truncated", "error": "input ended"}
    ]
    assert [c["function"]["arguments"] for c in to_openai(Message([cut]), only_runnable=False)["tool_calls"]] == ['{"a']


def test_made_ids_are_unique() -> None:
    """A call without an id gets one of its own; the second bearer of an id gets a new one."""
    out = to_openai(Message([Call("f", {}), Call("f", {}), Call("f", {}, id="same"), Call("f", {}, id="same")]))
    ids = [call["id"] for call in out["tool_calls"]]

    assert ids[2] == "same"
    assert all(MADE.fullmatch(ids[i]) for i in (0, 1, 3))
    assert len(set(ids)) == 4


def test_a_repaired_call_is_written_as_json() -> None:
    """The broken text of a repaired call is replaced by its arguments; a sound one stays."""
    broken = Call("f", {"a": 1}, spelling="{'a': 1", status=Status.REPAIRED)
    sound = Call("f", {"a": 1}, spelling='{"a":1}', status=Status.REPAIRED)
    out = to_openai(Message([broken, sound]))

    assert [c["function"]["arguments"] for c in out["tool_calls"]] == ['{"a": 1}', '{"a":1}']


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", 10**5000], ids=["set", "bytes", "digits"])
def test_arguments_that_json_cannot_carry(value: Any) -> None:
    """Arguments built by hand that JSON cannot carry are refused with their place."""
    with pytest.raises(MessageError, match=re.escape("`$.tool_calls[1].function.arguments`")):
        to_openai(Message([Call("f", {}), Call("f", {"a": value})]))


def test_arguments_nested_without_end() -> None:
    """Arguments nested deeper than JSON can be written are refused, not a recursion error."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(MessageError, match="nested too deeply"):
        to_openai(Message([Call("f", {"a": deep})]))
    with pytest.raises(MessageError, match="nested too deeply"):
        from_openai(assistant(arguments={"a": deep}))


@given(messages, st.booleans())
def test_there_and_back(message: Message, attributes: bool) -> None:
    """Reading what was written gives the message again, ordered, with ids filled in and texts joined."""
    out = to_openai(message)
    back = from_openai(objects(out) if attributes else json.loads(json.dumps(out)))

    assert (back.reasoning, back.content) == (message.reasoning, message.content)
    assert len(back.calls) == len(message.calls)
    for old, new in zip(message.runnable, back.runnable, strict=True):
        assert new == Call(old.name, old.arguments, id=new.id)
        assert new.arguments_text == old.arguments_text
    bad = [[c for c in m.calls if not c.runnable] for m in (message, back)]
    for old, new in zip(*bad, strict=True):
        assert (new.name, new.arguments_text, new.status) == (old.name, old.arguments_text, old.status)


@given(messages)
def test_writing_again_changes_nothing(message: Message) -> None:
    """A message that has been through the shape once stays as it is."""
    once = to_openai(message)

    assert to_openai(from_openai(once)) == once


@pytest.mark.parametrize("wrap", [lambda m: m, objects], ids=["mappings", "objects"])
@pytest.mark.parametrize(
    "shape",
    [
        assistant(arguments='{"a": 1}'),
        assistant(arguments={"a": 1}),
        {"tool_calls": [{"id": "a", "name": "f", "arguments": {"a": 1}}]},
        [{"id": "a", "function": {"name": "f", "arguments": '{"a": 1}'}}],
        {"id": "chatcmpl-1", "choices": [{"index": 0, "message": assistant(arguments='{"a": 1}')}]},
    ],
    ids=["text", "object", "flat", "list", "response"],
)
def test_shapes_that_hold_a_call(shape: Json, wrap: Any) -> None:
    """One call is read from every shape it comes in."""
    assert from_openai(wrap(shape)).segments == [Call("f", {"a": 1}, id="a")]


def test_the_spelling_of_arguments_is_kept() -> None:
    """Arguments text is carried as it was spelled: key order, spaces and number spelling."""
    (call,) = from_openai(assistant(arguments='{"b":1.50,"a":"\\u00e9"}')).calls

    assert call.arguments == {"a": "é", "b": 1.5}
    assert call.arguments_text == '{"b":1.50,"a":"\\u00e9"}'


def test_the_legacy_function_call() -> None:
    """`function_call` counts where there are no `tool_calls`."""
    legacy = {"name": "g", "arguments": "{}"}

    assert from_openai({"role": "assistant", "function_call": legacy}).calls == [Call("g", {})]
    assert [call.name for call in from_openai(assistant(function_call=legacy)).calls] == ["f"]


@pytest.mark.parametrize(
    ("content", "segments"),
    [
        (None, []),
        ("", []),
        ("a", [Content("a")]),
        (["a", {"type": "text", "text": "b"}], [Content("a"), Content("b")]),
        ([{"type": "refusal", "refusal": "no"}], [Content("no")]),
        ([{"type": "thinking", "thinking": "hm"}], [Reasoning("hm")]),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}], [Reasoning("hm")]),
    ],
)
def test_content_is_text_or_parts(content: Json, segments: list[Any]) -> None:
    """Content may be a text, null or a list of parts, in order."""
    assert from_openai({"role": "assistant", "content": content}).segments == segments


def test_reasoning_under_either_name() -> None:
    """Reasoning is read once, from `reasoning_content` or `reasoning`."""
    for keys in (("reasoning_content",), ("reasoning",), ("reasoning", "reasoning_content")):
        assert from_openai({"content": "a", **dict.fromkeys(keys, "hm")}).segments == [Reasoning("hm"), Content("a")]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a": ', "not JSON at character 6"),
        ("[1]", "expected an object"),
        ("3", "expected an object"),
        ('{"a": NaN}', "expected a JSON value, got NaN"),
        ('{"a": ' + "9" * 5000 + "}", "more than 4300 digits"),
        ('{"a": ' + "[" * 100_000 + "}", "nested too deeply"),
    ],
    ids=["cut", "list", "number", "nan", "digits", "deep"],
)
def test_arguments_that_cannot_be_read(text: str, error: str) -> None:
    """Arguments text that is not a JSON object makes a malformed call that keeps the text."""
    (call,) = from_openai(assistant(arguments=text)).calls

    assert call.status is Status.MALFORMED
    assert error in (call.error or "")
    assert call.arguments_text == text


@pytest.mark.parametrize(
    ("text", "value", "kinds"),
    [
        ("", {}, [RepairKind.MISSING_ARGUMENTS]),
        (None, {}, [RepairKind.MISSING_ARGUMENTS]),
        ('{"a": 1, "a": 2}', {"a": 2}, [RepairKind.DUPLICATE_KEY]),
        (r'"{\"a\": 1}"', {"a": 1}, [RepairKind.DOUBLE_ENCODED]),
        (r'{"a": "\ud800"}', {"a": "\ud800"}, []),
    ],
)
def test_arguments_that_need_a_word(text: str | None, value: Json, kinds: list[RepairKind]) -> None:
    """Missing, doubled and double-encoded arguments are read, with the repair on record."""
    (call,) = from_openai(assistant(arguments=text)).calls

    assert call.runnable
    assert call.arguments == value
    assert [repair.kind for repair in call.repairs] == kinds


@given(st.text())
def test_any_arguments_text_makes_a_call(text: str) -> None:
    """Whatever the arguments text is, one call comes back and can be written again."""
    message = from_openai(assistant(arguments=text))

    assert len(message.calls) == 1
    assert from_openai(to_openai(message)).runnable == message.runnable


@pytest.mark.parametrize(
    ("shape", "where"),
    [
        (None, "$"),
        ("hello", "$"),
        (3, "$"),
        ({}, "$"),
        ({"choices": []}, "$.choices"),
        ({"choices": [{"delta": {}}]}, "$.choices[0].message"),
        ({"role": "user", "content": "a"}, "$.role"),
        ({"content": 3}, "$.content"),
        ({"content": [{"type": "image_url"}]}, "$.content[0].type"),
        ({"content": [{"type": "text", "text": 3}]}, "$.content[0].text"),
        ({"content": "", "reasoning": []}, "$.reasoning"),
        ({"tool_calls": {}}, "$.tool_calls"),
        ({"tool_calls": [3]}, "$.tool_calls[0]"),
        ({"tool_calls": [{"function": "f"}]}, "$.tool_calls[0].function"),
        ({"tool_calls": [{"type": "browser"}]}, "$.tool_calls[0].type"),
        ({"tool_calls": [{"type": "custom"}]}, "$.tool_calls[0].custom.name"),
        (assistant(name=3), "$.tool_calls[0].function.name"),
        (assistant(name=None), "$.tool_calls[0].function.name"),
        (assistant(arguments={"a": {1: 2}}), "$.tool_calls[0].function.arguments.a"),
        (assistant(arguments={"a": [object()]}), "$.tool_calls[0].function.arguments.a[0]"),
        ({"content": "", "function_call": "f"}, "$.function_call"),
        ({"content": "", "invalid_tool_calls": 3}, "$.invalid_tool_calls"),
        ([{"id": 7, "function": {}}], "$[0].id"),
    ],
)
def test_a_bad_shape_is_named_with_its_place(shape: Any, where: str) -> None:
    """Anything but an assistant message is refused with what was expected, what came, and where."""
    with pytest.raises(MessageError) as caught:
        from_openai(shape)

    error = caught.value
    assert error.where == where
    advice = f": {error.advice}" if error.advice else ""
    assert str(error) == f"expected {error.expected}, got {error.got} - at `{where}`{advice}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def answer(*segments: Any) -> list[Event]:
    """The events of these segments, arguments in pieces of three characters."""
    events: list[Event] = []
    index = 0
    for segment in segments:
        if isinstance(segment, Call):
            text = segment.arguments_text
            events.append(CallStart(index, segment.id, segment.name))
            events += [ArgumentsDelta(index, text[i : i + 3]) for i in range(0, len(text), 3)]
            events.append(CallEnd(index, segment))
            index += 1
        else:
            events.append((ContentDelta if isinstance(segment, Content) else ReasoningDelta)(segment.text))
    return events


def gathered(chunks: list[dict[str, Json]]) -> dict[str, Any]:
    """What a client makes of the chunks."""
    out: dict[str, Any] = {"tool_calls": []}
    for chunk in chunks:
        delta = dict(chunk["choices"][0]["delta"])
        for call in delta.pop("tool_calls", []):
            if call["index"] == len(out["tool_calls"]):
                out["tool_calls"].append({"id": call["id"], "type": call["type"], "function": {**call["function"]}})
            else:
                assert not call.keys() & {"id", "type"}
                assert "name" not in call["function"]
                out["tool_calls"][call["index"]]["function"]["arguments"] += call["function"]["arguments"]
        for key, value in delta.items():
            out[key] = out[key] + value if key in out else value
    return out


def test_chunks_in_full() -> None:
    """The role comes first, a call's id and name once, its arguments in pieces, the finish reason last."""
    message = [Reasoning("Hm."), Content("Hi"), Call("f", {"a": 1}, id="i")]
    chunks = list(events_to_chunks(answer(*message), model="m", completion_id="c", created=1))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]

    assert chunks[0]["choices"] == [
        {"index": 0, "delta": {"role": "assistant", "reasoning_content": "Hm."}, "finish_reason": None}
    ]
    assert deltas[1:3] == [
        {"content": "Hi"},
        {"tool_calls": [{"index": 0, "id": "i", "type": "function", "function": {"name": "f", "arguments": ""}}]},
    ]
    assert deltas[3] == {"tool_calls": [{"index": 0, "function": {"arguments": '{"a'}}]}
    assert chunks[-1] == {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
    }  # fmt: skip


@given(st.lists(st.builds(Content, names) | st.builds(Reasoning, names) | runnable, max_size=5), st.booleans())
def test_chunks_add_up_to_the_message(segments: list[Any], hold: bool) -> None:
    """A client that gathers the chunks has what `to_openai` gives for the whole message."""
    got = gathered(list(events_to_chunks(answer(*segments), hold=hold)))
    want = to_openai(Message(segments))

    assert got["role"] == "assistant"
    assert got.get("content", "") == (want["content"] or "")
    assert got.get("reasoning_content") == want.get("reasoning_content")
    assert [c["function"] for c in got["tool_calls"]] == [c["function"] for c in want.get("tool_calls", [])]
    assert len({call["id"] for call in got["tool_calls"]}) == len(got["tool_calls"])


CUT = Call("f", None, spelling='{"a', status=Status.TRUNCATED, error="input ended")
BROKEN = Call("", None, spelling="", status=Status.MALFORMED, error="no name")


@pytest.mark.parametrize(
    ("segments", "reason"),
    [([], "stop"), ([Content("a")], "stop"), ([BROKEN], "stop"), ([Call("f", {})], "tool_calls"),
     ([BROKEN, Call("f", {})], "tool_calls"), ([Call("f", {}), CUT], "length")],
)  # fmt: skip
def test_the_finish_reason(segments: list[Any], reason: str) -> None:
    """`length` when a call was cut off, else `tool_calls` when one may be run, else `stop`."""
    assert list(events_to_chunks(answer(*segments)))[-1]["choices"][0]["finish_reason"] == reason


@pytest.mark.parametrize(
    ("engine", "reason"), [("stop", "tool_calls"), ("tool_calls", "tool_calls"), ("length", "length"), (None, "length")]
)
def test_a_call_counts_in_an_answer_that_the_engine_calls_whole(engine: str | None, reason: str) -> None:
    """An opener too many behind it must not lose it: clients refuse what finishes as `length`."""
    message = toolect.dialect("hermes").parse('<tool_call>\n{"name": "f", "arguments": {}}\n<tool_call>')
    assert [str(call.status) for call in message.calls] == ["repaired", "truncated"]
    assert finish_reason(engine, message.calls) == reason
    assert finish_reason(engine, message.calls[1:]) == "length"


def test_arguments_that_come_twice_are_written_once() -> None:
    """RFC 8259: of names that are not unique some readers report the first, some the last pair."""
    text = '<tool_call>\n{"name": "f", "arguments": {"city": "Oslo", "city": "Rome"}}\n</tool_call>'
    message = toolect.dialect("hermes").parse(text)
    assert to_openai(message)["tool_calls"][0]["function"]["arguments"] == '{"city": "Rome"}'


def test_the_last_chunk_lists_what_must_not_run() -> None:
    """Attempts that must not be run come with the last chunk, and with `hold` are never sent as calls."""
    sent = gathered(list(events_to_chunks(answer(CUT, Call("g", {})), hold=False)))
    held = gathered(list(events_to_chunks(answer(CUT, Call("g", {})), hold=True)))

    assert [call["function"]["name"] for call in sent["tool_calls"]] == ["f", "g"]
    assert [call["function"]["name"] for call in held["tool_calls"]] == ["g"]
    assert [call["name"] for call in sent["invalid_tool_calls"]] == ["f"]
    assert sent["invalid_tool_calls"] == held["invalid_tool_calls"]


@pytest.mark.parametrize("name", toolect.dialects())
def test_every_dialect_streams_as_chunks(name: str) -> None:
    """In every dialect the chunks of a stream add up to the message of the whole text."""
    dialect = toolect.dialect(name)
    wire = dialect.render(Message([Call("get_weather", {"city": "Zürich", "note": 'a "b"\n'})]))
    stream = dialect.stream()
    events = [event for i in range(0, len(wire), 3) for event in stream.feed(wire[i : i + 3])] + stream.close()
    got = gathered(list(events_to_chunks(events)))

    want = to_openai(dialect.parse(wire))["tool_calls"]
    assert [call["function"] for call in got["tool_calls"]] == [call["function"] for call in want]
    assert json.loads(want[0]["function"]["arguments"]) == {"city": "Zürich", "note": 'a "b"\n'}


HOSTILE = [
    "<tool_call>", "\n", "</tool_call>", '{"name": "f", "arguments": ', '{"a": ', "1e999", "NaN", "9" * 5000, "}}", "}",
    "[" * 300, '"', "\ud800", ",", "'x'", '"{"', '"arguments": 3', "<think>",
]  # fmt: skip


@given(st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join))
def test_any_answer_can_be_written(text: str) -> None:
    """Whatever a model writes, its message has the shape of the API, and the calls in it hold JSON objects."""
    message = toolect.dialect("hermes").parse(text)
    out = to_openai(message)

    for call in out.get("tool_calls", []):
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert len(out.get("tool_calls", [])) + len(out.get("invalid_tool_calls", [])) == len(message.calls)
    assert len(from_openai(out).calls) == len(message.calls)


def test_indices_have_no_gaps() -> None:
    """A call that was never announced leaves no gap in the client's list."""
    events: list[Event] = [
        CallEnd(0, BROKEN),
        CallStart(1, None, "g"),
        ArgumentsDelta(1, "{}"),
        CallEnd(1, Call("g", {})),
    ]

    assert [call["function"] for call in gathered(list(events_to_chunks(events)))["tool_calls"]] == [
        {"name": "g", "arguments": "{}"}
    ]


def test_a_call_without_a_start_is_sent_whole() -> None:
    """A complete call that was never announced is sent in one chunk."""
    chunks = Chunks()
    (chunk,) = chunks.feed(CallEnd(0, Call("f", {"a": 1}, id="i")))

    assert chunk["choices"][0]["delta"]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert len(chunks.close()) == 1
    assert chunks.close() == []


def test_repairs_do_not_cross() -> None:
    """Repairs belong to the wire text and are not written."""
    call = Call("f", {}, repairs=(Repair(RepairKind.WHITESPACE, 3),))

    assert "repairs" not in json.dumps(to_openai(Message([call])))
