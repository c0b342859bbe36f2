"""What tells one dialect from another by its output alone: how calls and sections of it begin, and its markers."""

from __future__ import annotations

import msgspec

from toolect._detection.stretch import FENCE
from toolect._graph.graph import Graph
from toolect._graph.needle import fixed
from toolect._graph.network import Network
from toolect._graph.node import STRONG, Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import Calls, EndToken, NameLine, Stop, Stray, Unled, Unopened
from toolect._graph.symbols import Key
from toolect._shapes.alternatives import options
from toolect._spec.model import Spec
from toolect._spec.shape_model import Keyed, Many, Obj, OneOf, Shape

_COMMON = (FENCE, '{"', "{'", "[{", '["', "['")
"""What code blocks and lists of any kind begin with."""


class Opener(msgspec.Struct, frozen=True):
    """What begins something where free text may stand, and what may come after it."""

    core: str
    """A marker, a bracket of bare JSON, or the regular expression of a name."""
    needle: str
    """The beginning of the marker, up to its first blank: what is searched for. Empty for a name."""
    call: bool = True
    """It opens a call, or a section of calls; otherwise reasoning or content."""
    strong: bool = False
    """Says that a call was meant, whatever follows: long enough, and not just a code block."""
    trail: str = ""
    """The whitespace that is written after it."""
    follows: tuple[str, ...] = ()
    """The beginnings of the markers that may come next."""
    patterns: tuple[str, ...] = ()
    """The terminals that may come next, as regular expressions."""
    then: tuple[str, ...] = ()
    """The beginnings of the markers that may come after such a terminal; none when other things may."""
    json: str = ""
    """The brackets that a JSON value begins with that may come next."""
    free: bool = False
    """Any text may come next."""


class Traits(msgspec.Struct, frozen=True):
    """What the text of a dialect can be recognised by."""

    name: str
    models: int
    """How many patterns of model ids lead to it: a measure of how often it is met."""
    breadth: int = 0
    """How many keys its shapes accept: one that accepts less says more."""
    openers: tuple[Opener, ...] = ()
    closers: dict[str, str] = {}
    """The closers of reasoning and content, with the whitespace after them."""
    ends: tuple[str, ...] = ()
    prefill: tuple[str, ...] = ()
    """The tails of prompts that it knows."""
    markers: tuple[str, ...] = ()
    """Every marker long enough to say something, but for those of reasoning and content."""
    thinking: tuple[str, ...] = ()
    """The markers of reasoning and content, as long."""


def traits(spec: Spec) -> Traits:
    """The traits of a dialect."""
    graph = Graph(Network(spec), spec.policies)
    start = graph.start
    thinking = {m for m in (*graph.think_openers, *graph.text_closers) if len(m) >= STRONG}
    openers: dict[Key, Opener] = {}
    if start.text:
        for stop in stops_of(start).values():
            if not isinstance(stop, Unopened) and (opener := _opener(start, stop)) is not None:
                openers.setdefault(stop.key, opener)
        for bracket in plan_of(start).braces:
            openers[bracket] = Opener(bracket, bracket, json=bracket)
    else:
        for core in start.marks:
            openers[core] = _followed(core, start.calling(core), start, core)
    return Traits(
        spec.name,
        len(spec.models),
        sum(map(_keys, spec.shapes.values())),
        tuple(openers.values()),
        closers={core: trail for core, trail in graph.text_closers.items() if len(core) >= STRONG},
        ends=graph.ends,
        prefill=(*spec.prefill, *sorted(core for core in graph.think_openers if core[0] in "<[")),
        markers=tuple(sorted(graph.markers - thinking)),
        thinking=tuple(sorted(thinking)),
    )


def _brackets(shape: Shape | None) -> str:
    """The brackets that a value of `shape` begins with."""
    found = {"[" if isinstance(option, Many) else "{" for option in options(shape)} if shape is not None else {"{"}
    return "".join(sorted(found))


def _keys(shape: Shape) -> int:
    """How many keys a shape accepts."""
    match shape:
        case Obj(fields):
            return sum(len(field.keys) + _keys(field.shape) for field in fields)
        case OneOf(shapes):
            return sum(map(_keys, shapes))
        case Many(item):
            return _keys(item)
        case Keyed(inner):
            return _keys(inner)
        case _:
            return 0


def _opener(start: Node, stop: Stop) -> Opener | None:
    """The opener that a stop of the answer's free text is; None for closers and end tokens."""
    if isinstance(stop, EndToken | Stray | Unled):
        return None
    node = start
    if not (stop.direct and stop.key in start.choices):
        for key in stop.path:
            node = node.step(key).node
    return _followed(stop.core, stop.calls is not Calls.NOTHING, node, stop.key, isinstance(stop, NameLine))


def _followed(core: str, call: bool, node: Node, key: Key, pattern: bool = False) -> Opener:
    """The opener `core`, which is `key` of `node`, with what may follow it."""
    step = node.step(key)
    after = step.node
    return Opener(
        core,
        "" if pattern else _sought(core),
        call,
        len(core) >= STRONG and not pattern and not core.startswith(_COMMON),
        step.trail,
        tuple(sorted({_sought(mark) for mark in after.marks})),
        tuple(name.regex for name, _ in after.patterns),
        _markers_after([after.step(name).node for name, _ in after.patterns]),
        _brackets(after.json_field().shape) if after.json else "",
        after.text or after.escaped,
    )


def _markers_after(nodes: list[Node]) -> tuple[str, ...]:
    """The beginnings of the markers that come next at `nodes`; none when anything else may."""
    if any(len(node.choices) > len(node.marks) or node.done is not None for node in nodes):
        return ()
    return tuple(sorted({_sought(mark) for node in nodes for mark in node.marks}))


def _sought(core: str) -> str:
    """What of a marker is the same wherever it stands: up to its first blank, or to a name that it repeats."""
    return fixed(core).split(None, 1)[0]
