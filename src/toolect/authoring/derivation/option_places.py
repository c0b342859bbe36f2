"""Where the options of a rule are written: found in the grammar's text, which a spec does not keep."""

from __future__ import annotations

import re

from toolect._spec.model import Alt, Expr, Literal, Repeat, Rule, Seq
from toolect.authoring.derivation.spelled import spelled
from toolect.diagnostic import Place

_DEFINITION = re.compile(r"^[?!]*\w+(?:\.\d+)?\s*[:{]|^%", re.MULTILINE)


def option_places(rule: Rule, text: str) -> list[Place]:
    """The places of a rule's options in the `text` of its file, in order; that of the rule for a lost one."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: rule.place.line - 1]) + rule.place.column - 1
    following = _DEFINITION.search(text, min(start + 1, len(text)))
    finder = _Finder(text, start, following.start() if following else len(text))
    finder.visit(rule.expr)
    return [rule.place if at < 0 else _place(rule.place.path, text, at, length) for at, length in finder.found]


def _place(path: str, text: str, at: int, length: int) -> Place:
    return Place(path, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), length)


class _Finder:
    """Goes through a definition and its expression side by side."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.at, self.end = text, start, end
        self.found: list[tuple[int, int]] = []
        self._waiting: list[int] = []  # options whose first part has not come

    def visit(self, expr: Expr) -> None:
        """Find the options of `expr`."""
        match expr:
            case Seq(items):
                for item in items:
                    self.visit(item)
            case Alt(items):
                for item in items:
                    self._option(item)
            case Repeat(item):
                self._option(item)
            case _:
                self._leaf(expr)

    def _option(self, item: Expr) -> None:
        self._waiting.append(len(self.found))
        self.found.append((-1, 0))
        self.visit(item)

    def _leaf(self, leaf: Expr) -> None:
        word = re.escape(spelled(leaf))
        named = not isinstance(leaf, Literal) or leaf.name
        match = re.compile(rf"\b{word}\b" if named else word).search(self.text, self.at, self.end)
        if match is None:  # a marker that a variant has replaced, or a part that is repeated
            return
        for option in self._waiting:
            self.found[option] = match.start(), match.end() - match.start()
        self._waiting = []
        self.at = match.end()
