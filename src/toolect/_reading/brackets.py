"""Where a call in brackets ends that cannot be read: with its own last bracket where the next call follows in the list,
else with the last bracket that is open, or before an empty line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Hollow, Key, Mark, Terminal
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.probe import Probe, View
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role

MAX_BRACKETED = 4096
"""Characters after the place where it breaks in which a call in brackets has to end. Beyond it: the rest is its own."""
_STEPS = 8
"""Steps of the grammar that lead out of a call at most."""
_NODES = 256
"""Nodes among which the way out is looked for."""
_SIGN = re.compile(
    r"""[(\[{,=:][ \t]*(?:[A-Za-z]{0,2}(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'))?|[)\]}]|\n[ \t\r]*\n"""
)
"""A bracket, a string where one may stand, an empty line. Two letters may be before a string, which say what it is."""


_HEAD = 4
"""Lexemes with which the next call of a list begins at most: what divides them, its name and its bracket."""


class Way(NamedTuple):
    """The way out of what cannot be read."""

    depth: int
    """How many brackets it closes that it has not opened."""
    node: Node
    """Where it leads to."""


def open_brackets(node: Node) -> int:
    """How many brackets are open at `node`; 0 where something else than brackets closes a call."""
    way = node.made(_way_to_content)
    return 0 if way is None else way.depth


def _way_to_content(node: Node) -> Way | None:
    out = node.graph.start.made(_ways_out)
    return _way(node, lambda after: after.text and after.text_field().role is Role.CONTENT, out)


def _way_to_next(node: Node) -> Way | None:
    return _way(node, lambda after: after.over and not after.text)


def _way(node: Node, arrived: Callable[[Node], bool], through: frozenset[int] | None = None) -> Way | None:
    """The shortest way to a node that `arrived`, over short markers, perhaps `through` these states alone."""
    met: set[int] = {id(node)}
    front: list[tuple[Node, int]] = [(node, 0)]
    for _ in range(_STEPS):
        more: list[tuple[Node, int]] = []
        for at, depth in front:
            for key, choices in at.choices.items():
                if isinstance(key, str) and len(key) >= STRONG:
                    continue
                if through is not None and not any(choice.edge.target in through for choice in choices):
                    continue
                after = at.step(key).node
                if id(after) in met or len(met) > _NODES:
                    continue
                met.add(id(after))
                inner = depth + _opened(key)
                if arrived(after):
                    return Way(max(-inner, 0), after)
                more.append((after, inner))
        front = more
    return None


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


class Closed(NamedTuple):
    """The end of a call that cannot be read."""

    end: int
    """The index of it; -1 where nothing tells."""
    node: Node | None = None
    """Where to go on, where that is in a list of calls."""


_NOWHERE = Closed(-1)


def bracketed(view: View, node: Node, pos: int) -> Closed | Waiting:
    """Where the call ends that cannot be read from `buf[pos:]` on, at `node`."""
    out, following = open_brackets(node), node.made(_way_to_next)
    own = 0 if following is None else following.depth
    if not out and not own:
        return _NOWHERE
    depth, closed = 0, max(out, own)
    buf = view.buf
    until = min(len(buf), pos + MAX_BRACKETED)
    if until == len(buf) and not view.final:
        until = buf.rfind("\n", pos) + 1  # a string may go on to the end of its line
    for sign in _SIGN.finditer(buf, pos, max(until, pos)):
        first = sign[0][0]
        if first == "\n":
            return Closed(sign.start()) if out else _NOWHERE
        depth += (first in ")]}") - (first in "([{")
        if following is not None and own and depth == own and first in ")]}":
            follows = _call_follows(view, following.node, sign.end())
            if follows is not Answer.NO:
                return WAIT if follows is Answer.WAIT else Closed(sign.end(), following.node)
        if depth == closed:
            return Closed(sign.end()) if out else _NOWHERE
    return _NOWHERE if view.final or len(buf) - pos >= MAX_BRACKETED else WAIT


def _call_follows(view: View, node: Node, pos: int) -> Answer:
    """Does the next call of the list begin at `buf[pos:]`, after `node`: its name, and the bracket after that?"""
    probe, named = Probe(view, node, pos), False
    for _ in range(_HEAD):
        comes = probe.space()
        if comes is not Answer.YES:
            return Answer.WAIT if comes is WAIT else Answer.NO
        before = probe.node
        lexeme = probe.next()
        if lexeme is None or lexeme is WAIT or isinstance(lexeme.key, str) and len(lexeme.key) >= STRONG:
            return Answer.WAIT if lexeme is WAIT else Answer.NO
        if named:
            return Answer.YES
        named = isinstance(lexeme.key, Terminal) and before.naming(lexeme.key)
        probe.over(lexeme)
    return Answer.NO
