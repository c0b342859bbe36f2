"""Code: the edges of statements in a dialect whose calls are statements; none that is no call is evaluated.

A statement ends outside of brackets, strings and comments, where the grammar says so: at a line break, a semicolon.
Lines that are indented deeper than its first one belong to it.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import cut_off
from toolect._graph.symbols import Key
from toolect._message import RepairKind
from toolect._search.actions import CloseCode, CodeBegin, MoreCode, Note, Shift
from toolect._search.code_state import CodeState
from toolect._search.grammar_edges import after_comments, expected, marker
from toolect._search.hypothesis import (
    WAIT,
    Act,
    Action,
    EdgeContext,
    Expansion,
    Hypothesis,
    Mode,
    Onwards,
    Statement,
    Waits,
)
from toolect._search.path import Path
from toolect._search.window import Window
from toolect._spec.model import Role

MAX_UNCALLED: Final = 4096
"""Characters of a block among which a call is looked for. Beyond it: the block holds none."""
_FAR: Final = 24
"""Lexemes of a statement among which the name of a call is looked for: what is awaited, called or assigned comes first,
and each sign of it is a lexeme."""
_ENOUGH: Final = 2
"""Lexemes after the bracket of a call that must fit the grammar where no tools are declared: prose in brackets, or code
that computes its arguments, rarely has as many."""
_BLANK: Final = re.compile(r"\s*")
_INDENT: Final = re.compile(r"[ \t]*")


# Statements that are calls


class Head(NamedTuple):
    """Beginning of a statement: true when it `calls`, and the name of the callee."""

    calls: bool
    name: str = ""


def head(window: Window, home: Node, at: int, final: bool) -> Head | Waits:
    """The beginning of the statement at index `at`, after `home`."""
    one = Hypothesis(0, window.base + at, -1, home, Mode.BETWEEN, "", EdgeContext(), Action(None, ()))
    name, left = "", -1
    for _ in range(_FAR):
        node = one.node
        if left == 0 or left > 0 and (node.escaped or node.text or node.json or one.context.call is None):
            return Head(True, name)
        at = after_comments(window, one.pos - window.base, final)
        if at < 0 or at == len(window.buf):
            return Head(left > 0, name) if final else WAIT
        found = expected(window, one, at, final)
        if isinstance(found, Waits):
            return WAIT
        if found is None or not isinstance(act := found.action.last, Shift):
            return Head(False)
        one = found
        if left > 0:
            left -= 1
        elif not isinstance(act.key, str):
            name = act.text if Role.NAME in node.fills(act.key) else ""
        elif name and _calls(node, act.key):
            if name in window.tools:
                return Head(True, name)
            if name in window.graph.network.spec.reserved:
                return Head(False)
            if window.tools and window.graph.known_only:
                return Head(False, name)
            left = _ENOUGH
    return Head(False)


def _calls(node: Node, key: Key) -> bool:
    """True when the marker `key` is that of a call."""
    roles = node.graph.network.spec.roles
    return any(roles.get(choice.edge.rule) is Role.CALL for choice in node.choices[key])


def begin(window: Window, one: Hypothesis, final: bool) -> Expansion | None:
    """The hypotheses that follow one where a statement may begin; None where something else comes."""
    buf, base, node, code, home = window.buf, window.base, one.node, window.graph.code, one.node.coding
    if code is None or home is None or one.context.call is not None:
        return None
    statement = (one.context.statement or Statement(home))._replace(home=home, depth=0)
    act = one.action.last
    if isinstance(act, Shift) and isinstance(act.key, str) and act.node.coding is None and act.node.calling(act.key):
        statement = Statement(home, called=False, short=len(act.key) < STRONG)
        if act.wrong and not window.tools.declared:
            return [_uncalled(window, one, statement)]
    at = window.after_blanks(one.pos - base)
    if at == len(buf) and not final:
        return WAIT
    if at == len(buf) or buf.startswith((*code.closers, *code.ends), at):
        return None if statement.called else [_uncalled(window, one, statement)]
    end, core = marker(node, one.context, buf, at)
    if end >= 0 and not node.first(core):
        return None
    if not final and any(cut_off(sign, buf, at) for sign in code.signs):
        return WAIT
    begins = Head(False) if buf.startswith(tuple(code.comments), at) else head(window, home, at, final)
    if isinstance(begins, Waits):
        return WAIT
    if begins.calls and (begins.name in window.tools if statement.short else True):
        one.context = one.context._replace(statement=statement._replace(called=True, short=False))
        found = expected(window, one, at, final)
        if found is None or isinstance(found, Waits):
            return found
        found.cost += window.costs.call_seen if begins.name in window.tools or not window.tools.declared else 0
        return [found]
    if statement.short:
        return [_uncalled(window, one, statement)]
    path = Path(home, EdgeContext(statement=statement), window.ref).add(CodeBegin(one.pos, False))
    return [window.make(one, 0, one.pos, Mode.CODE, CodeState(one.pos), path)]


def _uncalled(window: Window, one: Hypothesis, statement: Statement) -> Hypothesis:
    """The hypothesis that goes on in a block of code that holds no call: its opener was not read last any more."""
    context = one.context._replace(statement=statement._replace(called=True, short=False))
    cost = window.costs.no_name
    return window.follow(one, cost, one.pos, one.node, one.mode, one.state, context, MoreCode(one.pos))


# Statements that are none


class _Went(Enum):
    """Result of going over code."""

    ON = auto()
    WAIT = auto()
    CALL = auto()
    """A statement is a call."""
    END = auto()
    """The end of the code, or of the text."""
    OVER = auto()
    """The rest of a call that cannot be read is over."""


def expand(window: Window, one: Hypothesis, final: bool) -> Expansion:
    """The hypotheses that follow one in code."""
    return _Lines(window, one).go(final)


class _Lines:
    """Goes over code from where a hypothesis is."""

    __slots__ = ("acts", "alone", "at", "code", "depth", "indent", "line", "one", "open", "quote", "window")

    def __init__(self, window: Window, one: Hypothesis) -> None:
        assert window.graph.code is not None
        state: CodeState = one.state
        self.window, self.one, self.code = window, one, window.graph.code
        self.open, self.line, self.indent = state.open, state.line, state.indent
        self.depth, self.quote, self.alone = state.depth, state.quote, state.alone
        self.at = one.emitted - window.base
        self.acts: list[Act] = []

    def go(self, final: bool) -> Expansion:
        """The hypotheses at the end of what is there."""
        window, one, begun = self.window, self.one, self.at
        state, statement = one.state, one.context.statement
        assert statement is not None
        most = state.start + MAX_UNCALLED - window.base
        went = _Went.ON
        while went is _Went.ON:
            if not statement.called and self.at > most:
                return [_uncalled(window, one, statement)]
            went = self._inside(final) if self.open else self._between(final)
        place = window.base + self.at
        self.acts.append(MoreCode(place))
        if went is _Went.WAIT:
            state = CodeState(
                state.start, state.failed, self.open, self.line, self.indent, self.depth, self.quote, self.alone
            )
            if self.at == begun and state == one.state:
                return WAIT
            return Onwards(window.stay(one, 0, place, Mode.CODE, state, *self.acts))
        return [window.stay(one, 0, place, Mode.BETWEEN, "", *self.acts, CloseCode())]

    def _between(self, final: bool) -> _Went:
        """Go on to the next statement."""
        window, buf, code = self.window, self.window.buf, self.code
        at = _BLANK.match(buf, self.at).end()  # type: ignore[union-attr]  # matches the empty string
        newline = buf.rfind("\n", self.at, at)
        if newline >= 0:
            self.line = window.base + newline + 1
        self.at = at
        if at == len(buf):
            return _Went.END if final else _Went.WAIT
        if buf.startswith((*code.closers, *code.ends), at):
            return _Went.END
        if not final and any(cut_off(sign, buf, at) for sign in code.signs):
            return _Went.WAIT
        column = window.base + at - self.line if self.line >= 0 else None
        self.alone = False
        if self.indent is None or column is None or column <= self.indent:
            self.alone = buf.startswith(tuple(code.comments), at)
            if not self.alone:
                begins = head(window, self.one.node, at, final)
                if isinstance(begins, Waits) or begins.calls:
                    return _Went.WAIT if isinstance(begins, Waits) else _Went.CALL
                self.indent = column
                if begins.name:
                    self.acts.append(Note(RepairKind.UNKNOWN_TOOL, window.base + at, begins.name))
        self.open, self.line = True, -1
        return _Went.ON

    def _inside(self, final: bool) -> _Went:
        """Go on in the open statement, to the next sign that has to be watched for."""
        buf, size, code = self.window.buf, len(self.window.buf), self.code
        if self.line >= 0:
            self.at = _INDENT.match(buf, self.at).end()  # type: ignore[union-attr]  # matches the empty string
            if self.at == size and not final:
                return _Went.WAIT
            if buf.startswith(code.closers, self.at):
                return _Went.END
            if not final and any(cut_off(closer, buf, self.at) for closer in code.closers):
                return _Went.WAIT
            self.line = -1
        match = code.within.get(self.quote, code.outside).search(buf, self.at)
        sure = size if final else size - code.width + 1
        if match is None or match.start() >= sure:
            self.at = max(self.at, sure)
            return _Went.END if final else _Went.WAIT
        if match[0] in code.ends:
            self.at = match.start()
            return _Went.END
        return self._over(match)

    def _over(self, match: re.Match[str]) -> _Went:
        """Go over a sign."""
        code, sign, self.at = self.code, match[0], match.end()
        over = False
        if self.quote:
            if sign == self.quote or sign == "\n" and code.quotes.get(self.quote):
                over = self.alone and sign != "\n"
                self.at -= sign == "\n"  # it ends the line, too
                self.quote = ""
                sign = ""
        elif sign in code.comments or sign in code.quotes:
            self.quote = code.comments.get(sign, sign)
        elif sign in "([{":
            self.depth += 1
        elif sign in ")]}":
            self.depth = max(self.depth - 1, 0)
        else:
            over = sign in code.stops and not self.depth
        if sign.endswith("\n"):
            self.line = self.window.base + self.at
        self.open = not over
        return _Went.OVER if over and self.one.state.failed else _Went.ON
