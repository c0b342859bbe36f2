"""Edits of markers: what is missing, too many or spelled otherwise where the grammar has no step."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.expectations import in_words
from toolect._graph.misspelling import MORE, near
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME, ZERO_WIDTH, may_grow
from toolect._graph.symbols import Op, OpCode, is_echo
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import (
    Attempt,
    BreakOff,
    EndAnswer,
    Fail,
    ForgetArgument,
    Note,
    Shift,
    Unexpected,
)
from toolect._search.code_state import begin_again, give_up, unrun
from toolect._search.follow import (
    content_opener,
    last_closers,
    reach,
    takes_elements,
    way_to_content,
    way_to_json,
)
from toolect._search.grammar_edges import (
    begins_json,
    echo_end,
    last_marker,
    name_alone,
    names_before_more,
    shift,
)
from toolect._search.hypothesis import WAIT, Act, Doubt, EdgeContext, Found, Hypothesis, Mode, Waits
from toolect._search.json_state import Slips
from toolect._search.path import Path, spelled
from toolect._search.window import LOOK, Window

FENCE: Final = re.compile(r"```\w{0,16}\s*(?=[{\[<])")
_ESCAPED_BLANK: Final = re.compile(r"(?:\\[nrt]\s*)+")
_CLOSING_TAG: Final = re.compile(r"</[\w:|.-]{1,40}>")
"""Matches the closer of an element that no dialect may have."""
_SAID: Final = re.compile(r"[^\W\d_][\w\s.,!?'’-]{0,39}(?=[<\[])")
"""Matches words before a marker."""
_SOON: Final = 48
NO_MARKER: Final = 64
_CALLED: Final = re.compile(r"([^\s()\[\]{}<>\"'`]{1,128})\(")
"""Matches a callee that no grammar has as a name."""
_NAMED: Final = re.compile(r"[A-Za-z_][\w-]{0,63}\s?=")
_SIGNS: Final = "}],;\"'>`" + ZERO_WIDTH
_CLOSING_SIGNS: Final = ",:)]}>"
_PAIR_SIGNS: Final = {"=": re.compile(r":=?(?!:)"), ":": re.compile(r"=>?(?!=)")}
"""Sign between a key and its value → the spellings of other languages."""


def edits(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """Nothing that the grammar has is at index `at`: every edge that leads on."""
    buf, base, node, context, graph = window.buf, window.base, one.node, one.context, window.graph
    place, left, ways = base + at, len(buf) - at, reach(node)
    if not final and left < LOOK:
        window.needs(place + LOOK)
        return WAIT
    cut = [c for c in ways if len(c) >= STRONG and _cut(spelled(c, context), buf, at)] if left < NO_MARKER else []
    open_ended = node.over or node.done is not None or node.text
    if (
        cut
        or not open_ended
        and left < MAX_LEXEME
        and any(may_grow(name.regex, buf, at, at + left) for name, _ in node.patterns)
    ):
        inner = node.step(cut[0]).node if cut and cut[0] in node.marks and node.first(cut[0]) else node
        notes = [Note(RepairKind.STRAY_MARKER, place, buf[at:])] if cut and context.call is None else []
        return [window.stay(one, 0, place + left, Mode.END, "", *notes, EndAnswer(inner, place))]
    found = json_edges.woken(window, one, place)
    for end in graph.ends:
        if buf.startswith(end, at):
            last = one.action.last
            goes_on = isinstance(last, Shift) and isinstance(last.key, str) and last.key.strip()[-1:] in ",[{(:="
            path = window.path(one).imply(last_closers(node) if context.call and not goes_on else (), place)
            path.add(EndAnswer(path.node, place))
            return [window.make(one, 0, place + len(end), Mode.AFTER, "", path)]
    known = _known(window, at)
    found += _missing_before_marker(window, one, at)
    if known is None:
        near_ones = _misspelt(window, one, at, final)
        if isinstance(near_ones, Waits):
            return WAIT
        found += near_ones
    if not node.value:
        found += _missing_before_slot(window, one, at, known is None)
        found += _other_arguments(window, one, at)
    found += _too_many(window, one, at, known)
    if node.value or context.call is not None or "]" in node.marks:
        found += _missing_signs(window, one, at)
    if known is None and context.statement is None:
        found += _text_after(window, one, at)
    return found + _given_up(window, one, at, known)


def _cut(word: str, buf: str, at: int) -> bool:
    """True when the text ends in the middle of a word that begins at index `at`."""
    return len(word) > len(buf) - at and word.startswith(buf[at:])


def _known(window: Window, at: int) -> str | None:
    """The marker of the dialect at index `at`."""
    graph = window.graph
    words = sorted((*graph.starts, *graph.quotes), key=len, reverse=True)
    return next((word for word in words if window.buf.startswith(word, at)), None)


def _missing_before_marker(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The longest marker here that could come if something before it were not missing."""
    buf, base, node, context = window.buf, window.base, one.node, one.context
    ways = reach(node)
    for core in sorted(ways, key=len, reverse=True):
        word = spelled(core, context)
        if not word or not buf.startswith(word, at):
            continue
        first = ways[core][0].path
        short = any(len(key) < STRONG for key in first if isinstance(key, str))
        if node.value and len(core) < STRONG and not is_echo(core) and not short:
            continue
        found = []
        for way in ways[core]:
            if way.path:
                path = window.path(one).imply(way.path, base + at, way.node.calling(core))
                found.append(shift(window, one, way.cost, core, at, at + len(word), path))
        return found
    return []


