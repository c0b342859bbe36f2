"""How a stride goes on at each kind of place."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.symbols import Op, OpCode
from toolect._reading.answer import Answer
from toolect._reading.content_route import Said
from toolect._reading.probe import past_blank
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross
from toolect._reading.runs import build
from toolect._reading.scalars import scalars
from toolect._reading.striding import Striding
from toolect._reading.text_route import text_route
from toolect._reading.value_routes import Argument, Plain
from toolect._spec.model import Role


class Markers(Route):
    """Markers alone may come."""

    __slots__ = ("ends",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.closers = build(node, node.choices, bare=node.json)
        self.ends = node.done is not None and all(_just_ends(*task) for task in node.done)

    def go(self, to: Striding) -> Route | None:
        if to.pos == to.size:
            if to.final and self.ends:
                to.finished = not to.called or to.leave_call(to.before)
            return None
        return None if self.closers is None else cross(to, self.closers, to.pos)


class Statement(Markers):
    """A statement of code may begin, which may be a call; `home` is where statements go on."""

    __slots__ = ("home",)

    def __init__(self, node: Node, home: Node) -> None:
        super().__init__(node)
        self.home = home

    def go(self, to: Striding) -> Route | None:
        from toolect._reading.statement import statement_calls  # not part of starting up: few dialects need it

        assert to.graph.code is not None
        if not to.buf.startswith(to.graph.code.closers, past_blank(to.buf, to.pos)):
            answer, _ = statement_calls(to, self.home, to.pos)
            if answer is not Answer.YES:
                return None
        return super().go(to)


def route(node: Node) -> Route:
    """The route at `node`, made once."""
    found = node.route
    if found is None:
        found = node.route = _route(node)
    return found  # type: ignore[no-any-return]  # a Route


def _route(node: Node) -> Route:
    if node.text:
        field = node.text_field()
        if field.role is Role.CONTENT and field.codec is not None and field.codec.escapes is not None:
            return Route(node)
        return Said(node) if field.role in (Role.CONTENT, None) else text_route(node)
    if node.json and len(node.choices) == 1 and node.json_field().role in (Role.VALUE, Role.JSON):
        return Argument(node)
    plain = scalars(node)
    if plain is not None:
        return Plain(node, plain)
    return Markers(node) if node.coding is None else Statement(node, node.coding)


def _just_ends(task: object, back: int) -> bool:
    """True for a task that ends something with the last lexeme."""
    return isinstance(task, Op) and task.code in (OpCode.END_CALL, OpCode.END_ARGUMENT) and back == 1
