"""A chat-completions server on loopback whose answers are scripted: whole, in awkward chunks, slow, cut off, wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer: `deltas` as server-sent events, or `body` as it is. `pause` is in seconds, before every piece.

    `size` cuts the bytes of the stream into pieces of so many; `cut` ends the connection after so many bytes.
    """

    deltas: Sequence[dict[str, Any]] = ()
    finish: str | None = "stop"
    body: bytes | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    size: int = 0
    cut: int | None = None
    newline: str = "\n"

    def events(self) -> bytes:
        """The whole stream."""
        chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in self.deltas]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]})
        chunks.append({"choices": [], "usage": {"total_tokens": 1}})
        lines = [": a comment", "event: message"]
        lines += [f"data: {json.dumps(chunk, ensure_ascii=False)}{self.newline}" for chunk in chunks]
        return (self.newline.join([*lines, "data: [DONE]"]) + self.newline * 2).encode()


def text(*pieces: str, **more: Any) -> Reply:
    """An answer whose content arrives in these pieces."""
    return Reply([{"role": "assistant"}, *({"content": piece} for piece in pieces)], **more)


def calls(*made: tuple[str, str], size: int = 3, **more: Any) -> Reply:
    """An answer of native calls, name and arguments each, with the arguments in pieces of `size` characters."""
    deltas: list[dict[str, Any]] = []
    for index, (name, arguments) in enumerate(made):
        head = {"index": index, "id": f"c{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [head]})
        pieces = [arguments[i : i + size] for i in range(0, len(arguments), size)]
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces]
    return Reply(deltas, **{"finish": "tool_calls", **more})


@dataclass
class Server:
    """A running server: its address, and the requests that it was sent."""

    url: str
    requests: list[dict[str, Any]]
    headers: list[dict[str, str]]


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server that gives the answers of `script` one after the other, or the one that it makes of each request."""
    server = Server("", [], [])
    lock = threading.Lock()
    rest = iter(()) if callable(script) else iter(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                server.requests.append(request)
                server.headers.append({key.lower(): value for key, value in self.headers.items()})
                reply = script(request) if callable(script) else next(rest, Reply(status=500, body=b"no more answers"))
            data = reply.events() if reply.body is None else reply.body
            kind = "text/event-stream" if reply.body is None else "application/json"
            self.send_response(reply.status)
            for name, value in {"content-type": kind, "connection": "close", **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            data = data[: reply.cut]
            size = reply.size or len(data) or 1
            try:
                for i in range(0, len(data), size):
                    time.sleep(reply.pause)
                    self.wfile.write(data[i : i + size])
                    self.wfile.flush()
            except OSError:
                pass  # the client has gone
            self.close_connection = True

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    with Quiet(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        server.url = f"http://127.0.0.1:{httpd.server_port}/v1"
        try:
            yield server
        finally:
            httpd.shutdown()
