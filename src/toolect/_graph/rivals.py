"""Markers that begin as a short sign does, where a name comes after that."""

from __future__ import annotations

from typing import NamedTuple

from toolect._graph.node import STRONG, Node


class Rivals(NamedTuple):
    """The markers that begin as a sign does: those that cannot come where it does, and those that can."""

    elsewhere: tuple[str, ...]
    here: tuple[str, ...]


def rivals_of(node: Node) -> dict[str, Rivals]:
    """Short marker of `node` after which a name comes → its rivals."""
    return node.made(_rivals)


def _rivals(node: Node) -> dict[str, Rivals]:
    own = [core for core, wrong in node.marks.items() if not wrong and len(core) >= STRONG and core not in node.echoes]
    others = [core for core in node.graph.starts if core not in node.marks]
    short = [core for core, wrong in node.marks.items() if not wrong and len(core) < STRONG]
    found = {key: Rivals(_beginning(key, others), _beginning(key, own)) for key in short}
    return {key: those for key, those in found.items() if any(those) and _before_name(node, key)}


def _before_name(node: Node, key: str) -> bool:
    inner = node.step(key).node
    return any(inner.naming(name) for name, _ in inner.patterns)


def _beginning(key: str, cores: list[str]) -> tuple[str, ...]:
    return tuple(core for core in cores if core.startswith(key))
