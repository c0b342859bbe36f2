"""mlx-lm's tool parsers. They read what stands between two markers; its server finds those by their token ids.

What finds the markers here is less than the server does: a search in a whole text, a comparison of each chunk.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_found = importlib.util.find_spec("mlx_lm")
assert _found and _found.origin
_package = ModuleType("mlx_lm")  # its __init__ wants the hardware's library
_package.__path__ = [str(Path(_found.origin).parent)]
sys.modules["mlx_lm"] = _package

Got = tuple[list[Any], str]


class Reader:
    """One format's parser with the tools of one request."""

    def __init__(self, name: str, tools: list[Any], markers: Sequence[str]) -> None:
        module = import_module(f"mlx_lm.tool_parsers.{name}")
        self._parse, self._tools = module.parse_tool_call, tools
        self._start, self._end = module.tool_call_start, module.tool_call_end

    def _read(self, text: str) -> Got:
        start, end = self._start, self._end
        calls: list[Any] = []
        content, found, rest = text.partition(start)
        while found:
            body, _, after = rest.partition(end) if end else (rest, "", "")
            parsed = self._parse(body, self._tools)
            calls.extend(parsed if isinstance(parsed, list) else [parsed])
            more, found, rest = after.partition(start)
            content += more
        return calls, content

    def whole(self) -> Callable[[str], Got]:
        """A reading of a complete text."""
        return self._read

    def streamed(self) -> Callable[[Sequence[str]], Got]:
        """A reading of chunks, in which a marker is one chunk."""
        start, end, parse, tools = self._start.strip(), self._end.strip(), self._parse, self._tools

        def run(chunks: Sequence[str]) -> Got:
            calls: list[Any] = []
            content: list[str] = []
            body: list[str] | None = None
            for chunk in chunks:
                if body is None:
                    if chunk == start:
                        body = []
                    else:
                        content.append(chunk)
                elif end and chunk == end:
                    parsed = parse("".join(body), tools)
                    calls.extend(parsed if isinstance(parsed, list) else [parsed])
                    body = None
                else:
                    body.append(chunk)
            if body is not None:
                parsed = parse("".join(body), tools)
                calls.extend(parsed if isinstance(parsed, list) else [parsed])
            return calls, "".join(content)

        return run

    def result(self, got: Got) -> tuple[list[tuple[str, Any]], str]:
        """Calls and content."""
        return [(call["name"], call["arguments"]) for call in got[0]], got[1]
