"""What users meet first: names, defaults, and errors that say what was expected, what came, and what to do."""

from __future__ import annotations

import ast
import asyncio
import builtins
import collections.abc
import importlib
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
import typing
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import shipped_corpus

import toolect
import toolect.anthropic
import toolect.responses
from toolect import Call, Content, Conversation, Message, Reasoning, Status, openai, tokens, training
from toolect._renamed import NEW_NAMES
from toolect._spec.policies import POLICIES, WRITING
from toolect.agent import Agent, ToolRegistry
from toolect.agent.outcome import Ended
from toolect.conversation import User
from toolect.score import expectation, score_turns
from toolect.types import ReadingPolicies

CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"
HERMES = toolect.dialect("hermes")
TEXT = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
CHAT = toolect.chat("qwen3")
TALK = Conversation([User("Hi")])
URL = "http://127.0.0.1:9/v1"
ANY: Any = None

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "parse None": (lambda: HERMES.parse(ANY), "expected a model's text as str, got None"),
    "parse bytes": (lambda: HERMES.parse(b"x"), "expected a model's text as str, got bytes: decode it first"),
    "parse any None": (lambda: toolect.parse(ANY), "expected a model's text as str, got None"),
    "parse prefix": (lambda: HERMES.parse("x", prefix=b"x"), "expected the end of a prompt as str, got bytes"),
    "detect None": (lambda: toolect.detect(ANY), "expected a model's text as str, got None"),
    "convert None": (lambda: toolect.convert(ANY, to="hermes"), "expected a model's text as str, got None"),
    "a usage of a server": (
        lambda: Ended("length", ANY),
        "expected a Usage, got None: `Usage.from_openai` reads a server's",
    ),
    "no event": (lambda: openai.Chunks().feed(ANY), "expected an event of `dialect.stream`, got None"),
    "feed None": (lambda: HERMES.stream().feed(ANY), "expected a model's text as str, got None"),
    "feed bytes": (
        lambda: toolect.auto.stream().feed(b""),
        "expected a model's text as str, got bytes: decode it first",
    ),
    "feed later": (lambda: fed().feed(b"x"), "expected a model's text as str, got bytes: decode it first"),
    "has_marker None": (lambda: HERMES.has_marker(ANY), "expected a model's text as str, got None"),
    "render None": (lambda: HERMES.render(None), "expected a Message, a Call or a list of them, got None"),
    "render a str": (
        lambda: HERMES.render("High at noon."),
        "expected a Message, a Call or a list of them, got str: put it into Content(…)",
    ),
    "render strs": (lambda: HERMES.render(["x"]), "expected Content, Reasoning or Call as a segment, got str"),
    "convert a number": (
        lambda: toolect.convert(3, to="hermes"),
        "expected a Message, a Call or a list of them, got int",
    ),
    "convert by an old name": (
        lambda: toolect.convert("Hi.", target="hermes"),
        "expected a parameter of today, got `target`: it is `to`",
    ),
    "dialect None": (lambda: toolect.dialect(ANY), "expected the name of a dialect as str, got None"),
    "load None": (lambda: toolect.load(ANY), "expected the path of a YAML file, got None"),
    "define None": (
        lambda: toolect.define(ANY),
        "expected an entry as a mapping or as the text of one, got None: give entry={name: {…}}, or name=…",
    ),
    "render text": (
        lambda: HERMES.render(Message(["x"])),
        "expected Content, Reasoning or Call as a segment, got str",
    ),
    "message of a call": (
        lambda: Message(Call("f", {})),
        "expected a message's segments as list, got Call: put it into a list",
    ),
    "message of a text": (lambda: Message("x"), "expected a message's segments as list, got str"),
    "message of nothing": (lambda: Message(ANY), "expected a message's segments as list, got None"),
    "arguments as text": (
        lambda: Call("f", '{"a": 1}'),
        "expected a call's arguments as dict, got str: read it with json.loads",
    ),
    "arguments as list": (lambda: Call("f", [1]), "expected a call's arguments as dict, got list"),
    "no arguments": (lambda: Call("f", None), "expected a call's arguments as dict, got None"),
    "no name": (lambda: Call(ANY, {}), "expected a call's name as str, got None"),
    "dialect of a list": (lambda: toolect.dialect([]), "expected the name of a dialect as str, got list"),
    "chat of a list": (lambda: toolect.chat([]), "expected the name of a chat as str, got list"),
    "render messages": (
        lambda: CHAT.render([{"role": "user", "content": "Hi"}]),
        "expected a Conversation, got list: Conversation.from_openai(messages) makes one",
    ),
    "detect without a limit": (
        lambda: toolect.detect("Hi.", limit=ANY),
        "expected a limit of results as int, got None",
    ),
    "a tokenizer of nothing": (lambda: tokens.load(ANY), "expected the path of a tokenizer as str, got None"),
    "pack to nothing": (lambda: training.pack([], ANY), "expected the length of rows as int, got None"),
    "a number as template": (
        lambda: toolect.chat(template=ANY or 3),
        "expected a template, or its path, as str, got int",
    ),
    "a stream of nothing": (
        lambda: toolect.Stream(ANY),
        "expected the reader of a dialect, as `dialect.stream()` has it, got None",
    ),
    "course of nothing": (lambda: CHAT.course(ANY), "expected a transcript as str, got None"),
    "expectation of a number of tools": (
        lambda: expectation([], tools=ANY or 3),
        "expected tools as Iterable, got int",
    ),
    "score turns of nothing": (
        lambda: score_turns(ANY, [], ANY),
        "expected the calls of each turn as Sequence, got None",
    ),
    "prompt of nothing": (lambda: CHAT.prompt(ANY), "expected a Conversation, got None"),
    "beginning of nothing": (lambda: CHAT.beginning(ANY), "expected a Conversation, got None"),
    "round trip of nothing": (lambda: CHAT.round_trip(ANY), "expected a Conversation, got None"),
    "continue nothing": (lambda: CHAT.continuation(ANY, []), "expected a Conversation, got None"),
    "a template without a conversation": (
        lambda: toolect.chat(template="{{ messages }}", dialect="hermes").render(ANY),
        "expected a Conversation, got None",
    ),
    "answer None": (lambda: CHAT.answer(ANY), "expected a model's text as str, got None"),
    "convert to a name": (
        lambda: CHAT.convert("Hi", "glm-4.5"),
        "expected a chat, as `toolect.chat(name)`, got str",
    ),
    "results of nothing": (
        lambda: HERMES.render_results(ANY),
        "expected a list of results, each as (name, output, id), got None",
    ),
    "results without an output": (
        lambda: HERMES.render_results([("f", 3, None)]),
        "expected a result as (name, output, id), the first two texts, got ('f', 3, None) - at results[0]",
    ),
    "stream of nothing": (
        lambda: openai.stream(ANY, HERMES.stream()),
        "expected a source of text, sync or async, got None",
    ),
    "to_openai of a dict": (lambda: openai.to_openai({}), "expected a Message, such as `dialect.parse(text)`, got {}"),
    "an agent of nothing": (
        lambda: Agent(ANY),
        "expected a URL, a Chat or an async function as a model, got None",
    ),
    "a system prompt of messages": (
        lambda: Agent(URL, model="m", system_prompt=["Hi"]),
        "expected a system_prompt as str, got list",
    ),
    "options of a number": (
        lambda: Agent(URL, model="m", options=3),
        "expected options as a mapping of members of each request, got int",
    ),
    "run on messages": (
        lambda: Agent(URL, model="m").run_sync([{"role": "user", "content": "Hi"}]),
        "expected a message as str, got list: give a list of messages as history=…",
    ),
    "teach in another order": (
        lambda: training.examples(CHAT, ANY, TALK),
        "expected a Conversation, got Chat",
    ),
    "teach with a name": (
        lambda: training.examples(TALK, "qwen3", ANY),
        "expected a chat, as `toolect.chat(name)`, got str",
    ),
    "roll out with a name": (
        lambda: training.Rollout("qwen3", ANY, TALK),
        "expected a chat, as `toolect.chat(name)`, got str",
    ),
    "execute a name": (
        lambda: asyncio.run(ToolRegistry([]).execute_all(["f"])),
        "expected calls to execute, got str: those of a message are `message.calls`",
    ),
}

