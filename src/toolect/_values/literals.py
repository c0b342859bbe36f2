"""Python's displays of lists, tuples and dictionaries read as data in one pass: nothing is evaluated."""

from __future__ import annotations

import re

from toolect._message import Json
from toolect._spec.grammar_model import Escapes
from toolect._values.escapes import unescape
from toolect._values.json_lexemes import MAX_DEPTH
from toolect._values.vocabulary import PYTHON, number

_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_TOKEN = re.compile(
    r"""\s*+(?:(?P<mark>[][{}(),:])|(?P<word>[-+.\w]++)"""
    r"""|'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)'|"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*+)")""",
    re.DOTALL,
)


class _Display:
    """A display that is open; between braces, keys and values take turns."""

    __slots__ = ("closer", "items", "waits")

    def __init__(self, closer: str) -> None:
        self.closer = closer
        self.items: list[Json] = []
        self.waits = True  # for an item or the closer, not for a separator

    @property
    def keyed(self) -> bool:
        """True when its next item is a key."""
        return self.closer == "}" and len(self.items) % 2 == 0

    def separate(self, mark: str) -> bool:
        """Take the separator `mark`; False when it is not due."""
        due = ":" if self.closer == "}" and len(self.items) % 2 else ","
        if self.waits or mark != due:
            return False
        self.waits = True
        return True

    def add(self, value: Json, spelled: str) -> bool:
        """Take an item, which a key was `spelled` as; False when none is due."""
        if not self.waits or self.keyed and not spelled and not isinstance(value, str):
            return False
        self.items.append(spelled if self.keyed and not isinstance(value, str) else value)
        self.waits = False
        return True

    def close(self, mark: str) -> Json:
        """The finished list, object or value in parentheses. Raises ValueError when `mark` does not end it here."""
        items, pairs = self.items, self.closer == "}"
        if mark != self.closer or pairs and (len(items) % 2 or self.waits and items and not self.keyed):
            raise ValueError(mark)
        if mark == ")" and len(items) == 1 and not self.waits:
            return items[0]  # without a comma it is no tuple
        return dict(zip(items[::2], items[1::2], strict=True)) if pairs else items


def read_literal(text: str) -> Json:
    """The list or object that all of `text` displays. Raises ValueError when it is none, or nests too deep."""
    value, end = literal_at(text, 0)
    if text[end:].strip():
        raise _none(text)
    return value


def literal_at(text: str, at: int) -> tuple[Json, int]:
    """The list or object whose display begins at `at`, and where it ends. Raises ValueError as above."""
    start = at
    stack: list[_Display] = []
    while (match := _TOKEN.match(text, at)) is not None:
        at = match.end()
        mark, word = match["mark"], match["word"] or ""
        if mark in _CLOSERS:
            if len(stack) == MAX_DEPTH:
                break
            stack.append(_Display(_CLOSERS[mark]))
            continue
        if not stack or mark in (",", ":"):
            if not stack or not stack[-1].separate(mark):
                break
            continue
        if mark is not None:
            value = stack.pop().close(mark)
            if not stack:
                if not isinstance(value, list | dict):
                    break
                return value, at
        elif word:
            value = PYTHON[word] if word in PYTHON else number(word)
        else:
            value = unescape(match["double"] if match["single"] is None else match["single"], Escapes.PYTHON)
        if not stack[-1].add(value, word):
            break
    raise _none(text[start : start + 40])


def _none(text: str) -> ValueError:
    return ValueError(f"expected a Python display of a list or an object, got {text[:40]!r}")
