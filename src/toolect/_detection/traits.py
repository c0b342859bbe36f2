"""First sets: how what each dialect writes begins in free text, what comes next there, and what else tells of it."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import msgspec

from toolect._compiled import Dialect
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import squeeze
from toolect._graph.symbols import Hollow, Key, Pat
from toolect._message import Call, Message
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of, write
from toolect._search.follow import reach, shape_keys, way_to_json
from toolect._search.island import Island, island
from toolect._spec.grammar_model import SlotKind

_DEPTH = 3
"""Symbols that decide whether two dialects go on alike. Beyond it: they do."""
LATER = "{ "
"""JSON, where a marker before it is missing."""
_VALUES = 2
"""The same, of those of a value language."""


class Opener(msgspec.Struct, frozen=True):
    """A marker that may come in free text, or in its place, and what may follow it."""

    core: str
    kind: int
    """The same for all dialects that go on alike."""
    call: bool
    """It opens a call, or a section of calls."""
    closer: bool
    """It opens nothing, nor does it begin another part of a call."""
    near: bool = False
    """It may be misspelled."""
    wrong: bool = False
    """It is a misspelling."""
    trail: str = ""
    """Whitespace written after it."""
    follows: tuple[str, ...] = ()
    """The markers that may come next, without blanks."""
    patterns: tuple[str, ...] = ()
    """The terminals that may, as regular expressions."""
    then: tuple[str, ...] = ()
    """The markers that may come after such a terminal; none where other things may."""
    json: bool = False
    code: bool = False
    """Statements of any kind may come next."""
    keys: tuple[str, ...] = ()
    """The keys of a call that is JSON."""
    texts: tuple[str, ...] = ()
    """Those of arguments that are JSON in a string."""
    constants: dict[str, list[str]] = {}
    """The texts of those that have no other ones."""
    free: bool = False
    """Any text may come next."""
    inner: tuple[str, ...] = ()
    """Regular expressions for text after the markers that come next; none where other markers may come."""


class Bare(msgspec.Struct, frozen=True):
    """JSON that is a call by its shape, without markers."""

    kind: int
    cost: int
    keys: tuple[str, ...]
    arguments: tuple[str, ...]
    """Those of arguments."""
    texts: tuple[str, ...]
    """Those of arguments that are JSON in a text."""
    open: bool
    """It may have any other key."""


class Traits(msgspec.Struct, frozen=True):
    """Traits by which the text of a dialect can be recognised."""

    name: str
    models: int
    """Number of patterns of model ids that lead to it: a measure of how often it is met."""
    breadth: int
    """Number of keys that its bare JSON accepts: one that accepts less says more."""
    openers: tuple[Opener, ...] = ()
    bare: Bare | None = None
    led: str = ""
    """An expression for names that begin calls on a line of their own, with what comes next."""
    led_held: str = ""
    """An expression for the beginnings of that at the end of a text."""
    signs: tuple[str, ...] = ()
    """Signs after the name of a call whose openers are missing."""
    named: int = 0
    """Number of the continuations after that name: equal in dialects whose calls go on alike."""
    closers: tuple[str, ...] = ()
    """The closers of reasoning and content."""
    ends: tuple[str, ...] = ()
    prefill: tuple[str, ...] = ()
    """The tails of prompts that it knows."""
    markers: tuple[str, ...] = ()
    """Every marker long enough to say something, but for those of reasoning and content."""
    thinking: tuple[str, ...] = ()
    """The markers of reasoning and content, as long."""
    written: str = ""
    """A call as it is written: a marker that is not in it may only be read."""


def traits(dialect: Dialect) -> Traits:
    """The traits of a dialect."""
    spec, graph = dialect.spec, dialect._graph()
    start = graph.start
    thinking = {m for m in (*graph.think_openers, *graph.text_closers) if len(m) >= STRONG}
    plan = island(start) if start.text else None
    bare = None if plan is None or plan.json is None else _bare(plan.json.node, plan.json.cost)
    return Traits(
        spec.name,
        len(spec.models),
        0 if bare is None else len(bare.keys),
        tuple(_openers(start, plan)),
        bare,
        plan.led_words.pattern if plan is not None and plan.led_words is not None else "",
        plan.led_held.pattern if plan is not None and plan.led_held is not None else "",
        *_signs(plan),
        tuple(core for core in graph.text_closers if len(core) >= STRONG),
        graph.ends,
        (*spec.prefill, *sorted(core for core in graph.think_openers if core[0] in "<[")),
        tuple(sorted(graph.markers - thinking)),
        tuple(sorted(thinking)),
        _written(dialect),
    )


def _written(dialect: Dialect) -> str:
    message = Message([Call("f", {"a": "x"})])
    try:
        return str(write(dialect, message, tools_of(message)))
    except RenderError:
        return ""


def _openers(start: Node, plan: Island | None) -> list[Opener]:
    if plan is None:
        return [_opener(core, start, False) for core in start.marks]
    ways = {**{core: ways[0] for core, ways in plan.ways.items()}, **plan.direct}
    near = {core for cores in plan.parts.values() for core in cores}
    return [_opener(core, way.node, core in near) for core, way in ways.items()]


def _opener(core: str, node: Node, near: bool) -> Opener:
    after = node.step(core).node
    return Opener(
        core,
        kind_of(after),
        node.calling(core),
        not node.first(core) and (len(core) < STRONG or core in node.graph.closers or core in node.graph.text_closers),
        near,
        bool(node.marks.get(core)),
        node.step(core).trail,
        tuple(sorted(map(squeeze, after.marks))),
        tuple(name.regex for name, _ in after.patterns),
        _after([after.step(name).node for name, _ in after.patterns]),
        after.json,
        after.coding is not None,
        tuple(sorted(shape_keys(after).known)) if after.json else (),
        tuple(sorted(shape_keys(after).texts)) if after.json else (),
        _constants(after) if after.json else {},
        after.text or after.escaped,
        () if after.coding is not None else _inner([after.step(mark).node for mark in after.marks]),
    )


def _constants(node: Node) -> dict[str, list[str]]:
    return {key: [str(value) for value in values] for key, values in shape_keys(node).constants.items()}


def _after(nodes: list[Node]) -> tuple[str, ...]:
    """The markers that come next at `nodes`; none when anything else may."""
    if any(len(node.choices) > len(node.marks) or node.done is not None for node in nodes):
        return ()
    return tuple(sorted({squeeze(mark) for node in nodes for mark in node.marks}))


def _inner(nodes: list[Node]) -> tuple[str, ...]:
    """The terminals that come next at `nodes`, and how JSON begins; none when anything else may."""
    if any(node.marks or node.text or node.escaped or not (node.json or node.patterns) for node in nodes):
        return ()
    begins = {r"[{\[]"} if any(node.json for node in nodes) else set()
    return tuple(sorted(begins | {name.regex for node in nodes for name, _ in node.patterns}))


def _bare(node: Node, cost: int) -> Bare:
    keys = shape_keys(node)
    return Bare(
        crc32(repr(node.json_field().shape).encode()),
        cost,
        tuple(sorted(keys.known)),
        tuple(sorted(keys.arguments)),
        tuple(sorted(keys.texts)),
        keys.open,
    )


def _signs(plan: Island | None) -> tuple[tuple[str, ...], int]:
    if plan is None or plan.named is None:
        return (), 0
    after = plan.named.node.step(plan.named.name).node
    strong = sorted({core for core in (*after.marks, *reach(after)) if len(core) >= STRONG})
    brace = "{" if after.json or "{" in after.marks else "" if way_to_json(after) is None else LATER
    return (*strong, brace) if brace else (*strong,), kind_of(after)


def kind_of(node: Node) -> int:
    """A number for what may come at a node, and after that."""
    return crc32(repr(_forms(node, _DEPTH)).encode())


def _forms(node: Node, depth: int) -> list[object]:
    found = [(_label(node, key), _forms(node.step(key).node, depth - 1) if depth else 0) for key in _keys(node)]
    return [*sorted(found, key=repr), node.done is not None]


def _keys(node: Node) -> Sequence[Key]:
    if node.value and len(node.marks) > _VALUES:
        return [*node.marks][:_VALUES]
    return [key for key in node.choices if not node.marks.get(key, False)]  # type: ignore[arg-type]  # a key of marks


def _label(node: Node, key: Key) -> str:
    if isinstance(key, str):
        return key
    symbol = node.choices[key][0].edge.symbol
    assert isinstance(symbol, Pat | Hollow)
    return f"{key if isinstance(key, SlotKind) else symbol} {symbol.field}"