VALUES: dict[str, tuple[Callable[[], object], str]] = {
    "another spelling": (
        lambda: CHAT.render(TALK, unsafe="neutralize"),
        "expected 'refuse', 'neutralise' or 'keep', got 'neutralize' - at unsafe",
    ),
    "another spelling to a template": (
        lambda: toolect.chat(template="{{ messages }}", dialect="hermes").render(TALK, unsafe="neutralize"),
        "expected 'refuse', 'neutralise' or 'keep', got 'neutralize' - at unsafe",
    ),
    "another effort": (
        lambda: CHAT.render(TALK, thinking="minimal"),
        "expected True, False, None, 'low', 'medium' or 'high', got 'minimal' - at thinking",
    ),
    "no time": (lambda: Agent(URL, model="m", timeout=-1), "expected seconds above 0 for timeout, got -1"),
    "time of nothing": (lambda: Agent(URL, model="m", limit=ANY), "expected seconds above 0 for limit, got None"),
    "iterations as text": (
        lambda: Agent(URL, model="m", max_iterations="3"),
        "expected at least 1 for max_iterations, got '3'",
    ),
    "no calls at a time": (lambda: ToolRegistry(parallel=0), "expected at least 1 for parallel, got 0"),
    "no seconds": (lambda: ToolRegistry(timeout=-1), "expected seconds or None for timeout, got -1"),
    "an event behind the end": (
        lambda: [chunks := openai.Chunks(), chunks.close(), chunks.feed(toolect.ContentDelta("x"))],
        "expected no event after close: another answer has an encoder of its own",
    ),
    "a header of a number": (
        lambda: Agent(URL, model="m", headers={"a": 3}),
        "expected headers as texts, got int: mend `a`",
    ),
    "a tool of text": (lambda: HERMES.render_tools("f"), "expected a tool as object, got str - at `$[0]`"),
    "an event of a number": (
        lambda: toolect.anthropic.from_events([3]),
        "expected an event, got `int` - at `$[0]`",
    ),
    "events of nothing": (
        lambda: toolect.responses.from_events(ANY),
        "expected the events of a stream, got nothing - at `$`",
    ),
    "a history of text": (
        lambda: Agent(URL, model="m", history="Hi"),
        "expected turns or a list of messages, got str - at `history`",
    ),
}


