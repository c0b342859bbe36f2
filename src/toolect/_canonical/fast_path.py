"""Fast path: a canonical answer that is there as a whole, read by fused markers; all of it, or by the search."""

from __future__ import annotations

from toolect._building.finished import finished
from toolect._canonical.answer_state import AnswerState, Route
from toolect._canonical.marker_runs import VALUES, hub
from toolect._canonical.scalars import Scalars, scalars
from toolect._canonical.shaped_json import JsonCallReader, plain_json
from toolect._canonical.text_slots import text_slot
from toolect._graph.graph import Graph, TooDeepError
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import Op, OpCode
from toolect._message import Message
from toolect._search.answer_search import AnswerSearch
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role, Spec
from toolect._values.codec import decode, respelled
from toolect._values.toolset import ToolSchemas

MIN_READ = 4
"""Answers that a graph reads by search, before its markers are fused: names of tools make new graphs."""


def read_answer(
    spec: Spec, graph: Graph, text: str, tools: ToolSchemas, strict: bool = False, prefix: str = ""
) -> Message:
    """The message of an answer that is there as a whole. A canonical one costs no search."""
    search = None
    node, pos, last = graph.start, 0, ""
    if prefix:
        search = AnswerSearch(spec, graph, tools, strict, prefix)
        node, blanks, last = search.begun
        pos = len(blanks) if text.startswith(blanks) else -1
    graph.answers += 1
    if pos >= 0 and graph.strides and graph.answers > MIN_READ:
        found = read_canonical(graph, text, tools, node, pos, last)
        if found is not None:
            return found
    return (search or AnswerSearch(spec, graph, tools, strict)).read(text)


def read_canonical(
    graph: Graph, text: str, tools: ToolSchemas, node: Node | None = None, pos: int = 0, last: str = ""
) -> Message | None:
    """The message of a canonical answer, from index `pos` on at `node`, after the marker `last`; None for any other."""
    to = AnswerState(graph, text, tools, _route)
    to.pos = to.before = pos
    to.last = last
    at: Route | None = _route(node or graph.start)
    try:
        while at is not None:
            at = at.go(to)
    except (TooDeepError, RecursionError):
        return None
    return finished(to.segments, (), graph, tools) if to.finished else None


class _Markers(Route):
    """Markers alone may come."""

    __slots__ = ("_ends", "_hub")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._hub = hub(node, node.choices, json=node.json)
        self._ends = node.done is not None and all(_just_ends(*task) for task in node.done)

    def go(self, to: AnswerState) -> Route | None:
        if to.pos == to.size:
            to.finished = self._ends and (not to.called or to.leave_call(to.before))
            return None
        return None if self._hub is None else to.cross(self._hub, to.pos)


def _just_ends(task: object, back: int) -> bool:
    """True for a task that ends something with the last lexeme."""
    return isinstance(task, Op) and task.code in (OpCode.END_CALL, OpCode.END_ARGUMENT) and back == 1


class _Literal(Route):
    """A scalar of a value language."""

    __slots__ = ("_hub", "_thens", "_ways", "match")

    def __init__(self, node: Node, scalars: Scalars) -> None:
        super().__init__(node)
        self.match, self._ways = scalars.match, scalars.ways
        self._hub = hub(node, node.choices)
        """Signs that begin or end a list or an object, and keys."""
        self._thens: dict[int, Route] = {}

    def go(self, to: AnswerState) -> Route | None:
        match = self.match(to.buf, to.pos)
        if match is None:
            return None if self._hub is None else to.cross(self._hub, to.pos)
        if to.key is None and not to.frames:
            return None
        number, end = match.lastindex, match.end()
        assert number is not None
        way, piece = self._ways[number], match[number]
        if way.role is Role.NUMBER and len(piece) > MAX_LEXEME:
            return None
        try:
            value = way.value(piece)
            if way.codec is not None and type(value) is str:
                text, value = value, decode(way.codec, value, to.schema())
                if respelled(way.codec, text, value):
                    return None
        except ValueError:
            return None
        if way.key:
            if to.key is not None or type(value) is not str:
                return None
            to.key = value
        elif not to.give(value):
            return None
        to.pos = to.before = end
        then = self._thens.get(number)
        if then is None:
            then = self._thens[number] = _route(way.node)
        return then


class _Argument(Route):
    """JSON as the value of an argument."""

    __slots__ = ("_after", "_marked")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._after = node.step(SlotKind.JSON).node
        self._marked = node.made(JsonCallReader).marked

    def go(self, to: AnswerState) -> Route | None:
        if to.buf[to.pos : to.pos + 1] in ('"', "") or to.key is None and not to.frames:
            return None
        found = plain_json(to.buf, to.pos)
        if found is None or self._marked(to.buf, to.pos, found[1]) or not to.give(found[0]):
            return None
        to.pos = to.before = found[1]
        return _route(self._after)


def _route(node: Node) -> Route:
    """The route at `node`, made once."""
    return node.made(_made)


def _made(node: Node) -> Route:
    if node.text:
        return text_slot(node)
    if node.json and len(node.choices) == 1 and node.json_field().role in VALUES:
        return _Argument(node)
    found = scalars(node)
    return _Markers(node) if found is None else _Literal(node, found)
