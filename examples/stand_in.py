"""A stand-in for a model and its server, to try an agent without either: it calls tools, and repeats what they say.

    python examples/stand_in.py COMMAND...

runs a command with the server's address in SERVER. It does as `vllm serve` does without flags: it has no tools of its
own, and leaves calls in the text, where the model writes them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSAL = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'


def answered(messages: list[dict[str, Any]]) -> str:
    """What the model says: a call of the tool that the question is about, with its names in it; then the results."""
    said = messages[-1]["content"]
    if "<tool_response>" in said:
        results = ", ".join(re.findall(r"<tool_response>\n(.*?)\n</tool_response>", said, re.DOTALL))
        return f"{results[:1].upper()}{results[1:]}."
    lines = messages[0]["content"].splitlines()
    tools = [json.loads(line) for line in lines if line.startswith('{"type": "function"')]
    asked = [tool["function"] for tool in tools if re.split(r"[._-]", tool["function"]["name"])[-1] in said.lower()]
    if not asked:
        return f"I have heard {sum(message['role'] == 'user' for message in messages)} questions."
    names = iter(re.findall(r"(?<!^)\b[A-Z]\w+", said))
    given = {name: next(names, "?") for name in asked[0]["parameters"].get("required", [])}
    return f"<tool_call>\n{json.dumps({'name': asked[0]['name'], 'arguments': given})}\n</tool_call>"


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions, in pieces."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "tools" in asked:
            self.send(400, "application/json", json.dumps({"error": {"message": REFUSAL}}))
            return
        text = answered(asked["messages"])
        chunks: list[dict[str, Any]] = [{"delta": {"content": text[i : i + 5]}} for i in range(0, len(text), 5)]
        chunks.append({"delta": {}, "finish_reason": "stop"})
        events: list[dict[str, Any]] = [{"choices": [chunk], "model": asked["model"]} for chunk in chunks]
        usage = {"prompt_tokens": len(str(asked["messages"])) // 4, "completion_tokens": len(text) // 4}
        lines = [json.dumps(event) for event in [*events, {"choices": [], "usage": usage}]]
        self.send(200, "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]))

    def send(self, status: int, kind: str, text: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def serving() -> Iterator[str]:
    """The address of the server, while it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()


def main(command: list[str]) -> int:
    """Run a command with the server; without one say what it answers."""
    with serving() as url:
        if not command:
            print(answered([{"role": "user", "content": "?"}]))
            return 0
        return subprocess.run(command, env={**os.environ, "SERVER": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
