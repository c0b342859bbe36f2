"""How long the members of an expression are."""

from __future__ import annotations

from toolect._regular.syntax import Atomic, Border, Chain, Chars, Either, Look, Loop, Node, read


def longest(regex: str) -> int | None:
    """The characters of the longest member; None when there is no longest one. Raises `NotRegular`."""
    return _most(read(regex))


def _most(node: Node) -> int | None:
    match node:
        case Chars():
            return 1
        case Chain(parts):
            sizes = [_most(part) for part in parts]
            return None if None in sizes else sum(size for size in sizes if size)
        case Either(parts):
            sizes = [_most(part) for part in parts]
            return None if None in sizes else max((size for size in sizes if size), default=0)
        case Loop(item, _, most):
            size = _most(item)
            if size == 0 or most == 0:
                return 0
            return None if size is None or most is None else size * most
        case Atomic(item):
            return _most(item)
        case Look() | Border():
            return 0
