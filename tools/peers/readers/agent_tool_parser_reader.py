"""agent-tool-parser, a Rust extension that finds calls of any format in a complete text; it reads no streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

_package = import_module("agent_tool_parser")


class Reader:
    """The parser; it knows of no format and has no use for tools here."""

    def __init__(self, name: str, tools: list[Any], markers: Sequence[str]) -> None:
        self._read = _package.try_parse_tool_calls

    def whole(self) -> Callable[[str], Any]:
        """The package's reading of a complete text."""
        read: Callable[[str], Any] = self._read
        return read

    def streamed(self) -> Callable[[Sequence[str]], Any]:
        """There is none."""
        raise NotImplementedError("it reads complete texts only")

    def result(self, got: Any) -> tuple[list[tuple[str, Any]], None]:
        """The calls; it gives nothing else."""
        return [(call.name, call.args) for call in got or ()], None
