"""A conversation with two tools: the official client, `toolect serve`, and a real llama.cpp server behind it.

The model is tiny and random, so a grammar of each request says what it may write: two calls in its dialect at once,
then a few words. All else is real: prompts, streams, stops, ids, results.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
import uvicorn

from toolect.serve import ServeOptions, create_app
from tools.peers.environments import environment, peers

MODEL = "Qwen/Qwen3-8B"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "description": text, "parameters": PARAMETERS}}
    for name, text in (("get_weather", "Tells the weather."), ("get_tide", "Tells when the tide is high."))
]
ANSWERS = {"get_weather": "sunny, 12 degrees", "get_tide": "at noon"}
CALL = r'"<tool_call>\n{\"name\": \"%s\", \"arguments\": {\"city\": \"" [A-Z] [a-z]{3,8} "\"}}\n</tool_call>"'
GRAMMARS = (
    f'root ::= {CALL % "get_weather"} "\\n" {CALL % "get_tide"}',
    'root ::= [A-Z] [a-z]{2,6} (" " [a-z]{2,6}){3} "."',
)


@contextmanager
def llama_server() -> Iterator[str]:
    """The address of a real llama.cpp server, in an environment of its own."""
    python = environment("llama")
    command = [str(python), str(Path(__file__).with_name("llama_server.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.stdin.close()


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a running application."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        thread.join()


def talk(client: openai.OpenAI, stream: bool) -> list[dict[str, Any]]:
    """A question, two calls at once, their results, and the answer; each message is printed."""
    messages: list[Any] = [{"role": "user", "content": "How is it at the sea?"}]
    for grammar in GRAMMARS:
        given: dict[str, Any] = {
            "model": MODEL, "messages": messages, "tools": TOOLS, "max_tokens": 200, "temperature": 1.0,
            "extra_body": {"grammar": grammar},
        }  # fmt: skip
        if stream:
            with client.chat.completions.stream(**given) as events:
                choice: Any = events.get_final_completion().choices[0]
        else:
            choice = client.chat.completions.create(**given).choices[0]
        messages.append(choice.message.model_dump(exclude_none=True))
        print(f"  {choice.finish_reason}: {choice.message.content or ''}")
        for call in choice.message.tool_calls or ():
            result = ANSWERS[call.function.name]
            print(f"    {call.function.name}({call.function.arguments}) = {result}  [{call.id}]")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return messages


def main() -> int:
    """Whole and streamed; 1 where something is missing."""
    began = time.monotonic()
    with llama_server() as llama:
        print(f"llama.cpp ({peers()['llama'].package}) at {llama}")
        options = ServeOptions(upstream=f"{llama}/v1", mode="text")
        with serving(create_app(options)) as url, openai.OpenAI(base_url=url, api_key="none") as client:
            for stream in (False, True):
                print("streamed" if stream else "whole")
                messages = talk(client, stream)
                calls = [call["function"] for one in messages for call in one.get("tool_calls", ())]
                if [call["name"] for call in calls] != [*ANSWERS] or messages[-1]["role"] != "assistant":
                    print(f"expected two calls and an answer, got {json.dumps(messages)}", file=sys.stderr)
                    return 1
    print(f"{time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
