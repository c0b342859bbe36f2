"""Parse tree: a derivation as styled pieces, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from toolect._authoring.derivation import Branch, Derivation, Leaf, LeafKind, Tree, derive, explain
from toolect._cli.options import Form
from toolect._cli.terminal import STATUS, Pen, Styled, TerminalStyle, emit_json
from toolect._compiled import Dialect
from toolect._message import Json, Repair
from toolect._shown import cut, one_line
from toolect._spec.model import Role

WIDTH = 60
"""Characters of the text that are shown for a leaf."""
DEEPEST = 40
"""Levels that are indented; what is deeper stands below them."""


def write_tree(dialect: Dialect, text: str, form: str, reading: dict[str, Any]) -> int:
    """Shows how the text is read; the exit status is that of `parse`."""
    derivation = derive(dialect, text, **reading)
    if form == Form.TEXT:
        Pen().write(draw_tree(derivation))
    else:
        emit_json(tree_form(derivation), indent=True)
    message = derivation.message
    strict = reading["mode"] == "strict"
    return int(not all(call.runnable for call in message.calls) or strict and not message.exact)


def draw_tree(found: Derivation) -> Iterator[Styled]:
    """The tree, one rule, marker or slot a line; each repair and failure below the line that it is about."""
    notes = _Notes(found)
    depth = 0
    for depth, node in found.tree.walk():
        yield from notes.before(node, depth)
        yield TerminalStyle.PLAIN, _indent(depth)
        if isinstance(node, Branch):
            yield TerminalStyle.LABEL, node.rule
            yield TerminalStyle.QUIET, _span(node) + "".join(f"  {name}" for name in dict.fromkeys(node.taken))
            yield TerminalStyle.NAME, f"  → {node.role}" if node.role else ""
            yield from notes.call(node)
        else:
            yield from _leaf(found, node)
        yield TerminalStyle.PLAIN, "\n"
        yield from notes.after(node, depth)
    yield from notes.rest(depth)


def _leaf(found: Derivation, leaf: Leaf) -> Iterator[Styled]:
    text = found.text[slice(*leaf.span)] if leaf.span[0] >= 0 else ""
    shown = one_line(cut(text, WIDTH))
    match leaf.kind:
        case LeafKind.MARKER:
            yield TerminalStyle.KEY, one_line(leaf.name)
            yield TerminalStyle.QUIET, _span(leaf)
            yield STATUS["repaired"], "  missing" if leaf.implied else ""
            yield TerminalStyle.QUIET, "  from the prompt" if leaf.span[0] < 0 else ""
        case LeafKind.TERMINAL | LeafKind.SLOT:
            yield TerminalStyle.KEY, leaf.name
            yield TerminalStyle.QUIET, _span(leaf)
            yield TerminalStyle.NAME, f"  → {', '.join(leaf.fills)}" if leaf.fills else ""
            yield TerminalStyle.PLAIN, f"  {shown}" if shown else ""
        case _:
            yield STATUS["repaired"] if leaf.kind is LeafKind.UNREAD else TerminalStyle.QUIET, f"({leaf.kind})"
            yield TerminalStyle.QUIET, _span(leaf)
            yield TerminalStyle.PLAIN, f"  {shown}"


def _span(node: Tree) -> str:
    return f"  {node.span[0]}-{node.span[1]}"


def _indent(depth: int) -> str:
    return "  " * min(depth, DEEPEST)


class _Notes:
    """Notes on places of the text, each drawn once: repairs, failures, and how calls ended."""

    def __init__(self, found: Derivation) -> None:
        self._calls = {call.span[0]: call for call in reversed(found.message.calls) if call.span is not None}
        said = [(repair.at, 0, _repair(repair)) for repair in found.repairs]
        said += [
            (failure.at, 1, [(STATUS["malformed"], f"! {one_line(str(failure))}\n")]) for failure in found.failures
        ]
        self._said = sorted(said, key=lambda note: note[:2], reverse=True)

    def before(self, node: Tree, depth: int) -> Iterator[Styled]:
        """Draw the notes on the text before `node`."""
        yield from self._until(node.span[0], depth)

    def after(self, node: Tree, depth: int) -> Iterator[Styled]:
        """Draw the notes on the leaf `node`."""
        if isinstance(node, Leaf):
            yield from self._until(node.span[1] + (node.span[0] == node.span[1]), depth + 1)

    def rest(self, depth: int) -> Iterator[Styled]:
        """Draw the notes on the end of the text, and on calls that no rule begins."""
        yield from self._until(None, depth)
        for call in reversed(self._calls.values()):
            yield from self._ended(call.span[0] if call.span else 0, f"call {one_line(call.name)}")
            yield TerminalStyle.PLAIN, "\n"

    def call(self, branch: Branch) -> Iterator[Styled]:
        """Draw how the call that begins with `branch` ended."""
        if branch.role in (Role.CALL, Role.AGAIN) and branch.span[0] in self._calls:
            yield from self._ended(branch.span[0], "")
            del self._calls[branch.span[0]]

    def _ended(self, start: int, label: str) -> Iterator[Styled]:
        call = self._calls[start]
        yield TerminalStyle.NAME, label
        yield STATUS[call.status], f"  {call.status}" + (f": {one_line(call.error)}" if call.error else "")

    def _until(self, at: int | None, depth: int) -> Iterator[Styled]:
        while self._said and (at is None or self._said[-1][0] < at):
            yield TerminalStyle.PLAIN, _indent(depth)
            yield from self._said.pop()[2]


def _repair(repair: Repair) -> list[Styled]:
    return [(STATUS["repaired"], f"! {repair.kind} at {repair.at}: {one_line(explain(repair))}\n")]


def tree_form(found: Derivation) -> dict[str, Json]:
    """The derivation as one JSON object: its nodes in the order of the text, each with its depth."""
    return {
        "dialect": found.dialect,
        "nodes": [{"depth": depth, **_node_form(found, node)} for depth, node in found.tree.walk()],
        "repairs": [{**msgspec.to_builtins(repair), "explanation": explain(repair)} for repair in found.repairs],
        "failures": msgspec.to_builtins(found.failures),
        "message": found.message.to_dict(),
    }


def _node_form(found: Derivation, node: Tree) -> dict[str, Json]:
    if isinstance(node, Branch):
        return {"rule": node.rule, "role": node.role, "span": node.span, "taken": node.taken}
    form: dict[str, Json] = msgspec.to_builtins(node)
    text = found.text[slice(*node.span)] if node.span[0] >= 0 else ""
    return {**form, "text": text}
