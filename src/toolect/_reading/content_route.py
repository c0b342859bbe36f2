"""How a stride goes over content: up to what opens something, or to the end.

Long, for one route: what may open something is known once for the node, and each way to go on rules out another.
"""

from __future__ import annotations

import re

from toolect._graph.misspelling import around
from toolect._graph.needle import Needle, ending
from toolect._graph.node import STRONG, Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import Calls, Misspelt, Unled
from toolect._reading.answer import Answer
from toolect._reading.clear_text import clear_text
from toolect._reading.content_end import before_end, end_content, over_stray, stray_closers
from toolect._reading.free_text import NEAR, first_of, nowhere
from toolect._reading.look_ahead import headed, is_proved
from toolect._reading.named_stop import Named
from toolect._reading.probe import match_blank, past_blank
from toolect._reading.quotation import is_glued, line_before, mentioned, quoted
from toolect._reading.route import Route
from toolect._reading.run_crossing import cross, over
from toolect._reading.runs import Hub, build
from toolect._reading.sign_runs import past_run
from toolect._reading.striding import MAX_SIGNS, Striding
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.ref import split_ref
from toolect.message import Call, Content

_SOLID = re.compile(r"\S").search
_VAIN = 16
"""Parts of openers that a stride goes over which are no misspelled opener."""
_UNQUOTED = r"(?<![\w\"'“‘„«>) \t])"
"""Right after this, a marker is not quoted, unless in backticks, and not glued to what comes before it."""


