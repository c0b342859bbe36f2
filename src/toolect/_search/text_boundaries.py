"""Text boundaries: where a text ends before a marker, and whether that is quoted or begins a line."""

from __future__ import annotations

import re
from typing import Final

from toolect._building.quotation import MAX_LINE, closing_of, quoted
from toolect._graph.needle import ending
from toolect._graph.node import STRONG, Node, Step
from toolect._graph.symbols import is_echo
from toolect._search.actions import CloseText, MoreText
from toolect._search.follow import reach
from toolect._search.hypothesis import WAIT, Hypothesis, Quotation, TextState, Waits
from toolect._search.island import Island
from toolect._search.path import Path
from toolect._search.window import Window
from toolect._spec.model import Role

_ATTRIBUTE: Final = re.compile(r'="[^"]*(?:"|\Z)')
_INNER: Final = 1 << 12
"""Characters of a value before its closer in which elements of the same name are looked for."""
_BLOCK: Final = 1000
"""Characters before a marker in which a block of code may begin."""
_BRACKETS: Final = {"{": "}", "[": "]"}


def lead_end(window: Window, blanks: str, at: int, start: int, core: str = "") -> int:
    """The index where a text ends before index `at`, what is written before a marker left out.

    The text began at character `start`. A beginning of `core` at its end is left out, too: the marker, broken off.
    """
    buf, low = window.buf, max(start - window.base, 0)
    for size in range(min(len(core) - 1, at - low), STRONG - 1, -1):
        if core.startswith(buf[at - size : at]):
            at -= size
            break
    size = ending(buf, blanks, low, at)
    if size and blanks[-size:].startswith("\n") and at - size - 1 >= low and buf[at - size - 1] == "\r":
        size += 1
    return at - size


def quotation_at(window: Window, plan: Island, state: TextState, at: int, end: int) -> tuple[bool, TextState]:
    """True when the text at indices `at:end` is quoted, and the state of a text that goes on over it.

    A quotation goes on over the end of its line, up to an empty one.
    """
    base, passed, quotation = window.base, state._replace(solid=True), state.quotation
    if not plan.content and plan.role is not Role.REASONING:
        return False, passed
    line = window.line(at, state.start)
    begun = base + at - len(line)
    if quotation is not None and base + at - quotation.line <= MAX_LINE:
        attribute = 2 * (window.raw(quotation.end - 2, quotation.end) == '="')
        text = _ATTRIBUTE.sub("", window.raw(quotation.end - attribute, base + at))
        if quotation.closing not in text and "\n\n" not in text:
            return True, _in_bracket(passed, quotation, window.buf[at], base + end)
        if quotation.closing.endswith("`") and quotation.line < begun and "\n\n" not in text:
            begun = quotation.line
            line = window.raw(begun, base + at)
    if not quoted(line):
        return False, passed
    return True, _in_bracket(passed, Quotation(begun, base + end, closing_of(line)), window.buf[at], base + end)


def _in_bracket(state: TextState, quotation: Quotation, char: str, end: int) -> TextState:
    """The state in a quotation: that of JSON, which a `char` begins that ends at `end`, is over behind its bracket."""
    if char in _BRACKETS and quotation.closing[0] != "`" and quotation.closing[0] not in _BRACKETS.values():
        quotation = Quotation(quotation.line, end, _BRACKETS[char] + quotation.closing)
    return state._replace(quotation=quotation)


def in_block(buf: str, low: int, at: int) -> bool:
    """True when a block of code is open at index `at`, in the text that began at index `low`."""
    return buf.count("```", max(low, at - _BLOCK), at) % 2 == 1


def begins_line(window: Window, spoken: bool, at: int, start: int, blanks: str) -> bool:
    """True when index `at` begins a line, but for what the dialect writes before a marker on it.

    A text that is `spoken` begins with one.
    """
    indent = blanks.rpartition("\n")[2]
    if indent and window.buf.endswith(indent, 0, at):
        at -= len(indent)
    place = window.base + at
    if spoken and place <= start:
        return True
    return window.raw(place - 1, place) == "\n" if place else True


def is_followed(window: Window, step: Step, end: int, final: bool) -> bool | Waits:
    """True when a sign of the follow set stands behind the closer of a `step`, which ends at index `end`.

    A closer on a line of its own, as the dialect writes it, is one whatever follows.
    """
    at = window.after_blanks(end)
    if at == len(window.buf):
        return True if final else WAIT
    return window.buf[at] in step.node.made(_follow) or bool(step.trail) and window.buf.startswith(step.trail, end)


def closes_inner(window: Window, word: str, step: Step, at: int, end: int, start: int, final: bool) -> bool | Waits:
    """True when the closer `word`, at indices `at:end`, is that of an element in the value that began at `start`.

    The element has the name of the value's own, and the grammar has nothing that stands behind it.
    """
    place = window.base + at
    held = window.raw(max(start, place - _INNER), place)
    if held.count(f"<{word[2:]}") <= held.count(word):
        return False
    rest = window.buf[window.after_blanks(end) :]
    words = [core for core in step.node.marks if not is_echo(core)]
    if rest.startswith(tuple(words)):
        return False
    return True if final or not any(core.startswith(rest) for core in words) else WAIT


def _follow(node: Node) -> frozenset[str]:
    """The first signs of the markers that may come at a node, some before them left out."""
    return frozenset(core[0] for core in (*reach(node), *node.graph.ends))


def after_text(window: Window, one: Hypothesis, end: int, at: int, opened: bool) -> Path:
    """The path out of the text, which ends at index `end`; it was one where it is `opened`."""
    base = window.base
    path = window.path(one).add(MoreText(base + end), CloseText(base + (end if opened else at)))
    return path.over_text(base + end) if opened else path
