"""Where a call in brackets ends that cannot be read: with the last of its brackets, or before an empty line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Hollow, Key, Mark
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.probe import View
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role

MAX_BRACKETED = 4096
"""Characters after the place where it breaks in which a call in brackets has to end. Beyond it: the rest is its own."""
_STEPS = 8
"""Steps of the grammar that lead out of a call at most."""
_NODES = 256
"""Nodes among which the way out is looked for."""
_SIGN = re.compile(r"""[(\[{,=:][ \t]*(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')?|[)\]}]|\n[ \t\r]*\n""")
"""A bracket, a string where one may stand, an empty line."""


def open_brackets(node: Node) -> int:
    """How many brackets are open at `node`; 0 where something else than brackets closes a call."""
    return node.made(_open_brackets)


def _open_brackets(node: Node) -> int:
    """The shortest way to content: how many brackets it closes that it has not opened."""
    out = node.graph.start.made(_ways_out)
    met: set[int] = {id(node)}
    front: list[tuple[Node, int]] = [(node, 0)]
    for _ in range(_STEPS):
        more: list[tuple[Node, int]] = []
        for at, depth in front:
            for key, choices in at.choices.items():
                if isinstance(key, str) and len(key) >= STRONG or not any(c.edge.target in out for c in choices):
                    continue
                after = at.step(key).node
                if id(after) in met or len(met) > _NODES:
                    continue
                met.add(id(after))
                inner = depth + _opened(key)
                if after.text and after.text_field().role is Role.CONTENT:
                    return max(-inner, 0)
                more.append((after, inner))
        front = more
    return 0


def _ways_out(start: Node) -> frozenset[int]:
    """The states of the network from which short markers may lead to content, whichever rules are open around them."""
    network = start.graph.network
    before: dict[int, list[int]] = {}  # state → those that lead to it

    def lead(at: int, targets: Iterable[int]) -> None:
        for target in targets:
            before.setdefault(target, []).append(at)

    todo = []
    for at, state in enumerate(network.states):
        symbols = [edge.symbol for edge in state.edges]
        if any(type(s) is Hollow and s.kind is SlotKind.TEXT and s.field.role is Role.CONTENT for s in symbols):
            todo.append(at)
        lead(at, (e.target for e in state.edges if type(e.symbol) is not Mark or len(e.symbol.core) < STRONG))
        lead(at, (*state.skips, *(target for _, target in state.spaces)))
        for enter in state.enters:
            lead(at, (network.starts[enter.rule],))
            lead(network.ends[enter.rule], (enter.target,))
    found = set(todo)
    while todo:
        more = [at for at in before.get(todo.pop(), ()) if at not in found]
        found.update(more)
        todo += more
    return frozenset(found)


def _opened(key: Key) -> int:
    """How many brackets a marker opens, less those that it closes."""
    if not isinstance(key, str):
        return 0
    return sum(map(key.count, "([{")) - sum(map(key.count, ")]}"))


def bracketed(view: View, node: Node, pos: int) -> int | Waiting:
    """The index where the call ends that cannot be read from `buf[pos:]` on, at `node`; -1 where nothing tells."""
    depth = open_brackets(node)
    if not depth:
        return -1
    buf = view.buf
    until = min(len(buf), pos + MAX_BRACKETED)
    if until == len(buf) and not view.final:
        until = buf.rfind("\n", pos) + 1  # a string may go on to the end of its line
    for sign in _SIGN.finditer(buf, pos, max(until, pos)):
        first = sign[0][0]
        if first == "\n":
            return sign.start()
        depth += (first in "([{") - (first in ")]}")
        if not depth:
            return sign.end()
    return -1 if view.final or len(buf) - pos >= MAX_BRACKETED else WAIT
