"""Streams through `toolect serve` beside a plain proxy on the same stack: processor time, latency, memory.

The plain proxy decodes and encodes each chunk of the upstream, by httpx, starlette and msgspec, and does no more. Each
server is a process of its own; so are the upstream and what asks. Processor time is that of the server's process alone.
Each stream carries a number, in its content and in the arguments of a call: what is lost or mixed up is seen.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from toolect.serve import ServeOptions, create_app
from tools.markdown_text import table

TOOL = {"type": "function", "function": {
    "name": "tide", "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}}}}  # fmt: skip
HEAD = ("server", "streams", "lost or mixed", "tasks left", "µs processor a chunk", "s", "MB", "first delta alone, ms")
SIZE = 4
"""Characters of a chunk: about a token."""


def answer(number: str) -> str:
    """Text of a stream of the upstream: words, and a call at the end."""
    call = json.dumps({"name": "tide", "arguments": {"number": int(number)}})
    words = f"Stream {number} tells of the tide. " + "The water rises in the harbour until noon. " * 6
    return f"{words}\n<tool_call>\n{call}\n</tool_call>"


async def upstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests on one connection: a chunk for every four characters, each after a pause of the request's."""
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = json.loads(await reader.readexactly(size))
            raw = b"/v1/completions" in head
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            text = answer(str(body["seed"]))
            pieces = [text[at : at + SIZE] for at in range(0, len(text), SIZE)]
            for piece in [*pieces, None]:
                delta = {"text": piece or ""} if raw else {"delta": {} if piece is None else {"content": piece}}
                choice = {"index": 0, **delta, "finish_reason": "stop" if piece is None else None}
                data = b"data: %b\n\n" % json.dumps({"id": "x", "object": "chunk", "choices": [choice]}).encode()
                data += b"data: [DONE]\n\n" if piece is None else b""
                writer.write(b"%x\r\n%b\r\n" % (len(data), data))
                await writer.drain()
                await asyncio.sleep(body.get("pause", 0))
            writer.write(b"0\r\n\r\n")
    writer.close()


def plain_proxy(url: str) -> Starlette:
    """The proxy to compare with."""
    client = httpx.AsyncClient(timeout=600, limits=httpx.Limits(max_connections=None), trust_env=False)

    async def completions(request: Request) -> StreamingResponse:
        sent = client.build_request("POST", f"{url}/chat/completions", content=await request.body(),
                                    headers={"content-type": "application/json"})  # fmt: skip
        response = await client.send(sent, stream=True)

        async def events() -> AsyncIterator[bytes]:
            try:
                async for line in response.aiter_lines():
                    if line == "data: [DONE]":
                        yield b"data: [DONE]\n\n"
                    elif line.startswith("data: "):
                        yield b"data: %b\n\n" % msgspec.json.encode(msgspec.json.decode(line[6:]))
            finally:
                await response.aclose()

        return StreamingResponse(events(), media_type="text/event-stream")

    return Starlette(routes=[Route("/v1/chat/completions", completions, methods=["POST"])])


async def tasks(_: Request) -> Response:
    """Number of tasks in the server."""
    return Response(str(len(asyncio.all_tasks())))


def run(what: str, url: str) -> None:
    """Be one of the servers, and print the port."""
    if what == "upstream":

        async def serve() -> None:
            server = await asyncio.start_server(upstream, "127.0.0.1", 0, backlog=4096)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()

        asyncio.run(serve())
    if what == "plain":
        app: Any = plain_proxy(url)
    else:
        app = create_app(ServeOptions(upstream=url, mode=what, dialect="hermes", chat="chatml", max_requests=10_000))  # type: ignore[arg-type]
    app.routes.insert(0, Route("/tasks", tasks))
    config = uvicorn.Config(app, host="127.0.0.1", port=0, access_log=False, log_level="error", backlog=4096)
    listener = config.bind_socket()
    listener.listen(4096)
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listener])


