"""`toolect serve`: a server between clients and a model."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Any, Literal

import click

from toolect._cli.options import SECONDS, options
from toolect._cli.terminal import Misuse, note
from toolect._errors import ToolectError

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--upstream", default="", metavar="URL", help="The model's server, such as http://localhost:8000/v1.")
@click.option("--replay", type=_PATH, metavar="FILE", help="Answer from a file of JSON lines instead.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, metavar="N",
              help="The port to listen at; 0 takes a free one.")  # fmt: skip
@click.option("--mode", type=click.Choice(["auto", "text", "chat"]), default="auto", show_default=True,
              help="Ask in text, or pass chats on; auto asks in text where the chat is known.")  # fmt: skip
@click.option("--dialect", metavar="DIALECT", help="The dialect of answers.  [default: by the model]")
@click.option("--chat", metavar="CHAT", help="The chat to write prompts in.  [default: by the model]")
@click.option("--template", type=_PATH, metavar="FILE", help="The chat template to write prompts with.")
@click.option("--prefix", default="", metavar="TEXT",
              help="The end of the upstream's own prompts, where that opens the reasoning.")  # fmt: skip
@click.option("--validate", type=click.Choice(["off", "report", "refuse"]), default="off", show_default=True,
              help="Hold arguments against their schemas: report what violates them, or refuse the call.")  # fmt: skip
@click.option("--stream-arguments", is_flag=True, help="Send calls as they arrive; a broken one cannot be taken back.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A further host name of this server, or *.")
@click.option("--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="An origin of web pages that may ask.")
@click.option("--key-env", metavar="NAME",
              help="The variable with the upstream's key.  [default: the clients' own keys are passed on]")  # fmt: skip
@click.option("--max-body", type=click.IntRange(1), default=32 << 20, show_default=True, metavar="BYTES",
              help="The size of a request.")  # fmt: skip
@click.option("--max-requests", type=click.IntRange(1), default=1024, show_default=True, metavar="N",
              help="Requests at a time.")  # fmt: skip
@click.option("--max-answer", type=click.IntRange(1), default=4 << 20, show_default=True, metavar="CHARACTERS",
              help="The length of an answer, which is cut off there.")  # fmt: skip
@click.option("--max-seconds", type=SECONDS, default=3600.0, show_default=True, metavar="S",
              help="Seconds that a request may take.")  # fmt: skip
@click.option("--timeout", type=SECONDS, default=300.0, show_default=True, metavar="S",
              help="Seconds that the upstream may be silent, or a client may take nothing.")  # fmt: skip
@click.option("--keep-alive", type=SECONDS, default=15.0, show_default=True, metavar="S",
              help="Seconds of silence after which a stream is sent a sign of life.")  # fmt: skip
@click.option("--grace", type=click.IntRange(0), default=30, show_default=True, metavar="S",
              help="Seconds that open requests have when the server is ended.")  # fmt: skip
@click.option("--play", is_flag=True,
              help="Let visitors of the page at / edit specs, as they may on loopback.")  # fmt: skip
@options("spec")
def command(
    upstream: str, replay: Path | None, host: str, port: int, mode: Literal["auto", "text", "chat"],
    dialect: str | None, chat: str | None, template: Path | None, prefix: str,
    validate: Literal["off", "report", "refuse"], stream_arguments: bool,
    hosts: tuple[str, ...], origins: tuple[str, ...], key_env: str | None, max_body: int, max_requests: int,
    max_answer: int, max_seconds: float, timeout: float, keep_alive: float, grace: int, play: bool,
) -> int:  # fmt: skip
    """Serve a model to OpenAI, Anthropic and Responses clients, with its calls read.

    Behind it is any server of completions: llama.cpp, vLLM, SGLang, Ollama, TGI, LM Studio. The API is below /v1; there
    are /healthz and /metrics, and a page at / that shows how texts are read. Keys are passed on, and never logged; each
    request is one line on standard error.
    """
    import uvicorn

    from toolect.agent.redaction import public_url
    from toolect.serve import ServeOptions, create_app
    from toolect.serve.serve_options import LOOPBACK

    local = host in ("localhost", "127.0.0.1", "::1")
    names = (*LOOPBACK, *hosts) if local else hosts or ("*",)
    try:
        chosen = ServeOptions(
            upstream=upstream, replay=replay, mode=mode, dialect=dialect, chat=chat, template=template, prefix=prefix,
            validate=validate, stream_arguments=stream_arguments, key=_key(key_env), hosts=names, origins=origins,
            max_body=max_body, max_requests=max_requests, max_answer=max_answer, max_seconds=max_seconds,
            idle_seconds=timeout, keep_alive=keep_alive, play=play or local,
        )  # fmt: skip
        app = create_app(chosen)
    except (ToolectError, ValueError) as error:
        raise Misuse(str(error)) from None
    config = uvicorn.Config(
        app, host=host, port=port, access_log=False, log_config=None, server_header=False,
        timeout_graceful_shutdown=grace, timeout_keep_alive=75,
    )  # fmt: skip
    _log_to_stderr()
    try:
        socket = config.bind_socket()
    except SystemExit:  # uvicorn has said why
        return 2
    socket.listen()  # who asks as soon as the address is known waits
    at = f"[{host}]" if ":" in host else host
    note(f"serving {public_url(upstream) if upstream else replay} at http://{at}:{socket.getsockname()[1]}/v1")
    uvicorn.Server(config).run(sockets=[socket])
    return 0


def _key(name: str | None) -> str:
    if name is not None and not os.environ.get(name):
        raise Misuse(f"expected a key in the variable {name}, got none")
    return os.environ[name] if name else ""


def _log_to_stderr() -> None:
    """Lines of the server's own loggers, and what uvicorn warns of."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    levels: dict[str, Any] = {"toolect": logging.INFO, "uvicorn": logging.WARNING}
    for name, level in levels.items():
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(level)
