"""What the inside of a quoted string looks like: regular expressions for it, made once for each place."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from toolect._graph.node import Node
from toolect._graph.symbols import Hollow
from toolect._spec.grammar_model import SlotKind


class Form(NamedTuple):
    """What the string of a node looks like."""

    closer: str
    after: Node
    """What comes after the closer."""
    sign: str
    """What begins a value that would have to be computed; empty where nothing does."""
    region: re.Pattern[str]
    """Matches text up to the closer."""
    held: re.Pattern[str] | None
    """The same up to what may be the beginning of a longer closer; None where that is one sign."""
    lined: bool
    """A line break tells that it may have no end."""


def form_of(node: Node) -> Form:
    """That of the string at `node`."""
    slot, closing = node.escaped_slot(), node.step(SlotKind.ESCAPED).node
    closer = next(iter(closing.marks))
    sign = _sign(slot)
    held = re.compile(region(closer, sign=sign, held=True)) if len(closer) > 1 else None
    after, lined = closing.step(closer).node, _LINE_BREAK in slot.refused
    return Form(closer, after, sign, re.compile(region(closer, sign=sign)), held, lined)


@lru_cache(maxsize=64)
def special(signs: str) -> Callable[[str], re.Match[str] | None]:
    """What searches for one of `signs`, a backslash or a line break."""
    return re.compile(f"[{re.escape(signs)}\\\\\n]()").search


def region(closer: str, breaks: bool = True, sign: str = "", held: bool = False, either: bool = False) -> str:
    """A regular expression for text up to `closer`, in whole escapes; `breaks`: with line breaks, even unescaped.

    It ends before `sign`, too, with which a value begins; `held`: and before what may be the beginning of the closer.
    `either`: each sign of `closer` is one.
    """
    first, rest = (re.escape(closer), "") if either else (re.escape(closer[0]), closer[1:])
    begun = "".join(rf"|{re.escape(rest[:size])}\Z" for size in range(len(rest))) if held else ""
    part = rf"|{first}(?!{re.escape(rest)}{begun})" if rest else ""
    line, escape = "" if breaks else r"\n", r"\\(?s:.)"
    if len(sign) == 1:
        escape = rf"\\(?:(?={re.escape(sign)})|(?s:.))"  # it is not escaped by a backslash, but by itself
    if sign:
        line += re.escape(sign[0])
        part += rf"|{re.escape(sign[0])}(?!{re.escape(sign[1:])})" if sign[1:] else ""
    return rf"(?:[^\\{first}{line}]++|{escape}{part})*+"


def clean_region(slot: Hollow, closer: str) -> str:
    """A regular expression for text in `slot` up to `closer` in which nothing had to be forgiven."""
    return region(closer, breaks=_LINE_BREAK not in slot.refused, sign=_sign(slot))


def _sign(slot: Hollow) -> str:
    """What begins a value that would have to be computed, in the slot; empty where nothing does."""
    return next((sign for sign in slot.refused if sign != _LINE_BREAK), "")


_LINE_BREAK = "\n"
"""What a slot refuses in which line breaks must be escaped; all else that one refuses begins a value."""