def fed() -> toolect.Stream:
    """A stream that is in the middle of a text."""
    stream = HERMES.stream()
    stream.feed("High at ")
    stream.feed("noon")
    return stream


@pytest.mark.parametrize("what", WRONG)
def test_nonsense_is_a_clear_error(what: str) -> None:
    """A TypeError says what was expected and what came, and what to do where that is known."""
    use, expected = WRONG[what]
    with pytest.raises(TypeError, match=f"^{re.escape(expected)}$"):
        use()


@pytest.mark.parametrize("what", VALUES)
def test_values_that_nothing_has_are_a_clear_error(what: str) -> None:
    """So does a ValueError, a MessageError among them: none is taken for another value in silence."""
    use, expected = VALUES[what]
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        use()


def test_what_is_left_out_may_be_none() -> None:
    """Tools and the end of the prompt, as the fields of a request that does not have them."""
    assert toolect.parse(TEXT, prefix=ANY).calls == HERMES.parse(TEXT, prefix=ANY).calls
    assert toolect.detect(TEXT, prefix=ANY)[0].dialect == "hermes"
    assert HERMES.render_tools(ANY) == ""
    assert openai.ChunkReader(None).message == Message([])
    assert [*openai.stream("Hi", HERMES.stream(), created=0, completion_id="c")] == [
        *openai.stream(["Hi"], HERMES.stream(), created=0, completion_id="c")
    ]


def test_attempts_may_have_any_arguments() -> None:
    """What must not be run is kept as it came."""
    for arguments in (None, [1], "x"):
        call = Call("f", arguments, status=Status.MALFORMED)
        assert call.arguments == arguments and not call.runnable
        assert pickle.loads(pickle.dumps(call)) == call


FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
TOOL_CALL = {"id": "x", "type": "function", "function": FUNCTION}
SAID: dict[str, Any] = {
    "a call": Call("f", {"a": 1}),
    "a list": [Call("f", {"a": 1})],
    "a message": Message((Call("f", {"a": 1}),)),
    "what was read": HERMES.parse(TEXT),
    "OpenAI's message": {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
    "OpenAI's response": {"choices": [{"message": {"role": "assistant", "tool_calls": [TOOL_CALL]}}]},
    "OpenAI's calls": [TOOL_CALL],
    "OpenAI's call": TOOL_CALL,
    "OpenAI's function": FUNCTION,
}


@pytest.mark.parametrize("what", SAID)
def test_whatever_says_a_call_can_be_written(what: str) -> None:
    """A call, a list, a message or what the chat-completions API has is rendered, and converted, alike."""
    assert HERMES.render(SAID[what]) == TEXT
    assert toolect.convert(SAID[what], to="hermes").text == TEXT


def test_what_says_nothing_is_refused() -> None:
    """What is no message of an assistant, and a conversation, are told by what they lack."""
    for given in ({}, {"a": 1}, {"role": "user", "content": "Hi."}, [{"role": "user", "content": "Hi."}]):
        with pytest.raises(toolect.MessageError, match="expected"):
            HERMES.render(given)
    with pytest.raises(toolect.MessageError, match="got a whole message: give that alone"):
        HERMES.render([{"role": "assistant", "content": "Hi."}])
    assert HERMES.render([]) == "" == HERMES.render({"role": "assistant", "content": None})


def test_tools_and_dictionaries_that_are_none_are_refused() -> None:
    """As an error of the package, with what was expected and where."""
    for tools, where in ((3, r"\$"), (object(), r"\$"), ([5], r"\$\[0\]"), ([{"function": 1}], r"\$\[0\]")):
        for read in (toolect.parse, HERMES.parse):
            with pytest.raises(toolect.MessageError, match=f"expected a .*tool.* - at `{where}`"):
                read(TEXT, tools)  # type: ignore[operator]
    for repairs in ("\ud800", 3, [None]):
        with pytest.raises(toolect.MessageError, match="expected"):
            Message.from_dict({"segments": [], "repairs": repairs})


def test_ids_on_request() -> None:
    """Each call gets an id of its own; one that the text gave to one call stays, and the message stays what it is."""
    message = toolect.parse(TEXT + "\n" + TEXT)
    given = message.with_ids()
    first, second = (call.id for call in given.calls)
    assert first and second and first != second and first.startswith("call_")
    assert given.dialects == message.dialects == ("hermes", "hermes")
    assert [call["id"] for call in given.to_openai()["tool_calls"]] == [first, second]
    twice = Message([Content("x"), Call("f", {}, "a"), Call("g", {}, "a")]).with_ids()
    assert twice.calls[0].id == "a" != twice.calls[1].id
    assert given.with_ids() == given


def test_segments_may_be_any_sequence() -> None:
    """A list or a tuple, or none."""
    assert Message([Content("x")]) == Message((Content("x"),))
    assert list(Message().segments) == []


@pytest.mark.parametrize("name", NEW_NAMES)
def test_old_names_say_the_new_one(name: str) -> None:
    """Whoever asks for one, or imports it, reads where it is; and it is there."""
    module, _, last = name.rpartition(".")
    expected = f"^expected a name of today, got `{re.escape(name)}`: it is `{re.escape(NEW_NAMES[name])}`$"
    ways: list[Callable[[], object]] = [
        lambda: getattr(importlib.import_module(module), last),
        lambda: exec(f"from {module} import {last}"),
    ]
    if last[0].islower():
        ways.append(lambda: importlib.import_module(name))
    for way in ways:
        with pytest.raises(toolect.RenamedError, match=expected):
            way()
    above, _, found = NEW_NAMES[name].rpartition(".")
    assert not above or getattr(importlib.import_module(above), found)
    assert f"| `{name}` | `{NEW_NAMES[name]}` |" in CHANGELOG.read_text("utf-8")


def test_auto_reads_any_dialect() -> None:
    """It is no dialect, and whoever takes it for one reads what it is."""
    message = toolect.auto.parse(TEXT)
    assert message == toolect.parse(TEXT) == HERMES.parse(TEXT) and message.dialects == ("hermes",)
    stream = toolect.auto.stream()
    stream.feed(TEXT)
    stream.close()
    assert stream.message == message and toolect.auto.explain(TEXT).dialect == "auto"
    assert toolect.auto.detect(TEXT) == toolect.detect(TEXT) != ()
    assert pickle.loads(pickle.dumps(toolect.auto)) is toolect.auto
    with pytest.raises(toolect.UnknownNameError, match=r"got 'auto': what reads any dialect is toolect\.auto"):
        toolect.dialect("auto")


def test_errors_have_one_base() -> None:
    """Whatever a public module raises is a ToolectError."""
    modules = [toolect, *(getattr(toolect, name) for name in toolect._MODULES - {"tinker"})]
    errors = {
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Exception)
    }
    ours = {one for one in errors if one.__module__.startswith("toolect")}
    assert len(ours) > 10 and all(issubclass(one, toolect.ToolectError) for one in ours), ours
    assert toolect.RenderError.__module__ == "toolect"
    assert type(pickle.loads(pickle.dumps(toolect.BreakOutError("a", "b")))) is toolect.BreakOutError


