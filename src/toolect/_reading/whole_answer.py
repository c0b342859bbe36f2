"""An answer that is there as a whole, and the machine that reads any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolect._graph.graph import Graph
from toolect._reading.finished import finished
from toolect._reading.prefill import prompt_tail
from toolect._reading.routes import route
from toolect._reading.stride import go
from toolect._reading.striding import Striding
from toolect._reading.watcher import Watcher
from toolect._spec.model import Spec
from toolect._values.toolset import ToolSchemas
from toolect.message import Message

if TYPE_CHECKING:
    from toolect._reading.machine import Machine


def begin_answer(
    spec: Spec,
    graph: Graph,
    schemas: ToolSchemas,
    strict: bool = False,
    prefix: str = "",
    streaming: bool = False,
    trace: Watcher | None = None,
) -> Machine:
    """A machine at the beginning of an answer to a prompt that ends with `prefix`; `trace` records every step."""
    from toolect._reading.builder import Builder  # not part of starting up: canonical texts do without
    from toolect._reading.machine import Machine

    builder = Builder(schemas, spec, graph.policies, streaming, strict)
    machine = Machine(graph, builder, trace)
    if prefix and (opening := prompt_tail((*spec.prefill, *graph.think_openers), prefix)[1]):
        machine.prefill(opening)
    return machine


def read_answer(
    spec: Spec, graph: Graph, text: str, schemas: ToolSchemas, strict: bool = False, prefix: str = ""
) -> Message:
    """The message that `text` says."""
    to = None
    if not prefix and graph.strides:
        to = Striding(graph, route, text, 0, 0, True, schemas, blank=True)
        to.alone = True
        node = go(to, graph.start)
        if to.finished:
            return finished(to.segments, to.repairs, graph, schemas)
        if to.repairs:  # what follows what was noted is for small steps
            to = None
    machine = begin_answer(spec, graph, schemas, strict, prefix)
    if to is not None:
        if to.finder is not None:
            machine.course.use(to.finder)
        machine.adopt(to, node)
    return machine.read(text)
