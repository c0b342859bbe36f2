"""CDATA sections, XML's second spelling of a text: in them, signs that would be markup stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable

OPENER, CLOSER = "<![CDATA[", "]]>"
_SPLIT = CLOSER[:2] + CLOSER + OPENER + CLOSER[2:]
"""The closer of a section as text: it begins in one, and ends in the next."""
_MAX_BLANK = 64
"""Blanks before a section. Beyond it: they are text, and so is what follows."""
SECTION = rf"\s{{0,{_MAX_BLANK}}}{re.escape(OPENER)}"
"""The beginning of a text that stands in sections."""
begins_section = re.compile(SECTION).match
"""Matches it."""


def is_closing(closers: Iterable[str]) -> bool:
    """True where `closers`, the markers that end a text, are closing tags: there it may stand in sections."""
    found = list(closers)
    return bool(found) and all("</" in closer for closer in found)


def in_section(text: str) -> str:
    """XML text of an element's `text`: one that begins as a section does stands in a section itself."""
    return text if begins_section(text) is None else OPENER + text.replace(CLOSER, _SPLIT) + CLOSER


class Sections:
    """The text of an element as it arrives: one that begins with a section waits until it is over."""

    __slots__ = ("_begun", "_held", "plain")

    def __init__(self) -> None:
        self.plain = False
        """It does not begin with a section: there is nothing more to hold back."""
        self._begun = False  # a section has
        self._held: list[str] = []

    def more(self, text: str) -> str:
        """Read on in the text, and return what is new and sure."""
        self._held.append(text)
        if self._begun:
            return ""
        head = "".join(self._held)
        begins = head.lstrip()
        blank = len(head) - len(begins)
        if blank > _MAX_BLANK or not (begins.startswith(OPENER) or OPENER.startswith(begins)):
            self.plain = True
            return head
        self._begun = len(begins) >= len(OPENER)
        return ""

    def rest(self) -> tuple[str, bool]:
        """The text left at its end, and True when the closer of its last section is missing.

        A text that is not all sections, one right after the other, stays as it is.
        """
        text = "".join(self._held)
        if not self._begun:
            return text, False
        first, *parts = text.strip()[len(OPENER) :].split(CLOSER)
        if not parts:
            return text.lstrip()[len(OPENER) :], True
        last = parts.pop()
        if last or not all(part.startswith(OPENER) for part in parts):
            return text, False
        return first + "".join(part[len(OPENER) :] for part in parts), False
