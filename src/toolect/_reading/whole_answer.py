"""An answer that is there as a whole, and the machine that reads any."""

from __future__ import annotations

from toolect._graph.graph import Graph
from toolect._reading.builder import Builder
from toolect._reading.machine import Machine
from toolect._reading.stride import begin, go
from toolect._reading.watcher import Watcher
from toolect._spec.model import Spec
from toolect._values.toolset import ToolSchemas
from toolect.message import Message


def begin_answer(
    spec: Spec,
    graph: Graph,
    schemas: ToolSchemas,
    strict: bool = False,
    prefix: str = "",
    streaming: bool = False,
    watcher: Watcher | None = None,
) -> Machine:
    """A machine at the beginning of an answer to a prompt that ends with `prefix`; `watcher` is told of every step."""
    builder = Builder(schemas, spec, graph.policies, streaming, strict)
    machine = Machine(graph, builder, watcher)
    if prefix:
        opening = max((p for p in spec.prefill if prefix.endswith(p)), key=len, default="")
        if opening:
            machine.prefill(opening)
    return machine


def read_answer(
    spec: Spec,
    graph: Graph,
    text: str,
    schemas: ToolSchemas,
    strict: bool = False,
    prefix: str = "",
    watcher: Watcher | None = None,
    ways: list[tuple[object, int]] | None = None,
) -> Message:
    """The message that `text` says. In `ways` is noted what strides take; `watcher` is told of what is read after."""
    to = None
    if not prefix and graph.strides:
        to = begin(graph, text, 0, 0, schemas, final=True, blank=True)
        to.ways, to.alone = ways, True
        node = go(to, graph.start)
        if to.finished:
            return Message(tuple(to.segments), to.repairs)
    machine = begin_answer(spec, graph, schemas, strict, prefix, watcher=watcher)
    if to is not None:
        if to.finder is not None:
            machine.course.use(to.finder)
        machine.adopt(to, node)
    return machine.read(text)
