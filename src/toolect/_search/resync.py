"""Panic mode: the edges over what cannot be read, up to the next marker of a synchronisation set."""

from __future__ import annotations

import re

from toolect._building.quotation import line_before, quoted
from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import is_echo
from toolect._message import RepairKind
from toolect._search.actions import BreakOff, DropValues, EndAnswer, Fail, Note, Unexpected
from toolect._search.code_state import give_up
from toolect._search.follow import (
    JSON,
    after_call,
    call_closer,
    landmarks,
    last_closers,
    next_in_list,
    reach,
    shaped,
    synchronisation_set,
)
from toolect._search.grammar_edges import shift
from toolect._search.hypothesis import WAIT, EdgeContext, Found, Hypothesis, Mode
from toolect._search.path import Path, spelled
from toolect._search.window import Window

_LONGEST = 80
_CALL = 4096
"""Characters of a call whose brackets are counted."""
_STRING = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""")
_SHOWN = 40
"""Characters of broken JSON that are shown."""


def skip(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypotheses that follow one that skips; its state is whether JSON of its node is open, and where that was."""
    buf, base, graph, size = window.buf, window.base, window.graph, len(window.buf)
    in_json, begun = one.state
    at = one.pos - base
    node = one.node.step(JSON).node if in_json else one.node
    call = one.context.call if any(len(core) < STRONG for core in node.marks) else None
    again = None if call is None else window.find(next_in_list(call), at, _LONGEST)
    match = window.find(landmarks(node), at, _LONGEST)
    if again is not None and (match is None or again.start() < match.start()):
        if not _closes(window.raw(begun, base + again.start())):
            return [window.stay(one, 0, base + again.end(), Mode.SKIPPED, one.state)]
        match = again
    if not final and (match is None or match.end() == size or _may_be_longer(node, buf, match.start())):
        return WAIT
    if not final and match is not None and call is not None and match is not again and size - match.start() < _LONGEST:
        return WAIT  # the next call of a list may begin there
    if match is None:
        path = _ended(window, one, in_json, base + size)
        path.add(EndAnswer(path.node, base + size))
        return [window.make(one, 0, base + size, Mode.END, "", path)]
    start, core = match.start(), match[0]
    onwards = window.stay(one, 0, base + start + 1, Mode.SKIPPED, one.state)
    opens = (
        match is again or core in graph.long_openers or any(way.node.first(core) for way in reach(node).get(core, ()))
    )
    if opens and quoted(line_before(buf, at, start)):
        return [onwards]
    path = _ended(window, one, in_json, base + start)
    closers = () if call is None else last_closers(after_call(call))
    if call is not None and (match is again or core in closers and core not in reach(node)):
        home = Path(after_call(call), EdgeContext(), window.ref).add(*path.acts, BreakOff(base + start))
        if match is not again:
            missing = closers[: closers.index(core)]
            for closer in reversed(missing):
                before = len(buf[:start].rstrip())
                if before - len(closer) < at or not buf.startswith(closer, before - len(closer)):
                    break
                start, missing = before - len(closer), missing[:-1]
            home.imply(missing, base + start)
        return [window.make(one, 0, base + start, Mode.BETWEEN, "", home)]
    if core in graph.ends:
        path.add(EndAnswer(path.node, base + start))
        return [window.make(one, 0, base + match.end(), Mode.AFTER, "", path)]
    for marker in (core, *node.echoes):
        ways = reach(node).get(marker, ())
        if not ways or is_echo(marker) and spelled(marker, one.context) != core:
            continue
        if core in graph.long_openers and ways[0].path:
            break
        path.imply(ways[0].path, base + start)
        if not in_json and one.context.call is one.node and shaped(one.node):  # an attempt at one, by its name
            path.add(BreakOff(base + start))
        return [shift(window, one, 0, marker, start, match.end(), path)]
    if one.context.call is not None and core == call_closer(node):  # what comes before it is missing
        home = Path(after_call(node), EdgeContext(), window.ref).add(*path.acts, BreakOff(base + match.end()))
        return [window.make(one, 0, base + match.end(), Mode.BETWEEN, "", home)]
    if core in graph.long_openers and base + start > begun - in_json:
        home = Path(graph.start, EdgeContext(), window.ref).add(*path.acts, BreakOff(base + start))
        return [window.make(one, 0, base + start, Mode.BETWEEN, "", home)]
    return [onwards]


def _may_be_longer(node: Node, buf: str, at: int) -> bool:
    """True when all that there is from index `at` on may be the beginning of a longer marker."""
    tail = buf[at : at + _LONGEST]
    return any(len(core) > len(tail) and core.startswith(tail) for core in node.made(synchronisation_set))


def _closes(text: str) -> bool:
    """True when the bracket at the end of a text, which begins within a call, may be that of the call."""
    closer, rest = text[-1:], _STRING.sub("", text[-_CALL:])
    return bool(closer) and rest.count(closer) > rest.count("([{"[")]}".index(closer)])


def _ended(window: Window, one: Hypothesis, in_json: bool, at: int) -> Path:
    """The path out of the JSON value that cannot be read."""
    path = window.path(one)
    if not in_json:
        return path
    begun = one.state[1]
    got = re.split(r"[\s,\]}]", window.raw(begun, begun + _SHOWN).strip())[0]
    return path.fail_json(at, f"expected a JSON value, got {got!r} - at {begun}")


def too_deep(window: Window, one: Hypothesis) -> list[Hypothesis]:
    """The hypothesis that follows one where values are nested too deep: its call cannot be read."""
    call, at = one.context.call, one.emitted
    if call is None:
        path = Path(window.graph.start, EdgeContext(), window.ref).add(
            Note(RepairKind.STRAY_MARKER, at, "nested too deep")
        )
        return [window.make(one, window.costs.skip, at, Mode.BETWEEN, "", path)]
    why = DropValues(), Fail(f"nested too deep - at {at}"), Unexpected(one.node, at, "less nesting")
    if one.context.statement is not None:
        return [give_up(window, one, window.costs.skip, at, window.path(one).add(*why))]
    path = Path(after_call(call), EdgeContext(), window.ref).add(*why)
    return [window.make(one, window.costs.skip, at, Mode.SKIPPED, (False, at), path)]


def after(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypothesis that follows one behind the end of the answer."""
    if not final:
        return WAIT
    rest = window.buf[one.pos - window.base :]
    blank = len(rest) - len(rest.lstrip())
    note = [Note(RepairKind.AFTER_END, one.pos + blank, "text after the end")] if rest.strip() else []
    return [window.stay(one, 0, window.base + len(window.buf), Mode.END, "", *note)]
