"""Is a marker shown rather than meant? In a quotation nothing begins, nor where a sentence goes on around it."""

from __future__ import annotations

import re

MAX_LINE = 1024
"""Characters in which the beginning of a quotation is looked for. Beyond it: only what stands right before counts."""
_TICKS = re.compile("`+")
_FENCE = 3
_BRACKETS = frozenset("<[{")
_BEFORE_A_WORD = (*"([{/*_-–—'\"`“‘«,;:",)
"""Signs, other than a blank, that a sentence may have right before a word."""
_AFTER_A_TAG = (*" \t,.;:!?)",)
_CLOSING = {"“": "”", "‘": "’", "„": "“", "«": "»", "<code>": "</code>", "<pre>": "</pre>", '"': '"', "'": "'"}
QUOTES = (*"'\"`", *{mark[-1]: None for mark in _CLOSING if mark not in "'\""})
"""Signs one of which stands in whatever leaves a quotation open, the most frequent first."""
_LONGEST = 64
_OPENING = re.compile(rf"\w{{0,{_LONGEST}}}+([“‘„«\"']|>edoc<|>erp<)").match
"""A quotation mark with a word after it, backwards: from the end of a line there is one place to look at."""


def line_before(text: str, start: int, at: int) -> str:
    """The part of the line before index `at` of `text`, from index `start` on: its last `MAX_LINE` characters."""
    start = max(start, at - MAX_LINE)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def quoted(line: str) -> bool:
    """True when `line`, what comes before a marker on its line, leaves a quotation open.

    Of a longer line, it is the last `MAX_LINE` characters.
    """
    if not line:
        return False
    if _opening(line):
        return True
    if "`" not in line:
        return False
    if len(line) >= MAX_LINE:
        return line[-1] == "`" and line.rstrip("`")[-1:].isspace() and not line.endswith("`" * _FENCE)
    span = 0
    for ticks in _TICKS.findall(line):
        size = len(ticks)
        if span == 0 and size < _FENCE:
            span = size
        elif span == size:
            span = 0
    return span > 0


def closing_of(line: str) -> str:
    """Closing sign of the quotation that `line` leaves open."""
    return _CLOSING.get(_opening(line), "`")


def is_glued(before: str) -> bool:
    """True when what comes before a bracket ends as what code indexes or calls: `x[`, `f()[`."""
    return before[-1:].isalnum() or before[-1:] in ("_", ")")


def mentioned(core: str, trail: str, line: str, after: str) -> bool:
    """True when a sentence names `core`, which opens reasoning, between `line` and the character `after`.

    There is text before. A sentence sets a word off by a blank or a sign, and a tag by a blank on either side. A word
    needs the end of its line after it where the dialect writes that, as `trail`.
    """
    apart = bool(line) and not line.isspace() and line[-1].isspace()
    if not _BRACKETS.isdisjoint(core):
        return apart and after in (" ", "\t")
    return apart or line[-1:] in _BEFORE_A_WORD or trail.startswith("\n") and after != "\n"


def said(line: str, after: str) -> bool:
    """True when a sentence goes on, from `line` to the character `after`, around a tag that closes nothing."""
    return line[-1:] in (" ", "\t") and line.rstrip()[-1:].isalnum() and after in _AFTER_A_TAG


def _opening(line: str) -> str:
    """The quotation mark that `line` ends with, perhaps with a word after it; an empty one where it ends otherwise."""
    match = _OPENING(line[: -_LONGEST - 8 : -1])
    if match is None:
        return ""
    mark, at = match[1][::-1], len(line) - match.end()
    closed = _CLOSING[mark] == mark and (line.count(mark, 0, at) % 2 == 1 or line[at - 1 : at].isalnum())
    return "" if closed else mark


class QuotationState:
    """State of quotations in a text so far: one goes on over the end of its line, up to an empty line."""

    __slots__ = ("_from", "_line", "closing")

    def __init__(self) -> None:
        self._line = self._from = -1  # the characters where the line of the last quotation begins, and what it quotes
        self.closing = "`"
        """Closing sign of that quotation."""

    def holds(self, tail: str, at: int, end: int) -> bool:
        """True when the marker at characters `at:end` is quoted.

        `tail` is what comes before it: `MAX_LINE` characters, or all that there are.
        """
        begin, line = at - len(tail), tail.rfind("\n") + 1
        if begin <= self._line and "\n\n" not in (said := tail[max(self._from - begin, 0) :]):
            if self.closing not in said:
                return True
            if self.closing == "`":
                line = min(line, self._line - begin)
        if not quoted(tail[line:]):
            return False
        self._line, self._from = begin + line, end
        self.closing = closing_of(tail[line:])
        return True
