"""MCP client: servers of the Model Context Protocol as tools of an agent."""

from __future__ import annotations

import asyncio
import logging
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from toolect import _extras as extras
from toolect._exchange.media import read_parts
from toolect._message import Json, MessageError, dumps
from toolect.agent.errors import AgentError, ToolDefinitionError, ToolError
from toolect.agent.executing import Output, cut, described
from toolect.agent.redaction import Redactor, argument_secrets, public_url, url_secrets
from toolect.agent.tool import Tool

START = 60.0
"""Seconds that a server may take until its tools are known. Beyond it: `AgentError`."""
_log = logging.getLogger("toolect.agent")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
MAX_PAGES = 100
"""Pages of tools that a server may list. Beyond it: the rest is left out."""


class McpServer:
    """A server of the Model Context Protocol, among the tools of an `Agent`. Needs the extra `mcp`.

    `server` is a command that speaks over its standard streams, as a line or as words; the URL of a server; or what the
    `mcp` package connects to: `StdioServerParameters`, a transport, or a server in this process. `only` names the
    tools that are wanted, `prefix` goes before their names, `timeout` is theirs, in seconds.

    It is open during each run of the agent, or as long as an `async with` of the agent or of the server is; that gives
    its tools. Raises `AgentError` when it cannot be reached, `ToolDefinitionError` for names in `only` that it lacks.
    """

    def __init__(
        self, server: Any, *, only: Iterable[str] | None = None, prefix: str = "", timeout: float | None = None
    ) -> None:
        try:
            from mcp import Client  # noqa: F401  # a missing one, or an old one, is reported at once
        except ImportError:
            raise extras.MissingExtraError("mcp 2 or later", "mcp") from None
        if isinstance(only, str):
            raise ToolDefinitionError(f"expected a list of names of tools for only, got {only!r}")
        self._redact = Redactor(_secrets(server))
        self.server, self.prefix, self.timeout = server, prefix, timeout
        self.only = None if only is None else frozenset(only)
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, _Session] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<McpServer {self._redact(_shown(self.server))}>"

    async def __aenter__(self) -> list[Tool]:
        loop = asyncio.get_running_loop()
        session = self._open.get(loop)
        if session is None:
            session = self._open[loop] = _Session(self.server, self._redact)
        session.users += 1
        try:
            await session.ready()
            has = [tool.name for tool in session.listed]
            if missing := sorted((self.only or frozenset()).difference(has)):
                raise ToolDefinitionError(f"expected tools of {self!r} for only, got {missing}: have {has}"[:500])
        except BaseException:
            await self.__aexit__()
            raise
        listed = [tool for tool in session.listed if self.only is None or tool.name in self.only]
        names = model_names([self.prefix + tool.name for tool in listed])
        tools: dict[str, Tool] = {}
        for tool, name in zip(listed, names, strict=True):
            try:
                if name in tools:
                    raise ToolDefinitionError(f"expected a name for each tool, got `{name}` twice")
                tools[name] = self._tool(session.client, tool, name)
            except ToolDefinitionError as error:  # the others are of use all the same
                _log.warning("a tool of %s is left out: %s", _shown(self.server), self._redact(str(error)))
        return [*tools.values()]

    async def __aexit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        session = self._open[loop]
        session.users -= 1
        if not session.users:
            del self._open[loop]
            await session.close()

    def _tool(self, client: Any, listed: Any, name: str) -> Tool:
        async def handler(**arguments: Any) -> Output:
            came = await client.call_tool(listed.name, arguments)
            try:
                output = _output(came)
            except MessageError as error:  # a part is too long
                raise ToolError(str(error)) from None
            if came.is_error:
                raise ToolError(self._redact(output.text))
            return output

        about = next((one for one in (listed.description, listed.title) if one and one.strip()), name.replace("_", " "))
        tool = Tool(name, about, listed.input_schema, handler, self.timeout)
        tool.wire_name = self.prefix + listed.name
        return tool


def model_names(names: Sequence[str]) -> list[str]:
    """Names that every model's server takes, each its own; those that are such names stay as they are."""
    taken = {name for name in names if _NAME.fullmatch(name)}
    found = []
    for name in names:
        plain = name
        if name not in taken:
            plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
            plain = plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"
            if len(plain) > 64 or plain in taken:
                plain = f"{plain[:55]}_{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
            taken.add(plain)
        found.append(plain)
    return found