def _misspelt(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A marker of the grammar spelled otherwise."""
    costs, node, found, openers = window.costs, one.node, list[Hypothesis](), window.graph.long_openers
    again = one.context.doubt & Doubt.MISSPELT  # the openers around it are, too
    for core, wrong in node.marks.items() if not node.escaped else ():
        if not wrong and core in _PAIR_SIGNS and (sign := _PAIR_SIGNS[core].match(window.buf, at)):
            found.append(shift(window, one, costs.misspelt, core, at, sign.end(), window.path(one), wrong=True))
        if wrong or len(core) < 2 or node.value and core.isalpha():
            continue
        edits, end = 0, echo_end(window, core, one.context, at) if is_echo(core) else -1
        if end < 0:
            edits, end = near(spelled(core, one.context), window.buf, at, final)
        if end == MORE and not final:
            return WAIT
        opens = core not in openers and window.buf.endswith(openers, at + 1, max(end, at + 1))
        if end > at and not opens:
            cost = (costs.near_in_text if again else costs.misspelt) * edits if edits else costs.respaced
            found.append(shift(window, one, cost, core, at, end, window.path(one), wrong=True))
    return found


def _missing_before_slot(window: Window, one: Hypothesis, at: int, unknown: bool) -> list[Hypothesis]:
    """JSON, a terminal, or the text of a value, markers before it missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    context = one.context
    if buf[at] in "{[" and (way := way_to_json(node)) is not None and way.path:
        first = way.path[0]
        path = window.path(one).imply(way.path, base + at, first in node.marks and node.calling(first))
        found.append(json_edges.begin(window, one, way.cost + 1, base + at, path, bare=False))
    named = _named(one) and not name_alone(window, one)
    if unknown and node.json and not node.text and named and not begins_json(node, buf[at]):
        found.append(json_edges.begin(window, one, 0, base + at, window.path(one), bare=False))
    if unknown and context.key is not None and isinstance(core := node.sole, str) and node.step(core).node.text:
        begun = next((n for n in (2, 1) if len(core) < STRONG and buf.startswith(core[:n], at)), 0)
        path = window.path(one).imply((core,), base + at)
        found.append(window.make(one, costs.implied_opener, base + at + begun, Mode.BETWEEN, "", path))
    for core, wrong in node.marks.items() if unknown else ():
        if wrong or len(core) < STRONG:
            continue
        for name, match in names_before_more(window, node.step(core).node, at):
            path = window.path(one).imply((core,), base + at)
            path.shift(name, base + at, base + match.end(), match[0])
            found.append(window.make(one, costs.implied_opener, base + match.end(), Mode.BETWEEN, "", path))
    return found


def _other_arguments(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The open argument has no value, or an object stands here that has all arguments."""
    buf, place, node, context, costs = window.buf, window.base + at, one.node, one.context, window.costs
    home = context.argument
    keyed = context.key and isinstance(one.action.last, Shift)
    if (
        home is not None
        and keyed
        and takes_elements(home)
        and not node.made(_ends_argument)
        and home.struct.match(buf, at)
    ):
        path = Path(home, context._replace(key=None, argument=None), window.ref).add(ForgetArgument(place))
        return [window.make(one, costs.no_arguments, place, Mode.BETWEEN, "", path)]
    if not _named(one) or context.key is not None or not takes_elements(node):
        return []
    fence = FENCE.match(buf, at)
    start = at if fence is None else fence.end()
    return (
        [json_edges.wrapped(window, one, costs.implied_opener, window.base + start)]
        if buf[start : start + 1] == "{"
        else []
    )


def _ends_argument(node: Node) -> bool:
    """True when an argument whose value is complete may end with the next marker."""
    tasks = (task for core in node.marks for task, _ in node.step(core).tasks)
    return any(isinstance(task, Op) and task.code is OpCode.END_ARGUMENT for task in tasks)


def _named(one: Hypothesis) -> bool:
    """True when a call is open that has its name: all that is missing is a value."""
    return one.context.call is not None and bool(one.context.name)


def _too_many(window: Window, one: Hypothesis, at: int, known: str | None) -> list[Hypothesis]:
    """Something here is too many."""
    buf, place, node, costs, found = window.buf, window.base + at, one.node, window.costs, list[Hypothesis]()

    def drop(cost: int, size: int, kind: RepairKind, detail: str) -> None:
        found.append(window.stay(one, cost, place + size, Mode.BETWEEN, "", Note(kind, place, detail)))

    last, char = last_marker(one), buf[at]
    if last is not None and buf.startswith(last, at) and not node.value:
        drop(costs.doubled, len(last), RepairKind.STRAY_MARKER, last)
    elif known is not None and known in window.graph.long_openers:
        meant = window.tools.declared and window.names.match(buf, at + len(known)) is not None
        cost = costs.marker_in_content + (costs.swallowed if meant else 0)
        drop(cost, len(known), RepairKind.STRAY_MARKER, known)
    elif known is not None:
        inside = costs.swallowed if one.context.doubt & Doubt.INSIDE else 0
        again = buf[at + len(known) : at + LOOK].lstrip().startswith(window.graph.long_openers)
        empty = known in window.graph.closers and not again and _opened(window, one)  # it is an attempt
        drop(costs.stray_marker + inside + costs.skip * empty, len(known), RepairKind.STRAY_MARKER, known)
    elif closer := None if node.value or node.json or one.context.key is not None else _CLOSING_TAG.match(buf, at):
        drop(costs.stray_marker + 1, closer.end() - at, RepairKind.STRAY_MARKER, closer[0])  # it may be misspelt
    elif char in _SIGNS and not node.value:
        kind = RepairKind.JSON if char in "}],;" else RepairKind.STRAY_MARKER
        drop(costs.stray_sign, 1, kind, f"`{char}` too many")
    said = None if node.value else _SAID.match(buf, at)
    if said is not None and last and last == one.context.opener:
        marks = (core for core, wrong in node.marks.items() if len(core) >= STRONG and not wrong)
        if buf.startswith(tuple(marks), said.end()):  # nothing that is one of the arguments
            drop(costs.stray_marker, len(said[0].rstrip()), RepairKind.STRAY_MARKER, said[0].rstrip())
    fence = FENCE.match(buf, at)
    if fence is not None and node.json and not node.text:
        path = window.path(one).add(Note(RepairKind.JSON, place, fence[0]))
        found.append(json_edges.begin(window, one, costs.json_fence, window.base + fence.end(), path, bare=False))
        found[-1].state.styles |= Slips.FENCED
    elif match := fence or (None if node.value else _ESCAPED_BLANK.match(buf, at)):
        drop(costs.json_fence, match.end() - at, RepairKind.JSON, match[0])
    if char == "," and node.value:
        drop(costs.json_drop, 1, RepairKind.JSON, "a comma too many")
    elif char == "=" and node.value and buf[at - 1 : at] == ":":
        drop(costs.misspelt, 1, RepairKind.MISSPELLED_MARKER, ":=")
    return found


def _missing_signs(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """A bracket or comma of a value language, or a short sign of a call, is missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    for core, wrong in node.marks.items():
        if wrong or len(core) >= STRONG or is_echo(core):
            continue
        if node.step(core).trail[:1] == "\n" and "\n" in buf[one.pos - base : at] and node.step(core).node.text:
            path = window.path(one).imply((core,), one.pos)  # its line ends as it would after the sign
            new = window.make(one, costs.sign_missing, one.pos, Mode.BETWEEN, node.step(core).trail, path)
            found.append(new)
            continue
        if core[0] not in _CLOSING_SIGNS:
            continue
        to = node.step(core).node
        listed = "]" in node.marks
        if (to.text or to.coding is not None and not listed) and "\n" not in buf[max(one.pos - base, 0) : at]:
            continue  # a call or statement that is over, and what follows stands in its line
        fits = to.struct.match(buf, at) or any((m := regex.match(buf, at)) and m.end() > at for _, regex in to.patterns)
        if fits:
            glued = core[0] == "," and at > 0 and buf[at - 1] in "\"'"
            path = window.path(one).imply((core,), base + at)
            cost = costs.swallowed if glued else costs.sign_missing
            found.append(window.make(one, cost, base + at, Mode.BETWEEN, "", path))
    return found


def _text_after(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """Text comes, and the closers before it are missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    if buf[at] in "{[":
        return []
    begun = (len(core) >= STRONG and buf.startswith(core[:STRONG], at) for core in node.marks)
    if one.context.call is not None and any(begun):
        return []
    act = one.action.last
    if isinstance(act, Shift) and act.node.naming(act.key) and _NAMED.match(buf, at):
        return []  # it is an argument, however written
    if keys := way_to_content(node):
        cost, failed = costs.implied_closer * (1 + len(keys)), list[Act]()
        ends = [end for key in keys if (end := buf.find(key, at, at + LOOK)) >= 0]
        if ends and not any(buf.find(opener, at, min(ends)) >= 0 for opener in window.graph.long_openers):
            cost += costs.swallowed  # it stands in the call
            others = [core for core, wrong in node.marks.items() if not wrong and len(core) >= STRONG]
            if one.context.call is not None and len(others) > 1:  # so it may be one of its arguments
                failed = [Fail(f"expected {in_words(node)}, got a text - at {base + at}")]
        if any(len(key) < STRONG for key in keys):  # and may be one of a text
            cost += costs.swallowed
        if len(keys) > 1 and isinstance(one.action.last, Shift | Note) and not buf[at - 1 : at].isspace():
            cost += costs.swallowed  # the closer right before it may be one of the value's own
        place = one.pos if one.context.doubt & Doubt.NO_OPENERS else base + at  # blanks after no marker are text
        path = window.path(one).add(*failed).imply(keys, place)
        found.append(window.make(one, cost, place, Mode.BETWEEN, "", path))
    return found


def _given_up(window: Window, one: Hypothesis, at: int, known: str | None) -> list[Hypothesis]:
    """The open call was broken off by another one, or nobody knows."""
    buf, place, node, context, costs, graph = (
        window.buf, window.base + at, one.node, one.context, window.costs, window.graph,
    )  # fmt: skip
    found = list[Hypothesis]()
    opens = known is not None and known in graph.long_openers
    call = context.call
    if call is not None and (opens or any(len(c) >= STRONG and buf.startswith(c, at) for c in call.marks)):
        path = Path(
            graph.start if opens else call, EdgeContext(statement=None if opens else context.statement), window.ref
        )
        path.add(Fail(f"expected {in_words(node)}, and another call begins - at {place}"), BreakOff(place))
        found.append(window.make(one, costs.break_off, place, Mode.BETWEEN, "", path))
    act = one.action.last
    if call is not None and isinstance(act, Shift) and context.name == act.text != "" and not act.node.naming(act.key):
        ends = Fail(f"it is written again - at {act.start}")
        found.append(begin_again(window, one, costs.break_off - 2, act.start, ends))
    closes = known is not None and not opens and known in graph.closers
    tool = None if context.name or closes or not _opened(window, one) else window.named_near(at)
    if tool is None and call is None and context.opener in graph.long_openers and (odd := _CALLED.match(buf, at)):
        tool = odd[1]
    if tool is not None:
        path = Path(node, context._replace(call=call or node, name=tool), window.ref).add(Attempt(node, place, tool))
        found.append(window.make(one, costs.no_arguments, place, Mode.SKIPPED, (False, place), path))
    if call is not None:
        soon = not opens and any(buf.find(core, at, at + _SOON) >= 0 for core in graph.long_openers)
        cost = costs.break_off if soon else window.skip_cost(one)
        path = window.path(one)
        if context.statement is not None:
            path.add(Fail(f"expected {in_words(node)}{unrun(window, context, at)} - at {place}"))
        found.append(give_up(window, one, cost, place, path.add(Unexpected(node, place))))
        return found
    if context.statement is not None:
        return [*found, give_up(window, one, 0, place, window.path(one))]
    note = Note(RepairKind.STRAY_MARKER, place, "text")
    if graph.start.text:
        path = Path(graph.start, EdgeContext(), window.ref).add(Unexpected(node, place), note)
        found.append(window.make(one, costs.skip, place, Mode.BETWEEN, "", path))
    elif opener := content_opener(graph.start):  # nothing that was said is lost
        path = Path(graph.start, EdgeContext(), window.ref).imply((opener,), place)
        found.append(window.make(one, costs.skip, place, Mode.BETWEEN, "", path))
    else:
        found.append(window.stay(one, costs.skip, place + 1, Mode.BETWEEN, "", Unexpected(node, place), note))
    return found


def _opened(window: Window, one: Hypothesis) -> bool:
    """True when an opener of a call was read last."""
    act = one.action.last
    if not isinstance(act, Shift) or not isinstance(act.key, str) or len(act.key) < STRONG:
        return False
    return act.key in window.graph.long_openers or one.context.call is not None
