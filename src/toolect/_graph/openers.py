"""First sets: what a call can begin with in the text of an answer, markers before it missing or not."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._graph.symbols import Key, is_echo
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole

MISSING = 3
"""Markers that may be missing before the JSON of a call: a wrapper's opener, that of a call, and what says its kind."""
_NAMES = frozenset((Role.NAME, Role.REF))


def openers(start: Node) -> tuple[str, ...]:
    """The markers that begin a call, or its parts where a wrapper is missing, and the brackets of bare JSON."""
    found: list[str] = []
    for depth, node in _levels(start):
        shape = node.json_field().shape if node.json else None
        if shape is not None and not isinstance(shape, Hole) or not start.text and node.json:
            found += ["{", "["]
        for name, _ in node.patterns if not depth else ():
            found += _behind(node, name) if node.calling(name) else ()
        marks = (
            core for core, wrong in node.marks.items() if not (is_echo(core) or wrong and core in start.graph.shared)
        )
        calling = [core for core in marks if node.calling(core) or depth == 1]
        found += [core for core in calling if not (depth and core.split(None, 1)[0].isalnum())]  # a word is text
    words = ((core, core.split(None, 1)[0]) for core in found)  # blanks may be others, or missing
    return tuple(dict.fromkeys(core if word.isalnum() else word for core, word in words))  # a word alone is text


def signs(start: Node) -> tuple[str, ...]:
    """The signs that may follow the name of a call whose openers are missing: a call has one of these."""
    for depth, node in _levels(start):
        for name, _ in node.patterns if depth and not node.text else ():
            then = node.step(name).node
            if node.fills(name) <= _NAMES and (then.json or then.strong):
                return (*then.marks, "{")
    return ()


def _behind(node: Node, name: Key) -> tuple[str, ...]:
    """The markers, or bracket, that may follow the terminal `name`, which begins a call: a call has one of these."""
    inner = node.step(name).node
    return (*inner.marks, *(("{",) if inner.json else ()))


def _levels(start: Node) -> list[tuple[int, Node]]:
    """The nodes where an answer may be, and those behind so many markers of calls that are missing there."""
    level = [start]
    if start.text and start.text_field().role in (Role.CONTENT, None):
        level.append(start.step(SlotKind.TEXT).node)
    found: list[tuple[int, Node]] = []
    met: set[Node] = set()
    unwrapped = start.text and start.graph.policies.unwrapped == "accept"
    for depth in range(MISSING + 1 if unwrapped else 1):
        nearer, level = level, []
        for node in nearer:
            if node in met:
                continue
            met.add(node)
            found.append((depth, node))
            for core, wrong in node.marks.items():
                inner = node.step(core).node
                if not wrong and not inner.text and (depth or node.calling(core)):
                    level.append(inner)
    return found