class Said(Route):
    """Content, up to the first marker that opens something, or to the end."""

    __slots__ = (
        "_begins",
        "_clear",
        "_heads",
        "_near",
        "_own",
        "_part",
        "_short",
        "_strays",
        "_textless",
        "_thoughts",
        "_unled",
        "_words",
        "direct",
        "head",
        "hub",
        "named",
        "open",
        "plan",
    )

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        plan = self.plan = plan_of(node)
        stops = [s for s in stops_of(node).values() if s.regular and not s.named and not s.line]
        if node.graph.network.spec.code:
            stops = [s for s in stops if len(s.core) >= STRONG]  # what a short one opens has to be looked at
        late = [s.key for s in stops if not s.direct]
        bare = bool(plan.braces) and not plan.direct
        self.hub = build(node, late, after_text=True, bare=bare)
        after = node.step(SlotKind.TEXT).node
        self._textless: tuple[Hub | None, ...] = (self.hub,)
        """The same markers where no text is before them: then they may mean more."""
        both = [key for key in late if key in node.choices]
        if any(node.step(key).node is not after.step(key).node for key in both):
            others = [key for key in late if key not in node.choices]
            self._textless = (build(node, both, led=False), build(node, others, after_text=True, bare=bare))
        direct = [s.key for s in stops_of(node).values() if s.direct and not s.named]
        direct += [terminal for terminal, _ in node.patterns if not node.named(terminal)]
        bare = bool(plan.braces) and plan.direct
        self.direct = build(node, direct, bare=bare) if direct or bare else None
        self._heads = any(not node.named(terminal) for terminal, _ in node.patterns) or not is_proved(node)
        self.open = after.done is not None  # the answer may end here
        needles = [n.text for n in plan.needles]
        self._words = tuple(needles)
        self._short = tuple(stop.core for stop in stops if len(stop.core) < STRONG)
        self._thoughts = {c: after.step(c).trail for c in after.marks if c in node.graph.think_openers}
        self._near = first_of(needles) if needles else nowhere
        self._clear = None
        if not node.patterns and not (self._short and any(needle.lead for needle in plan.needles)):
            ends = [stop for stop in stops if not stop.direct and stop.core not in self._thoughts]
            before, loose = re.escape(self.space) + r"(?!\s)", bool(plan.braces) and not plan.direct
            blank = self.direct is None and not self.space and len(self._textless) == 1
            self._clear = clear_text(node, plan, ends, "`", before, _UNQUOTED, 1, loose, blank)
        head, self._unled = plan.head, None
        if head is not None and isinstance(head.stop, Unled):
            self._unled, head = head.stop, None
        self.head = Named(node, head, at_head=True) if head is not None else None
        """A call that may begin with its name, where the text would."""
        named = [n for n in plan.needles if n.stop is not None and n.stop.named]
        self.named = {n.text: Named(node, n) for n in named}
        self._own = node.text_field().role is not Role.CONTENT or not node.first(SlotKind.TEXT)
        self._part: tuple[Hub, ...] = () if self.direct is None else (self.direct,)
        """What opens something where a part begins: blanks before it were content to those who looked."""
        if not self._own and any(key in node.choices and node.choices[key][0].expects for key in direct):
            unled = build(node, direct, bare=bare, led=False)
            self._part += () if unled is None else (unled,)
        self._begins: frozenset[str] = frozenset()  # the characters that something begins with, none where one is blank
        if not node.patterns and not any(n[:1].isspace() for n in needles):
            self._begins = frozenset(n[:1] for n in needles)

        self._strays = () if self.space or node.graph.network.spec.code else stray_closers(node)
        """Closers of texts that are not open, which an answer may begin with."""

    def go(self, to: Striding) -> Route | None:
        if to.called:
            return None  # the call may end here or go on
        if to.bound >= 0 and not self._own:
            return self._pass(to)
        text, pos, long = to.buf, to.pos, to.size > MAX_SIGNS
        if long and to.tired(self.plan.signs, pos):
            return None
        if self._unled is not None and to.declared and self._unled_at(to, pos):
            return None
        if self._clear is not None and to.ways is None:
            if pos == to.size and to.final and self.open:
                to.finished = True
                return None
            if (match := self._clear.match(text, pos)) is not None:
                hub, at = self._clear.hub, match.end(2)
                if long and to.tired(self.plan.signs, at):
                    return None
                if match.start(1) < 0:
                    then = over(to, hub, match, at)
                elif text.startswith(self._short, at) and _is_empty(to, hub, match):
                    then = None
                else:
                    then = _content(to, pos + len(self.space), at - self._clear.size, hub, at, match)
                if then is not None or to.broken:
                    return then
        if self.direct is not None:
            then = cross(to, self.direct, pos)
            if then is not None:
                return then
        if self.space:
            if pos == to.size and self.open and to.final:
                to.finished = True
            if not text.startswith(self.space, pos):
                return None
            pos += len(self.space)
        if self._headed(to, pos) is not Answer.NO:
            return None
        if self.head is not None:
            at = past_blank(text, pos)
            answer = self.head.answer(to, at)
            if answer is not Answer.NO:
                return self.head.cross(to, at) if answer is Answer.YES else None
        if not pos and to.alone and text.startswith(self._strays):
            return self if over_stray(to, self._strays) else None
        where = self._near(text, pos, pos + NEAR)
        then = self._before(to, pos, where) if not self.named or self._named_at(text, pos, where) is None else None
        if then is not None:
            return then
        if where >= 0 and not text.startswith(self._words, where) or where < 0 and to.size - pos > NEAR:
            where = self.plan.first(to.next, pos)
            then = self._before(to, pos, where)
        vain = _VAIN if to.final else 0
        while then is None and where >= 0 and vain and self.plan.openers and self._in_vain(to, where):
            where, vain = self.plan.first(to.next, where + 1), vain - 1
            then = self._before(to, pos, where)
        named = self._named_at(text, pos, where) if then is None and self.named else None
        while named is not None:
            if long and to.tired(self.plan.signs, where):
                return None
            answer = named.answer(to, where)
            if answer is not Answer.NO:
                return self._before(to, pos, where, named) if answer is Answer.YES else None
            where = self.plan.first(to.next, max(where + 1, past_run(self.node, text, where)))
            named = self._named_at(text, pos, where)
            then = self._before(to, pos, where) if named is None else None
        if then is not None:
            return then
        if self.open and to.final and self.plan.cut_from(text, pos) == to.size:
            end_content(self.node, to, pos, where)
        return None

    def _unled_at(self, to: Striding, pos: int) -> bool:
        """May a call whose openers are missing begin with its name at index `pos`?"""
        stop, at = self._unled, past_blank(to.buf, pos)
        if stop is None or at == to.size:
            return False
        said = self.node.graph.pattern(stop.core).match(to.buf, at, at + MAX_LEXEME)
        return said is not None and (said.end() == to.size or split_ref(stop.ref, said[0])[0] in to.schemas.by_name)

    def _headed(self, to: Striding, pos: int) -> Answer:
        """As `headed`; a name that begins a call is for who proves that."""
        return Answer.NO if to.final and not self._heads or not self.node.patterns else headed(to, self.node, pos)

    def opens(self, text: str, pos: int) -> bool:
        named = [named for word, named in self.named.items() if text.startswith(word, pos)]
        if self.head is not None or any(one.hub is None or one.line for one in named):
            return True
        hubs = (self.direct, self.hub, *(one.hub for one in named))
        return any(hub is not None and hub.match(text, pos) is not None for hub in hubs)

    def _in_vain(self, to: Striding, where: int) -> bool:
        """True for nothing but parts of openers at index `where`, none of which is spelled like that."""
        text, starts = to.buf, self.node.graph.starts
        for needle in self.plan.needles:
            if text.startswith(needle.text, where):
                if not isinstance(needle.stop, Misspelt):
                    return False
                found = around(needle.stop.of.core, text, where, where + len(needle.text), final=True)
                if any(not text.startswith(starts, at) for at, _ in found):
                    return False
        return True

    def _named_at(self, text: str, pos: int, where: int) -> Named | None:
        """The only stop at index `where`, after text from `pos` on, if it counts only before the name of a call."""
        needles = [n for n in self.plan.needles if text.startswith(n.text, where)] if where >= 0 else []
        named = self.named.get(needles[0].text) if len(needles) == 1 else None
        return named.textless if named is not None and named.textless and not _SOLID(text, pos, where) else named

    def _pass(self, to: Striding) -> Route | None:
        """Go on with what follows without content between: content is left to others."""
        text, pos = to.buf, to.pos
        if self._unled is not None and to.declared and self._unled_at(to, pos):
            return None
        if self.head is not None:
            at = past_blank(text, pos)
            begins = pos > to.bound and not self.space and any(type(segment) is Call for segment in to.segments)
            return self.head.cross(to, at) if begins and self.head.answer(to, at) is Answer.YES else None
        if pos > to.bound and not any(type(segment) is Call for segment in to.segments):
            return self._after_section(to)
        for hub in self._part if pos == to.bound else self._part[:1]:
            then = cross(to, hub, pos)
            if then is not None:
                return then
        if self._headed(to, pos) is not Answer.NO:
            return None
        where = match_blank(text, pos).end()  # type: ignore[union-attr]  # matches the empty string
        if where == to.size:
            to.finished = self.open and to.final and not to.blank_so_far and (pos == where or not self.space)
            return None
        if text[where] not in self._begins:
            if self._begins and pos > to.bound and not self.space:
                plan = self.plan  # no misspelled opener may begin there
                to.left = plan.hint.match(text, where) is None or plan.doubt.match(text, where) is None
            return None
        if not text.startswith(self.space, pos):
            return None  # what is written before content is missing, and that is noted
        then = None if self.hub is None else cross(to, self.hub, where)
        if then is None and self.named and (named := self._named_at(text, pos, where)) is not None and not named.line:
            return named.cross(to, where) if named.answer(to, where) is Answer.YES else None
        if then is None and self.open and to.final and not to.blank_so_far and not self.space:
            to.finished = before_end(self.plan, text, pos, where) >= 0
        return then

    def _after_section(self, to: Striding) -> Route | None:
        """Go on after what is no call, with what is none, either; what else comes is left to others."""
        text, pos, trail = to.buf, to.pos, to.trails[0]
        where = past_blank(text, pos)
        if self.space or where == to.size or not text.startswith(trail, to.before) or pos != to.before + len(trail):
            return None
        if self.node.patterns:
            on = self._headed(to, pos) is Answer.YES
        elif not self._begins or text[where].isspace():
            return None
        else:
            if to.final and self.plan.cut_from(text, where) < to.size:
                return None  # a marker that is cut off
            calls = [needle.stop is None or needle.stop.calls is not Calls.NOTHING for needle in self._at(text, where)]
            to.left, on = all(calls), not any(calls)
        return cross(to, self.direct, pos) if on and self.direct is not None else None

    def _at(self, text: str, where: int) -> list[Needle]:
        """The stops at index `where`."""
        return [needle for needle in self.plan.needles if needle.end(text, where) >= 0]

    def _before(self, to: Striding, pos: int, where: int, named: Named | None = None) -> Route | None:
        """Content up to index `where`, and the markers there; None where there are none, as at index -1."""
        hub = self.hub
        if named is not None:
            where, hub = where + named.line, named.hub
        if where < 0 or hub is None or to.size > MAX_SIGNS and to.tired(self.plan.signs, where):
            return None
        if where == pos:
            return self._at_once(to, where) if named is None else cross(to, hub, where)
        if named is None:
            until = where - self.plan.lead_at(to.buf, pos, where, named=False)
        else:
            until = where - ending(to.buf, named.lead, pos, where)
        if _SOLID(to.buf, pos, until) is None:
            return self._at_once(to, where) if named is None else cross(to, hub, where)
        line = line_before(to.buf, pos, where)
        if to.buf[until - 1] in " \t" or quoted(line) or self._says(to.buf, where, line):
            return None  # what is said about a marker has to be looked at
        match = None
        if self._short and to.buf.startswith(self._short, where):
            match = hub.match(to.buf, where)
            if match is None or is_glued(to.buf[until - 1]) or _is_empty(to, hub, match):
                return None
        return _content(to, pos, until, hub, where, match)

    def _at_once(self, to: Striding, at: int) -> Route | None:
        """Over the markers at index `at`, which no text is before."""
        then = None
        for hub in self._textless:
            if then is None and hub is not None and not to.broken:
                then = cross(to, hub, at)
        return then

    def _says(self, text: str, where: int, line: str) -> bool:
        """True when the opener of reasoning at index `where`, after `line`, may be one that a sentence names."""
        for core, trail in self._thoughts.items():
            if text.startswith(core, where):
                end = where + len(core)
                return bool(line) or mentioned(core, trail, line, text[end : end + 1])
        return False


def _is_empty(to: Striding, hub: Hub, match: re.Match[str]) -> bool:
    """May what `hub` has matched begin a call of no declared tool that has no arguments? In text, that is code."""
    empty = hub.traces[match.lastindex].empty  # type: ignore[index]  # every expression has a group
    return empty > 0 and match[empty] not in to.schemas


def _content(
    to: Striding, pos: int, until: int, hub: Hub, where: int, match: re.Match[str] | None = None
) -> Route | None:
    """Take content from index `pos` to `until`, and the markers at `where`, which `hub` may have matched already."""
    count, before, to.after_call = len(to.segments), to.after_call, False
    then = cross(to, hub, where) if match is None else over(to, hub, match, where)
    if then is None:
        to.after_call = before
        del to.segments[count:]
    else:  # only now is it cut out: many places may be tried
        to.segments.insert(count, Content(to.buf[pos:until], (pos + to.base, until + to.base)))
    return then
