"""Servers and tools that do harm: answers that unpack without end, secrets quoted back, exceptions of every kind."""

from __future__ import annotations

import asyncio
import dataclasses
import gzip
import json
import logging
import sys
import time
import zlib
from base64 import b64encode
from collections.abc import Coroutine
from typing import Any

import chat_server
import pytest
import zstandard
from chat_server import Reply, serving
from mcp import StdioServerParameters
from mcp.types import Tool as ListedTool

import toolect
import toolect.agent
from toolect.agent import Agent, Chat, McpServer, ModelError, Tool, ToolError, ToolRegistry
from toolect.agent.mcp_server import model_names


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What `work` returns; a run that hangs fails."""
    return asyncio.run(asyncio.wait_for(work, 60))


def ask(url: str, **more: Any) -> str:
    """The answer of a server."""
    answer: str = run(Agent(url, model="m", **{"retries": 0, **more}).run("?")).text
    return answer


# Compression

PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor(level=19).compress,
}


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("size", [0, 5])
def test_packed_answers_are_read(name: str, size: int) -> None:
    """Streams and whole answers; what is asked for can be bounded."""
    stream = PACKERS[name](chat_server.text("Low ", "now.").events())
    whole = PACKERS[name](json.dumps({"choices": [{"message": {"role": "assistant", "content": "Low now."}}]}).encode())
    for body, kind in ((stream, "text/event-stream"), (whole, "application/json")):
        reply = Reply(body=body, headers={"content-type": kind, "content-encoding": name}, size=size)
        with serving([reply]) as server:
            assert ask(server.url) == "Low now."
            assert server.headers[0]["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
def test_an_answer_that_unpacks_without_end_is_cut_off(name: str, kind: str) -> None:
    """Long before it is unpacked."""
    packed = PACKERS[name](b" " * (1 << 27)) * 8  # some kilobytes
    start = time.process_time()
    reply = Reply(body=packed, headers={"content-type": kind, "content-encoding": name})
    with serving([reply]) as server, pytest.raises(ModelError, match="at most 16777216 bytes"):
        ask(server.url)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(("status", "says"), [(200, "at most 16777216 bytes"), (500, "answers 500")])
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
def test_an_answer_of_which_nothing_is_left_is_cut_off(
    kind: str, status: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes behind what was packed count, too: there may be no end of them."""
    monkeypatch.setattr("toolect.agent.sse.MAX_STREAM", 1 << 24)
    body = gzip.compress(b"{") + bytes((1 << 24) + 1)
    reply = Reply(body=body, status=status, headers={"content-type": kind, "content-encoding": "gzip"})
    start = time.process_time()
    with serving([reply]) as server, pytest.raises(ModelError, match=says):
        ask(server.url)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(("encoding", "says"), [("br", "got one in `br`"), ("gzip", "does not unpack"),
                                                ("gzip, gzip", "got one in `gzip, gzip`")])  # fmt: skip
def test_a_compression_that_cannot_be_read_is_said(encoding: str, says: str) -> None:
    """Unknown, broken, or one in another."""
    reply = Reply(body=b"nonsense", headers={"content-encoding": encoding})
    with serving([reply]) as server, pytest.raises(ModelError, match=says):
        ask(server.url)


# Answers that are empty, or odd

EVENTS = ("content-type", "text/event-stream")

EMPTY = [
    Reply(body=b"data: [DONE]\n\n", headers=dict([EVENTS])),
    Reply(body=b'{"choices": []}'),
    Reply(body=b'{"choices": null}'),
    Reply(body=b"{}"),
    Reply(body=b""),
    Reply(body=b"null"),
    Reply(body=b'{"choices": [{}]}'),
    Reply(body=b'{"choices": [{"message": null, "finish_reason": "stop"}]}'),
    Reply(body=b'{"choices": [{"message": {"role": "assistant", "content": null}, "finish_reason": "stop"}]}'),
    Reply(body=b'{"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "tool_calls"}]}'),
    chat_server.text(finish="stop"),
    chat_server.text("Well", finish="error"),
]


