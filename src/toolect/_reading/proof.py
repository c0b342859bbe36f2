"""Looks ahead from where a call may begin with its name: is it one, or prose, markup or code that looks alike?

Nothing but a name, perhaps after a short sign, announces such a call. A declared tool's name needs little besides it;
any other name has to be proved by what follows. Each look-ahead is bounded.
"""

from __future__ import annotations

import re

from toolect._graph.misspelling import QUOTES
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME, cut_off
from toolect._graph.stops import Unled
from toolect._graph.symbols import Terminal
from toolect._reading.alone import alone
from toolect._reading.answer import WAIT, Answer
from toolect._reading.element import object_instead
from toolect._reading.near_marker import Forgiving
from toolect._reading.probe import Lexeme, View, lexeme_instead, past_fence
from toolect._spec.codec_model import Spelling
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.ref import split_ref

_FAR = 8
"""Lexemes after the name that are looked at: the first key and what opens its value are within."""
_JSON = ("", "{", "[", '"')
"""What JSON begins with, or a marker of blanks."""
_REST_OF_LINE = re.compile(r"[ \t\r]{0,64}")
_OBJECT = re.compile(r'\{\s{0,64}(?:\}|"(?:[^"\\\n]|\\.){0,64}"\s{0,8}:)')
_OBJECT_BEGUN = re.compile(r'\{\s{0,64}(?:"(?:[^"\\\n]|\\.){0,64}(?:\\|"\s{0,8})?)?\Z')
_BARE_KEY = r"""[^\s<>{}\[\]'"#&*!|%@`:,-][^\n:<>]{0,64}"""
_ENTRY = re.compile(
    r"""\{|(?:#[^\n]{0,128}\n\s{0,64})?(?:"(?:[^"\\\n]|\\.){0,64}"|'[^'\n]{1,64}'|"""
    + _BARE_KEY
    + r")[ \t]{0,8}:(?=\s)"
)
_ENTRY_BEGUN = re.compile(
    r"""(?:#[^\n]{0,128}(?:\n\s{0,64}|\Z))?"""
    + r"""(?:"(?:[^"\\\n]|\\.){0,64}(?:\\|"[ \t]{0,8})?|'[^'\n]{0,64}(?:'[ \t]{0,8})?|"""
    + _BARE_KEY
    + r"[ \t]{0,8}|):?\Z"
)


def proof(view: View, node: Node, pos: int, trail: str = "", joined: bool = False) -> Answer:
    """Does a call begin with the name at `buf[pos:]`, a terminal of `node`, after the blanks `trail`?

    One that is `joined` to a call before it may be followed by anything.
    """
    if trail:
        if not view.final and cut_off(trail, view.buf, pos) and len(view.buf) - pos < len(trail):
            return WAIT
        pos += len(trail) if view.buf.startswith(trail, pos) else 0
    if _no_name(view, node, pos):
        return Answer.NO
    probe = _Walk(view, node, pos)
    name = probe.next()
    if name is None or name is WAIT:
        return WAIT if name is WAIT else Answer.NO
    if not isinstance(name.key, Terminal) or not node.naming(name.key):
        return Answer.NO
    if view.final and name.end == len(view.buf):
        return Answer.NO
    said = view.buf[name.start : name.end]
    tool = view.tools.called(said)  # in prose another case may be another word
    probe.known, probe.tool, probe.joined = tool in view.tools.by_name and tool in said, said, joined
    if not probe.known and said in view.graph.network.spec.reserved:
        return Answer.NO
    probe.form = Answer.YES if probe.known or not view.tools else Answer.NO
    probe.over(name)
    return probe.evidence()


def _no_name(view: View, node: Node, pos: int) -> bool:
    """True when surely no terminal of `node` is at `buf[pos:]`, nor a marker, quote or escape before it."""
    buf, graph = view.buf, view.graph
    if pos == len(buf) or not view.final and len(buf) - pos <= MAX_LEXEME:
        return False
    if buf[pos] in QUOTES or buf[pos] == "\\" or buf.startswith(graph.starts, pos):
        return False
    until = min(len(buf), pos + MAX_LEXEME)
    return not any(pattern.match(buf, pos, until) for _, pattern in node.patterns)


def unled(view: View, stop: Unled, node: Node, pos: int) -> Answer:
    """Does a call begin with the name of a declared tool at `buf[pos:]`, a terminal of `node`, all openers missing?"""
    said = view.graph.pattern(stop.core).match(view.buf, pos, pos + MAX_LEXEME)
    if said is None or said.end() == pos:
        return Answer.NO
    name = split_ref(stop.ref, said[0])[0]
    if said.end() == len(view.buf) and not view.final:
        form = stop.ref.partition("{index}")[0]
        written = [ref.replace("{name}", tool) for tool in view.tools for ref in {form, form.partition("{name}")[1]}]
        return WAIT if any(one.startswith(said[0]) or said[0].startswith(one) for one in written) else Answer.NO
    if name not in view.tools.by_name or said.end() == len(view.buf) or name in view.graph.markers:
        return Answer.NO  # what is called as a marker is, cannot be told from it
    walk = _Walk(view, node, pos)
    walk.known, walk.tool, walk.form = True, name, Answer.YES
    walk.over(Lexeme(stop.terminal, pos, said.end()))
    return walk.evidence()


