"""Finds calls that are written as in Python."""

from __future__ import annotations

import ast
import re
from itertools import islice

from toolect.authoring.scaffold.pieces import Hole, Mark
from toolect.authoring.scaffold.sighting import IDENTIFIER, Sighting

MAX_CALLS = 100
MAX_CODE = 8_192
"""How many brackets after a name are looked at, and how many characters from each."""


def code_calls(text: str) -> Sighting:
    """Calls with keyword arguments, one or a list of them, that Python reads."""
    marks: list[Mark] = []
    listed = False
    at = 0
    for match in islice(re.finditer(rf"(?<![\w.])(\[?){IDENTIFIER}\(", text), MAX_CALLS):
        if match.start() < at:
            continue
        end = _closing(text, match.start())
        if end > 0 and _is_calls(text[match.start() : end]):
            marks.append(Mark(match.start(), end, Hole.CODE))
            listed = listed or bool(match[1])
            at = end
    return Sighting(tuple(marks), listed=listed)


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens first after `start` closes, outside of strings; -1 if it does not."""
    depth, quote = 0, ""
    for match in re.compile(r"\\.|[\[\](){}\"']", re.DOTALL).finditer(text, start, start + MAX_CODE):
        sign = match[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return -1


def _is_calls(source: str) -> bool:
    try:
        node = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = node.elts if isinstance(node, ast.List) else [node]
    return bool(calls) and all(
        isinstance(call, ast.Call) and not call.args and all(keyword.arg for keyword in call.keywords) for call in calls
    )
