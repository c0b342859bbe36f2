"""Looks ahead from where a call may begin: does one follow, or is it prose about one?"""

from __future__ import annotations

import re

from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK, cut_off, squeeze
from toolect._graph.stops import Misspelt, Stop
from toolect._graph.symbols import Terminal, is_echo
from toolect._reading.alone import alone
from toolect._reading.answer import WAIT, Answer
from toolect._reading.element import object_instead
from toolect._reading.json_ahead import bare_call, json_call
from toolect._reading.lacking import closed_at
from toolect._reading.near_marker import Forgiving
from toolect._reading.probe import Lexeme, Probe, View, json_instead, past_blank, past_fence
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role

_FAR = 8
"""Lexemes that are looked at: in every dialect a name, with the markers around it, comes before that many."""
_SENTENCE = re.compile(rf"[ \t]{{1,{MAX_BLANK}}}[^\W\d_]{{2,32}}[ \t.,;:]").match
_SO_FAR = re.compile(rf"[ \t]{{0,{MAX_BLANK}}}+[^\W\d_]{{0,32}}\Z").match
_SOLID = re.compile(r"\S").search


def call_follows(
    view: View, stop: Stop, node: Node, pos: int, strong: bool, inside: bool = False, prose: bool = False,
    glued: bool = False, empty: bool = True, spoken: bool = False,
) -> Answer:  # fmt: skip
    """Does the text at `buf[pos:]`, after the marker `stop`, go on as a call from `node`?

    After a `strong` marker nothing but a call is likely: what is cut off is one. `inside` an argument only a tool that
    is declared is called, where there are such. In `prose` a call has to go on after `[f(`, with an argument if it may
    not be `empty`, and one that is `glued` to a word has to be that of a declared tool: `x[f()]` is code. Where a
    long one is `spoken`, as a blank before it tells, a word of the sentence may come next, or after the name.
    """
    if view.graph.code is not None and node.coding is not None and _SOLID(view.buf, pos) is not None:
        from toolect._reading.code_lines import call_in_code  # not part of starting up: few dialects need it

        return call_in_code(view, node.coding, pos, len(stop.core) < STRONG)
    way = _Way(view, stop, node, pos, strong)
    way.prose, way.glued, way.empty, way.spoken = prose, glued, empty, spoken
    way.picky = inside or view.graph.policies.unknown_tool == "content"
    for _ in range(_FAR):
        answer = way.go_on()
        if answer is not None:
            return answer
    return Answer.YES


