"""A node as a stride sees it."""

from __future__ import annotations

from toolect._graph.node import Node
from toolect._reading.run_draft import settled
from toolect._reading.runs import Hub
from toolect._reading.striding import Striding
from toolect._spec.grammar_model import SlotKind


class Route:
    """A node as a stride sees it."""

    __slots__ = ("clean", "closers", "node", "space")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.closers: Hub | None = None
        """The runs of markers that may come, where nothing else may."""
        self.clean = settled(node)  # reading lexeme by lexeme can go on here
        self.space = node.choices[SlotKind.TEXT][0].expects if node.text else ""  # what is written before the text

    def go(self, to: Striding) -> Route | None:  # noqa: ARG002  # here no step is known
        """Take one step: where it leads. None where none can be taken: nothing has changed, or `to` is `broken`."""
        return None

    def opens(self, text: str, pos: int) -> bool:  # noqa: ARG002  # here nothing is known
        """False when no call begins at `pos` as it is written."""
        return True
