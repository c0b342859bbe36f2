"""What is known of a node in values of a value language, or between arguments: what may stand there, or be missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Op, is_echo
from toolect._spec.grammar_model import SlotKind
from toolect._values.vocabulary import VALUE_OF
from toolect.message import Json

CLOSERS = ")]}"
"""The signs that close a value, or the arguments."""
_MISSING = 4
"""Signs that may be missing in one place: the closers of what is open, and the comma after them."""
_PLAIN = r"""[^\s"{}\[\]<>|:,][^"{}\[\]<>|:\n]{0,200}?"""


class Places(NamedTuple):
    """What may stand at a node, or be missing there."""

    words: dict[Json, str]
    """The literals that may stand there."""
    strings: dict[str, Node]
    """The quotes that open a string there, with the node after it."""
    half: re.Pattern[str] | None
    """A string without the first of its tokens; None where strings stand between no tokens, which servers drop."""
    missing: tuple[tuple[tuple[str, ...], Node], ...]
    """The signs that may be missing there, nearest first, with the node after them."""


def places_of(node: Node) -> Places | None:
    """What is known of `node`; None where it is no place of a value language."""
    return node.made(_places)


def _places(node: Node) -> Places | None:
    rules = node.graph.network.spec.rules
    if not any(rule.value for rule in rules.values()):
        return None
    if node.text or node.json or node.escaped or node.done is not None or not node.marks:
        return None
    for core in node.marks:
        if is_echo(core) or len(core) >= STRONG and not all(rules[c.edge.rule].value for c in node.choices[core]):
            return None
    words: dict[Json, str] = {}  # by what they stand for
    strings: dict[str, Node] = {}
    half = None
    for core in node.marks:
        tasks = {task.role for task, _ in node.choices[core][0].trail if isinstance(task, Op)}
        inner = node.step(core).node
        literal = next((role for role in tasks if role in VALUE_OF), None)
        if literal is not None:
            words.setdefault(VALUE_OF[literal], core)
        elif inner.escaped and len(core) == 1:
            strings[core] = _after_string(inner)
        if inner.text and len(core) >= STRONG:
            half = re.compile(rf"({_PLAIN}){re.escape(core)}(?=\s{{0,64}}[,\]}}])")
    return Places(words, strings, half, tuple(_missing(node)))


def _after_string(inner: Node) -> Node:
    """The node after the string whose inside is at `inner`."""
    closing = inner.step(SlotKind.ESCAPED).node
    return closing.step(next(iter(closing.marks))).node


def _missing(node: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The nodes after one to `_MISSING` short signs that open nothing, at most one of which separates."""
    level: list[tuple[tuple[str, ...], Node]] = [((), node)]
    met = {node}
    for _ in range(_MISSING):
        nearer, level = level, []
        for path, after in nearer:
            if after.over and path:
                continue  # what comes after a call may be a part of what was to be computed
            for core, wrong in after.marks.items():
                if wrong or len(core) >= STRONG or after.first(core) or path[-1:] == (",",):
                    continue
                target = after.step(core).node
                if target not in met and not (core in ":=" and path):
                    met.add(target)
                    level.append(((*path, core), target))
        yield from level


def last_closers(node: Node) -> tuple[str, ...]:
    """The closers of all that is open of a call at `node`, where the model says that it has ended."""
    places = places_of(node)
    found = () if places is None else (path for path, after in places.missing if after.over or _ends_call(after))
    return next((path for path in found if all(core in CLOSERS for core in path)), ())


def _ends_call(node: Node) -> bool:
    """Is nothing but the marker that closes the call to come at `node`?"""
    return node.sole is not None and not node.value and node.step(node.sole).node.over