class _Way(Forgiving):
    """How far has been looked ahead from a marker, and what came on the way."""

    __slots__ = (
        "empty", "glued", "known", "line", "named", "picky", "prose", "seen", "spoken", "stop", "strong", "tool",
        "weak",
    )  # fmt: skip

    def __init__(self, view: View, stop: Stop, node: Node, pos: int, strong: bool) -> None:
        super().__init__(view, node, pos, stop.core)
        self.stop, self.strong = stop, strong
        self.seen = False  # a terminal has come
        self.named = False  # one with a name or an id has
        self.known = False  # it is the name of a tool that is declared
        self.tool = ""  # that name
        self.line = False  # a new line that the dialect writes has not come
        self.weak = False  # only a short sign came after the name
        self.picky = False  # the tool has to be declared, where there are any
        self.prose = False  # a short opener stands in text
        self.empty = True  # it may have no arguments, also if the tool is not declared
        self.spoken = False  # a sentence comes before a long opener
        self.glued = False  # it has to be, in any case: a word stands right before a short opener

    def go_on(self) -> Answer | None:
        """Look at the next lexeme; None when that does not decide."""
        node, sure = self.node, Answer.YES if self.strong else Answer.NO
        free = node.text or node.escaped
        if free and not self.line:
            return Answer.YES
        comes = self.space()
        self.line = self.line and "\n" not in self.blank
        if comes is not Answer.YES:
            return WAIT if comes is WAIT else sure
        if free:  # what goes on as a line of prose is prose, unless JSON comes
            return Answer.YES if not self.line or node.json and self.view.buf[self.pos] in "{[" else Answer.NO
        lexeme = self.next()
        if isinstance(lexeme, Lexeme) and node.json and self.view.buf[self.pos] in "{[":
            rival = json_instead(self.view, node, lexeme)
            lexeme = WAIT if rival is WAIT else None if rival is Answer.YES else lexeme
        if lexeme is None:
            return self._before_other()
        if lexeme is WAIT:
            return WAIT
        if isinstance(lexeme.key, Terminal):
            return self._over_terminal(lexeme, lexeme.key)
        return self._over_marker(lexeme, lexeme.key)

    def _over_marker(self, marker: Lexeme, core: str) -> Answer | None:
        if marker.end == len(self.view.buf) and self.view.final or self.seen and len(core) >= STRONG:
            return Answer.YES
        if len(core) >= STRONG:  # no code looks like that
            self.prose = self.glued = False
        step = self.over(marker)
        node = step.node
        self.weak = self.named and node.json and len(node.choices) == 1 and node.json_field().role is not Role.VALUE
        if self.named and not self.weak:
            if self.spoken and (goes_on := _goes_on_in_words(self.view, marker.end)) is not Answer.NO:
                return WAIT if goes_on is WAIT else Answer.NO
            little = self.prose and says_little(self.stop.core, core, node)
            return _go_on(self, self.known, self.known or self.empty) if little else Answer.YES
        self.line = self.line or "\n" in step.trail
        ended = node is self.view.graph.start or node.done is not None and not node.marks
        return Answer.YES if ended else None

    def _over_terminal(self, terminal: Lexeme, key: Terminal) -> Answer | None:
        view = self.view
        if view.final and terminal.end == len(view.buf):
            return Answer.YES if self.strong and not self.line else Answer.NO
        roles = self.node.fills(key)
        self.seen = True
        if len(roles) == 1:
            self.named = self.named or Role.MARKUP not in roles
        if Role.NAME in roles and self.named:
            self.tool = view.buf[terminal.start : terminal.end]
            self.known = self.tool in view.tools
            if not self.known and (self.glued or view.tools and self.picky):
                return Answer.NO
            if self.spoken and not self.known and view.buf[terminal.start - 1] in " \t":
                goes_on = _is_argued(view, past_blank(view.buf, terminal.end))
                if goes_on is not Answer.YES:
                    return goes_on
        self.over(terminal)
        return None

    def _before_other(self) -> Answer:
        """What comes is neither a marker nor a terminal."""
        node, view, pos = self.node, self.view, self.pos
        buf = view.buf
        if node.json and not self.named and buf[pos] in "{[" and isinstance(self.stop, Misspelt):
            shape, self.named = node.json_field().shape, True
            return Answer.NO if shape is None else bare_call(view, shape, pos)
        if node.json and buf[pos] == "`":
            inside = past_fence(buf, pos)
            if inside == len(buf):
                return Answer.NO if view.final else WAIT
            pos = inside if buf[inside] in "{[" else pos
        if node.json and not self.named and buf[pos] in "{[":
            return json_call(self.stop, node.json_field().shape, view, pos, self.strong)
        if node.json and self.named:
            line = "\n" in node.choices[SlotKind.JSON][0].expects and "\n" not in self.blank
            if buf[pos] in "{[" or not self.weak and not line:
                return Answer.YES
            if self.known and not line and (answer := alone(self, self.tool)) is not Answer.NO:
                return answer
        if buf.startswith(view.graph.ends, pos):
            return Answer.YES if self.strong and self.seen and not self.line else Answer.NO
        if not view.final and any(cut_off(end, buf, pos) for end in view.graph.ends):
            return WAIT
        rest = squeeze(buf[pos : pos + 2 * MAX_BLANK])
        if self.named and (stands := object_instead(node, buf, pos, view.final)) is not Answer.NO:
            return stands
        if self.named and any(buf.startswith(self.spelled(core), pos) for core in node.implied):
            return Answer.YES
        if self.named and (closed := closed_at(view, node, pos)) is not Answer.NO:
            return closed
        if self.named and not view.final and any(squeeze(self.spelled(core)).startswith(rest) for core in node.implied):
            return WAIT
        if any(squeeze(self.spelled(core)).startswith(rest) for core in node.marks):  # a marker, cut off by the end
            if not view.final:
                return WAIT
            return Answer.YES if self.strong or self.seen and len(rest) >= STRONG else Answer.NO
        return Answer.NO


def _goes_on_in_words(view: View, at: int) -> Answer:
    """Does a blank come at `buf[at:]`, and a word of a sentence?"""
    if _SENTENCE(view.buf, at) is not None:
        return Answer.YES
    return WAIT if not view.final and _SO_FAR(view.buf, at) is not None else Answer.NO