@pytest.mark.parametrize("number", range(len(EMPTY)))
def test_an_empty_answer_is_an_error(number: int) -> None:
    """Of the model, in one sentence."""
    with serving([EMPTY[number]]) as server, pytest.raises(ModelError) as error:
        ask(server.url)
    assert "\n" not in str(error.value)


def test_a_stream_that_drops_before_it_says_anything_is_asked_for_again() -> None:
    """A role, or an empty text, is nothing yet; nothing of the first attempt is left."""
    role = Reply([{"role": "assistant", "content": ""}, {"content": "Never seen"}])
    dropped = dataclasses.replace(role, cut=role.events().index(b"Never") - 60)
    with serving([dropped, dropped, chat_server.text("Fine.")]) as server:
        chat = Chat(server.url, "m", backoff=0.01)
        assert run(Agent(chat).run("?")).text == "Fine." and len(server.requests) == 3
    busy = Reply(body=b'data: {"error": {"message": "busy", "code": 503}}\n\n', headers=dict([EVENTS]))
    with serving([busy, chat_server.text("Fine.")]) as server:
        assert run(Agent(Chat(server.url, "m", backoff=0.01)).run("?")).text == "Fine."
    begun = chat_server.text("It was", " so", cut=330)
    with serving([begun, chat_server.text("Fine.")]) as server:
        with pytest.raises(ModelError, match="cut off"):
            run(Agent(Chat(server.url, "m", backoff=0.01)).run("?"))
        assert len(server.requests) == 1


# Secrets

KEY, PASSWORD, HEADER = "sk-1234567890", "pä ss/wörd", "tenant-98765"


def shown(url: str, caplog: pytest.LogCaptureFixture, **more: Any) -> str:
    """All that is shown of a server, and of an error of it."""
    chat = Chat(url, "m", **{"retries": 0, **more})
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as error:
        run(Agent(chat).run("?"))
    return "\n".join([repr(chat), str(error.value), repr(error.value), caplog.text])


def test_no_secret_of_a_server_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """Keys, headers and accounts are quoted back by servers, as they are or spelled otherwise."""

    def quoting(request: dict[str, Any]) -> Reply:
        del request
        sent = " ".join(server.headers[-1].values())
        secrets = f"{sent} {json.dumps(PASSWORD)} {HEADER} user:{PASSWORD}"
        return Reply(status=401, body=json.dumps({"error": {"message": f"bad {secrets}"}}).encode())

    with serving(quoting) as server:
        account = server.url.replace("//", "//user:p%C3%A4%20ss%2Fw%C3%B6rd@")
        query = f"{server.url}?key={KEY}"
        given = (server.url, {"api_key": KEY}), (account, {}), (server.url, {"headers": {"x-t": HEADER}}), (query, {})
        for url, more in given:
            text = shown(url, caplog, headers={"x-tenant": HEADER, **more.pop("headers", {})}, **more)
            for secret in (KEY, HEADER, *(("p%C3%A4", PASSWORD, "w\\u00f6rd") if "@" in url else ())):
                assert secret not in text
        basic = b64encode(f"user:{PASSWORD}".encode()).decode()
        assert server.paths[-1].endswith(f"/chat/completions?key={KEY}")
        assert server.headers[1]["authorization"] == f"Basic {basic}" and basic not in text
    for url in ("http://user:geheim@a:b", "ftp://user:geheim@host", "http://user:geheim@"):
        with pytest.raises(ValueError, match="URL") as error:
            Chat(url, "m")
        assert "geheim" not in str(error.value)
    assert "geheim" not in shown("http://user:geheim@127.0.0.1:9/v1", caplog)


