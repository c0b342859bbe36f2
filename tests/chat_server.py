"""A chat-completions server on loopback whose answers are scripted: whole, in awkward chunks, slow, cut off, wrong."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@dataclass(frozen=True)
class Reply:
    """One answer: `deltas` as server-sent events, or `body` as it is. `pause` is in seconds, before every piece.

    `size` cuts the bytes of the stream into pieces of so many; `cut` ends the connection after so many bytes. With
    `keep` the connection can be used again.
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
    keep: bool = False
    raw: bool = False
    """Whether the deltas are choices as they are, such as those of raw text."""

    def events(self) -> bytes:
        """The whole stream."""
        chunks: list[dict[str, Any]] = [
            {"choices": [delta if self.raw else {"index": 0, "delta": delta, "finish_reason": None}]}
            for delta in self.deltas
        ]
        last: dict[str, Any] = {"text": ""} if self.raw else {"delta": {}}
        chunks.append({"choices": [{"index": 0, **last, "finish_reason": self.finish}], "model": "the-model"})
        chunks.append({"choices": [], "usage": USAGE})
        lines = [": a comment", "event: message"]
        lines += [f"data: {json.dumps(chunk, ensure_ascii=False)}{self.newline}" for chunk in chunks]
        return (self.newline.join([*lines, "data: [DONE]"]) + self.newline * 2).encode()


def text(*pieces: str, **more: Any) -> Reply:
    """An answer whose content arrives in these pieces."""
    return Reply([{"role": "assistant"}, *({"content": piece} for piece in pieces)], **more)


def raw(*pieces: str, **more: Any) -> Reply:
    """An answer of `/v1/completions` whose text arrives in these pieces."""
    return Reply([{"index": 0, "text": piece, "finish_reason": None} for piece in pieces], raw=True, **more)


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
    paths: list[str] = field(default_factory=list)
    connections: int = 0


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


@contextmanager
def serving(script: Script, pages: Mapping[str, Any] | None = None) -> Iterator[Server]:
    """A server that gives the answers of `script` one after the other, or the one that it makes of each request.

    `pages` are the JSON that can be fetched, by path.
    """
    server = Server("", [], [])
    lock = threading.Lock()
    rest = iter(()) if callable(script) else iter(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

        def setup(self) -> None:
            super().setup()
            with lock:
                server.connections += 1

        def do_GET(self) -> None:
            page = (pages or {}).get(self.path)
            data = json.dumps(page).encode()
            self.send_response(404 if page is None else 200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                server.requests.append(request)
                server.paths.append(self.path)
                server.headers.append({key.lower(): value for key, value in self.headers.items()})
                reply = script(request) if callable(script) else next(rest, Reply(status=500, body=b"no more answers"))
            data = reply.events() if reply.body is None else reply.body
            kind = "text/event-stream" if reply.body is None else "application/json"
            self.send_response(reply.status)
            ends = {"transfer-encoding": "chunked"} if reply.keep else {"connection": "close"}
            for name, value in {"content-type": kind, **ends, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            data = data[: reply.cut]
            size = reply.size or len(data) or 1
            pieces = [data[i : i + size] for i in range(0, len(data), size)]
            if reply.keep:
                pieces = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""]]
            try:
                for piece in pieces:
                    time.sleep(reply.pause)
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:
                pass  # the client has gone
            self.close_connection = not reply.keep

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, *_: object) -> None:
            """Clients go away when they like."""

    with Quiet(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        server.url = f"http://127.0.0.1:{httpd.server_port}/v1"
        try:
            yield server
        finally:
            httpd.shutdown()
