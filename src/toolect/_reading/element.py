"""Elements, and what models write in them instead: CDATA sections around a value, a JSON object for all arguments."""

from __future__ import annotations

import re

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Op, OpCode
from toolect._reading.answer import Answer
from toolect._reading.probe import past_fence
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.cdata import is_closing

_SPOKEN = (Role.CONTENT, Role.REASONING, None)
_OBJECT = re.compile(r"""\{\s{0,64}["'}]""").match
_BROKEN = re.compile(r"\{\s{0,64}\w").match
_BEGUN = re.compile(r"(?:`{1,3}\w{0,16}\s{0,64})?(?:\{\s{0,64})?\Z").match


def in_element(node: Node) -> bool:
    """True when the TEXT slot of `node` holds a value, and only closing tags end it."""
    return node.made(_in_element) > 0


def _in_element(node: Node) -> int:
    if not node.text or node.text_field().role in _SPOKEN:
        return 0
    return int(is_closing(core for core, wrong in node.step(SlotKind.TEXT).node.marks.items() if not wrong))


def object_instead(node: Node, buf: str, pos: int, final: bool, called: bool = False) -> Answer:
    """Does a JSON object, perhaps in a fence, stand at `buf[pos:]` where `node` takes the element of an argument?

    One in a call may have bare keys: it is one then, and broken.
    """
    if buf[pos] not in "{`" or not node.made(_takes_elements):
        return Answer.NO
    if not final and _BEGUN(buf, pos) is not None:
        return Answer.WAIT
    at = past_fence(buf, pos)
    return Answer.YES if _OBJECT(buf, at) is not None or called and _BROKEN(buf, at) is not None else Answer.NO


def _takes_elements(node: Node) -> int:
    """Does an argument begin at `node`, with a marker that no text begins with by chance?"""
    if node.text or node.json or node.escaped or node.value:
        return 0
    return int(
        any(
            isinstance(task, Op) and task.code is OpCode.BEGIN_ARGUMENT and (len(core) >= STRONG or core[0] == "<")
            for core in node.marks
            for task, _ in node.choices[core][0].trail
        )
    )
