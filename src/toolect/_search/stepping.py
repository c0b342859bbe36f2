"""Deterministic steps: the only hypothesis that lives is moved on in place over what the grammar has.

It decides nothing that the edges do not: what is not sure, or needs more text than there is, is left to them where the
hypothesis is by then. A step is performed at once, so nothing of it has to be kept.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from toolect._building.quotation import quoted
from toolect._graph.needle import begun
from toolect._graph.node import STRONG, Node, Step
from toolect._graph.spelling import MAX_LEXEME, MAX_NAME, may_grow, squeeze
from toolect._graph.symbols import Key, Op, OpCode, is_echo
from toolect._graph.trails import Trail
from toolect._search import json_edges
from toolect._search.actions import Shift
from toolect._search.blank_end import LED
from toolect._search.follow import TEXT, empty_values, nests
from toolect._search.grammar_edges import GROWS, last_marker, name_alone
from toolect._search.hypothesis import WAIT, EdgeContext, Hypothesis, Mode, TextState
from toolect._search.island import Island, island
from toolect._search.json_state import JsonState, Next, Slips
from toolect._search.pass_through import ArgumentPassThrough, PassThrough, Stops, TextPassThrough
from toolect._search.path import Path, crossed
from toolect._search.performer import Performer
from toolect._search.text_boundaries import closes_inner, is_followed, lead_end
from toolect._search.text_edges import may_be_longer
from toolect._search.text_markers import HELD
from toolect._search.window import LOOK, Window
from toolect._spec.costs import GAP
from toolect._spec.model import Role

_QUOTE: Final = re.compile(r'["\\\x00-\x1f]')
_STRING_STOPS: Final = re.compile(r'["\\\x00-\x1f,\]}]')
_SAID: Final = 4
_TAIL: Final = 200
_PART: Final = 32
_CLOSER: Final = 48
_CONTENT: Final = (Role.CONTENT, None)
_HOLDS: Final = (Role.VALUE, Role.ARGUMENTS, Role.REASONING)
_NOTED: Final = (OpCode.BEGIN_CALL, OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.BEGIN_ARGUMENT)


class StepResult(Enum):
    """Result of a step: on, more text is needed, or the edges have to be asked."""

    ON = 1
    WAIT = 2
    ASK = 3


class _Between:
    """Deterministic steps of a node between texts."""

    __slots__ = ("firsts", "json", "lead", "naming", "pattern", "plain", "proper", "slow", "sure", "tight", "to")

    def __init__(self, node: Node) -> None:
        spec, starts = node.graph.network.spec, node.graph.starts
        tight = self.tight = [squeeze(core) for core in node.marks]
        self.slow = node.escaped or bool(node.echoes or spec.comments or len(node.patterns) > 1 or empty_values(node))
        self.proper = {
            core
            for core, wrong in node.marks.items()
            if not wrong and not core[-1].isalnum() and not (node.json and core == "{")
            and (len(core) >= STRONG or not any(one.startswith(core) and one != core for one in starts))
        }  # fmt: skip
        """The markers that count where they are the longest."""
        self.sure = {
            core
            for core in self.proper
            if not any(len(one) > len(squeeze(core)) and one.startswith(squeeze(core)) for one in tight)
        }
        """Those that no more text makes longer."""
        self.pattern = node.patterns[0] if len(node.patterns) == 1 and not node.value else None
        self.naming = self.pattern is not None and node.naming(self.pattern[0])
        self.json = node.json and not node.patterns
        self.firsts = {core[0] for core in (*node.marks, *starts)}
        """First signs of markers: a terminal that begins with one is not sure."""
        self.plain = node.text and (not node.json or node.text_field().role in _CONTENT) and not nests(node)
        self.plain = self.plain and not (node.value and (node.marks or node.patterns))
        self.plain = self.plain and not (node.text and node.patterns and node.text_field().role is Role.CONTENT)
        self.lead = node.choices[TEXT][0].expects if node.text else ""
        self.to: dict[Key, tuple[Step, Trail, str]] = {}


class TextSigns:
    """Deterministic steps in the text of a node: signs without which it only goes on, and the markers that end it."""

    __slots__ = ("_stops", "ends", "margin", "openers", "plan", "signs")

    def __init__(self, node: Node) -> None:
        plan = self.plan = island(node)
        firsts = {core[0] for core in (*plan.cores, *plan.echoes)} | ({"{", "["} if plan.json is not None else set())
        words = ["[" + re.escape("".join(sorted(firsts))) + "]"] if firsts else []
        words += [] if plan.signs is None else [plan.signs.pattern]
        words += [] if plan.near is None else [plan.near.pattern]
        self.signs = re.compile("|".join(words) or "(?!)")
        self.margin = max(map(len, plan.parts), default=1) - 1
        sure = (
            plan.escapes is None
            and plan.role in _HOLDS
            and plan.led_words is None
            and plan.near is None
            and plan.json is None
        )
        self.ends = {core: plan.after.lead(core) for core in plan.ways if sure and _is_end(plan, core)}
        self.openers = _openers(plan)
        self._stops: Stops | None = None

    @property
    def stops(self) -> Stops:
        """The ends of pass-through."""
        if self._stops is None:
            plan, words = self.plan, [self.signs.pattern]
            if plan.led:  # a line that begins with a name and one of these may be a call
                after = [way.node.step(way.path[-1]).node for way in plan.led]
                firsts = {core[0] for node in after for core in node.marks} | {"\n", *"{[`"}
                words.append("[" + re.escape("".join(sorted(firsts))) + "]")
            begins = "(?!)" if plan.near is None else plan.near_begins.pattern
            self._stops = Stops(re.compile("|".join(words)), re.compile(begins))
        return self._stops


def _is_end(plan: Island, core: str) -> bool:
    """True when the marker `core` surely ends a text."""
    ways, node = plan.ways[core], plan.node
    there = ways[0].node
    if ways[0].cost or len(ways) > 1 and not ways[1].cost or core in node.marks or core in plan.ends or is_echo(core):
        return False
    if there is not plan.after or there.marks[core] or there.first(core) or there.calling(core):
        return False
    lead = there.lead(core)
    lined = "\n" in lead or there.step(core).trail.startswith("\n")
    alone = core in node.graph.lines or not core.startswith(("<", "[")) and lined
    longer = any(one != squeeze(core) and one.startswith(squeeze(core)) for one in plan.squeezed)
    return not alone and not longer and not core[-1].isalnum() and len(core) >= STRONG


def _openers(plan: Island) -> dict[tuple[str, bool], str]:
    """The openers of calls that are meant where the grammar goes on behind them → the blanks written before them.

    They stand at the beginning of a line, after a text (True) or in its place: that they are text costs too much.
    """
    graph, costs = plan.node.graph, plan.node.graph.costs
    text = costs.marker_in_content + costs.begins_line - max(costs.fits, costs.fits_long)
    if plan.role is not Role.CONTENT or plan.escapes is not None or graph.network.spec.code or text <= GAP:
        return {}
    others = {*plan.ends, *graph.think_openers}
    found = {}
    for solid, node, cores in ((True, plan.after, plan.ways), (False, plan.node, plan.direct)):
        for core in {*cores} - others:
            meant = core in node.marks and not node.marks[core] and node.first(core) and node.calling(core)
            if meant and len(core) >= STRONG and not is_echo(core) and not core.startswith("```"):
                ways = [way for way in plan.ways[core] if not way.cost] if solid else []
                if len(ways) == solid:
                    found[core, solid] = max(plan.gap, node.lead(core), key=len)
    return found


def _opener(node: Node, key: Key) -> str:
    """The marker `key`, if it is one that opens something."""
    return key if isinstance(key, str) and len(key) >= STRONG and node.first(key) else ""


class Stepping:
    """Moves hypotheses on."""

    __slots__ = ("_performer", "_window", "through")

    def __init__(self, window: Window, performer: Performer) -> None:
        self._window, self._performer = window, performer
        self.through: PassThrough | None = None
        """The pass-through of the chunks that come next."""

    def go(self, one: Hypothesis, final: bool) -> bool:
        """Move a hypothesis on as far as is sure; True when nothing more can be done before more text comes."""
        code, way = self._window.graph.network.spec.code, StepResult.ON
        while way is StepResult.ON:
            mode = one.mode
            if mode is Mode.TEXT:
                way = self._text(one, final)
            elif code:
                return False
            elif mode is Mode.BETWEEN:
                way = self._between(one, final)
            elif mode is Mode.JSON:
                way = self._json(one, final)
            else:
                return False
        return way is StepResult.WAIT

    # Between texts

    def _between(self, one: Hypothesis, final: bool) -> StepResult:
        window, node, context = self._window, one.node, one.context
        plan = node.made(_Between)
        buf, base = window.buf, window.base
        at = one.pos - base
        if context.doubt or one.spare is not None:
            return StepResult.ASK
        if node.text:
            return self._begin_text(one, plan, at, final) if plan.plain else StepResult.ASK
        if plan.slow:
            return StepResult.ASK
        at = window.after_blanks(at)
        if at == len(buf):
            return StepResult.ASK if final else StepResult.WAIT
        match = node.struct.match(buf, at)
        sure = match is not None and match[0] in plan.sure
        if not sure and not final and len(buf) - at < LOOK and buf[at] in plan.firsts:
            tail = squeeze(buf[at:])
            if sizes := [len(word) for word in plan.tight if len(word) > len(tail) and word.startswith(tail)]:
                window.needs(base + at + min(sizes))
                return StepResult.WAIT
        if match is not None:
            core = match[0]
            if core not in plan.proper:
                return StepResult.ASK
            return self._shift(one, plan, core, base + at, base + match.end(), "")
        if plan.json and buf[at] in "{[" and not name_alone(window, one):
            return self._begin_json(one, base + at)
        if plan.pattern is None or buf[at] in plan.firsts:
            return StepResult.ASK
        name, regex = plan.pattern
        match = regex.match(buf, at, at + MAX_LEXEME)
        size = len(buf)
        if not final and size - at < MAX_LEXEME:
            begun = size - at < GROWS if match is None else match.end() == size
            if begun or may_grow(name.regex, buf, at, size):
                return StepResult.WAIT
        if match is None or match.end() == at or plan.naming and window.tools.declared and match[0] not in window.tools:
            return StepResult.ASK
        return self._shift(one, plan, name, base + at, base + match.end(), match[0])

    def _cross(self, one: Hypothesis, plan: _Between, key: Key, text: str, at: int) -> Step:
        """Step over `key` in the grammar."""
        node, context = one.node, one.context
        found = plan.to.get(key)
        if found is None:
            step = node.step(key)
            tasks = (*step.tasks, *step.node.arrival)
            concerns = tuple(t for t in tasks if not isinstance(t[0], Op) or t[0].code in _NOTED)
            found = plan.to[key] = step, concerns, _opener(node, key)
        step, concerns, opener = found
        call, name, argument, said, doubt, begun, last, statement, home = context
        if statement is not None and isinstance(key, str):
            statement = statement.over(key)
        said = (*said, text)[-_SAID:]
        context = EdgeContext(call, name, argument, said, doubt, begun, opener or last, statement, home)
        one.context = crossed(node, context, concerns, self._window.ref, at) if concerns else context
        one.node = step.node
        return step

    def _shift(self, one: Hypothesis, plan: _Between, key: Key, start: int, end: int, text: str) -> StepResult:
        node = one.node
        step = self._cross(one, plan, key, text, start)
        act = Shift(node, step, key, start, end, text, False)
        act.perform(self._performer)
        one.action.acts = (act,)
        one.pos = one.emitted = end
        one.mode, one.state = Mode.BETWEEN, "" if text else step.trail
        return StepResult.ON

    def _begin_json(self, one: Hypothesis, place: int) -> StepResult:
        """A JSON value begins at character `place`, unless that is a marker once more, or a fence comes before it."""
        window, last = self._window, last_marker(one)
        if last is not None and (last.startswith("```") or last[0] == window.buf[place - window.base]):
            return StepResult.ASK
        self._follow(one, window.path(one).open_json(place), place)
        one.mode, one.state = Mode.JSON, JsonState(place, False)
        return StepResult.ON

    def _follow(self, one: Hypothesis, path: Path, place: int) -> None:
        """Go along a path to character `place`."""
        for act in path.acts:
            act.perform(self._performer)
        one.node, one.context, one.action.acts = path.node, path.context, tuple(path.acts)
        one.pos = one.emitted = place

    def _begin_text(self, one: Hypothesis, plan: _Between, at: int, final: bool) -> StepResult:
        window, node = self._window, one.node
        buf, blanks, size = window.buf, one.state + plan.lead, len(window.buf)
        if not buf.startswith(blanks, at):
            return StepResult.ASK
        at += len(blanks)
        acts = one.action.acts
        last = acts[-1] if acts else None
        if node.text_field().role not in _CONTENT and isinstance(last, Shift) and isinstance(last.key, str):
            again = window.after_blanks(at)  # the marker stands there once more, perhaps
            if again == size and not final or buf.startswith(last.key[: size - again], again):
                return StepResult.ASK
        if at == size and not final:
            return StepResult.WAIT
        if buf[at : at + 1] == "\r":
            return StepResult.ASK
        place = window.base + at
        self._performer.open_text(node, place)
        one.action.acts = ()
        one.mode, one.state = Mode.TEXT, window.begin_text(node, one.context, place)
        one.pos = one.emitted = place
        return StepResult.ON

    # Texts

    def _text(self, one: Hypothesis, final: bool) -> StepResult:
        window, node = self._window, one.node
        buf, base, plan = window.buf, window.base, node.made(TextSigns)
        state: TextState = one.state
        size, low = len(buf), one.emitted - base
        island = plan.plan
        if one.context.doubt or island.line_end is not None or state.closer is not None:
            return StepResult.ASK
        named = island.content and island.named is not None and window.tools.declared
        if named and window.find(window.names, low, MAX_NAME) is not None:
            return StepResult.ASK
        if island.name_begun(buf, state.start - base) < size:
            return StepResult.ASK
        led = island.led_words
        if led is not None and window.find(led, window.word(low, state.start), LED) is not None:
            return StepResult.ASK
        match = plan.signs.search(buf, max(low - plan.margin, state.start - base))
        if match is None:
            if final:
                return StepResult.ASK
            bare = not named and island.led_held is None
            self._tell(one, island.near_begun(buf, low, size) if bare else safe(window, one, island, low), low)
            if one.state.solid and one.emitted == base + size:
                self._pass_through(one, plan.stops, named, "")
            return StepResult.WAIT
        match = window.find(island.regex, low, island.reach)
        if match is None and not final and self._is_marker_begun(island, low):
            self._tell(one, safe(window, one, island, low), low)
            if (needed := island.needed(buf, low)) > size:
                window.needs(base + needed)
            return StepResult.WAIT
        if match is not None and not final and may_be_longer(window, island, match, low, one.context):
            part = None if island.near is None else window.find(island.near, low, _PART)
            slack = STRONG if match[0] in "{[" else 0
            if part is not None and part.start() < match.start() + slack:
                return StepResult.ASK
            self._tell(one, safe(window, one, island, low), low)
            return StepResult.WAIT
        if match is None or state.quotation is not None or state.inner or window.graph.code is not None:
            return StepResult.ASK
        if match[0] not in plan.ends:
            return self._open_call(one, plan, match, low, final) if plan.openers else StepResult.ASK
        at, end = match.span()
        if island.role is Role.REASONING and quoted(window.line(at, state.start)):
            return StepResult.ASK
        performer, core = self._performer, match[0]
        fits = island.role is Role.REASONING or is_followed(window, island.after.step(core), end, final)
        if fits is WAIT:
            self._tell(one, safe(window, one, island, low), low)
        if fits is not True:
            return StepResult.WAIT if fits is WAIT else StepResult.ASK
        inner = core.startswith("</") and closes_inner(
            window, core, island.after.step(core), at, end, state.start, final
        )
        if inner and island.role is not Role.REASONING:
            return StepResult.ASK
        upto = base + lead_end(window, plan.ends[core], at, state.start)
        if (
            not state.solid
            and not island.content
            and island.role is Role.REASONING
            and not window.said(state.start, at)
        ):
            return StepResult.ASK
        performer.more_text(upto)
        performer.close_text(upto)
        self._cross(one, node.made(_Between), TEXT, "", upto)
        return self._shift(one, one.node.made(_Between), core, base + at, base + end, "")

    def _is_marker_begun(self, island: Island, low: int) -> bool:
        """True when all that may be part of a marker, from index `low` on, is the beginning of one."""
        window = self._window
        part = None if island.near is None else window.find(island.near, low, _PART)
        return part is None or island.held(window.buf, low) <= part.start()

    def _open_call(self, one: Hypothesis, plan: TextSigns, match: re.Match[str], low: int, final: bool) -> StepResult:
        """An opener is found in content, from index `low` on: it is meant if the grammar goes on behind it."""
        window, performer, island, start = self._window, self._performer, plan.plan, one.state.start
        base, core, (at, end) = window.base, match[0], match.span()
        solid = one.state.solid or window.said(start, at)
        lead = plan.openers.get((core, solid))
        picky = window.graph.known_only and window.tools.declared
        if lead is None or picky or window.line(at, start):
            return StepResult.ASK
        if island.near is not None and (part := window.find(island.near, low, _PART)) and part.start() < at:
            return StepResult.ASK
        node = island.after if solid else one.node
        way = self._fits(node.step(core).node, end, final)
        if way is StepResult.WAIT:
            self._tell(one, safe(window, one, island, low), low)
        upto = lead_end(window, lead, at, start)
        if way is not StepResult.ON or upto != lead_end(window, lead, at, start, core):
            return way if way is StepResult.WAIT else StepResult.ASK
        performer.more_text(base + upto)
        performer.close_text(base + (upto if solid else at))
        if solid:
            self._cross(one, one.node.made(_Between), TEXT, "", base + upto)
        return self._shift(one, one.node.made(_Between), core, base + at, base + end, "")

    def _fits(self, node: Node, at: int, final: bool) -> StepResult:
        """ON where what the grammar has at `node` is surely at index `at`."""
        window, plan = self._window, node.made(_Between)
        if node.text or node.value or plan.slow:
            return StepResult.ASK
        buf, at = window.buf, window.after_blanks(at)
        if at == len(buf):
            return StepResult.ASK if final else StepResult.WAIT
        match = node.struct.match(buf, at)
        if plan.json and buf[at] == "{" if match is None else len(match[0]) >= STRONG and match[0] in plan.sure:
            return StepResult.ON
        tail = squeeze(buf[at : at + LOOK])
        sizes = [] if final or len(buf) - at >= LOOK else [len(word) for word in plan.tight if word.startswith(tail)]
        if sizes:
            window.needs(window.base + at + min(sizes))
        return StepResult.WAIT if sizes else StepResult.ASK

    def _tell(self, one: Hypothesis, at: int, low: int) -> None:
        """Emit the text before index `at`, but for the blanks there: it can only be text."""
        window = self._window
        at = window.without_blanks(low, at)
        if at > low:
            state: TextState = one.state
            one.emitted = window.base + at
            self._performer.more_text(one.emitted)
            if not state.solid:
                one.state = state._replace(solid=window.said(state.start, at))

    def _pass_through(self, one: Hypothesis, stops: Stops, named: bool, waiting: str) -> None:
        """Let chunks pass that can only be more of the open text; names of tools may be in it, and blanks wait."""
        emit = self._performer.emitter()
        if emit is not None:
            self.through = TextPassThrough(emit, stops, named, waiting, one, self._performer, self._window)

    # JSON

    def _pass_arguments(self, one: Hypothesis, state: JsonState) -> None:
        """Let chunks pass that can only be more of the open arguments."""
        performer, draft = self._performer, self._performer.builder.draft
        target = performer.target if performer.loose is None else None
        if target is None or not draft.streams or state.styles or state.pending or state.sole or state.quote != '"':
            return
        depth, held_back = target.arguments(state.expects is Next.IN_STRING)
        start = state.emitted - len(held_back)
        if depth < 0 or not self._window.base <= start <= one.emitted or len(state.stack) <= depth:
            return
        if self._window.cut(start, state.emitted) == held_back:  # all of it is as it was written
            self.through = ArgumentPassThrough(draft, target, one, self._window, depth, start)

    def _json(self, one: Hypothesis, final: bool) -> StepResult:
        window, performer = self._window, self._performer
        state: JsonState = one.state
        if one.spare is not None or state.bare or state.delimiter or state.loose:
            return StepResult.ASK
        if not state.stack and state.expects is Next.AFTER_VALUE:
            return self._close_json(one, state)
        if json_edges.step(window, one, final, performer):
            self._pass_arguments(one, state)
            return StepResult.WAIT
        return StepResult.ON if not state.stack and state.expects is Next.AFTER_VALUE else StepResult.ASK

    def _close_json(self, one: Hypothesis, state: JsonState) -> StepResult:
        """A JSON value is over."""
        if state.styles & Slips.FENCED or state.last_quote is not None or state.pending:
            return StepResult.ASK
        self._follow(one, self._window.path(one).close_json(one.pos), one.pos)
        one.mode, one.state = Mode.BETWEEN, ""
        return StepResult.ON


# Text that can only be text


def safe(window: Window, best: Hypothesis, plan: Island, low: int) -> int:
    """The index up to which the open text can only be text, from index `low` on."""
    buf, size = window.buf, len(window.buf)
    at = plan.held(buf, low)
    if (match := window.find(plan.regex, low, plan.reach)) is not None:
        at = min(at, match.start())
    if plan.line_end is not None and (blank := plan.line_end.first.search(buf, low, at)) is not None:
        at = blank.start()
    at = plan.torn(buf, max(best.state.start - window.base, 0), at)
    if plan.near is not None:
        part = window.find(plan.near, low, _PART)
        at = plan.near_begun(buf, low, at if part is None else min(at, part.end()))
    if plan.content and plan.named is not None and window.tools.declared:
        if (name := window.find(window.names, low, MAX_NAME)) is not None:
            prefix = window.ref.partition("{name}")[0]
            at = min(at, name.start() - (len(prefix) if buf.endswith(prefix, 0, name.start()) else 0))
        at = min(at, window.name_begun(buf, max(low, size - MAX_NAME)))
    if plan.led_held is not None:
        cut = max(best.state.start - window.base, size - _TAIL, 0)
        led = plan.led_held.search(buf[cut:])
        at = at if led is None else min(at, max(low, cut + led.start()))
    if best.state.closer is not None:
        at = min(at, begun(buf, best.state.closer[1], low))
    at = window.without_blanks(low, at)
    if plan.role in HELD and plan.signs is not None:  # a closer may be there, spelled otherwise
        floor = max(low, size - _TAIL)
        while at > floor and (sign := plan.signs.search(buf, max(floor, at - _CLOSER), at)) is not None:
            at = window.without_blanks(low, sign.start())
    return at
