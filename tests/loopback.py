"""Loopback servers for tests: an upstream that is scripted byte by byte, and `toolect serve` between it and clients."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from toolect.serve import ServeOptions, create_app

MODEL = "Qwen/Qwen3-8B"
TOOLS = [
    {"type": "function", "function": {
        "name": name, "description": "Tells something.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
    }}
    for name in ("weather", "tide")
]  # fmt: skip
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def api_errors(name: str = "APIError") -> tuple[type[Exception], ...]:
    """The error of that name of both clients; they are imported by what needs them, as each takes a second."""
    import anthropic
    import openai

    return getattr(openai, name), getattr(anthropic, name)


@dataclass
class Peer:
    """One request at the upstream: what was asked, and the connection to answer on."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def head(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        """The status and headers; the body ends with the connection."""
        lines_of_head = {
            "content-type": kind,
            "connection": "close",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in lines_of_head.items())
        await self.send(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode())

    async def send(self, data: bytes) -> None:
        """Bytes as they are, each time a piece of its own."""
        self.writer.write(data)
        await self.writer.drain()

    async def until_gone(self) -> None:
        """Wait until the other side has closed the connection."""
        while await self.reader.read(1024):
            pass

    async def choices(self, *choices: dict[str, Any], done: bool = True, **beside: Any) -> None:
        """An answer: chunks of these choices, or where it is not streamed what they add up to."""
        for choice in choices:
            data = json.dumps({"id": "up", "choices": [{"index": 0, "finish_reason": None, **choice}], **beside})
            await self.send(f"data: {data}\n\n".encode())
        if done:
            await self.send(b"data: [DONE]\n\n")


Script = Callable[[Peer], Awaitable[None]]


@dataclass
class Upstream:
    """A server whose answers are scripted; `script` may be changed between requests."""

    url: str = ""
    script: Script | None = None
    peers: list[Peer] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when an answer was cancelled from the other side."""
    open: int = 0
    pages: dict[str, Any] = field(default_factory=dict)
    """What can be fetched, by path; a number is a status."""

    @property
    def asked(self) -> dict[str, Any]:
        """The body of the last request."""
        return self.peers[-1].body

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, one request."""
        self.open += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:]) if k}
            raw = await reader.readexactly(int(headers.get("content-length", "0")))
            peer = Peer(path, headers, json.loads(raw) if raw else {}, reader, writer)
            if method == "GET" or path == "/tokenize":
                page = self.pages.get(path, 404)
                is_there = not isinstance(page, int)
                await peer.head(200 if is_there else page, "application/json")
                await peer.send(json.dumps(page if is_there else {"error": {"message": "there is none"}}).encode())
                return
            self.peers.append(peer)
            assert self.script is not None
            await self.script(peer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        finally:
            self.open -= 1
            writer.close()


@contextmanager
def upstream() -> Iterator[Upstream]:
    """A running upstream."""
    found = Upstream()
    loop = asyncio.new_event_loop()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(found.serve, "127.0.0.1", 0, limit=1 << 25)

    async def stop() -> None:
        server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    server = loop.run_until_complete(start())
    found.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield found
    asyncio.run_coroutine_threadsafe(stop(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)
    loop.close()


@contextmanager
def app_at(app: Any) -> Iterator[str]:
    """The address of a running ASGI application."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(
        uvicorn.Config(
            app, access_log=False, log_config=None, timeout_graceful_shutdown=1, timeout_keep_alive=60, lifespan="on"
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"  # what asks too early waits in the queue of the socket
    server.should_exit = True
    thread.join(5)


@contextmanager
def serving(**options: Any) -> Iterator[Served]:
    """`toolect serve` with these options."""
    app = create_app(ServeOptions(**options))
    with app_at(app) as url:
        served = Served(url, app)
        yield served
        served.openai.close()
        served.anthropic.close()


@dataclass
class Outcome:
    """What a client was told, whichever API it speaks."""

    content: str = ""
    reasoning: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    finish: str = ""
    invalid: list[dict[str, Any]] = field(default_factory=list)
    usage: tuple[int, int] = (0, 0)
    violations: list[dict[str, Any]] = field(default_factory=list)


WAYS = [(api, stream) for api in ("chat", "messages", "responses") for stream in (False, True)]
FINISHES = {"tool_use": "tool_calls", "end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}


class Served:
    """A running server, and its official clients."""

    def __init__(self, url: str, app: Any = None) -> None:
        self.url, self.app = url, app
        import anthropic
        import openai

        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key="secret-key", max_retries=0, timeout=20)
        self.anthropic = anthropic.Anthropic(base_url=url, api_key="secret-key", max_retries=0, timeout=20)

    def ask(
        self,
        api: str,
        stream: bool,
        *,
        model: str = MODEL,
        messages: Any = "How is Oslo?",
        tools: Any = TOOLS,
        **more: Any,
    ) -> Outcome:
        """What a client of one API is told."""
        listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        return getattr(self, f"_{api}")(stream, model, listed, tools, more)

    def _chat(self, stream: bool, model: str, messages: Any, tools: Any, more: dict[str, Any]) -> Outcome:
        given = {"model": model, "messages": messages, **({"tools": tools} if tools else {}), **more}
        if not stream:
            completion = self.openai.chat.completions.create(**given)
            choice, usage = completion.choices[0], completion.usage
            invalid = getattr(choice.message, "invalid_tool_calls", None) or []
            violations = getattr(choice.message, "tool_call_violations", None) or []
            reasoning = getattr(choice.message, "reasoning_content", "")
        else:
            reasoning, invalid, violations = "", [], []
            with self.openai.chat.completions.stream(**given, stream_options={"include_usage": True}) as events:
                for event in events:
                    if event.type == "chunk" and event.chunk.choices:
                        delta = event.chunk.choices[0].delta
                        reasoning += getattr(delta, "reasoning_content", None) or ""
                        invalid += getattr(delta, "invalid_tool_calls", None) or []
                        violations += getattr(delta, "tool_call_violations", None) or []
                completion = events.current_completion_snapshot  # the final one raises where the reason is `length`
            choice, usage = completion.choices[0], completion.usage
        calls = choice.message.tool_calls or []
        return Outcome(
            choice.message.content or "", reasoning,
            [(one.function.name, json.loads(one.function.arguments)) for one in calls],
            [one.id for one in calls], choice.finish_reason, invalid, (usage.prompt_tokens, usage.completion_tokens),
            violations,
        )  # fmt: skip

    def _messages(self, stream: bool, model: str, messages: Any, tools: Any, more: dict[str, Any]) -> Outcome:
        made = [{"name": t["function"]["name"], "input_schema": t["function"]["parameters"]} for t in tools or ()]
        given = {"model": model, "messages": messages, "max_tokens": 99, **({"tools": made} if made else {}), **more}
        invalid: list[Any] = []
        violations: list[Any] = []
        if not stream:
            message = self.anthropic.messages.create(**given)
            violations = getattr(message, "tool_call_violations", None) or []
            invalid = getattr(message, "invalid_tool_calls", None) or []
        else:
            with self.anthropic.messages.stream(**given) as events:
                for event in events:
                    if event.type == "message_delta":
                        invalid += getattr(event.delta, "invalid_tool_calls", None) or []
                        violations += getattr(event.delta, "tool_call_violations", None) or []
                message = events.get_final_message()
        calls = [one for one in message.content if one.type == "tool_use"]
        return Outcome(
            "".join(one.text for one in message.content if one.type == "text"),
            "".join(one.thinking for one in message.content if one.type == "thinking"),
            [(one.name, one.input) for one in calls], [one.id for one in calls],
            FINISHES.get(message.stop_reason, message.stop_reason), invalid,
            (message.usage.input_tokens, message.usage.output_tokens), violations,
        )  # fmt: skip

    def _responses(self, stream: bool, model: str, messages: Any, tools: Any, more: dict[str, Any]) -> Outcome:
        flat = [{"type": "function", **tool["function"]} for tool in tools or ()]
        given = {"model": model, "input": messages, **({"tools": flat} if flat else {}), **more}
        if not stream:
            response = self.openai.responses.create(**given)
        else:
            with self.openai.responses.stream(**given) as events:
                for event in events:
                    if event.type in ("response.completed", "response.incomplete"):
                        response = event.response
        calls = [one for one in response.output if one.type == "function_call"]
        reasons = {"max_output_tokens": "length", "content_filter": "content_filter"}
        why = response.incomplete_details.reason if response.incomplete_details else None
        return Outcome(
            response.output_text,
            "".join(part.text for one in response.output if one.type == "reasoning" for part in one.content or ()),
            [(one.name, json.loads(one.arguments)) for one in calls], [one.call_id for one in calls],
            reasons[why] if why else "tool_calls" if calls else "stop",
            getattr(response, "invalid_tool_calls", None) or [],
            (response.usage.input_tokens, response.usage.output_tokens),
            getattr(response, "tool_call_violations", None) or [],
        )  # fmt: skip


def text_answer(text: str, size: int = 5, finish: str = "stop", usage: Any = USAGE, count: int = 1) -> Script:
    """The upstream writes `text`, in pieces where it streams; as a completion or a chat completion."""

    async def script(peer: Peer) -> None:
        raw = peer.path.endswith("/v1/completions")
        beside = {"usage": usage} if usage else {}
        if not peer.body.get("stream"):
            said = {"text": text} if raw else {"message": {"role": "assistant", "content": text}}
            made = [{"index": i, "finish_reason": finish, **said} for i in range(count)]
            await peer.head(kind="application/json")
            await peer.send(json.dumps({"id": "up", "choices": made, **beside}).encode())
            return
        await peer.head()
        for at in range(0, len(text), size):
            piece = text[at : at + size]
            for index in range(count):
                await peer.choices(
                    {"index": index, **({"text": piece} if raw else {"delta": {"content": piece}})}, done=False
                )
        for index in range(count):
            last = {"index": index, "finish_reason": finish, **({"text": ""} if raw else {"delta": {}})}
            await peer.choices(last, done=False)
        if usage:
            await peer.send(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n".encode())
        await peer.send(b"data: [DONE]\n\n")

    return script


def chat_answer(deltas: list[dict[str, Any]], message: dict[str, Any], finish: str = "tool_calls") -> Script:
    """The upstream answers a chat completion with these deltas, or with this message."""

    async def script(peer: Peer) -> None:
        if not peer.body.get("stream"):
            await peer.head(kind="application/json")
            choice = {"index": 0, "message": message, "finish_reason": finish}
            await peer.send(json.dumps({"choices": [choice], "usage": USAGE}).encode())
            return
        await peer.head()
        await peer.choices(*({"delta": delta} for delta in deltas), done=False)
        await peer.choices({"delta": {}, "finish_reason": finish}, usage=USAGE)

    return script
