"""An answer that is there as a whole, and the machine that reads any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolect._graph.graph import Graph
from toolect._reading.finished import finished
from toolect._reading.routes import route
from toolect._reading.stride import go
from toolect._reading.striding import Striding
from toolect._reading.watcher import Watcher
from toolect._spec.model import Spec
from toolect._values.toolset import ToolSchemas
from toolect.message import Message

if TYPE_CHECKING:
    from toolect._reading.machine import Machine

_TAIL = 256
"""Characters of a prompt's end that are looked at."""


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
    from toolect._reading.builder import Builder  # not part of starting up: canonical texts do without
    from toolect._reading.machine import Machine

    builder = Builder(schemas, spec, graph.policies, streaming, strict)
    machine = Machine(graph, builder, watcher)
    if prefix and (opening := prompt_tail((*spec.prefill, *graph.think_openers), prefix)[1]):
        machine.prefill(opening)
    return machine


def prompt_tail(tails: Iterable[str], prefix: str) -> tuple[str, str]:
    """The longest of `tails` that `prefix` ends with, whatever whitespace comes last, and as it stands there.

    Both are empty where there is none.
    """
    end = prefix[-_TAIL:]
    said = end.rstrip()
    found = [tail for tail in tails if tail and said.endswith(tail.rstrip())]
    tail = max(found, key=lambda tail: (len(tail.rstrip()), prefix.endswith(tail), len(tail)), default="")
    return tail, end[len(said) - len(tail.rstrip()) :] if tail else ""


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
    """The message that `text` says. `watcher` is told of what is read after a stride.

    In `ways` is noted what the stride takes, and last, where it does not read everything, what it has read and where
    it leads.
    """
    to = None
    if not prefix and graph.strides:
        to = Striding(graph, route, text, 0, 0, True, schemas, blank=True)
        to.ways, to.alone = ways, True
        node = go(to, graph.start)
        if to.finished:
            return finished(to.segments, to.repairs, graph, schemas)
        if ways and not to.repairs:
            ways.append(((node, *map(type, to.segments)), 0))
        elif to.repairs:  # what follows what was noted is for small steps
            to = None
            if ways is not None:
                ways.clear()
    machine = begin_answer(spec, graph, schemas, strict, prefix, watcher=watcher)
    if to is not None:
        if to.finder is not None:
            machine.course.use(to.finder)
        machine.adopt(to, node)
    return machine.read(text)
