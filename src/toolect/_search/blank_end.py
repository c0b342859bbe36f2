"""Terminators that are blanks: a text ends with its line, an empty line or a blank where no marker comes next."""

from __future__ import annotations

import re
from functools import partial
from typing import Final, NamedTuple

from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_NAME
from toolect._graph.symbols import Op, OpCode, Terminal
from toolect._graph.trails import Trail
from toolect._search.follow import JSON, TEXT
from toolect._spec.model import Role

LED: Final = MAX_NAME + 36
"""Characters that tell whether the grammar goes on behind a blank: some more blanks, a name, and what follows it."""
_NEAR: Final = 64
"""Nodes from the beginning of an answer on that are looked at."""
_OBJECT: Final = r"(?:```\w{0,16}\s*)?[{\[]"


class BlankEnd(NamedTuple):
    """End of a text at a blank: `regex` finds it, `sure` one that counts whatever follows, `first` their first sign.

    `width`: the look-ahead in characters.
    """

    regex: re.Pattern[str]
    sure: re.Pattern[str]
    first: re.Pattern[str]
    width: int


def blank_end(after: Node, role: Role | None = Role.VALUE) -> BlankEnd | None:
    """The end of a text of this role before `after` that is a blank; None where markers alone end it.

    It is what the grammar has right behind the text. A terminal, or JSON behind reasoning, has to follow as the grammar
    says; before another text or the end of the answer nothing has to. Content ends before other text alone.
    """
    return after.made(_OF_ROLES[role]) if role in _OF_ROLES else None


def blank_end_of(graph: Graph, rule: str) -> BlankEnd | None:
    """The blank end of the text of `rule`, content or reasoning, where an answer first has it."""
    todo = [graph.start]
    for node in todo:
        if node.text and node.choices[TEXT][0].edge.rule == rule:
            return blank_end(node.step(TEXT).node, node.text_field().role)
        if len(todo) < _NEAR:
            todo += [to for key in node.choices if (to := node.step(key).node) not in todo]
    return None


def _made(of: Role, after: Node) -> BlankEnd | None:
    sure, led = set[str](), set[str]()
    found = ((key, choice.trail) for key, choices in after.choices.items() for choice in choices)
    for key, trail in found:
        blank = _blank(trail)
        if not blank or isinstance(key, str) or of is Role.CONTENT and key is not TEXT:
            continue
        ahead = ""
        if type(key) is Terminal:
            ahead = rf"(?:{bounded(key.regex)})\s{{0,8}}(?:{signs(after.step(key).node)})"
        elif key is JSON and of is Role.REASONING:
            ahead = _OBJECT
        if ahead:
            led.add(rf"{re.escape(blank.rstrip(' ') or blank)}(?=\s{{0,24}}{ahead})")
        else:
            sure.add(re.escape(blank))
    if of not in (Role.CONTENT, Role.REASONING) and after.done is not None and (blank := _blank(after.done)):
        sure.add(re.escape(blank))
    if not sure and not led:
        return None
    words = "|".join(sorted(sure)) or "(?!)"
    first = "".join({re.match(r"\\?(?s:.)", word)[0] for word in (*sure, *led)})  # type: ignore[index]  # none is empty
    width = max(map(len, sure), default=1)
    return BlankEnd(
        re.compile("|".join((words, *sorted(led)))), re.compile(words), re.compile(f"[{first}]"),
        max(width, LED) if led else width,
    )  # fmt: skip


_OF_ROLES: Final = {
    role: partial(_made, role)
    for role in (Role.VALUE, Role.ARGUMENTS, Role.STRING, Role.REASONING, Role.CONTENT)
}  # fmt: skip


def _blank(trail: Trail) -> str:
    """The blanks that stand right behind the text on a way that begins so."""
    return next((task.space for task, _ in trail if isinstance(task, Op) and task.code is OpCode.SPACE), "")


def bounded(regex: str) -> str:
    """The expression of a name, no longer than names are: where none is, that is found out in linear time."""
    return f"{regex[:-1]}{{1,{MAX_NAME}}}" if regex.endswith("]+") else regex


def signs(node: Node) -> str:
    """An expression for what may come at `node`."""
    words = [re.escape(core) for core in node.marks]
    return "|".join([*words, _OBJECT] if node.json else words) or "(?!)"
