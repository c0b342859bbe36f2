"""Parser interface of rendering, which reads back what was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

from toolect._graph.graph import Graph
from toolect._message import Message
from toolect._spec.model import Spec
from toolect._values.toolset import ToolSchemas


class TextParser(Protocol):
    """Parser of a dialect, such as `toolect._compiled.Dialect`."""

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
