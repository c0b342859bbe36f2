"""Elements: the text of a value that only closing tags end."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.cdata import is_closing

_SPOKEN = (Role.CONTENT, Role.REASONING, None)


def in_element(node: Node) -> bool:
    """True when the TEXT slot of `node` holds a value, and only closing tags end it."""
    return node.made(_in_element) > 0


def _in_element(node: Node) -> int:
    if not node.text or node.text_field().role in _SPOKEN:
        return 0
    return int(is_closing(core for core, wrong in node.step(SlotKind.TEXT).node.marks.items() if not wrong))