def test_convert_reads_any_dialect() -> None:
    """The source need not be named, and may be, by position or by keyword."""
    expected = toolect.convert(TEXT, "hermes", to="kimi-k2").text
    assert toolect.convert(TEXT, to="kimi-k2").text == expected
    assert toolect.convert(TEXT, "auto", to="kimi-k2").text == expected
    assert toolect.convert(TEXT, source="hermes", to="kimi-k2").text == expected


def test_events_and_errors_are_public() -> None:
    """What a program has to name is in the package itself."""
    stream = HERMES.stream()
    events = [*stream.feed("Hm." + TEXT), *stream.close()]
    assert [type(event) for event in events] == [
        toolect.ContentDelta, toolect.CallStart, toolect.ArgumentsDelta, toolect.CallEnd,
    ]  # fmt: skip
    assert isinstance(stream, toolect.Stream) and isinstance(HERMES, toolect.Dialect)
    assert isinstance(HERMES.render(Message([Content("x")])), toolect.Rendered)
    with pytest.raises(toolect.MessageError):
        Message.from_openai({"role": "user", "content": "x"})
    (repair,) = HERMES.parse(TEXT.replace("\n</", "</")).calls[0].repairs
    assert isinstance(repair, toolect.Repair) and repair.kind is toolect.RepairKind.WHITESPACE


def test_modules_keep_their_names() -> None:
    """Names of modules that programs may import from."""
    assert toolect.registry.match("nous-hermes").dialect == "hermes"
    assert openai.MessageError is toolect.MessageError
    events = HERMES.stream().feed(TEXT)
    assert all(isinstance(event, toolect._events.Event) for event in events)
    chunks = list(openai.events_to_chunks(events))
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert openai.Chunks().feed(events[0])[0]["choices"][0]["delta"]["tool_calls"][0]["index"] == 0


def test_a_message_as_chat_completions_have_it() -> None:
    """The methods of a message do what the functions do."""
    message = Message(
        [Reasoning("Hm."), Content("Hi."), Call("f", {"a": 1}, "x"), Call("g", None, status=Status.MALFORMED)]
    )
    written = message.to_openai()
    assert openai.to_openai(message) == written
    assert [call["function"]["name"] for call in written["tool_calls"]] == ["f"]
    assert len(message.to_openai(only_runnable=False)["tool_calls"]) == 2
    assert Message.from_openai(written) == openai.from_openai(written) == message


def test_specs_are_shown_by_name() -> None:
    """A whole grammar floods a terminal."""
    assert repr(HERMES.spec) == "<Spec hermes>"
    assert repr(HERMES) == "<Dialect hermes>"


# Streams, dictionaries, validation, types


TOOLS: list[Any] = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]
WRONG_CALL = TEXT.replace("1}", '"one"}')
UNKNOWN = TEXT.replace('"f"', '"g"')


async def arriving(chunks: Iterable[str]) -> AsyncIterator[str]:
    """Chunks, one after the other."""
    for chunk in chunks:
        yield chunk


