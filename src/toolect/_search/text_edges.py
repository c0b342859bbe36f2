"""Free text: the edges of an island, at what may end it or begin something in it."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.misspelling import MORE, around
from toolect._graph.needle import begun, ending, unended
from toolect._graph.node import STRONG
from toolect._graph.spelling import MAX_LEXEME, MAX_NAME, squeeze
from toolect._graph.trails import layout
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import CloseText, EndAnswer, MoreText, Note, NoText, PassOver
from toolect._search.blank_end import LED, BlankEnd
from toolect._search.follow import TEXT, Omission, reach, shape_keys, way_to_json
from toolect._search.grammar_edges import echo_end, names_before_more, shift
from toolect._search.hypothesis import WAIT, Act, Doubt, EdgeContext, Found, Hypothesis, Mode, TextState
from toolect._search.island import Island, island
from toolect._search.path import spelled
from toolect._search.text_boundaries import after_text, begins_line, in_block, lead_end, quotation_at
from toolect._search.text_markers import HELD, MarkerInText
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role
from toolect._values.escapes import hides
from toolect._values.ref import split_ref

_MEMBER: Final = re.compile(r"""["'“”]\s*:\Z""")
"""The key of a member, at the end of a text."""
_ITEM: Final = re.compile(r"(?:\[|[}\]],)\s*\Z")
"""Matches the signs before an item of a list, at the end of a text."""
_NEAR: Final = 32
_NEAR_MARGIN: Final = 44
_BEFORE: Final = 200
"""Characters before JSON in a text that are looked at."""
_SENTENCE_ENDS: Final = ".!?:。：…>"


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
    return MarkerInText(window, one, plan, core, (match.start(), end), solid).expand(final)


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
    path = after_text(window, one, at - torn, at, solid)
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
    path, keys = after_text(window, one, lead_end(window, plan.gap, at, start), at, solid), way.path
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
        if in_block(buf, max(start - base, 0), at):
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
    if brace and "{" in after.marks:
        if isinstance(keys[-1], str) and line.endswith(keys[-1]):  # not all openers are missing
            return []
        if not final and len(buf) - end < LOOK:
            window.needs(base + end + LOOK)
            return WAIT
        strong = any(names_before_more(window, after.step("{").node, window.after_blanks(end + 1)))
    if not (brace and (after.json or way_to_json(after) is not None) or strong):
        return []
    if (
        brace
        and plan.json is not None
        and shape_keys(plan.json.node).member.match(buf, window.after_blanks(end + 1) - 1)
    ):
        return []  # it is a call, and no arguments
    signs = brace or any(len(core) > 1 and buf.startswith(core, end) for core in (*after.marks, *reach(after)))
    shown, passed = quotation_at(window, plan, one.state, at, match.end())
    if shown:
        return [window.stay(one, 0, base + match.end(), Mode.TEXT, passed)]
    if spoken and not signs:
        return []
    solid = solid or window.said(start, at)
    path = after_text(window, one, at, at, solid)
    if not solid and keys[0] not in node.marks:
        path.skip_text(base + at)
    path.imply(keys, base + at).shift(name, base + at, base + whole.end(), whole[0])
    way = None if not brace or after.json or "{" in after.marks else way_to_json(after)
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
        if not begins_line(window, True, at, start, ""):
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
            path = after_text(window, one, lead_end(window, plan.gap, at, start), at, solid and bool(before))
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
            path = after_text(window, one, lead_end(window, plan.gap, pos, start), pos, opened)
            if not opened and core not in node.marks:
                path.skip_text(base + pos)
            path.doubt(Doubt.MISSPELT)
            shown, passed = quotation_at(window, plan, one.state, pos, part.end())
            cost = costs.near_in_text + (costs.quoted if shown else 0)
            meant = shift(window, one, cost, core, pos, end, path, wrong=True)
            text = window.stay(one, 0 if shown else costs.misspelt_in_content, base + part.end(), Mode.TEXT, passed)
            return [meant, text]
    return None
