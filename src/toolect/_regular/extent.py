"""Lengths of the members of an expression, and bounds of the ways to read one."""

from __future__ import annotations

from toolect._regular.syntax import Atomic, Border, Chain, Chars, Either, Look, Node, Repetition


def longest_of(node: Node) -> int | None:
    """The characters of the longest text that `node` reads; None when there is no longest one."""
    match node:
        case Chars():
            return 1
        case Chain(parts):
            sizes = [longest_of(part) for part in parts]
            return None if None in sizes else sum(size for size in sizes if size)
        case Either(parts):
            sizes = [longest_of(part) for part in parts]
            return None if None in sizes else max((size for size in sizes if size), default=0)
        case Repetition(item, _, most):
            size = longest_of(item)
            if size == 0 or most == 0:
                return 0
            return None if size is None or most is None else size * most
        case Atomic(item):
            return longest_of(item)
        case Look() | Border():
            return 0


def states(node: Node) -> int:
    """About how many states the automaton of `node` has."""
    match node:
        case Repetition(item, least, most):
            return states(item) * max(least, most or 1)
        case Chain(parts) | Either(parts):
            return sum(map(states, parts))
        case Atomic(item) | Look(item):
            return states(item)
        case Chars() | Border():
            return 1


def ways(node: Node) -> int | None:
    """A bound of the ways to read a text as `node`, whatever it is; None when there is none."""
    match node:
        case Chain(parts):
            found = 1
            for part in parts:
                inner = ways(part)
                if inner is None:
                    return None
                found *= inner
            return found
        case Either(parts):
            sizes = [ways(part) for part in parts]
            return None if None in sizes else sum(size for size in sizes if size)
        case Repetition(item, least, most):
            inner = ways(item)
            if most is None or inner is None or inner > 1 and most > _FEW:
                return None
            return sum(int(inner**times) for times in range(least, most + 1))
        case Atomic(item) | Look(item):
            return ways(item)
        case Chars() | Border():
            return 1


_FEW = 20
"""Repetitions of what may be read in several ways that are counted."""
