"""Unterminated strings: what such a string has swallowed shows before the next quote."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.node import Node

_ARGUMENT: Final = re.compile(r"(?:(?:^|,\s*)|(?:^|[),\n])\s*\[?[\w.]+\()[^\W\d][\w.-]*\s?=\s?[\[{]*\Z")
_KEY: Final = re.compile(r"[:,]\s*[\[{\s]*\Z")
_ENTRY: Final = re.compile(r"(?:^|[\s,{])[^\W\d]\w*:\s?\Z")
_MEMBER: Final = re.compile(r"[,{]\s*[^\W\d]\w*:\s?[\[{]*\Z")
_ITEM: Final = re.compile(r"""(?:^|[^"'`\s]),\s*\Z""")
_OBJECT: Final = re.compile(r"[}\]]\s*,\s*[\[{]+\s*\Z")
_DOUBLED: Final = re.compile(r"[=:]\s?")
_CALLS: Final = re.compile(r"\w?\(|\)")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_MAX_ENCLOSED: Final = 160
"""Characters of a string in brackets whose quotes are not escaped. Beyond it: the next quote that may end it does.

In so many no other reading is dropped for being far behind, whatever the chunks are.
"""
_ROUND: Final = re.compile(r"[()]")


def is_torn(node: Node, quote: str, before: str) -> bool:
    """Does `quote` open a string, after text `before` that one without its last quote took in? `node` follows a string.

    In a list a comma is before it, after a key a colon, before an argument its name, and before an object the end of
    another one. A string that is the sign before it has that twice.
    """
    marks = node.marks
    return bool(
        _DOUBLED.fullmatch(before)
        or "}" in marks
        and (_OBJECT.search(before) or _ENTRY.search(before))
        or "=" not in marks
        and _ARGUMENT.search(before)
        or ":" in marks
        and _KEY.search(before)
        or "]" in marks
        and _MEMBER.search(before)
        or "," in marks
        and _ITEM.search(before)
        and quote in node.step(",").node.marks
    )


def is_torn_member(before: str) -> bool:
    """Does a quote behind the text `before` open the value of a member or argument, in any notation with bare keys?"""
    return bool(_MEMBER.search(before) or _ARGUMENT.search(before))


def calls_in(before: str) -> int:
    """Number of open calls at the end of the text `before`: after a name and a bracket. One torn off has none."""
    depth = opened = 0
    for sign in _CALLS.finditer(before):
        if sign[0] == ")":
            depth -= depth > 0
            opened = min(opened, depth)
        else:
            depth += 1
            opened += len(sign[0]) > 1
    return depth if opened else 0


def is_enclosed(text: str) -> bool:
    """True when a text begins with a bracket and leaves some open: it is JSON or code whose quotes nobody escaped."""
    opened = text[:1] in _PAIRS and len(text) <= _MAX_ENCLOSED
    return opened and sum(text.count(sign) for sign in _PAIRS) > sum(text.count(sign) for sign in _PAIRS.values())


def still_open(depth: int, text: str) -> bool:
    """True when a text leaves some of `depth` brackets open."""
    for sign in _ROUND.finditer(text):
        depth += 1 if sign[0] == "(" else -1
        if not depth:
            return False
    return True
