"""Code states: where in code that is no call the reading is, and how it gets there from a statement that breaks."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolect._search.actions import BreakOff, CodeBegin
from toolect._search.hypothesis import Act, EdgeContext, Hypothesis, Mode, Statement
from toolect._search.path import Path
from toolect._search.window import Window

_GOT: Final = re.compile(r"[\w$.]+(?: [\w$.]+)?[(\[{]?|(?s:.)\S?")
_SHOWN: Final = 40
"""Characters of code that are shown when it cannot be read."""


class CodeState(NamedTuple):
    """A stretch of code. Places are characters of the answer."""

    start: int
    failed: bool = False
    """It is the rest of a call that cannot be read, and no content."""
    open: bool = False
    """A statement is open."""
    line: int = -1
    """The character at which the line begins, while nothing but blanks has come on it; -1 behind that."""
    indent: int | None = None
    """The column of the last statement: what stands further right belongs to it. None in the middle of a line."""
    depth: int = 0
    quote: str = ""
    """The closing sign of the open string or comment."""
    alone: bool = False
    """The open statement is a comment."""


def unrun(window: Window, context: EdgeContext, at: int) -> str:
    """The code at index `at` for an error, where a call is a statement of code."""
    got = _GOT.match(window.buf, at, at + _SHOWN)
    return "" if context.statement is None or got is None else f", got `{got[0]}`, and code is not run"


def begin_again(window: Window, one: Hypothesis, cost: int, at: int, *ends: Act) -> Hypothesis:
    """The hypothesis that the open call was broken off, and another one begins at character `at`."""
    call, statement = one.context.call, one.context.statement
    assert call is not None
    path = Path(call if statement is None else statement.home, EdgeContext(statement=statement), window.ref)
    return window.make(one, cost, at, Mode.BETWEEN, "", path.add(*ends, BreakOff(at)))


def give_up(window: Window, one: Hypothesis, cost: int, at: int, path: Path, depth: int = 0) -> Hypothesis:
    """The hypothesis that what is open cannot be read from character `at` on, in `depth` brackets of a value.

    In code it goes on after its statement, else at the next marker.
    """
    call, statement = path.context.call, path.context.statement
    if statement is None:
        return window.make(one, cost, at, Mode.SKIPPED, (False, at), path)
    start = one.pos if call is None else at
    state = CodeState(start, call is not None, open=True, depth=statement.depth + depth)
    path.add(CodeBegin(start, state.failed))
    path.node, path.context = statement.home, EdgeContext(statement=Statement(statement.home))
    return window.make(one, cost, start, Mode.CODE, state, path)
