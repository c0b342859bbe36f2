"""Markers in free text: the edges of one that is meant, or only text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolect._building.quotation import is_glued, mentioned, said
from toolect._graph.misspelling import near_before
from toolect._graph.needle import fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import Key
from toolect._message import RepairKind
from toolect._search.actions import CloseText, EndAnswer, Fail, MoreText, Note, PassOver
from toolect._search.follow import TEXT, Omission
from toolect._search.grammar_edges import names_call, shift
from toolect._search.hypothesis import WAIT, Act, Doubt, Found, Hypothesis, Mode, Waits
from toolect._search.island import Island
from toolect._search.path import Path, spelled
from toolect._search.text_boundaries import begins_line, closes_inner, in_block, is_followed, lead_end, quotation_at
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role

MAX_REHEARSAL: Final = 1 << 16
"""Characters between a call in reasoning and what closes that, where such a call counts only if that is not closed."""
_WORDED: Final = re.compile(r"(?:[^\w\s<\[{`]+\s)?[^\W\d_]").match
"""Matches a marker that begins as a line of prose may, perhaps as one of a list or a quotation."""
VALUES: Final = (Role.VALUE, Role.ARGUMENTS)
HELD: Final = (*VALUES, Role.STRING)
_HOLDS: Final = (Role.VALUE, Role.ARGUMENTS, Role.REASONING, Role.CONTENT, Role.STRING)


class MarkerInText:
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
        if plan.content and self.ways and self.ways[0].cost:  # an example need not be whole
            self.shown = self.shown or in_block(window.buf, max(self.start - window.base, 0), self.at)
        closes = bool(self.ways) and not self.ways[0].cost and not self.ways[0].node.first(core)
        inner = self.passed.inner
        if core == one.context.opener:
            self.passed = self.passed._replace(inner=inner + 1)
        elif closes and inner > 0:
            self.passed = self.passed._replace(inner=inner - 1)
        if self.shown and closes and plan.role is Role.REASONING and self.passed.quotation is not None:
            word = window.buf[self.end + 1 : self.end + 2].isalnum()  # no quotation ends in front of a letter
            self.shown = bool(self.after) and self.passed.quotation.closing.startswith(self.after) and not word
        closer = one.state.closer
        tag = closes and plan.role in HELD and core.startswith("</") and one.context.opener[:1] == "<"
        self.foreign = tag and (self.ways[0].node.marks[core] if closer is None else core != closer[0])
        """It is spelled otherwise than the opener of the text."""
        self.own = closes and inner <= 0
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
        inside = self._closes_inner(final)
        fits = inside or self._is_followed(final)
        if isinstance(fits, Waits):
            return WAIT
        if inside:
            return [window.stay(one, 0, base + at + 1, Mode.TEXT, self.passed)]
        if not fits:
            self.passed = self.passed._replace(inner=-1)
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
        text_cost, acts = self._text_cost() + (0 if fits else window.costs.stray_marker), list[Act]()
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
        if sure and fits and found:
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

    def _closes_inner(self, final: bool) -> bool | Waits:
        """True when the marker closes an element in the value that has the name of the value's own."""
        word = spelled(self.core, self.one.context)
        if self.plan.role not in VALUES or not self.own or not word.startswith("</"):
            return False
        step = self.ways[0].node.step(self.core)
        return closes_inner(self.window, word, step, self.at, self.end, self.start, final)

    def _is_followed(self, final: bool) -> bool | Waits:
        """True when the grammar may go on behind the marker, where it closes a value."""
        if self.plan.role not in VALUES or not self.own or len(self.core) < STRONG:
            return True
        return is_followed(self.window, self.ways[0].node.step(self.core), self.end, final)

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
        """Cost of an end token with which an opener begins as the end of the answer; 0 where more text is needed."""
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
        if "\n" in lead and not begins_line(window, True, self.at, self.start, lead):
            return [only_text]
        end = base + lead_end(window, lead, self.at, self.start)
        if self.one.context.doubt & Doubt.PASSED and not plan.content:
            cost += window.costs.skip  # it was not cut off
        acts = MoreText(end), EndAnswer(self.one.node, end)
        return [window.stay(self.one, cost, base + self.end, Mode.AFTER, "", *acts)]

    def _text_cost(self) -> int:
        """Cost of reading the marker as text."""
        plan, core, costs, ways = self.plan, self.core, self.window.costs, self.ways
        passed = bool(self.one.context.doubt & Doubt.PASSED)
        node = ways[0].node if ways else None
        opens = node is not None and node.first(core)
        calls = opens and node is not None and node.calling(core)
        if plan.role in HELD:
            cost = costs.opener_in_value if opens else costs.weak_in_text
            if opens and self.one.state.inner < 0:  # what the text holds has been closed: another part begins
                cost += costs.swallowed
            elif passed and not calls and not self.own:
                cost = 0
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
        if alone and not begins_line(window, self.spoken, at, self.start, lead):
            return None, False
        implied = way.path[1] if len(way.path) > 1 else None
        if isinstance(implied, str):
            after = plan.after
            lead = ("" if after.first(implied) else after.lead(implied) if implied in after.choices else "") or (
                (_last_trail(after, way.path[1:]) if plan.role in VALUES else "") + lead
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
        low = max(self.start, one.pos) - base  # what stands before that was passed on as text
        found = near_before(word, buf, low, at, fixed(closer)) or _torn_before(word, buf, low, at, end=False)
        if found is None and word.startswith("</") and one.context.key is not None:
            found = _tag_before(one.context.key, buf, low, at)
        if found is None or buf.endswith(word, 0, found[1]):
            return None
        end = base + lead_end(window, self.plan.after.lead(closer), found[0], self.start)
        path = window.path(one).add(MoreText(end), CloseText(end)).over_text(end)
        path.shift(closer, base + found[0], base + found[1], "", wrong=True)
        path.imply(way.path[2:], base + at, calls)
        return shift(window, one, window.costs.misspelt_closer, self.core, at, self.end, path)

    def _doubts(self, way: Omission, calls: bool, first: bool) -> int:
        """Cost of meaning the marker where it may be quoted, or named in a sentence."""
        window, plan, core, costs = self.window, self.plan, self.core, self.window.costs
        passed, cost = self.one.context.doubt & Doubt.PASSED, 0
        if passed and not calls and not self.own:  # it may be one of what the text holds
            cost += costs.swallowed if way.cost else costs.weak_in_text + 1
        if self.shown and (first or calls or way.cost):
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
    """The indices of most of a marker, its beginning or its `end`, at the end of `buf[low:at]`."""
    said = buf[low:at].rstrip()
    for size in range(len(word) - 1, max(len(word) * 3 // 5, STRONG) - 1, -1):
        if said.endswith(word[-size:] if end else word[:size]):
            return low + len(said) - size, low + len(said)
    return None


def _tag_before(key: str, buf: str, low: int, at: int) -> tuple[int, int] | None:
    """The indices of the closing tag of an element called as the argument is, at the end of `buf[low:at]`."""
    said, tag = buf[low:at].rstrip(), f"</{key}>"
    if not said.endswith(tag) or said.rfind(f"<{key}") >= 0:  # it may be one that the value has
        return None
    return low + len(said) - len(tag), low + len(said)


def _last_trail(node: Node, keys: Sequence[Key]) -> str:
    """The blanks that the dialect writes after the last of these symbols, from `node` on."""
    trail = ""
    for key in keys:
        step = node.step(key)
        trail, node = step.trail, step.node
    return trail


def _trail(node: Node, core: Key) -> str:
    """The blanks that the dialect writes after a marker."""
    return node.step(core).trail
