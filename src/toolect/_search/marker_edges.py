"""Markers and terminals: the edges of what stands between texts."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.node import STRONG
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import (
    EndAnswer,
    Note,
    OpenString,
    Shift,
    TextBegin,
)
from toolect._search.follow import (
    TEXT,
    empty_values,
    ends_alone,
    nests,
)
from toolect._search.grammar_edges import after_comments, begins_terminal, expected, goes_on, last_marker
from toolect._search.hypothesis import WAIT, Doubt, EdgeContext, Found, Hypothesis, Mode, StringState, Waits
from toolect._search.marker_edits import FENCE, NO_MARKER, edits
from toolect._search.path import spelled
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role

_FENCED: Final = 24
"""Characters of a fence and what it begins with."""
_WHOLE: Final = re.compile(r"""(["'`])(?:[^"'`\\\n]|\\.){0,200}\1\s{0,64}[,}]""")
_VALUE_SIGNS: Final = "{[\"'"
"""First signs that no text without quotes has where a value may begin with them."""


def expand(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypotheses that follow one between texts; its state is what the last marker may write behind itself."""
    buf, base, node, context = window.buf, window.base, one.node, one.context
    at = one.pos - base
    if node.text:
        return _before_text(window, one, at, final)
    if node.escaped:
        if one.state and buf.startswith(one.state, at):
            at += len(one.state)
        string = window.stay(
            one, 0, base + at, Mode.STRING, StringState(base + at, base + at, base + at), OpenString(node, base + at)
        )
        last = last_marker(one)
        if last is None or not buf.startswith(last, at):
            return WAIT if last is not None and not final and last.startswith(buf[at:]) else [string]
        note = Note(RepairKind.STRAY_MARKER, base + at, last)
        return [window.stay(one, window.costs.doubled, base + at + len(last), Mode.BETWEEN, "", note), string]
    begins = window.graph.network.spec.comments and begins_terminal(window, node, at)
    at = window.after_blanks(at) if begins else after_comments(window, at, final)
    if at < 0 or at == len(buf) and not final:
        return WAIT
    if at == len(buf):
        dropped = context.call is not None and isinstance(one.action.last, Note)
        cost = window.costs.swallowed if dropped and not ends_alone(node) else 0
        if cost and context.name in window.tools:
            cost += window.costs.fits_long
        last = last_marker(one)
        if context.doubt & (Doubt.PROSE | Doubt.MISSPELT) and not context.doubt & Doubt.ARGUED:
            cost += window.costs.in_sentence
        elif last in window.graph.ends:
            cost += window.costs.swallowed
        elif last is not None and context.call is None and (last.isalpha() or last.startswith("```")):
            # it is a word at the end of a sentence, or of a block of code
            cost += window.costs.swallowed
        return [window.stay(one, cost, base + at, Mode.END, "", EndAnswer(node, base + at))]
    empty = empty_values(node) if one.spare is None and context.call is not None else {}
    if empty and (context.key is not None or buf[at] in empty):
        one.spare = json_edges.spare(window, one, base + at, empty.get(buf[at]) or empty.get("") or ())
    fit = expected(window, one, at, final)
    if isinstance(fit, Waits):
        return WAIT
    if fit is not None and node.value and fit.node.escaped and ":" in node.marks and "}" in node.marks:
        return _glued(window, one, fit, at, final)
    return [fit] if fit is not None else edits(window, one, at, final)


def _before_text(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A text slot comes, or what may stand in its place."""
    buf, base, node = window.buf, window.base, one.node
    size, begin = len(buf), window.after_blanks(at)
    if node.json and node.text_field().role not in (Role.CONTENT, None):
        if begin == size and not final:
            return WAIT
        if not final and "```".startswith(buf[begin : begin + 3]) and size - begin < _FENCED:
            return WAIT
        if buf[begin : begin + 1] in ("{", "[") or FENCE.match(buf, begin) is not None:
            return [json_edges.begin(window, one, 0, base + begin, window.path(one), bare=False)]
    elif node.value and any(buf.startswith(sign, begin) for sign in _VALUE_SIGNS if sign in node.marks):
        fit = expected(window, one, begin, final)
        if fit is not None:
            return WAIT if isinstance(fit, Waits) else [fit]
    elif node.value and begin == size and not final:
        return WAIT
    elif (nests(node) or node.value and node.text_field().role is Role.STRING) and (begin < size or not final):
        after = node.step(TEXT).node
        begins = begin == size or any(core[0] == buf[begin] for core in (*node.marks, *after.marks))
        if begins and not final and size - begin < after.longest + NO_MARKER:
            window.needs(base + begin + after.longest + 64)
            return WAIT
        match = node.struct.match(buf, begin)
        end = -1 if match is None else match.end()
        words = (spelled(core, one.context) for core in after.marks)
        if not any(buf.startswith(word, begin) and len(word) > end - begin for word in words):
            fit = expected(window, one, begin, final) if begin < size else None
            if isinstance(fit, Waits):
                return WAIT
            if fit is not None and not _is_longer(window, fit):
                return [fit]
    elif node.patterns and _beside_content(one) and (begin < size or not final):
        led = _argument(window, one, begin, final)
        if led is not None:
            return led
    return _begin_text(window, one, at, final)


def _is_longer(window: Window, fit: Hypothesis) -> bool:
    """True when what a value was to begin with is only the beginning of a word."""
    act, at = fit.action.last, fit.pos - window.base
    if not isinstance(act, Shift) or not isinstance(act.key, str) or not act.key[-1].isalnum():
        return False
    return window.buf[at : at + 1].isalnum() or window.buf[at : at + 1] == "_"


def _beside_content(one: Hypothesis) -> bool:
    """True where content may come, and a call is open that nothing closes."""
    return one.context.call is not None and one.node.text_field().role is Role.CONTENT


def _argument(window: Window, one: Hypothesis, at: int, final: bool) -> Found | None:
    """The next argument of the open call, where a text may come as well: its key, and what follows that."""
    fit = expected(window, one, at, final) if at < len(window.buf) else WAIT
    if fit is None or isinstance(fit, Waits):
        return fit
    act = fit.action.last
    if not isinstance(act, Shift) or isinstance(act.key, str) or fit.context.key is None:
        return None
    end = window.after_blanks(fit.pos - window.base)
    if end == len(window.buf):
        return None if final else WAIT
    sure = goes_on(window, fit.node, fit.context, end, final)
    return WAIT if isinstance(sure, Waits) else [fit] if sure else None


def _begin_text(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A text begins, after what is written before it."""
    buf, base, node, size = window.buf, window.base, one.node, len(window.buf)
    blanks = one.state + node.choices[TEXT][0].expects
    end = done = 0
    while done < len(blanks) and at + end < size:
        char = buf[at + end]
        if char == blanks[done]:
            end += 1
        elif blanks[done] == "\n" and buf.startswith("\r\n", at + end):
            end += 2
        else:
            break
        done += 1
    at += end
    if not final and (at == size and done < len(blanks) or at + 1 == size and buf[at] == "\r"):
        return WAIT
    state = window.begin_text(node, one.context, base + at)
    text = window.stay(one, 0, base + at, Mode.TEXT, state, TextBegin(node, base + at))
    last = last_marker(one)
    role = node.text_field().role
    if last is None or role in (Role.CONTENT, None) or len(last) < STRONG and _admits_text(window, one.context):
        return [text]
    if last in node.step(TEXT).node.marks and role is not Role.ARGUMENTS:  # the text may be empty
        return [text]
    again = window.after_blanks(at)
    if not final and size - again < len(last) and last.startswith(buf[again:]):
        return WAIT
    if not buf.startswith(last, again):
        return [text]
    text.cost += window.costs.doubled
    note = Note(RepairKind.STRAY_MARKER, base + again, last)
    trail = one.action.last.step.trail if isinstance(one.action.last, Shift) else ""
    return [window.stay(one, window.costs.doubled, base + again + len(last), Mode.BETWEEN, trail, note), text]


def _admits_text(window: Window, context: EdgeContext) -> bool:
    """True unless the open argument is declared, and is no text."""
    schema = window.tools.of(context.name).member(context.key or "") if context.name in window.tools else None
    return schema is None or "string" in schema.types


def _glued(window: Window, one: Hypothesis, fit: Hypothesis, at: int, final: bool) -> Found:
    """In an object a string follows another one: it is the value, and the colon is missing, or the two are one."""
    if not final and len(window.buf) - at < 2 * LOOK:
        window.needs(window.base + at + 2 * LOOK)
        return WAIT
    if _WHOLE.match(window.buf, at, at + 2 * LOOK) is None:
        return [fit]
    path = window.path(one).imply((":",), window.base + at)
    fit.cost += window.costs.swallowed
    return [window.make(one, window.costs.sign_missing, window.base + at, Mode.BETWEEN, "", path), fit]