def _is_argued(view: View, at: int) -> Answer:
    """Does something come at `buf[at:]` that is neither a word nor a closer, after which a call had no arguments?"""
    buf = view.buf
    if at == len(buf):
        return Answer.NO if view.final else WAIT
    if not view.final and any(cut_off(core, buf, at) for core in view.graph.closers):
        return WAIT
    return Answer.NO if buf[at].isalnum() or buf.startswith(view.graph.closers, at) else Answer.YES


def opens_more(view: View, node: Node, at: int) -> bool:
    """Is at `buf[at:]`, where a name may stand after a short sign, another marker, or the beginning of one?

    It is a long one, or a name has to stand after it, too.
    """
    buf, then = view.buf, ((core, node.step(core).node) for core in node.marks)
    more = [core for core, after in then if len(core) >= STRONG or any(after.naming(key) for key, _ in after.patterns)]
    return any(buf.startswith(core, at) or not view.final and cut_off(core, buf, at) for core in more)


def misspelled_call(view: View, stop: Misspelt, node: Node, pos: int) -> Answer:
    """Does a call follow at `buf[pos:]`, from `node`, after what may be a marker? All must tell so."""
    if view.graph.code is not None and node.coding is not None:
        return call_follows(view, stop, node, pos, strong=False) if view.tools else Answer.NO
    if node.text:
        from toolect._reading.proof import proof  # not part of starting up: few dialects need it

        return proof(view, node, pos) if view.tools else Answer.NO
    way = _Way(view, stop, node, pos, strong=False)
    way.picky = True
    for _ in range(_FAR):
        answer = way.go_on()
        if answer is Answer.YES:
            return answer if (way.known if stop.of.named else way.named) else Answer.NO
        if answer is not None:
            return answer
    return Answer.NO


def is_proved(node: Node) -> bool:
    """True where a name that begins a call at `node` has to be proved: where the text beside it is content."""
    return node.text_field().role in (Role.CONTENT, None)


def headed(view: View, node: Node, pos: int) -> Answer:
    """Does a terminal with its marker stand at `buf[pos:]`, where free text may stand too?

    Where the text is content, one that begins a call with its name has to be proved, as a stop is. Elsewhere a short
    marker proves it only for a declared tool, and if the call goes on after it.
    """
    probe = Probe(view, node, pos)
    proved = is_proved(node)
    if probe.space() is WAIT:
        return WAIT
    head = probe.next()
    if head is None or head is WAIT or not isinstance(head.key, Terminal) or proved and node.named(head.key):
        return WAIT if head is WAIT else Answer.NO
    probe.over(head)
    if probe.space() is WAIT:
        return WAIT
    marker = probe.next()
    if marker is WAIT:
        return WAIT
    if marker is None:
        return Answer.NO
    if isinstance(marker.key, Terminal):  # it is another one's line
        return Answer.YES if "\n" in probe.blank and probe.node.lead(marker.key).startswith("\n") else Answer.NO
    if len(marker.key) >= STRONG or not node.naming(head.key):
        return Answer.YES
    probe.over(marker)
    return _go_on(probe, known=False, empty=True) if view.buf[head.start : head.end] in view.tools else Answer.NO


def says_little(opener: str, marker: str, node: Node) -> bool:
    """True for a short `marker` after a name that a short `opener` announced, before `node`: `[f(` is in any code."""
    return len(opener) < STRONG and len(marker) < STRONG and not (node.text or node.escaped or node.json or node.over)


def _go_on(probe: Probe, known: bool, empty: bool) -> Answer:
    """Does a call go on here, with a marker or JSON, or with a terminal and one after it? What is cut off does.

    Of a tool that is `known`, whatever is not a terminal alone is an attempt. One that may be `empty` may end here.
    """
    begun = False
    while True:
        comes = probe.space()
        if comes is not Answer.YES:
            return WAIT if comes is WAIT else Answer.YES
        lexeme = probe.next()
        if lexeme is WAIT:
            return WAIT
        if lexeme is None or lexeme.departed is not None:
            json = lexeme is None and probe.node.json and probe.view.buf[probe.pos] in "{["
            return Answer.YES if json or known and not begun else Answer.NO
        if not isinstance(lexeme.key, Terminal):
            long = len(lexeme.key) >= STRONG or is_echo(lexeme.key)
            more = begun or empty or long or probe.node.first(lexeme.key)
            return Answer.YES if more else Answer.NO
        if begun:
            return Answer.NO
        begun = True
        probe.over(lexeme)
