"""Trails of tasks that led to a place in the network, and stacks of open rules."""

from __future__ import annotations

from typing import TypeAlias

from toolect._graph.symbols import Field, Op, OpCode


class Stack:
    """Stack of return states for open rules: interned, so that equal stacks are the same object."""

    __slots__ = ("after", "depth", "parent", "target")

    def __init__(self, target: int, after: tuple[Op, ...], parent: Stack | None) -> None:
        self.target, self.after, self.parent = target, after, parent
        self.depth: int = 1 if parent is None else parent.depth + 1


Task: TypeAlias = tuple[Op | Field, int]
"""An operation or a field to fill, and how many lexemes back the lexeme it belongs to is."""
Trail: TypeAlias = tuple[Task, ...]
"""Tasks on the way to a place, in order."""
Config: TypeAlias = tuple[int, Stack | None, Trail]
"""A place: its state, its stack, and what is to be done once it is decided that it is meant."""


def layout(trail: Trail) -> str:
    """The whitespace that `trail` goes over."""
    return "".join(task.space for task, _ in trail if isinstance(task, Op))


def shared_ends(trails: list[Trail]) -> Trail:
    """The longest common beginning of `trails` that only ends things, whatever whitespace is to come."""
    shared: list[Task] = []
    for tasks in zip(*([task for task in trail if not _is_space(task)] for trail in trails), strict=False):
        first = tasks[0]
        op = first[0]
        if not isinstance(op, Op) or op.code not in (OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.END_VALUE):
            break
        if any(task != first for task in tasks):
            break
        shared.append(first)
    return tuple(shared)


def without(trail: Trail, count: int) -> Trail:
    """`trail` without its first `count` tasks that are not whitespace."""
    first = [i for i, task in enumerate(trail) if not _is_space(task)][:count]
    return tuple(task for i, task in enumerate(trail) if i not in first)


def _is_space(task: Task) -> bool:
    return isinstance(task[0], Op) and task[0].code is OpCode.SPACE
