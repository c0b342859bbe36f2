"""String literals: the edges of a string of a value language, from its first quote to its last."""

from __future__ import annotations

from toolect._search import json_edges
from toolect._search.actions import CloseString, CutString, Finish, MoreString, Note
from toolect._search.follow import ESCAPED
from toolect._search.hypothesis import WAIT, Hypothesis, Mode
from toolect._search.marker_edges import Found
from toolect._search.window import Window
from toolect._values.doubtful import holds_half_a_call
from toolect.message import RepairKind

_CUT = 2
"""What it costs that the input ends in a string."""


def expand(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypotheses that follow one in a string; its state is the first character that has not been passed on."""
    buf, base, node, size = window.buf, window.base, one.node, len(window.buf)
    emitted: int = one.state
    closer = min(node.step(ESCAPED).node.marks, key=len)
    at = one.pos - base
    while True:
        end, escape = buf.find(closer, at), buf.find("\\", at)
        if escape < 0 or 0 <= end < escape:
            break
        if escape + 1 == size and not final:
            return WAIT
        at = escape + 2
    if not final and (end < 0 or end + len(closer) >= size):
        return WAIT
    if end < 0:
        acts = MoreString(emitted, base + size), CutString(), Finish(node, base + size)
        return [*json_edges.woken(window, one), window.stay(one, _CUT, base + size, Mode.END, "", *acts)]
    after = base + end + len(closer)
    path = window.path(one).add(MoreString(emitted, base + end), CloseString(node, base + end))
    path.over_string(base + end).shift(closer, base + end, after)
    note = Note(RepairKind.UNESCAPED, base + end, closer)
    half = one.pos > emitted and holds_half_a_call(closer + window.raw(one.pos, base + end) + closer)
    cost = 2 * window.costs.swallowed if half else 0
    return [
        window.make(one, cost, after, Mode.BETWEEN, "", path),
        window.stay(one, cost + window.costs.unescaped, after, Mode.STRING, emitted, note),
    ]