def _one_value(node: Node) -> bool:
    """True where the JSON is the value of one argument, and not all of them."""
    return node.json_field().role is Role.VALUE


class _Walk(Forgiving):
    """Follows the grammar from a name on, until it is clear whether this is a call."""

    __slots__ = ("begun", "form", "joined", "known", "tool")

    def __init__(self, view: View, node: Node, pos: int) -> None:
        super().__init__(view, node, pos)
        self.known = False  # the name is that of a tool
        self.joined = False  # a call ends right before
        self.tool = ""  # the name
        self.form = Answer.NO
        """What the form of a call comes to: it is enough for a tool that is declared, and where none are."""
        self.begun = False  # something of the call came after the name

    def evidence(self) -> Answer:
        """What follows the name."""
        view, keyed = self.view, False
        for _ in range(_FAR):
            if self.node.over:
                return self._line_end()
            comes = self.space()
            if comes is not Answer.YES:
                return self._cut()
            node = self.node
            if keyed and (node.escaped or (_one_value(node) if node.json else node.text)):
                return self.form
            others = [self.spelled(core) for core in node.marks if core.strip()[:1] not in _JSON] if node.json else []
            instead = Answer.YES if any(view.buf.startswith(other, self.pos) for other in others) else Answer.NO
            if instead is Answer.NO and any(cut_off(other, view.buf, self.pos) for other in others):
                return self._cut()
            if instead is Answer.NO and node.json and not node.text:
                instead = lexeme_instead(view, node, self.pos, self.spelled)
            if instead is Answer.WAIT:
                return self._cut()
            if (node.json or node.text) and instead is Answer.NO:
                after = node.step(SlotKind.JSON if node.json else SlotKind.TEXT).node
                for closer in map(self.spelled, after.echoes):
                    if view.buf.startswith(closer, self.pos):
                        return self.form
                    if cut_off(closer, view.buf, self.pos):
                        return self._cut()
                return self._object(node) if node.json else self._text(node)
            lexeme = self.next()
            if lexeme is WAIT:
                return WAIT
            if lexeme is None:
                if any(cut_off(self.spelled(core), view.buf, self.pos) for core in node.marks):
                    return self._cut()
                if self.known and self.begun:
                    stands = object_instead(node, view.buf, self.pos, view.final)
                    if stands is not Answer.NO:
                        return stands
                return Answer.YES if self.known and keyed else Answer.NO
            terminal = isinstance(lexeme.key, Terminal)
            if terminal and lexeme.end == len(view.buf):
                return self._cut()
            if lexeme.key in node.echoes or keyed and node.value:
                return self.form
            self.over(lexeme)
            keyed, self.begun = keyed or terminal, self.begun or not terminal
        return Answer.NO

    def _cut(self) -> Answer:
        """The text ends here, before anything is decided."""
        if not self.view.final:
            return WAIT
        return Answer.YES if self.known and self.begun else Answer.NO

    def _line_end(self) -> Answer:
        """A call that is complete here: nothing may follow on its line, unless the tool is known."""
        if self.known or self.joined:
            return self.form
        buf, ends = self.view.buf, self.view.graph.ends
        at = _REST_OF_LINE.match(buf, self.pos).end()  # type: ignore[union-attr]  # matches the empty string
        rest = buf[at : at + 64]
        if any(rest.startswith(end) for end in ends):
            return self.form
        if not self.view.final and any(end.startswith(rest) for end in ("\n", *ends)):
            return WAIT
        return self.form if rest[:1] in ("", "\n") else Answer.NO

    def _object(self, node: Node) -> Answer:
        """The beginning of a JSON object, up to its first key: enough for every name."""
        buf, at = self.view.buf, self.pos
        if buf[at] == "`":
            at = past_fence(buf, at)
            if at == len(buf):
                return self._cut()
        lined = "\n" in node.choices[SlotKind.JSON][0].expects
        line = lined and "\n" not in self.blank
        if buf[at] != "{" and self.known and not lined:
            return alone(self, self.tool)
        if buf[at] != "{" or line and not self.known:
            return Answer.NO
        if self.known or _OBJECT.match(buf, at) is not None:
            return Answer.YES
        if _OBJECT_BEGUN.match(buf, at) is None:
            return Answer.NO
        return Answer.YES if self.view.final and buf.find('"', at) >= 0 else self._cut()

    def _text(self, node: Node) -> Answer:
        """Text that holds all arguments: a mapping begins with an entry."""
        codec = node.text_field().codec
        if codec is None or codec.spelling is not Spelling.YAML or _ENTRY.match(self.view.buf, self.pos) is not None:
            return self.form
        return self._cut() if _ENTRY_BEGUN.match(self.view.buf, self.pos) is not None else Answer.NO
