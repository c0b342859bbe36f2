"""Free text: the edges of an island, at what may end it or begin something in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolect._building.quotation import MAX_LINE, closing_of, is_glued, mentioned, quoted, said
from toolect._graph.misspelling import MORE, around, near_before
from toolect._graph.needle import begun, ending, fixed, unended
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME, MAX_NAME, squeeze
from toolect._graph.symbols import Key
from toolect._graph.trails import layout
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import CloseText, EndAnswer, Fail, MoreText, Note, NoText, PassOver
from toolect._search.blank_end import LED, BlankEnd
from toolect._search.follow import TEXT, Omission, reach, shape_keys, way_to_json
from toolect._search.hypothesis import WAIT, Act, Doubt, EdgeContext, Hypothesis, Mode, Quotation, TextState, Waits
from toolect._search.island import Island, island
from toolect._search.marker_edges import Found, echo_end, names_call, shift
from toolect._search.path import Path, spelled
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role
from toolect._values.escapes import hides
from toolect._values.ref import split_ref

MAX_REHEARSAL: Final = 1 << 16
"""Characters between a call in reasoning and what closes that, where such a call counts only if that is not closed."""
_MEMBER: Final = re.compile(r"""["'“”]\s*:\Z""")
"""The key of a member, at the end of a text."""
_ITEM: Final = re.compile(r"(?:\[|[}\]],)\s*\Z")
"""What an item of a list stands behind, at the end of a text."""
_ATTRIBUTE: Final = re.compile(r'="[^"]*(?:"|\Z)')
_WORDED: Final = re.compile(r"(?:[^\w\s<\[{`]+\s)?[^\W\d_]").match
"""Matches a marker that begins as a line of prose may, perhaps as one of a list or a quotation."""
_NEAR: Final = 32
_NEAR_MARGIN: Final = 44
_BEFORE: Final = 200
"""Characters before JSON in a text that are looked at."""
_FENCED: Final = 1000
_BRACKETS: Final = {"{": "}", "[": "]"}
_SENTENCE_ENDS: Final = ".!?:。：…>"
_VALUES: Final = (Role.VALUE, Role.ARGUMENTS)
HELD: Final = (*_VALUES, Role.STRING)
_HOLDS: Final = (Role.VALUE, Role.ARGUMENTS, Role.REASONING, Role.CONTENT, Role.STRING)