@pytest.mark.parametrize("reader", [HERMES, toolect.auto], ids=["dialect", "auto"])
@pytest.mark.parametrize("validate", [False, True])
def test_events_are_iterated(reader: Any, validate: bool) -> None:
    """`for` and `async for` over a stream of chunks give what `feed` and `close` give, and the same message."""
    text = f"Hm. {TEXT}\n{WRONG_CALL}"
    options: dict[str, Any] = {"tools": TOOLS, "validate": validate}
    for size in (1, 7, len(text)):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        stream = reader.stream(**options)
        expected = [event for chunk in chunks for event in stream.feed(chunk)] + stream.close()
        events = reader.stream(iter(chunks), **options)
        assert [*events] == expected and events.message == stream.message == reader.parse(text, **options)
        arrived = reader.stream(arriving(chunks), **options)

        async def all_of(events: Any = arrived) -> list[object]:
            return [event async for event in events]

        assert asyncio.run(all_of()) == expected and arrived.message == stream.message
        ends = [event.call for event in expected if isinstance(event, toolect.CallEnd)]
        assert ends == stream.message.calls and [call.violations for call in ends] == [
            call.violations for call in stream.message.calls
        ]
    assert [*reader.stream(text)] == [*reader.stream([text])]
    with pytest.raises(TypeError, match="expected chunks of text, got list of dict: give tools=…"):
        reader.stream(TOOLS)
    with pytest.raises(TypeError, match="expected chunks of text, got int of str"):
        reader.stream(3)


def test_calls_are_validated() -> None:
    """A call that its tool does not take says what is wrong, and is not run; its status is that of its text."""
    for parse in (HERMES.parse, toolect.parse):
        (call,) = parse(WRONG_CALL, TOOLS, validate=True).calls
        (violation,) = call.violations
        assert (violation.path, violation.expected, violation.got) == ("$.a", "integer", 'the string `"one"`')
        assert not call.runnable and call.status is Status.OK and call.error == str(violation)
        assert parse(WRONG_CALL, TOOLS).calls[0].runnable
        message = parse(f"{TEXT}\n{UNKNOWN}", TOOLS, validate=True)
        assert [call.name for call in message.runnable] == ["f"]
        assert str(message.calls[1].violations[0]) == 'expected one of the tools `f`, got `"g"` - at `name`'
        (invalid,) = message.to_openai()["invalid_tool_calls"]
        assert "one of the tools" in invalid["error"]
        assert Message.from_dict(message.to_dict()).calls[1].violations == message.calls[1].violations
        with pytest.raises(ValueError, match="expected tools to validate calls by, got none"):
            parse(TEXT, validate=True)
        broken = [{"name": "f", "parameters": {"type": "text"}}]
        assert parse(TEXT, broken, validate=True).calls[0].violations[0].limit
    assert pickle.loads(pickle.dumps(call)).violations == call.violations
    assert "does not carry" not in toolect.convert(HERMES.parse(WRONG_CALL, TOOLS, validate=True), to="kimi-k2").text


@pytest.mark.parametrize("name", toolect.dialects())
def test_messages_are_dictionaries_and_back(name: str) -> None:
    """Messages of all dialects, runnable and not, come back from their JSON in every field, and so do their calls."""
    for case in shipped_corpus.cases_of(name)[::3]:
        for reader in (toolect.dialect(name), toolect.auto):
            message = reader.parse(case.text, **case.options)
            again = type(message).from_dict(json.loads(json.dumps(message.to_dict())))
            assert again.to_dict() == message.to_dict() and again == message, case
            assert getattr(again, "dialects", ()) == getattr(message, "dialects", ())
            for call, same in zip(message.calls, again.calls, strict=True):
                assert repr(Call.from_dict(json.loads(json.dumps(call.to_dict())))) == repr(same)


def test_policies_are_typed() -> None:
    """The typed dictionary of policies has those of reading with their settings, and mypy refuses others."""
    hints = get_type_hints(ReadingPolicies)
    assert {name: get_args(hint) for name, hint in hints.items()} == {
        name: settings for name, settings in POLICIES.items() if name not in WRITING
    }
    calls = ("unwrapped='accept'", "unwrapped='never'", "politeness='high'", "key_order='sorted'")
    lines = [f"toolect.{read}({given}, {policy})" for read, given in PLACES for policy in calls]
    code = "\n".join(["import toolect", *lines])
    command = [sys.executable, "-m", "mypy", "--strict", f"--config-file={os.devnull}", "-c", code]
    path = Path(toolect.__file__).parent.parent
    elsewhere = {} if path.name == "site-packages" else {"MYPYPATH": str(path)}  # mypy refuses to be given the former
    report = subprocess.run(command, env={**os.environ, **elsewhere}, capture_output=True, text=True).stdout
    found = {int(number) for number in re.findall(r"^<string>:(\d+): error", report, re.MULTILINE)}
    assert found == {i for i, line in enumerate(lines, 2) if "accept" not in line}, report


