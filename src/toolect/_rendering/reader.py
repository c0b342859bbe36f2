"""A dialect as what writes in it needs it: to read what was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

from toolect._graph.graph import Graph
from toolect._message import Message
from toolect._spec.model import Spec
from toolect._values.toolset import ToolSchemas


class TextParser(Protocol):
    """What parses a dialect; `toolect._compiled.Dialect` does."""

    spec: Spec

    def _with_names(self, tools: ToolSchemas, keys: bool = True, /) -> TextParser:
        """The dialect in which calls may have the names of `tools`."""

    def _graph(self) -> Graph:
        """The graph of nodes under the spec's policies."""

    def parse(
        self,
        text: str,
        tools: Iterable[Mapping[str, Any]] | None = None,
        mode: Literal["strict", "lenient"] = "lenient",
        /,
    ) -> Message:
        """The message that `text` says."""
