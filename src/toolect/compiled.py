"""A compiled dialect: parse, stream and render, shared by everyone who uses it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import msgspec

from toolect.compile.graph import Graph
from toolect.compile.network import Network
from toolect.engine.builder import Builder
from toolect.engine.express import express
from toolect.engine.machine import Machine
from toolect.engine.schema import Schema, tool_schemas
from toolect.engine.stream import Stream
from toolect.ir import Message
from toolect.rendered import Unrepresentable
from toolect.spec.model import POLICIES, WRITING, Policies, Spec

if TYPE_CHECKING:
    from toolect.rendered import Rendered

Mode: TypeAlias = Literal["strict", "lenient"]
Tools: TypeAlias = Iterable[Mapping[str, Any]]
M = TypeVar("M", bound=Machine)


def check_mode(mode: str) -> None:
    """Raise ValueError for a mode that does not exist."""
    if mode != "lenient" and mode != "strict":
        raise ValueError(f"expected mode 'strict' or 'lenient', got {mode!r}")


def check_policies(policies: Mapping[str, str]) -> None:
    """Raise TypeError for what is no policy of reading, ValueError for a setting that a policy does not have."""
    for name, value in policies.items():
        allowed = POLICIES.get(name)
        if allowed is None or name in WRITING:
            reading = ", ".join(policy for policy in POLICIES if policy not in WRITING)
            why = "" if allowed is None else ", which is for rendering: set it in the dialect's entry"
            raise TypeError(f"expected a policy of reading ({reading}), got {name!r}{why}")
        if value not in allowed:
            raise ValueError(f"expected {' or '.join(map(repr, allowed))}, got {value!r} - at {name}")


class Dialect:
    """One dialect, ready to use. Safe to share between threads."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._network: Network | None = None
        self._graphs: dict[Policies, Graph] = {}

    @property
    def name(self) -> str:
        """The dialect's name."""
        return self.spec.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Dialect, (self.spec,)

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"

    def graph(self, policies: Mapping[str, str] | None = None) -> Graph:
        """The graph of nodes under the spec's policies, some of them overridden."""
        chosen = self.spec.policies
        if policies:
            check_policies(policies)
            chosen = msgspec.structs.replace(chosen, **policies)
        graph = self._graphs.get(chosen)
        if graph is None:
            if self._network is None:
                self._network = Network(self.spec)
            graph = self._graphs[chosen] = Graph(self._network, chosen)
        return graph

    def parse(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
    ) -> Message:
        """The message that `text`, a model's whole answer, says. Never raises on any text.

        `tools` are OpenAI tool objects or `{name, parameters}` mappings; `prefix` is the tail of the prompt, which may
        have opened the reasoning already; `policies` override those of the spec.
        """
        check_mode(mode)
        schemas = tool_schemas(tools) if tools else {}
        graph = self.graph(policies)
        if not prefix and graph.plain and not graph.named:
            message = express(graph, text, schemas, graph.start)
            if message is not None and not (self.spec.no_call and self._says_no(message)):
                return message
        machine: Machine = self.machine(schemas, mode, prefix, policies, streaming=False)
        machine.buf += text
        machine.run(True)
        return machine.message()

    def _says_no(self, message: Message) -> bool:
        """True when one of the calls stands for no call."""
        return any(call.name in self.spec.no_call for call in message.calls)

    def stream(self, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str) -> Stream:
        """A fresh stream: `feed` it chunks of the answer, then `close` it. Arguments as for `parse`."""
        check_mode(mode)
        schemas = tool_schemas(tools)
        self.graph(policies)
        return Stream(lambda: self.machine(schemas, mode, prefix, policies, streaming=True))

    def render(self, message: Message, tools: Tools | None = None) -> Rendered:
        """`message` as wire text, with the spans of its parts; `tools` as in `parse`, for values typed by schema.

        Raises Unrepresentable when the dialect cannot carry the message.
        """
        from toolect.render import render  # reading does without it

        return render(self, message, tools)

    def render_tools(self, tools: Tools) -> str:
        """The text that tells a model of `tools`, as its prompt has it; empty for none.

        Raises Unrepresentable when the dialect has no way of telling tools, or none for one of these.
        """
        from toolect.prompting.tools import write_tools

        if self.spec.tools is None:
            raise Unrepresentable("tools", f"the entry of `{self.name}` does not say how tools are told")
        return write_tools(self.spec.tools, tools)

    def render_results(self, results: Iterable[tuple[str, str, str | None]]) -> str:
        """The text that tells a model what came of its calls: each one's name, output and id.

        Raises Unrepresentable when the dialect has no way of telling results, or an output holds markup.
        """
        from toolect.prompting.results import Output, write_results

        if self.spec.results is None:
            raise Unrepresentable("results", f"the entry of `{self.name}` does not say how results are told")
        return write_results(self, self.spec.results, [Output(*result) for result in results])

    def has_marker(self, text: str) -> bool:
        """True when `text` holds a marker of the dialect: a cheap test that is never wrong when it says no."""
        return any(marker in text for marker in self.graph().openers)

    def machine(
        self,
        schemas: Mapping[str, Schema],
        mode: Mode,
        prefix: str,
        policies: Mapping[str, str],
        streaming: bool,
        kind: type[M] = Machine,  # type: ignore[assignment]  # the default for M
    ) -> M:
        """A machine at the beginning of an answer, of a `kind` of its own for those who watch it."""
        graph = self.graph(policies)
        builder = Builder(schemas, self.spec, graph.policies, streaming, mode == "strict")
        machine = kind(graph, builder)
        builder.draft.raw = machine.raw
        if prefix:
            opening = max((p for p in self.spec.prefill if prefix.endswith(p)), key=len, default="")
            if opening:
                machine.prefill(opening)
        return machine