PLACES = [
    ("parse", "''"), ("auto.stream", "['']"), ("dialect('hermes').parse", "''"), ("dialect('hermes').stream", "None"),
]  # fmt: skip


MADE = {
    "Dialect",
    "Encoded",
    "Stream",
    "TokenStream",
    "AutoStream",
    "Chat",
    "TemplateChat",
    "EventStream",
    "AsyncEventStream",
}
"""Classes whose values toolect makes: what their constructors take is its own."""
ELSEWHERE = {"SearchStrategy", "ModuleType", "Response", "M_co", "Date"}
"""Types of other packages, and a variable."""


def signatures() -> Iterator[tuple[str, str]]:
    """The words of all annotations of public functions, methods and attributes, and where they are."""
    for module in ["toolect", *(f"toolect.{name}" for name in sorted(toolect._MODULES - {"agent", "tinker", "serve"}))]:
        for name in importlib.import_module(module).__all__:
            public = getattr(importlib.import_module(module), name)
            if not inspect.isclass(public):
                yield from ((word, f"{module}.{name}") for word in words(public))
                continue
            for base in public.__mro__:
                if not base.__module__.startswith("toolect"):
                    continue
                for member, value in vars(base).items():
                    if not member.startswith("_") or member == "__init__" and base.__name__ not in MADE:
                        yield from ((word, f"{module}.{name}.{member}") for word in words(value))


def words(value: object) -> list[str]:
    """The names of types in the annotations of a function or a property."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    try:
        signature = inspect.signature(function) if callable(function) else None
    except (TypeError, ValueError):
        return []
    if signature is None:
        return []
    hints = [one.annotation for one in signature.parameters.values()] + [signature.return_annotation]
    texts = [hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint)) for hint in hints]
    return re.findall(r"\b[A-Z]\w+", re.sub(r"(['\"]).*?\1", "", " ".join(texts)))


def test_types_of_signatures_are_public() -> None:
    """Each can be imported from the package or one of its public modules."""
    modules = [toolect, *(getattr(toolect, name) for name in toolect._MODULES - {"tinker"})]
    public = {name for module in modules for name in module.__all__} | ELSEWHERE
    known = {*dir(builtins), *dir(typing), *dir(collections.abc), "Path"}
    lacking: dict[str, list[str]] = {}
    for word, where in signatures():
        if word not in public and word not in known:
            lacking.setdefault(word, []).append(where)
    assert not lacking, lacking


def test_public_names_are_documented() -> None:
    """Classes, methods, functions and aliases have docstrings, which tell of the errors that they raise themselves."""
    bare, silent = [], []
    for module in ["toolect", *(f"toolect.{name}" for name in sorted(toolect._MODULES - {"tinker"}))]:
        assert importlib.import_module(module).__doc__
        for name in importlib.import_module(module).__all__:
            public = getattr(importlib.import_module(module), name)
            members = vars(public).items() if inspect.isclass(public) and public.__module__[:7] == "toolect" else ()
            for member, value in [("", public), *((key, value) for key, value in members if key[0] != "_")]:
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if (inspect.isclass(function) or callable(function)) and not documented(function, name):
                    bare.append(f"{module}.{name}.{member}")
                if (
                    inspect.isfunction(function)
                    and raises(function)
                    and not re.search("[Rr]aise|errors", str(function.__doc__))
                ):
                    silent.append(f"{module}.{name}.{member}")
    assert (bare, silent) == ([], [])


def documented(value: Any, name: str) -> bool:
    """True for what has a docstring; that of an alias stands below it."""
    if getattr(value, "__doc__", None) and (inspect.isclass(value) or inspect.isroutine(value)):
        return True
    sources = Path(toolect.__file__).parent.rglob("*.py")
    alias = re.compile(rf'^{name}(: TypeAlias)? = .+\n"""', re.MULTILINE)
    return any(alias.search(path.read_text("utf-8")) for path in sources)


def raises(function: Any) -> bool:
    """True for a function with a `raise` of its own."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return False
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))
