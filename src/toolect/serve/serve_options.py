"""Settings of a server: where the model is, how its answers are read, and what bounds a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from toolect.agent.redaction import public_url

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The names under which a browser or client reaches a server on the same machine."""


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Settings of a server. `upstream` is the base URL of the model's server, such as http://localhost:8000/v1.

    Raises ValueError for no upstream, or for two.
    """

    upstream: str = field(default="", repr=False)
    replay: Path | None = None
    """A file of answers to give instead of asking an upstream."""
    mode: Literal["auto", "text", "chat"] = "auto"
    """`text` writes prompts with the model's chat, `chat` passes conversations on; `auto` is text for known chats."""
    dialect: str | None = None
    """The dialect that answers are read in, where the model's id does not say it."""
    chat: str | None = None
    """The chat that prompts are written in, where the model's id does not say it."""
    template: Path | None = None
    """A chat template to write prompts with: a jinja file or a tokenizer_config.json."""
    prefix: str = ""
    """The end of the prompts that an upstream writes in `chat` mode, such as `<think>`."""
    validate: Literal["off", "report", "refuse"] = "off"
    """Validation of arguments: `report` puts violations beside the call, `refuse` makes the call invalid."""
    stream_arguments: bool = False
    """True to send a streamed call as it arrives. It cannot be taken back, should it turn out to be broken."""
    key: str = field(default="", repr=False)
    """The upstream's key, instead of the clients' own."""
    hosts: tuple[str, ...] = LOOPBACK
    """The host names under which it may be asked, `*` for any."""
    origins: tuple[str, ...] = ()
    """The origins of web pages that may ask, besides its own."""
    max_body: int = 32 << 20
    """Bytes of a request. Beyond it: 413."""
    max_requests: int = 1024
    """Requests at a time. Beyond it: 503, or 529 in Anthropic's API."""
    max_answer: int = 4 << 20
    """Characters of an answer, all its choices together. Beyond it: it is cut off, and finishes as `length`."""
    max_line: int = 16 << 20
    """Bytes of an event, or of an answer that is no stream, of the upstream. Beyond it: 502."""
    max_seconds: float = 3600.0
    """Seconds that a request may take."""
    idle_seconds: float = 300.0
    """Seconds that the upstream may be silent, or a client may take no data."""
    connect_seconds: float = 10.0
    """Seconds that connecting to the upstream may take."""
    keep_alive: float = 15.0
    """Seconds of silence after which a stream is sent a sign of life."""
    play: bool = False
    """True to let visitors of the page at `/` edit a spec, which is compiled here."""

    def __post_init__(self) -> None:
        if bool(self.upstream) == (self.replay is not None):
            raise ValueError(f"expected an upstream or a file to replay, got {'both' if self.upstream else 'neither'}")
        if self.upstream and not self.upstream.startswith(("http://", "https://")):
            shown = public_url(self.upstream)
            raise ValueError(f"expected an upstream URL such as http://localhost:8000/v1, got {shown!r}")