@pytest.mark.parametrize("name", ["content-encoding", "content-type", "location", "x-quoted"])
@pytest.mark.parametrize("status", [200, 302, 500])
def test_no_secret_in_a_header_is_shown(name: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    """Servers quote what they were sent there, too; clients log what they are sent."""
    with serving([Reply(status=status, body=b"Oh.", headers={name: KEY})]) as server:
        assert KEY not in shown(server.url, caplog, api_key=KEY)


@pytest.mark.parametrize(
    "server",
    [
        "http://127.0.0.1:9/mcp?key=geheim1",
        StdioServerParameters(
            command=sys.executable, args=["-c", "import os; os.write(2, b'x')"], env={"TOKEN": "geheim1"}
        ),
        [sys.executable, "-c", "raise SystemExit(3)", "--api-key", "geheim1"],
        f"{sys.executable} -c 1 --token=geheim1",
        "http://user:geheim1@127.0.0.1:9/mcp?key=geheim2",
        ["no-such-command", "postgresql://user:geheim1@host/db"],
    ],
)
def test_no_secret_of_a_server_of_tools_is_shown(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Environments, arguments, addresses."""
    tools = McpServer(server)
    with caplog.at_level(logging.DEBUG), pytest.raises(toolect.agent.AgentError) as error:
        run(Agent(lambda *_: None, [tools]).run("?"))
    for text in (repr(tools), str(error.value), repr(error.value), caplog.text):
        assert "geheim" not in text
    assert tools._redact("it was geheim1, was it") == "it was …, was it"


# Tools


class MuteError(Exception):
    """Raises when it is to say what happened."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Beyond(BaseException):
    """No `Exception`."""


def raising(error: BaseException, *, waits: bool = False) -> Tool:
    """A tool that raises this."""

    async def later() -> None:
        raise error

    def now() -> None:
        raise error

    return Tool("f", "Fails.", {}, later if waits else now)


EXCEPTIONS = [MuteError(), Beyond("x"), GeneratorExit(), KeyboardInterrupt(), asyncio.CancelledError(),
              StopAsyncIteration(), BaseExceptionGroup("all", [Beyond()])]  # fmt: skip


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("error", EXCEPTIONS)
def test_whatever_a_tool_raises_is_a_result(error: BaseException, waits: bool) -> None:
    """And its text is not the model's, unless that is wanted."""
    result = run(ToolRegistry([raising(error, waits=waits)]).execute("f"))
    assert result.is_error and result.output.startswith("`f` ")


def test_the_text_of_an_exception_is_told_by_choice() -> None:
    """Its class is told, and what the tool itself says to the model."""
    secret = raising(ValueError("postgresql://user:geheim@host"))
    assert run(ToolRegistry([secret]).execute("f")).output == "`f` failed: ValueError"
    assert "geheim" in run(ToolRegistry([secret], show_exceptions=True).execute("f")).output
    assert run(ToolRegistry([raising(ToolError("closed on Sundays"))]).execute("f")).output == "closed on Sundays"


def test_arguments_that_nobody_can_check_are_a_result() -> None:
    """Whatever a validator, or the encoder, makes of them."""
    tool = Tool("f", "Does.", {"n": {"type": "integer", "multipleOf": 0.1}}, print)
    for arguments in ({"n": 10**400}, {"n": object()}, {1: 2}, {"n": float("nan")}):
        assert run(ToolRegistry([tool]).execute("f", arguments)).is_error


# Names that no model takes


def test_names_of_tools_are_mapped() -> None:
    """Each to one of its own, and those that are fine stay."""
    long = "x" * 90
    names = ["a.b", "a_b", "21st_x", long, long + "y", "ü", "", "a/b", "get-weather"]
    mapped = model_names(names)
    assert len({*mapped}) == len(mapped) and mapped[1] == "a_b" and mapped[2] == "_21st_x" and mapped[8] == names[8]
    assert all(toolect.agent.mcp_server._NAME.fullmatch(name) for name in mapped)


def test_one_bad_tool_of_a_server_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """The others are called by the names that their server has for them, and by those that models take."""
    server = McpServer("http://localhost/mcp")

    class Client:
        async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
            del arguments
            return dataclasses.make_dataclass("Came", ["is_error", "content", "structured_content"])(False, [], name)

    class Session:
        listed = tuple(
            ListedTool(name=name, inputSchema=schema)
            for name, schema in (
                ("21st.x", {}), ("bad", {"type": "array"}), ("worse", {"properties": {"a": {"type": "text"}}}),
                ("21st_x", {}), ("21st_x", {}), ("twice", {}), ("twice", {}),
            )
        )  # fmt: skip
        client, users = Client(), 0

        async def ready(self) -> None:
            """At once."""

        async def close(self) -> None:
            """At once."""

    async def work() -> list[str]:
        server._open[asyncio.get_running_loop()] = Session()  # type: ignore[assignment]  # stands in for one
        async with server as tools:
            registry = ToolRegistry(tools)
            assert [tool.name for tool in tools].count("twice") == 1
            assert next(tool["function"]["name"] for tool in registry.definitions()) == "_21st_x"
            return [(await registry.execute(name)).output for name in ("_21st_x", "21st.x", "21st_x")]

    assert run(work()) == ['"21st.x"', '"21st.x"', '"21st_x"']
    assert all(word in caplog.text for word in ("bad", "worse", "`twice` twice"))


# Names of before


def test_names_of_before_say_those_of_now() -> None:
    """An import of one fails with the other."""
    with pytest.raises(toolect.RenamedError, match=r"it is `toolect\.agent\.RetryLimitError`"):
        toolect.agent.SentBack  # noqa: B018  # that is the mistake
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        toolect.agent.nothing  # noqa: B018  # as above


# Arguments that are a null


@pytest.mark.parametrize("given", [None, "", " ", "null", '"null"', '""'])
def test_a_null_is_no_arguments_wherever_it_stands(given: Any) -> None:
    """In whole answers and streams, of each API, and in what a dialect writes."""
    function = {"name": "f", "arguments": given}
    call = {"id": "a", "type": "function", "function": function}
    item = {"type": "function_call", "call_id": "a", "name": "f", "arguments": given}
    part = {"index": 0, **call}
    found = [
        toolect.Message.from_openai({"role": "assistant", "tool_calls": [call]}),
        toolect.Message.from_openai({"role": "assistant", "function_call": function}),
        toolect.openai.from_openai([{"choices": [{"delta": {"tool_calls": [part]}, "finish_reason": "tool_calls"}]}]),
        toolect.responses.from_response({"object": "response", "output": [item]}),
    ]
    if given in (None, "null"):
        block = {"type": "tool_use", "id": "a", "name": "f", "input": given}
        found.append(toolect.anthropic.from_anthropic({"role": "assistant", "content": [block]}))
    for message in found:
        (read,) = message.calls
        assert (read.arguments, read.runnable, read.arguments_text) == ({}, True, "{}")
        assert [str(repair.kind) for repair in read.repairs] == ["missing-arguments"]


# Conversations that a run made

ADD = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>'
MADE = {"id": "", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
BROKEN = {"id": "x", "type": "function", "function": {"name": "add", "arguments": '{"a": '}}


@pytest.mark.parametrize(
    "answer",
    [
        ADD + ADD, ADD[:40], ADD + ADD[:40], "<think>Hm.</think>" + ADD, "", "\ud800",
        {"role": "assistant", "tool_calls": [MADE, MADE]}, {"role": "assistant", "tool_calls": [BROKEN, MADE]},
        {"role": "assistant", "reasoning_content": "Hm."},
    ],
)  # fmt: skip
def test_the_messages_of_a_run_are_a_history(answer: Any) -> None:
    """Whatever was in them, and as often as one likes."""
    answers = iter([answer, "3."])

    async def model(*_: Any) -> Any:
        return next(answers)

    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    first = run(Agent(model, [add], "hermes").run("?"))
    answers = iter(["Well."] * 2)
    second = run(Agent(model, [add], "hermes").run("And?", history=first.messages))
    third = run(Agent(model, [add], "hermes").run("And?", history=json.loads(json.dumps(second.messages))))
    assert third.messages[: len(first.messages)] == first.messages