@contextlib.contextmanager
def server(what: str, url: str = "") -> Iterator[tuple[int, int]]:
    """The port and the process id of a server."""
    command = [sys.executable, "-m", "tools.serve.serve_bench", "--be", what, "--url", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.kill()


def processor_seconds(pid: int) -> float:
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def stream(port: int, number: int, pause: float) -> tuple[float, bytes]:
    """One stream: seconds to its first delta, and its bytes."""
    body: dict[str, Any] = {
        "model": "m", "stream": True, "seed": number, "pause": pause, "tools": [TOOL],
        "messages": [{"role": "user", "content": "How high is the tide?"}],
    }  # fmt: skip
    data = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {len(data)}\r\n"
    )
    began = time.perf_counter()
    writer.write(f"{head}connection: close\r\ncontent-type: application/json\r\n\r\n".encode() + data)
    got, first = b"", 0.0
    while piece := await reader.read(1 << 16):
        got += piece
        if not first and b'"content"' in got:
            first = time.perf_counter() - began
    writer.close()
    return first, got


def sound(number: int, got: bytes, read: bool) -> bool:
    """True where a stream has all that its upstream wrote, and nothing of another one; `read` where calls are."""
    chunks = [json.loads(line[6:]) for line in got.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    calls = [call["function"] for choice in choices for call in choice["delta"].get("tool_calls", ())]
    wanted, _, call = answer(str(number)).partition("\n<tool_call>")
    if not read:
        return text == wanted + "\n<tool_call>" + call and b"[DONE]" in got
    return text.strip() == wanted.strip() and [json.loads(one["arguments"])["number"] for one in calls] == [number]


async def tasks_of(port: int) -> int:
    """The tasks of an idle server, asked when all that ends has ended."""
    await asyncio.sleep(1)
    async with httpx.AsyncClient(trust_env=False) as client:
        return int((await client.get(f"http://127.0.0.1:{port}/tasks")).text)


async def at_once(what: str, port: int, pid: int, streams: int, pause: float) -> list[str]:
    """The first cells of a row: many streams at a time."""
    await asyncio.gather(*(stream(port, number, 0) for number in range(20)))  # warm
    idle = await tasks_of(port)
    before, began = processor_seconds(pid), time.perf_counter()
    results = await asyncio.gather(*(stream(port, number, pause) for number in range(streams)))
    took, used = time.perf_counter() - began, processor_seconds(pid) - before
    lost = sum(not sound(number, got, what != "plain") for number, (_, got) in enumerate(results))
    chunks = sum(len(answer(str(number))) // SIZE + 1 for number in range(streams))
    left = await tasks_of(port) - idle
    counts = map(str, (streams, lost, left))
    return [what, *counts, f"{1e6 * used / chunks:.0f}", f"{took:.1f}", f"{megabytes(pid):.0f}"]


async def one_by_one(ports: list[int], number: int) -> list[str]:
    """The last cell of each row: the median of the first deltas, where the servers take turns."""
    firsts: list[list[float]] = [[] for _ in ports]
    for turn in range(number):
        for port, found in zip(ports, firsts, strict=True):
            found.append((await stream(port, turn, 0))[0])
    return [f"{1e3 * statistics.median(found):.2f}" for found in firsts]


async def endure(port: int, pid: int, requests: int) -> None:
    """Many requests, fifty at a time: the memory on the way."""
    numbers = iter(range(requests))
    done = 0

    async def work() -> None:
        nonlocal done
        for number in numbers:
            _, got = await stream(port, number, 0)
            assert sound(number, got, True), got
            done += 1
            if done % max(requests // 10, 1) == 0:
                print(f"{done} requests: {megabytes(pid):.0f} MB", flush=True)

    await asyncio.gather(*(work() for _ in range(50)))


def main() -> None:
    """All rows in one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1000, help="streams at a time")
    parser.add_argument("--alone", type=int, default=1000, help="streams one after the other")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between chunks of the upstream")
    parser.add_argument("--requests", type=int, default=0, help="further requests, to watch the memory")
    parser.add_argument("--be", help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.be:
        run(options.be, options.url)
        return
    with contextlib.ExitStack() as stack:
        port, _ = stack.enter_context(server("upstream"))
        names = ("plain", "chat", "text")
        servers = [stack.enter_context(server(name, f"http://127.0.0.1:{port}/v1")) for name in names]
        rows = [
            asyncio.run(at_once(name, *found, options.streams, options.pause))
            for name, found in zip(names, servers, strict=True)
        ]
        last = asyncio.run(one_by_one([found for found, _ in servers], options.alone))
        print(table([HEAD, *([*row, first] for row, first in zip(rows, last, strict=True))]), flush=True)
        if options.requests:
            asyncio.run(endure(*servers[1], options.requests))


if __name__ == "__main__":
    main()
