"""Expectations: what may come next at a node, for people."""

from __future__ import annotations

from toolect._graph.node import Node


def expectations(node: Node) -> list[str]:
    """The parts that may come next at `node`, for people: markers as they are written, others in words."""
    names = [f"`{core}`" for core in node.marks if not node.marks[core] and core not in node.echoes]
    names += ["the closing marker" for _ in node.echoes[:1]]
    names += ["a name or key" for _ in node.patterns[:1]]
    if node.json:
        names.append("a JSON value")
    return names


def in_words(node: Node) -> str:
    """The parts that may come next at `node`, in a sentence: at most four of them."""
    names = expectations(node)
    shown = names[:4]
    return " or ".join(shown) + (" …" if len(names) > 4 else "") if shown else "the end"