class _Session:
    """An open connection, in a task of its own: whoever opens it need not be who closes it."""

    def __init__(self, server: Any, redact: Redactor) -> None:
        self.users = 0
        self.client: Any = None
        self.listed: list[Any] = []
        self._stop, self._begun = asyncio.Event(), asyncio.Event()
        self._server, self._redact = server, redact
        self._work = asyncio.create_task(self._serve())

    async def ready(self) -> None:
        """Wait until the tools are known."""
        begun = asyncio.create_task(self._begun.wait())
        await asyncio.wait({begun, self._work}, timeout=START, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        error: BaseException | None = None
        if self._work.done():
            error = self._work.exception() or EOFError()
        elif not self._begun.is_set():
            error = TimeoutError(f"no list of its tools within {START:g} seconds")
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if error is not None:
            what = f"expected an MCP server at {_shown(self._server)}, got `{' '.join(described(error, True).split())}`"
            raise AgentError(self._redact(what)) from None

    async def close(self) -> None:
        """End the connection, and wait until it has ended."""
        self._stop.set()
        if not self._begun.is_set():
            self._work.cancel()
        await asyncio.wait({self._work})
        if not self._work.cancelled():
            self._work.exception()  # a server that fails at its end has done its work

    async def _serve(self) -> None:
        from mcp import Client

        async with Client(_connectable(self._server)) as client:
            self.client, cursor = client, None
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                self.listed += page.tools
                cursor = page.next_cursor
                if not cursor:
                    break
            self._begun.set()
            await self._stop.wait()


def _connectable(server: Any) -> Any:
    """The server as the `mcp` package connects to it."""
    from mcp import StdioServerParameters, stdio_client

    if isinstance(server, str) and server.startswith(("http://", "https://")):
        return server
    if isinstance(server, str):
        server = shlex.split(server)
    if isinstance(server, Sequence):
        if not server:
            raise ValueError("expected a command, got an empty one")
        server = StdioServerParameters(command=server[0], args=[*server[1:]])
    return stdio_client(server, _error_stream()) if isinstance(server, StdioServerParameters) else server


def _error_stream() -> Any:
    """The error stream for a command: a notebook's standard error is no file."""
    for stream in (sys.stderr, sys.__stderr__):
        try:
            stream.fileno()  # type: ignore[union-attr]  # None where there is none
        except (AttributeError, OSError, ValueError):
            continue
        return stream
    return subprocess.DEVNULL


def _words(server: Any) -> list[str]:
    """The command of a server, and its arguments."""
    if isinstance(server, str):
        try:
            return [] if "://" in server.split(" ")[0] else shlex.split(server)
        except ValueError:
            return server.split()
    if hasattr(server, "command"):
        return [server.command, *server.args]
    return [*map(str, server)] if isinstance(server, Sequence) else []


def _shown(server: Any) -> str:
    """A server as errors name it: its address, or its program without arguments and environment."""
    if words := _words(server):
        return words[0]
    return (public_url(server) or "nothing") if isinstance(server, str) else type(server).__name__


def _secrets(server: Any) -> list[str]:
    words = _words(server)
    urls = [server] if isinstance(server, str) and not words else [word for word in words if "://" in word]
    environment = [*(getattr(server, "env", None) or {}).values()]
    return [*environment, *argument_secrets(words), *(secret for url in urls for secret in url_secrets(url))]


def _output(came: Any) -> Output:
    """The result of a tool: its texts, and images, sounds and files between them. Raises MessageError."""
    if not came.content and came.structured_content is not None:
        return Output(dumps(came.structured_content))
    parts: list[Json] = []
    for number, block in enumerate(came.content):
        parts += [{"type": "text", "text": "\n" * bool(number)}, _part(block)]
    text, media = read_parts(parts, "content")
    return Output(cut(text), media=media)


def _part(block: Any) -> dict[str, Json]:
    """A block of content as a part of a chat completion's message; of one that nothing is known of its type."""
    match block.type:
        case "image":
            return _file(block.mime_type, block.data, "")
        case "audio":
            form = str(block.mime_type).rpartition("/")[2]
            return {"type": "input_audio", "input_audio": {"data": block.data, "format": form}}
        case "resource" if (data := getattr(block.resource, "blob", None)) is not None:
            return _file(block.resource.mime_type, data, str(block.resource.uri))
        case "text":
            text = str(block.text)
        case "resource":
            text = str(getattr(block.resource, "text", None) or f"[{block.resource.uri}]")
        case "resource_link":
            text = f"[{block.uri}]"
        case kind:
            text = f"[{kind}, which is not shown]"
    return {"type": "text", "text": text}


def _file(media_type: str | None, data: str, uri: str) -> dict[str, Json]:
    url = f"data:{media_type or 'application/octet-stream'};base64,{data}"
    if not uri or (media_type or "").startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {"filename": uri.rpartition("/")[2] or uri, "file_data": url}}
