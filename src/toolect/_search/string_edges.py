"""String literals: the edges of a string of a value language, from its first quote to its last."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.node import STRONG, Node
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import BreakOff, CloseString, CutString, EndAnswer, Fail, MoreString, Note
from toolect._search.code_state import begin_again, give_up
from toolect._search.follow import ESCAPED
from toolect._search.grammar_edges import goes_on
from toolect._search.hypothesis import WAIT, EdgeContext, Expansion, Hypothesis, Mode, Onwards, StringState, Waits
from toolect._search.path import Path
from toolect._search.torn_strings import calls_in, is_enclosed, is_torn, still_open
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role
from toolect._values.doubtful import holds_half_a_call
from toolect._values.escapes import run_before

MAX_QUOTES: Final = 32
"""Quotes of one string that may be its own. Beyond it: the next one ends it."""
_BEFORE: Final = 200
_ESCAPE: Final = 16
"""Characters of an escape, or of two that belong together."""
_LINED_CALL: Final = re.compile(r"[ \t]*\[?([^\W\d][\w.:/-]*)\((?:\)|\s*\{?\s*[^\W\d]\w*\s?[=:]\s?[\[{\"'\w-])")
"""A call that begins with its line: its name, and the first argument."""
_LINED_BEGUN: Final = re.compile(r"[ \t]*\[?(?:[^\W\d][\w.:/-]*(?:\(\s*\{?\s*(?:[^\W\d]\w*\s?(?:[=:]\s?)?)?)?)?")
_NEXT: Final = re.compile(r"[\s\])}]*,\s*[A-Za-z_][\w.-]*\s*[=:](?![=:])")
"""The next argument or member."""
_HEAD: Final = 64
"""Characters of a call up to its first quote. Beyond it: that it is written again is not looked for."""
_AGAIN: Final = 7
"""Characters of a call up to its first quote that have to come once more, for it to be written again."""
_METHOD: Final = re.compile(r"[+%*]|\.\w*")


class _Form:
    """Form of the string of a node."""

    __slots__ = ("after", "closer", "lined", "operator", "sign", "stops", "width")

    def __init__(self, node: Node) -> None:
        slot, closing = node.escaped_slot(), node.step(ESCAPED).node
        self.closer = min(closing.marks, key=lambda core: (closing.marks[core], len(core)))  # as it is, not misspelt
        self.after = closing.step(self.closer).node
        self.lined = "\n" in slot.refused
        """It should not hold a line break."""
        self.sign = next((sign for sign in slot.refused if sign != "\n"), "")
        """The first sign of a value in it that would have to be computed; empty for none."""
        self.operator = node.graph.pattern(slot.operator) if slot.operator else None
        """The sign behind it where it would have to be computed."""
        signs = [re.escape(sign) for sign in (self.closer, self.sign, "\n" if self.lined else "") if sign]
        alone = (
            rf"(?!{re.escape(self.sign)})" if len(self.sign) == 1 else ""
        )  # it escapes itself, and nothing else does
        twice = rf"{re.escape(self.sign)}{{2}}|" if len(self.sign) == 1 else ""
        self.stops = re.compile(rf"\\{alone}(?s:.)|{twice}" + "|".join(signs))
        self.width = max(len(self.closer), len(self.sign), 2)


def expand(window: Window, one: Hypothesis, final: bool) -> Expansion:
    """The hypotheses that follow one in a string."""
    buf, base, node, size = window.buf, window.base, one.node, len(window.buf)
    state: StringState = one.state
    form = node.made(_Form)
    at, held = one.emitted - base, size
    sure = size if final else size - form.width + 1
    while (match := form.stops.search(buf, at)) is not None and match.start() < sure:
        sign = match[0]
        if not sign.startswith("\\"):
            one.emitted = base + match.start()
        if sign == form.closer:
            if match.end() == size and not final:
                break
            return _quote(window, one, form, match.start(), final)
        if sign == form.sign:
            place = base + match.start()
            why = Fail(f"a string with `{sign}` in it would have to be computed - at {place}")
            return [window.stay(one, 0, base + match.end(), Mode.STRING, state, why)]
        if sign == "\n":
            begins = _begins_line(window, one, match.end(), final)
            if isinstance(begins, Waits):
                break
            if begins:
                return [_next_line(window, one, match.start())]
            if not state.broken:
                note = Note(RepairKind.UNESCAPED, base + match.start(), "a line break")
                now = state._replace(broken=True)
                return [window.stay(one, window.costs.json_slip, base + match.end(), Mode.STRING, now, note)]
        elif match.start() >= size - _ESCAPE:
            held = min(held, match.start())
        at = match.end()
    if final:
        path, cost = window.path(one).add(MoreString(state.emitted, base + size)), 0
        if node.escaped_slot().field.role in (Role.CONTENT, Role.REASONING):
            path.add(CloseString(node, base + size)).over_string(base + size)
        else:
            path.add(CutString())
            cost = window.costs.swallowed if state.quotes else 0
            said = window.raw(state.start, base + size)
            if any(core in said for core in (*window.graph.closers, *window.graph.long_openers) if len(core) >= STRONG):
                cost += window.costs.swallowed + window.costs.break_off
        path.add(EndAnswer(path.node, base + size))
        one.emitted = base + size
        return [window.make(one, cost, base + size, Mode.END, "", path), *json_edges.woken(window, one, base + size)]
    at = max(at, sure) if match is None else max(at, match.start())
    at = min(at, held)
    upto = base + _held(window, one, form, at)
    if upto <= state.emitted and base + at <= one.emitted:
        return WAIT
    acts_so_far = [MoreString(state.emitted, upto)] if upto > state.emitted else []
    now = state._replace(emitted=max(upto, state.emitted))
    return Onwards(window.stay(one, 0, base + at, Mode.STRING, now, *acts_so_far))


def _quote(window: Window, one: Hypothesis, form: _Form, at: int, final: bool) -> Expansion:
    """At index `at` stands what ends the string, or a quote of its own."""
    base, costs, context, closer = window.base, window.costs, one.context, form.closer
    state: StringState = one.state
    end = base + at
    computed = _computed(window, form, at + len(closer), final)
    if isinstance(computed, Waits):
        return WAIT
    again = -1 if context.call is None else _again(window, one, form, end)
    path = window.path(one).add(MoreString(state.emitted, end))
    if again >= 0:
        why = Fail(f"it is written again in a string - at {state.start}")
        acts_so_far = MoreString(state.emitted, again), CloseString(one.node, again), why
        return [begin_again(window, one, costs.break_off - 2, again, *acts_so_far)]
    if computed:
        path.add(Fail(f"a string would have to be computed, and code is not run - at {end + len(closer)}"))
        return [give_up(window, one, 0, end + len(closer), path)]
    if state.opened and still_open(state.opened, window.raw(state.torn, end)):
        path.add(Fail(f"a string lacks its last quote - at {state.start}"))
    path.add(CloseString(one.node, end)).over_string(end).shift(closer, end, end + len(closer))
    sure = goes_on(window, path.node, path.context, at + len(closer), final) if context.statement is not None else False
    if isinstance(sure, Waits):
        return WAIT
    inside = bool(state.quotes) and is_enclosed(window.raw(max(state.start, end - _BEFORE), end))
    piece, swallowed = window.raw(state.piece, end) if state.quotes else "", 0
    halved = piece and holds_half_a_call(closer + piece + closer)
    if halved and holds_half_a_call(window.raw(state.start, end)):
        swallowed = 2 * costs.swallowed
    elif _NEXT.match(piece):
        swallowed = costs.swallowed
    over = window.make(one, swallowed, end + len(closer), Mode.BETWEEN, "", path)
    if state.quotes >= MAX_QUOTES or sure and not inside:
        return [over]
    acts = [] if state.quotes else [Note(RepairKind.UNESCAPED, end, closer)]
    cost = 0 if state.quotes else costs.unescaped
    before = window.raw(max(state.start, end - _BEFORE), end)
    cost += swallowed + costs.opener_in_value * any(core in before for core in window.graph.long_openers)
    now = state._replace(quotes=state.quotes + 1, piece=end + len(closer))
    further = window.stay(one, cost, end + len(closer), Mode.STRING, now, *acts)
    if is_torn(form.after, closer, before):
        opened = calls_in(before)
        if opened:
            further.state = now._replace(opened=opened, torn=end)
        else:
            fail = Fail(f"a string lacks its last quote - at {state.start}")
            further = window.stay(one, cost + costs.swallowed, end + len(closer), Mode.STRING, now, *acts, fail)
    return [further] if inside else [over, further]


def _head(window: Window, one: Hypothesis, form: _Form) -> str:
    """The beginning of the open call, up to its first quote."""
    name, begun = one.context.name, one.context.begun
    if name and window.raw(begun - len(name), begun) == name:
        begun -= len(name)
    state: StringState = one.state
    return window.raw(begun, min(begun + _HEAD, state.start)).partition(form.closer)[0]


def _again(window: Window, one: Hypothesis, form: _Form, end: int) -> int:
    """The character where the open call is written again in the string up to the quote at character `end`; or -1."""
    state: StringState = one.state
    head = _head(window, one, form)
    again = end - len(head)
    return again if len(head) >= _AGAIN and again >= state.start and window.raw(again, end) == head else -1


def _held(window: Window, one: Hypothesis, form: _Form, at: int) -> int:
    """The index before `at` from which on the call may be written again."""
    head, buf = _head(window, one, form), window.buf
    low = max(at - len(head), one.state.emitted - window.base) if len(head) >= _AGAIN else at
    while (low := buf.find(head[0], low, at)) >= 0 if low < at else False:
        if head.startswith(buf[low:at]):
            return low - run_before(buf, max(one.state.emitted - window.base, 0), low, "\\") % 2  # no escape is cut
        low += 1
    return at


def _computed(window: Window, form: _Form, at: int, final: bool) -> bool | Waits:
    """True when what follows the string at index `at` would compute with it."""
    buf, size = window.buf, len(window.buf)
    if form.operator is None:
        return False
    sign = window.after_blanks(at)
    if sign == size and not final:
        return WAIT
    match = _METHOD.match(buf, sign) if sign < size else None
    if match is None:
        return False
    if match.end() == size and not final and size - at < LOOK:
        return WAIT
    return form.operator.match(buf, at, at + LOOK) is not None


def _begins_line(window: Window, one: Hypothesis, at: int, final: bool) -> bool | Waits:
    """True when a call begins with the line at index `at`: of a declared tool, or the open one's."""
    buf, name = window.buf, one.context.name
    match = _LINED_CALL.match(buf, at, at + LOOK)
    if match is None:
        waits = not final and len(buf) - at < LOOK and _LINED_BEGUN.fullmatch(buf, at) is not None
        return WAIT if waits else False
    return match[1] == name or match[1] in window.tools.by_name


def _next_line(window: Window, one: Hypothesis, at: int) -> Hypothesis:
    """The string and its call broke off before the line break at index `at`: on the next line another one begins."""
    state: StringState = one.state
    end, context = window.base + at, one.context
    why = Fail(f"a string has no end - at {state.start}")
    acts = MoreString(state.emitted, end), CloseString(one.node, end), why
    if context.statement is None and window.buf[window.after_blanks(at)] == "[":
        path = Path(one.node.graph.start, EdgeContext(), window.ref).add(*acts, BreakOff(end))
        return window.make(one, window.costs.break_off, end, Mode.BETWEEN, "", path)
    return begin_again(window, one, window.costs.break_off, end, *acts)
