"""Makes the dialects that read parts of one text, all under the same policies."""

from __future__ import annotations

from collections.abc import Mapping

from toolect import registry
from toolect._detection.guest import Guest
from toolect._graph.graph import Graph
from toolect._values.toolset import ToolSchemas


class Guests:
    """Makes guests, all under the same policies."""

    __slots__ = ("_policies", "_streaming", "count", "mending", "schemas", "strict")

    def __init__(self, schemas: ToolSchemas, policies: Mapping[str, str], streaming: bool, strict: bool) -> None:
        self.schemas = schemas
        self.strict = strict
        self._policies, self._streaming = policies, streaming
        self.count = 0
        """How many calls have been found before."""
        self.mending = 0
        """How many characters of broken JSON have been looked through by those that were taken."""

    def graph(self, name: str) -> Graph:
        """The graph of a dialect."""
        return registry.dialect(name).graph(self._policies)

    def new(self, name: str, at: int, alone: bool = False) -> Guest:
        """A guest that is to read from character `at` on; `alone`, all that follows."""
        return self._make(name, at, self.strict, alone)

    def on_trial(self, name: str, at: int) -> Guest:
        """A guest that shows how it reads from character `at` on: leniently, so that either mode decides alike."""
        return self._make(name, at, False, False)

    def again(self, guest: Guest, text: str) -> Guest:
        """A guest that reads what `guest` has read on trial, `text`, as it is to be kept."""
        found = self.new(guest.name, guest.at)
        found.feed(text, guest.over)
        return found

    def _make(self, name: str, at: int, strict: bool, alone: bool) -> Guest:
        graph, count = self.graph(name), self.count
        return Guest(name, graph, self.schemas, at, count, self._streaming, strict, alone, self.mending)
