"""Patterns of model ids, `*` and `?` as in file names: what two of them have in common."""

from __future__ import annotations

from collections import deque


def common(one: str, two: str) -> str | None:
    """A text that both patterns match, as short as can be; nothing when there is none."""
    todo = deque([(0, 0, "")])
    met = set()
    while todo:
        i, j, text = todo.popleft()
        if (i, j) in met:
            continue
        met.add((i, j))
        a, b = one[i : i + 1], two[j : j + 1]
        if not a and not b:
            return text
        if a == "*":  # it ends here: that takes no character, so it comes first
            todo.appendleft((i + 1, j, text))
        if b == "*":
            todo.appendleft((i, j + 1, text))
        if a and b and not a == b == "*" and (a in "*?" or b in "*?" or a == b):
            sign = next((sign for sign in (a, b) if sign not in "*?"), "x")
            todo.append((i + (a != "*"), j + (b != "*"), text + sign))
    return None