def expand(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypotheses that follow one in free text."""
    buf, base, node, context = window.buf, window.base, one.node, one.context
    plan = island(node)
    size, at = len(buf), one.emitted - base
    state: TextState = one.state
    start, solid = state.start, state.solid
    match = window.find(plan.regex, at, plan.reach)
    if plan.line_end is not None:
        blank = plan.line_end.first.search(buf, at, size if match is None else match.start())
        if blank is not None:
            return _blank_end(window, one, plan, plan.line_end, blank.start(), final)
    part = None if plan.near is None else window.find(plan.near, at, _NEAR)
    if (closer := state.closer) is not None:
        place = begun(buf, closer[1], at)
        if place < size and (match is None or place < match.start()):
            if buf.startswith(closer[1], place):
                return _respelt_closer(window, one, plan, closer, place)
            if not final:
                return WAIT
    held = size if final else plan.name_begun(buf, start - base)
    if held < size and (match is None or held <= match.start()):
        assert plan.led_words is not None
        led = plan.led_words.search(buf, at, held)
        if led is None:
            return WAIT
    else:
        led = None if plan.led_words is None else window.find(plan.led_words, window.word(at, start), LED)
        if plan.led_words is not None and led is not None and led.start() < at:  # in a line: it may begin a quotation
            _, one.state = quotation_at(window, plan, state, led.start(), led.start() + 1)
            state, led = one.state, window.find(plan.led_words, at, LED)
    by_name = plan.content and plan.named is not None and window.tools.declared
    name = window.find(window.names, at, MAX_NAME) if by_name else None
    if part is not None and any(found is not None and found.start() < part.start() for found in (led, name)):
        part = None
    slack = STRONG if match is not None and match[0] in "{[" else 0  # it may be in the middle of an opener
    if not final and plan.near is not None and _near_waits(window, plan, match, part, slack, at):
        return WAIT
    if match is not None and window.graph.code is not None and len(match[0]) < STRONG:
        slack = STRONG  # it may be the beginning of one
        if not final and size - match.start() < plan.longest and buf.find("\n", match.start()) < 0:
            return WAIT
    if part is not None and (match is None or part.start() < match.start() + slack):
        if not final and plan.held(buf, at) <= part.start():
            return WAIT
        found = _misspelt_opener(window, one, plan, part, final)
        if found is not None:
            return found
        if match is None or part.start() < match.start():
            return [window.stay(one, 0, base + part.start() + 1, Mode.TEXT, one.state)]
    if name is not None and (match is None or name.start() < match.start()):
        if not final and size - name.end() < LED:
            window.needs(base + name.end() + LED)
            return WAIT
        found = _named_call(window, one, plan, name, final)
        return found or [window.stay(one, 0, base + name.end(), Mode.TEXT, one.state)]
    if led is not None and (match is None or led.start() <= match.start() - (len(match[0]) >= STRONG)):
        return _led_call(window, one, plan, led)
    if match is None:
        return _over(window, one, plan) if final else WAIT
    if not final and may_be_longer(window, plan, match, at, one.context):
        return WAIT
    if plan.escapes is not None:
        hidden = hides(plan.escapes, buf, max(start - base, 0), match.start(), final=final)
        if hidden is None:
            return WAIT
        if hidden:  # it may stand in the second one of two signs
            over = 2 if buf.startswith(match[0][0] * 2, match.start()) else 1
            return [window.stay(one, 0, base + match.start() + over, Mode.TEXT, state._replace(solid=True))]
    solid = solid or window.said(start, match.start())
    core, end = match[0], match.end()
    known = (plan.ways, plan.direct, plan.ends, plan.strays)
    if core in "{[" and plan.json is not None and core not in plan.ways and core not in plan.direct:
        return _bare_json(window, one, plan, plan.json, match.start(), solid, final)
    if not any(core in words for words in known):
        tight = squeeze(core)
        named = (mark for mark in reversed(plan.cores) if squeeze(mark) == tight)
        ends = {echo: echo_end(window, echo, context, match.start()) for echo in plan.echoes}
        echoes = (echo for echo, end in ends.items() if end >= 0)
        found_core = next(named, None) or next(echoes, None)
        end = ends.get(found_core or "", end)
        shorter = plan.plain.match(buf, match.start()) if found_core is None and plan.echoes else None
        if shorter is not None and shorter.end() < end and any(shorter[0] in words for words in known):
            end, found_core = shorter.end(), shorter[0]
        if found_core is None:
            return [window.stay(one, 0, base + match.start() + 1, Mode.TEXT, one.state)]
        core = found_core
    if not final and len(core) >= STRONG and window.tools.declared and window.is_name_begun(buf, end):
        return WAIT
    return _Marker(window, one, plan, core, (match.start(), end), solid).expand(final)


def _respelt_closer(
    window: Window, one: Hypothesis, plan: Island, closer: tuple[str, str], at: int
) -> list[Hypothesis]:
    """The closer of the text stands at index `at`, spelled as its opener is; or that is only text."""
    base, (core, word), costs = window.base, closer, window.costs
    end = base + lead_end(window, plan.after.lead(core), at, one.state.start)
    path = window.path(one).add(MoreText(end), CloseText(end)).over_text(end)
    meant = shift(window, one, costs.misspelt_closer, core, at, at + len(word), path, wrong=True)
    return [meant, window.stay(one, costs.opener_in_value + costs.swallowed, base + at + 1, Mode.TEXT, one.state)]


def _blank_end(window: Window, one: Hypothesis, plan: Island, ends: BlankEnd, at: int, final: bool) -> Found:
    """Blanks at index `at` end the text where the grammar goes on behind them."""
    buf, place = window.buf, window.base + at
    solid = not plan.content or one.state.solid or window.said(one.state.start, at)
    if ends.sure.match(buf, at) is None:
        if not final and len(buf) - at < ends.width:
            window.needs(place + ends.width)
            return WAIT
        if ends.regex.match(buf, at) is None:
            return [window.stay(one, 0, place + 1, Mode.TEXT, one.state._replace(solid=solid))]
    torn = buf[at] == "\n" and place > one.state.start and buf[at - 1] == "\r"  # two signs end the line
    path = _after_text(window, one, at - torn, at, solid)
    return [window.make(one, 0, place, Mode.BETWEEN, "", path if solid else path.skip_text(place))]


def _near_waits(
    window: Window, plan: Island, match: re.Match[str] | None, part: re.Match[str] | None, slack: int, at: int
) -> bool:
    """True when more text is needed to tell whether an opener is misspelt."""
    size, reach = len(window.buf), plan.longest + _NEAR_MARGIN
    if match is not None and slack and size - match.start() < reach:
        before = match.start() + slack
    elif part is not None and size - part.start() < reach - STRONG and (match is None or part.start() < match.start()):
        before = part.start() + 1
    else:
        return False
    return plan.near_begun(window.buf, at, before) < before


def may_be_longer(window: Window, plan: Island, match: re.Match[str], at: int, context: EdgeContext) -> bool:
    """True when more text may make another marker of the one that was found."""
    buf, size = window.buf, len(window.buf)
    if match.end() >= size - 1:
        tail = squeeze(buf[match.start() :])
        longer = (len(core) > len(match[0]) and core.startswith(tail) for core in plan.squeezed)
        if match.end() == size or any(longer):
            return True
    left = size - match.start()
    words = (spelled(echo, context) for echo in plan.echoes)
    if any(len(word) > left and buf.startswith(word[:left], match.start()) for word in words):
        return True
    if left < plan.reach and plan.held(buf, at) <= match.start():
        window.needs(window.base + min(plan.needed(buf, at), match.start() + plan.reach))
        return True
    return False


def _over(window: Window, one: Hypothesis, plan: Island) -> list[Hypothesis]:
    """The input ends in the text, perhaps in the middle of a marker."""
    buf, base, size, start = window.buf, window.base, len(window.buf), max(one.state.start - window.base, 0)
    if plan.role in HELD and (closed := _cut_echo(window, one, plan, start)) is not None:
        return [closed]
    cut = end = _cut_marker(plan, buf, start)
    if plan.after.done is not None:
        end -= ending(buf, layout(plan.after.done), start, cut)
    path = window.path(one).add(MoreText(base + end))
    if cut < size:
        path.add(Note(RepairKind.STRAY_MARKER, base + cut, buf[cut:]))
    path.add(EndAnswer(one.node, base + end))
    cost = 0
    if one.context.doubt & Doubt.PASSED and not plan.content:
        whole = buf.rstrip().endswith(window.graph.closers)  # then it was not cut off
        cost = window.costs.skip if whole else window.costs.swallowed
    return [window.make(one, cost, base + size, Mode.END, "", path)]


def _cut_echo(window: Window, one: Hypothesis, plan: Island, start: int) -> Hypothesis | None:
    """The hypothesis that the closer of the text, which repeats a name, is cut off behind that name."""
    buf, end = window.buf, window.base + len(window.buf)
    for echo in plan.echoes:
        word = spelled(unended(echo), one.context)
        if plan.ways[echo][0].cost or len(word) < STRONG or not buf.endswith(word, start):
            continue
        at = window.base + lead_end(window, plan.after.lead(echo), len(buf) - len(word), one.state.start)
        path = window.path(one).add(MoreText(at), CloseText(at)).over_text(at)
        path.shift(echo, end - len(word), end, "", wrong=True)
        path.add(EndAnswer(path.node, end))
        return window.make(one, window.costs.misspelt_closer, end, Mode.END, "", path)
    return None


def _cut_marker(plan: Island, buf: str, at: int) -> int:
    """The index where a marker begins that is cut off at the end of the input."""
    size = len(buf)
    if not plan.spoken:
        return size
    at = max(at, size - plan.longest)
    while (match := plan.first.search(buf, at)) is not None:
        tail = buf[match.start() :]
        strong = (core for core in plan.cores if len(core) >= STRONG and (_closes(plan, core) or "|>" in tail))
        if len(tail) >= STRONG and any(len(core) > len(tail) and core.startswith(tail) for core in strong):
            return match.start()
        at = match.start() + 1
    return size


def _closes(plan: Island, core: str) -> bool:
    """True for a closer of the text: an opener that is cut off is text."""
    return core in plan.ways and not plan.ways[core][0].cost and not plan.ways[core][0].node.first(core)


def lead_end(window: Window, blanks: str, at: int, start: int, core: str = "") -> int:
    """The index where a text ends before index `at`, what is written before a marker left out.

    The text began at character `start`. A beginning of `core` at its end is left out, too: the marker, broken off.
    """
    buf, low = window.buf, max(start - window.base, 0)
    for size in range(min(len(core) - 1, at - low), STRONG - 1, -1):
        if core.startswith(buf[at - size : at]):
            at -= size
            break
    size = ending(buf, blanks, low, at)
    if size and blanks[-size:].startswith("\n") and at - size - 1 >= low and buf[at - size - 1] == "\r":
        size += 1
    return at - size


def quotation_at(window: Window, plan: Island, state: TextState, at: int, end: int) -> tuple[bool, TextState]:
    """Whether what stands at indices `at:end` is quoted, and the state of a text that goes on over it.

    A quotation goes on over the end of its line, up to an empty one.
    """
    base, passed, quotation = window.base, state._replace(solid=True), state.quotation
    if not plan.content and plan.role is not Role.REASONING:
        return False, passed
    line = window.line(at, state.start)
    begun = base + at - len(line)
    if quotation is not None and base + at - quotation.line <= MAX_LINE:
        attribute = 2 * (window.raw(quotation.end - 2, quotation.end) == '="')
        text = _ATTRIBUTE.sub("", window.raw(quotation.end - attribute, base + at))
        if quotation.closing not in text and "\n\n" not in text:
            return True, _in_bracket(passed, quotation, window.buf[at], base + end)
        if quotation.closing.endswith("`") and quotation.line < begun and "\n\n" not in text:
            begun = quotation.line
            line = window.raw(begun, base + at)
    if not quoted(line):
        return False, passed
    return True, _in_bracket(passed, Quotation(begun, base + end, closing_of(line)), window.buf[at], base + end)


def _in_bracket(state: TextState, quotation: Quotation, char: str, end: int) -> TextState:
    """The state in a quotation: that of JSON, which a `char` begins that ends at `end`, is over behind its bracket."""
    if char in _BRACKETS and quotation.closing[0] != "`" and quotation.closing[0] not in _BRACKETS.values():
        quotation = Quotation(quotation.line, end, _BRACKETS[char] + quotation.closing)
    return state._replace(quotation=quotation)


def _begins_line(window: Window, spoken: bool, at: int, start: int, blanks: str) -> bool:
    """True when index `at` begins a line, but for what the dialect writes before a marker on it.

    A text that is `spoken` begins with one.
    """
    indent = blanks.rpartition("\n")[2]
    if indent and window.buf.endswith(indent, 0, at):
        at -= len(indent)
    place = window.base + at
    if spoken and place <= start:
        return True
    return window.raw(place - 1, place) == "\n" if place else True


def _after_text(window: Window, one: Hypothesis, end: int, at: int, opened: bool) -> Path:
    """The path out of the text, which ends at index `end`; it was one where it is `opened`."""
    base = window.base
    path = window.path(one).add(MoreText(base + end), CloseText(base + (end if opened else at)))
    return path.over_text(base + end) if opened else path


# Calls without their markers


def _bare_json(
    window: Window, one: Hypothesis, plan: Island, way: Omission, at: int, solid: bool, final: bool
) -> Found:
    """JSON at index `at`: a call without its markers, or only text."""
    buf, base, node, costs = window.buf, window.base, one.node, window.costs
    start = one.state.start
    text = window.stay(one, costs.aside_in_text, base + at + 1, Mode.TEXT, one.state._replace(solid=True))
    line = window.line(at, start)
    shown, text.state = quotation_at(window, plan, one.state, at, at + 1)
    before = buf[max(start - base, at - _BEFORE, 0) : at]
    if shown or after_key(before):
        text.cost = one.cost
        return [text]
    if shape_keys(way.node).member.search(buf, at, at + LOOK) is None:
        if not final and len(buf) - at < LOOK:
            return WAIT
        text.cost = one.cost
        return [text]
    if _ITEM.search(before) is not None:  # so is the list
        text.cost = one.cost + costs.weak_in_text
    path, keys = _after_text(window, one, lead_end(window, plan.gap, at, start), at, solid), way.path
    if solid:
        if keys[:1] == (TEXT,):
            keys = keys[1:]
        elif keys and keys[0] not in path.node.marks or not keys and not path.node.json:
            return [text]
    elif keys[:1] == (TEXT,):
        direct = keys[1] in node.marks if len(keys) > 1 else node.json
        if not direct:
            path.skip_text(base + at)
        keys = keys[1:]
    path.imply(keys, base + at)
    cost = 0
    if any(key is not TEXT for key in way.path):
        path.doubt(Doubt.NO_OPENERS)
        if line.strip() and line.rstrip()[-1] not in _SENTENCE_ENDS:
            cost += costs.in_sentence
        if buf.count("```", max(start - base, at - _FENCED, 0), at) % 2:
            cost += costs.quoted
    return [json_edges.begin(window, one, cost, base + at, path, bare=True), text]


def after_key(before: str) -> bool:
    """True when JSON behind a text is the value of a member, whose key the text ends with."""
    return _MEMBER.search(before[-_BEFORE:].rstrip()) is not None


def _named_call(window: Window, one: Hypothesis, plan: Island, match: re.Match[str], final: bool) -> Found:
    """A declared name, and what a call goes on with: its openers are missing."""
    buf, base, node, costs = window.buf, window.base, one.node, window.costs
    start, solid, *_ = one.state
    assert plan.named is not None
    keys, to, name = plan.named
    prefix = window.ref.partition("{name}")[0]
    at = match.start() - (len(prefix) if prefix and buf.endswith(prefix, 0, match.start()) else 0)
    line = window.line(at, start)
    if line.endswith(("'", '"', "`")):  # it is a string, or quoted
        return []
    spoken = bool(line.strip()) and one.context.said == ()
    whole = window.graph.pattern(name.regex).match(buf, at, at + MAX_LEXEME)
    if whole is None or whole.end() < match.end():
        return []
    after, end = to.step(name).node, window.after_blanks(whole.end())
    if not final and len(buf) - end < after.longest + 2:
        return WAIT
    brace = buf[end : end + 1] == "{"
    strong = any(len(core) >= STRONG and buf.startswith(core, end) for core in (*after.marks, *reach(after)))
    if not (brace and (after.json or way_to_json(after) is not None) or strong):
        return []
    signs = brace or any(len(core) > 1 and buf.startswith(core, end) for core in (*after.marks, *reach(after)))
    shown, passed = quotation_at(window, plan, one.state, at, match.end())
    if shown:
        return [window.stay(one, 0, base + match.end(), Mode.TEXT, passed)]
    if spoken and not signs:
        return []
    solid = solid or window.said(start, at)
    path = _after_text(window, one, at, at, solid)
    if not solid and keys[0] not in node.marks:
        path.skip_text(base + at)
    path.imply(keys, base + at).shift(name, base + at, base + whole.end(), whole[0])
    way = None if not brace or after.json else way_to_json(after)
    if way is None:
        meant = window.make(one, costs.no_openers + spoken, base + whole.end(), Mode.BETWEEN, "", path)
    else:  # what the name and its object have between them is missing, as are the openers
        path.imply(way.path, base + end)
        meant = json_edges.begin(window, one, costs.no_openers + spoken, base + end, path, bare=False)
    meant.cost += costs.call_seen if brace else 0
    if spoken and line.rstrip()[-1] not in _SENTENCE_ENDS + "}":
        meant.cost += costs.quoted
    acts = MoreText(base + match.end()), PassOver(base + at)
    return [meant, window.stay(one, costs.weak_in_text, base + match.end(), Mode.TEXT, one.state, *acts)]


def _led_call(window: Window, one: Hypothesis, plan: Island, match: re.Match[str]) -> list[Hypothesis]:
    """A call that begins with its name, on a line of its own; or only text."""
    buf, base, node, costs = window.buf, window.base, one.node, window.costs
    start, solid, *_ = one.state
    at = match.start()
    solid = solid or window.said(start, at)
    shown, passed = quotation_at(window, plan, one.state, at, at + 1)
    text = window.stay(one, 0, base + at + 1, Mode.TEXT, passed)
    for way in () if shown else plan.led:
        *before, name = way.path
        assert not isinstance(name, str) and hasattr(name, "regex")
        whole = window.graph.pattern(name.regex).match(buf, at, match.end())
        if whole is None or not whole[0]:
            continue
        text.pos = text.emitted = max(text.pos, base + whole.end())
        if not _begins_line(window, True, at, start, ""):
            continue
        signs = () if plan.content else way.node.step(name).node.marks
        sure = any(len(sign) >= STRONG and buf.startswith(sign, whole.end()) for sign in signs)
        known = split_ref(window.ref, whole[0])[0] in window.tools
        known = known or not way.node.fills(name) <= {Role.NAME, Role.REF}  # it may only stand before one
        if not (sure or known) and (window.tools.declared or not plan.content):
            continue
        if solid and not plan.content or bool(before) != solid and (solid or node.patterns):
            continue
        if plan.content:
            path = _after_text(window, one, lead_end(window, plan.gap, at, start), at, solid and bool(before))
            if before and not solid:
                path.skip_text(base + at)
        else:
            path = window.path(one).add(NoText())
            if before:
                path = path.over_text(base + at) if solid else path.skip_text(base + at)
        path.shift(name, base + at, base + whole.end(), whole[0])
        meant = window.make(one, 0, base + whole.end(), Mode.BETWEEN, "", path)
        acts: list[Act] = [MoreText(text.pos), PassOver(base + at)]
        declared = plan.content and whole[0] in window.tools
        if declared:
            acts.append(Note(RepairKind.STRAY_MARKER, base + at, match[0]))
        cost = costs.begins_line if declared else costs.weak_in_text
        return [meant, window.stay(one, cost, text.pos, Mode.TEXT, text.state, *acts)]
    return [text]


def _misspelt_opener(window: Window, one: Hypothesis, plan: Island, part: re.Match[str], final: bool) -> Found | None:
    """A part of an opener: all of it, spelled otherwise, may be there; first of all the longest that it may be of."""
    parts = [part]
    while plan.near is not None:
        last = parts[-1]
        later = plan.near.search(window.buf, last.start() + 1, part.end() + _NEAR)
        if later is None or not later.start() < part.end() or not last.end() < later.end():
            break
        parts.append(later)
    found = (_misspelt_part(window, one, plan, one_part, final) for one_part in reversed(parts))
    return next((one for one in found if one is not None), None)


def _misspelt_part(window: Window, one: Hypothesis, plan: Island, part: re.Match[str], final: bool) -> Found | None:
    """A part of an opener: all of it, spelled otherwise, may be there."""
    buf, base, node, costs = window.buf, window.base, one.node, window.costs
    at, low = part.start(), one.pos - base
    for core in plan.strong:
        for pos in range(max(0, at - len(core) + 1), at + 1):
            if buf.startswith(core, pos) and pos + len(core) > at:
                return None
    start, solid, *_ = one.state
    for core in plan.parts[part[0]]:
        for pos, end in around(core, buf, at, part.end(), final):
            if end == MORE:
                return WAIT
            if pos < low or buf.startswith(core, pos) or buf.startswith(window.graph.starts, pos):
                continue
            opened = solid or window.said(start, pos)
            path = _after_text(window, one, lead_end(window, plan.gap, pos, start), pos, opened)
            if not opened and core not in node.marks:
                path.skip_text(base + pos)
            path.doubt(Doubt.MISSPELT)
            shown, passed = quotation_at(window, plan, one.state, pos, part.end())
            cost = costs.near_in_text + (costs.quoted if shown else 0)
            meant = shift(window, one, cost, core, pos, end, path, wrong=True)
            text = window.stay(one, 0 if shown else costs.misspelt_in_content, base + part.end(), Mode.TEXT, passed)
            return [meant, text]
    return None


# Markers


class _Marker:
    """A marker of the dialect in free text: it is meant, or only text."""

    def __init__(
        self, window: Window, one: Hypothesis, plan: Island, core: str, span: tuple[int, int], solid: bool
    ) -> None:
        self.window, self.one, self.plan, self.core, self.solid = window, one, plan, core, solid
        self.at, self.end = span
        self.start: int = one.state.start
        self.opened = solid or not plan.content
        self.spoken = plan.role in (Role.CONTENT, Role.REASONING, None)
        self.line = window.line(self.at, self.start) if self.spoken else ""
        self.shown, self.passed = quotation_at(window, plan, one.state, self.at, self.end)
        self.after = window.buf[self.end : self.end + 1]
        self.direct = not self.opened and core in plan.direct
        self.long = len(core) >= STRONG or self.direct and self._is_lined()
        self.ways = self._ways()
        closes = bool(self.ways) and not self.ways[0].cost and not self.ways[0].node.first(core)
        inner = self.passed.inner
        if core == one.context.opener:
            self.passed = self.passed._replace(inner=inner + 1)
        elif closes and inner:
            self.passed = self.passed._replace(inner=inner - 1)
        if self.shown and closes and plan.role is Role.REASONING and self.passed.quotation is not None:
            word = window.buf[self.end + 1 : self.end + 2].isalnum()  # no quotation ends in front of a letter
            self.shown = bool(self.after) and self.passed.quotation.closing.startswith(self.after) and not word
        closer = one.state.closer
        tag = closes and plan.role in HELD and core.startswith("</") and one.context.opener[:1] == "<"
        self.foreign = tag and (self.ways[0].node.marks[core] if closer is None else core != closer[0])
        """It is spelled otherwise than the opener of the text."""
        self.own = closes and not inner
        """It is the closer of the text, and not of one that is in it."""

    def _declared(self) -> bool:
        """True when the name of a declared tool follows, all of what stands there."""
        found = self.window.names.match(self.window.buf, self.end) if self.window.tools.declared else None
        return found is not None and self.window.buf[found.end() : found.end() + 1] in ("", "\n", ">", '"', "'")

    def _is_lined(self) -> bool:
        """True when the marker stands in the place of the text with what the dialect writes behind it, a line of it."""
        trail = _trail(self.one.node, self.core)
        written = self.window.buf.startswith(trail, self.end)
        return written and trail.startswith("\n") and len(self.core + trail) >= STRONG

    def _ways(self) -> list[Omission]:
        core, plan = self.core, self.plan
        if self.direct:
            ways = [plan.direct[core]]
        elif core in plan.ways:
            ways = plan.ways[core]
        else:
            ways = []
        if core in self.window.graph.shared and not self._declared():
            ways = [way for way in ways if not way.node.marks[core]]
        if ways and not ways[0].cost:
            return [way for way in ways if not way.cost]
        if plan.content and core in plan.strays:  # it closes nothing if what it closes has not been opened
            ways = [way for way in ways if not plan.opens(way)]
        return ways

    def expand(self, final: bool) -> Found:
        """The hypotheses that follow."""
        window, one, plan, core = self.window, self.one, self.plan, self.core
        buf, base, at = window.buf, window.base, self.at
        only_text = window.stay(one, 0, base + at + 1, Mode.TEXT, self.passed)
        if plan.role is Role.REASONING and self.own and not final and len(buf) - self.end < 2:
            return WAIT
        if core in plan.ends and not (self.ways and not self.ways[0].cost):
            return self._end_token(only_text, 0)
        over = self._ends_answer(final) if core in plan.ends else -1
        if over == 0:
            return WAIT
        if len(core) < STRONG and plan.content:  # nobody begins three calls at once
            if not final and self.ways and len(buf) - at < len(core) * 3 and (core * 3).startswith(buf[at:]):
                return WAIT
            if buf.startswith(core * 3, at) or at and buf.startswith(core * 3, at - 1):
                to = self.ways[0].node.step(core).node if self.ways else None
                if to is not None and not final and len(buf) - self.end < to.longest:
                    return WAIT
                if to is None or not buf.startswith(tuple(to.marks), self.end):  # the grammar has no more of them
                    self.ways = []
        if (plan.role in HELD or self.direct and core.isalpha()) and self.ways and not core.startswith(("<", "[")):
            lined = self.ways[0].node.step(core).trail.startswith("\n")  # it counts only at the end of its line
            if lined and not self.after and not final:
                return WAIT
            if lined and (self.after or self.direct) and self.after not in ("\n", "\r"):
                return [only_text]
        if len(core) < STRONG and plan.role is Role.REASONING and self.ways and self.ways[0].cost:
            named = names_call(window, self.ways[0].node.step(core).node, self.end, final)
            if isinstance(named, Waits):
                return WAIT
            if not named or self.line.strip() or window.names.match(buf, self.end) is None:
                return [only_text]
        if plan.closers is not None and any(way.node.calling(core) for way in self.ways):
            closed = window.find(plan.closers, self.end, plan.longest)
            if closed is not None and closed.start() - self.end <= MAX_REHEARSAL:
                return [only_text]
            if not final and len(buf) - self.end <= MAX_REHEARSAL + plan.longest:
                return WAIT
        text_cost, acts = self._text_cost(), list[Act]()
        if _WORDED(core) is not None and plan.content and self.ways and self.ways[0].node.calling(core):
            leads = self._leads_on(self.ways[0].node.step(core).node, final)
            if isinstance(leads, Waits):
                return WAIT
            text_cost = text_cost if leads else min(text_cost, window.costs.marker_in_content)
        if len(core) < STRONG and plan.content and not self.shown and self.ways and self.ways[0].node.calling(core):
            named = names_call(window, self.ways[0].node.step(core).node, self.end, final)
            if isinstance(named, Waits):
                return WAIT
            acts = [PassOver(base + at)] if named and not self._reserved() else []
        found, sure = list[Hypothesis](), False
        for way in self.ways:
            meant, certain = self._meant(way)
            if meant is not None:
                found.append(meant)
                sure = sure or certain
        if core in plan.strays and not self.ways:
            rest = buf[self.end : self.end + LOOK].lstrip()
            if not final and not self.shown and any(opener.startswith(rest) for opener in window.graph.long_openers):
                return WAIT
            stray = self._stray(rest.startswith(window.graph.long_openers))
            if len(stray) == 1 and stray[0].mode is Mode.TEXT:
                return stray
            found += stray
        if sure and found:
            return found[:1]
        if self.ways and not found:  # it is none here
            return [only_text]
        noted = len(core) >= STRONG and self.ways and not self.shown and plan.content and not self._is_word()
        if noted and (window.graph.code is not None or not core.startswith("```")):  # JSON in a block is no attempt
            acts = [Note(RepairKind.STRAY_MARKER, base + at, core)]
        if plan.role in HELD and any(way.node.calling(core) for way in self.ways):
            acts = [PassOver(base + at)]
        if over > 0:
            found += self._end_token(window.stay(one, 0, base + at + 1, Mode.TEXT, self.passed), over)
        if acts:
            only_text = window.stay(one, 0, base + at + 1, Mode.TEXT, self.passed, MoreText(base + at + 1), *acts)
        if plan.role in (Role.VALUE, Role.ARGUMENTS, Role.REASONING) and self.ways:
            only_text.context = only_text.context._replace(doubt=only_text.context.doubt | Doubt.PASSED)
        only_text.cost += 0 if self.shown else max(text_cost, over + 1)
        return [*found, only_text]

    def _leads_on(self, to: Node, final: bool) -> bool | Waits:
        """True when a call goes on at `to` behind its opener: a word alone on its line begins a sentence as well."""
        buf, at = self.window.buf, self.window.after_blanks(self.end)
        if not final and len(buf) - at < max(to.longest, 1):
            return WAIT
        if at == len(buf) or to.text or to.json and buf[at] in "{[" or to.struct.match(buf, at) is not None:
            return True
        return self._declared() or names_call(self.window, to, at, final)

    def _is_word(self) -> bool:
        """True for another spelling of a marker that begins as a word does: any text may have it."""
        return self.core[0].isalpha() and bool(self.ways) and self.ways[0].node.marks.get(self.core, False)

    def _reserved(self) -> bool:
        """True when the name behind a short opener is that of no tool."""
        window, reserved = self.window, self.window.graph.network.spec.reserved
        patterns = self.ways[0].node.step(self.core).node.patterns if reserved else ()
        names = (regex.match(window.buf, self.end, self.end + MAX_LEXEME) for _, regex in patterns)
        return any(name is not None and name[0] in reserved and name[0] not in window.tools for name in names)

    def _ends_answer(self, final: bool) -> int:
        """What it costs that an end token with which an opener begins ends the answer; 0 where more text is needed."""
        costs, rest = self.window.costs, self.window.buf[self.end : self.end + LOOK].lstrip()
        following = [core for way in self.ways for core in way.node.step(self.core).node.marks]
        if rest.startswith(tuple(following)):
            return costs.marker_in_content + costs.break_off
        return 0 if not final and any(core.startswith(rest) for core in following) else costs.marker_in_content

    def _end_token(self, only_text: Hypothesis, cost: int) -> list[Hypothesis]:
        """The answer is over, or this is text where the token stands on a line of its own."""
        window, base, plan = self.window, self.window.base, self.plan
        lead = plan.ends[self.core]
        lead = lead[: len(lead) - len(lead.lstrip())]
        if "\n" in lead and not _begins_line(window, True, self.at, self.start, lead):
            return [only_text]
        end = base + lead_end(window, lead, self.at, self.start)
        if self.one.context.doubt & Doubt.PASSED and not plan.content:
            cost += window.costs.skip  # it was not cut off
        acts = MoreText(end), EndAnswer(self.one.node, end)
        return [window.stay(self.one, cost, base + self.end, Mode.AFTER, "", *acts)]

    def _text_cost(self) -> int:
        """What it costs that the marker is only text."""
        plan, core, costs, ways = self.plan, self.core, self.window.costs, self.ways
        passed = bool(self.one.context.doubt & Doubt.PASSED)
        node = ways[0].node if ways else None
        opens = node is not None and node.first(core)
        calls = opens and node is not None and node.calling(core)
        if plan.role in HELD:
            cost = (
                0 if passed and not calls and not self.own else costs.opener_in_value if opens else costs.weak_in_text
            )
        elif plan.role is Role.REASONING:
            cost = costs.aside_in_text if opens or not passed else 0
            if calls and self.window.graph.policies.reasoning_calls == "parse":
                cost += costs.swallowed
            elif opens and not calls:
                cost += costs.marker_in_content
        elif not self.long:
            cost = costs.weak_in_text
        elif opens and core.startswith("```") or calls and self.window.graph.code is not None:
            return costs.marker_in_content
        else:
            cost = costs.marker_in_content
        if self.one.context.doubt & Doubt.INSIDE and core in plan.strays:
            cost += costs.swallowed + 2
        alone = plan.content and ways and not ways[0].cost and self.long and not self.shown
        if alone and not self.line.strip() and opens and (not self.solid or calls):
            cost += costs.begins_line
        if self.ways and self.long and plan.content and not self.line.strip() and self._declared():
            cost += costs.swallowed
        known = self.window.graph.known_only and self.window.tools.declared
        return min(cost, costs.weak_in_text) if calls and (known or self._is_word()) else cost

    def _stray(self, before_opener: bool) -> list[Hypothesis]:
        """A closer that closes nothing."""
        window, one, core, base = self.window, self.one, self.core, self.window.base
        costs, closers = window.costs, window.graph.text_closers
        note = Note(RepairKind.STRAY_MARKER, base + self.at, core)
        inside = one.context.doubt & Doubt.INSIDE
        stray = costs.stray_marker + (costs.swallowed if inside else 0)
        if core not in closers and (self.solid or not self.start) and (self.shown or not before_opener):
            text = MoreText(base + self.at + 1)
            return [
                window.stay(one, 0 if self.shown else stray, base + self.at + 1, Mode.TEXT, self.passed, text, note)
            ]
        named = self.shown or said(self.line, self.after)
        path = window.path(one).add(MoreText(base + self.at), CloseText(base + self.at))
        if self.solid and self.plan.after.text:
            path.over_text(base + self.at)
        cost, blanks = costs.quoted if named else stray, closers.get(core, "")
        return [window.make(one, cost, base + self.end, Mode.BETWEEN, blanks, path.add(note))]

    def _meant(self, way: Omission) -> tuple[Hypothesis | None, bool]:
        """The hypothesis that the marker is meant, by one way, and whether it is certain."""
        window, one, plan, core, at = self.window, self.one, self.plan, self.core, self.at
        base, to = window.base, way.node
        calls, first = to.calling(core), to.first(core)
        lead = to.lead(core) if core in to.choices else ""
        alone = core in window.graph.lines
        if len(way.path) <= 1 and not core.startswith(("<", "[")) and "\n" in lead:
            alone = alone or all(choice.expects for choice in to.choices[core])
        if alone and not _begins_line(window, self.spoken, at, self.start, lead):
            return None, False
        implied = way.path[1] if len(way.path) > 1 else None
        if isinstance(implied, str):
            after = plan.after
            lead = ("" if after.first(implied) else after.lead(implied) if implied in after.choices else "") or (
                (_last_trail(after, way.path[1:]) if plan.role in _VALUES else "") + lead
            )
        if calls and (plan.spoken or not way.cost) and len(plan.gap) > len(lead):
            lead = plan.gap
        cost = way.cost
        if cost and plan.role in HELD and isinstance(implied, str):
            closed = self._misspelt_closer(way, implied, calls)
            if closed is not None:
                return closed, False
        path = self._out(way, lead, calls and first)
        if cost and plan.role in HELD and isinstance(implied, str):
            word, low = spelled(implied, one.context), max(self.start - base, 0)
            if _torn_before(word, window.buf, low, at, end=True) is not None:  # it was passed on as text
                path.add(Fail(f"expected `{word}`, got a part of it - at {base + at}"))
        path.imply(self._missing(way), base + at, calls)
        if calls and first and (plan.role in _HOLDS or plan.role is None):
            cost = min(cost, 2)
        cost += self._doubts(way, calls, first)
        if self.direct and self.long and not calls:
            cost += window.costs.fits_long
        doubt = path.context.doubt
        if calls and len(core) < STRONG and plan.role in (Role.CONTENT, None) and self.line.strip():
            glued = core[0] in "[({" and is_glued(self.line)
            doubt = Doubt.PROSE | (Doubt.GLUED if glued else Doubt.NONE)
        if calls and first and len(core) >= STRONG and plan.content and said(self.line, self.after):
            doubt |= Doubt.PROSE
        if calls and way.cost and plan.content:
            doubt |= Doubt.NO_OPENERS
        if to.marks.get(core, False):
            doubt |= Doubt.MISSPELT
        doubt &= ~Doubt.PASSED
        rehearsed = plan.role is not Role.REASONING or window.graph.policies.reasoning_calls != "parse"
        if calls and not plan.content and way.cost and rehearsed:
            doubt |= Doubt.INSIDE
        path.doubt(doubt)
        passed = one.context.doubt & Doubt.PASSED
        sure = not way.cost and not first and not self.shown and not passed and plan.role in _HOLDS
        sure = sure and len(core) >= STRONG and not self.foreign
        cost += window.costs.misspelt if self.foreign else 0
        if core not in path.node.marks:
            return None, sure
        return shift(window, one, cost, core, at, self.end, path), sure

    def _out(self, way: Omission, lead: str, call: bool) -> Path:
        """The path out of the text, which ends before the blanks `lead` and, of a `call`, a part of its marker."""
        window, base, at, core = self.window, self.window.base, self.at, self.core
        end = lead_end(window, lead, at, self.start, core if call else "")
        path = window.path(self.one).add(MoreText(base + end), CloseText(base + (end if self.opened else at)))
        if call and end != lead_end(window, lead, at, self.start):
            path.add(Note(RepairKind.STRAY_MARKER, base + end, core))
        if self.opened and way.path[:1] == (TEXT,):
            if not window.said(self.start, end) and self.plan.content:
                return path.skip_text(base + end)
            return path.over_text(base + end)
        return path

    def _missing(self, way: Omission) -> tuple[Key, ...]:
        """The symbols of a way that are still to be crossed behind the text."""
        keys, marks = way.path, self.one.node.marks
        if keys[:1] != (TEXT,):
            return keys
        if self.opened:
            return keys[1:]
        following = self.core if len(keys) == 1 else keys[1]
        return keys[1:] if following in marks else keys

    def _misspelt_closer(self, way: Omission, closer: str, calls: bool) -> Hypothesis | None:
        """The closer of the text stands before the marker, spelled otherwise."""
        window, one, base, buf, at = self.window, self.one, self.window.base, self.window.buf, self.at
        word = spelled(closer, one.context)
        low = max(self.start - base, 0)
        found = near_before(word, buf, low, at, fixed(closer)) or _torn_before(word, buf, low, at, end=False)
        if found is None or buf.endswith(word, 0, found[1]):
            return None
        end = base + lead_end(window, self.plan.after.lead(closer), found[0], self.start)
        path = window.path(one).add(MoreText(end), CloseText(end)).over_text(end)
        path.shift(closer, base + found[0], base + found[1], "", wrong=True)
        path.imply(way.path[2:], base + at, calls)
        return shift(window, one, window.costs.misspelt_closer, self.core, at, self.end, path)

    def _doubts(self, way: Omission, calls: bool, first: bool) -> int:
        """What it costs that the marker is meant where it may be quoted, or named in a sentence."""
        window, plan, core, costs = self.window, self.plan, self.core, self.window.costs
        passed, cost = self.one.context.doubt & Doubt.PASSED, 0
        if passed and not calls and not self.own:  # it may be one of what the text holds
            cost += costs.swallowed if way.cost else costs.weak_in_text + 1
        if self.shown and (first or calls):
            cost += costs.quoted
        elif self.shown and plan.role is Role.REASONING:
            cost += costs.in_sentence
        if first and core in window.graph.think_openers and self.solid and plan.content:
            named = mentioned(core, _trail(way.node, core), self.line, self.after)
        else:
            named = first and calls and len(core) >= STRONG and plan.spoken and said(self.line, self.after)
        if named:
            cost += costs.in_sentence
        return cost


def _torn_before(word: str, buf: str, low: int, at: int, end: bool) -> tuple[int, int] | None:
    """Where most of a marker, its beginning or its `end`, stands at the end of `buf[low:at]`."""
    said = buf[low:at].rstrip()
    for size in range(len(word) - 1, max(len(word) * 3 // 5, STRONG) - 1, -1):
        if said.endswith(word[-size:] if end else word[:size]):
            return low + len(said) - size, low + len(said)
    return None


def _last_trail(node: Node, keys: Sequence[Key]) -> str:
    """What the dialect writes after the last of these symbols, from `node` on."""
    trail = ""
    for key in keys:
        step = node.step(key)
        trail, node = step.trail, step.node
    return trail


def _trail(node: Node, core: Key) -> str:
    """What the dialect writes after a marker."""
    return node.step(core).trail
