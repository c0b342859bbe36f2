"""A marker that is not there as it is written: spelled otherwise, twice, or left out. What follows tells which.

Only asked where the grammar takes nothing but markers, terminals and JSON, and none of them is there.
"""

from __future__ import annotations

import re

from toolect._graph.misspelling import MORE, QUOTES, near
from toolect._graph.node import STRONG, Node, Step
from toolect._graph.spelling import MAX_BLANK, MIN_LEXEME
from toolect._graph.symbols import Key, Terminal, is_echo
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.could_grow import could_grow
from toolect._reading.probe import Departed, Lexeme, Probe, View, next_lexeme, past_blank
from toolect._spec.model import Role

_WORD = re.compile(r"[\w.:/-]+")
_ESCAPED_BLANKS = re.compile(rf"\\[nrt](?:\s|\\[nrt]){{0,{MAX_BLANK}}}+(\\?\Z)?")
"""Blanks written as the escapes of strings, which some write between markers, too."""


class Forgiving(Probe):
    """A probe that goes over markers which are not as they are written."""

    __slots__ = ("last",)

    def __init__(self, view: View, node: Node, pos: int, last: Key = "") -> None:
        super().__init__(view, node, pos)
        self.last = last
        """The marker or terminal before this place."""

    def next(self, far: bool = True) -> Lexeme | Waiting | None:
        """The lexeme that comes here; else what stands in its place."""
        found = super().next(far)
        if found is not None:
            return found
        found = departed(self.view, self.node, self.pos, self.last)
        if type(found) is not Lexeme or found.departed is not Departed.STRAY:
            return found
        self.pos = past_blank(self.view.buf, found.end)
        return super().next()

    def over(self, lexeme: Lexeme) -> Step:
        self.last = lexeme.key
        return super().over(lexeme)


def departed(view: View, node: Node, pos: int, last: Key) -> Lexeme | Waiting | None:
    """The marker that `node` should have had at `buf[pos:]`, where it has nothing; None for no such thing.

    `last` is the marker or terminal before.
    """
    buf = view.buf
    if pos == len(buf) or node.text or node.escaped or view.graph.code is not None:
        return None
    if node.json and buf[pos] in '{["':
        return None
    if not view.final and node.patterns and len(buf) - pos < MIN_LEXEME:
        return WAIT
    if could_grow(node, buf, pos, view.spelled):
        return None if view.final else WAIT  # a marker as it is written, cut off
    if buf[pos] in QUOTES and not node.value and not node.json:
        return _quote(view, node, pos, last)
    if buf[pos] == "\\" and view.tools:
        return _escaped_blanks(view, node, pos)
    known = view.graph.starts
    found = _stray(view, node, pos) if buf.startswith(known, pos) else _misspelled(view, node, pos)
    if found is None and any(buf.startswith(core, pos) for core in node.implied):
        return None
    return _missing(view, node, pos) if found is None else found


# Spelled otherwise


def _misspelled(view: View, node: Node, pos: int) -> Lexeme | Waiting | None:
    """The marker of `node` that comes closest to what is at `buf[pos:]`, and after which the text goes on."""
    best: tuple[int, int, str] | None = None
    for core, wrong in node.marks.items():
        if wrong or is_echo(core) or len(core) < STRONG and (node.value or core[0] not in QUOTES):
            continue
        if node.value and core.isalpha():
            continue  # a word is not spelled otherwise: it may be longer
        edits, end = near(core, view.buf, pos, view.final)
        if end == MORE and not view.final:
            return WAIT
        if end > pos and node.step(core).node.escaped and view.buf[end - 1] != core[-1]:
            continue  # a string in other quotes has another end
        if end > pos and (best is None or (-edits, end) > best[:2]) and not _another(view, core, pos, end):
            best = (-edits, end, core)
    if best is None:
        return None
    edits, end, core = best
    goes_on = _goes_on(view, node.step(core).node, end) if edits else True
    if goes_on is WAIT:
        return WAIT
    return Lexeme(core, pos, end, Departed.MISSPELLED) if goes_on else None


def _another(view: View, core: str, pos: int, end: int) -> bool:
    """Is what is read as `core` one sign and another marker, as it is written?"""
    return any(
        len(other) >= STRONG and other not in core and view.buf.endswith(other, pos + 1, end)
        for other in view.graph.starts
    )


def _goes_on(view: View, node: Node, pos: int) -> bool | Waiting:
    """Does the text at `buf[pos:]` go on as `node` does, as far as the next lexeme shows?"""
    pos = past_blank(view.buf, pos)
    if node.text or node.escaped or node.done is not None:
        return True
    if pos == len(view.buf):
        return True if view.final else WAIT
    lexeme = _lexeme(view, node, pos)
    if lexeme is None:
        return node.json and view.buf[pos] in "{["
    if lexeme is WAIT or not isinstance(lexeme.key, Terminal):
        return WAIT if lexeme is WAIT else True
    after, end = node.step(lexeme.key).node, lexeme.end
    goes_on = _goes_on(view, after, end)
    quoted = goes_on is False and end < len(view.buf) and view.buf[end] in QUOTES
    return _goes_on(view, after, end + 1) if quoted else goes_on


def _lexeme(view: View, node: Node, pos: int) -> Lexeme | Waiting | None:
    """The lexeme at `buf[pos:]` that is as it is written."""
    found = next_lexeme(view, node, pos)
    short = node.patterns and len(view.buf) - pos < MIN_LEXEME
    return WAIT if found is None and short and not view.final else found


# Left out, or there once more


def _missing(view: View, node: Node, pos: int) -> Lexeme | Waiting | None:
    """The one marker of `node` after which what is at `buf[pos:]` may come."""
    found = []
    for core, wrong in node.marks.items():
        after = node.step(core).node
        if not wrong and not is_echo(core) and (len(core) >= STRONG or after.json):
            fits = _fits(view, after, pos, node.json)
            if fits is WAIT:
                return WAIT
            if fits:
                found.append(core)
    return Lexeme(found[0], pos, pos, Departed.MISSING) if len(found) == 1 else None


def _quote(view: View, node: Node, pos: int, last: Key) -> Lexeme | Waiting | None:
    """A marker in other quotes than its own, or a quotation mark beside a marker or name that has none."""
    found = _misspelled(view, node, pos)
    if found is not None:
        return found
    lexeme = _lexeme(view, node, pos + 1)
    if lexeme is WAIT:
        return WAIT
    if lexeme is None:
        return None
    opens = isinstance(lexeme.key, Terminal) and isinstance(last, str) and len(last) >= STRONG
    beside = opens or isinstance(last, Terminal)
    return Lexeme(view.buf[pos], pos, pos + 1, Departed.STRAY) if beside else None


def _stray(view: View, node: Node, pos: int) -> Lexeme | Waiting | None:
    """A marker that cannot come here, with what can after it."""
    if any(view.buf.startswith(core, pos) for core in node.implied):
        return None
    core = max((core for core in view.graph.starts if view.buf.startswith(core, pos)), key=len)
    end = pos + len(core)
    fits = _fits(view, node, past_blank(view.buf, end), False)
    if fits is WAIT:
        return WAIT
    return Lexeme(core, pos, end, Departed.STRAY) if fits else None


def _escaped_blanks(view: View, node: Node, pos: int) -> Lexeme | Waiting | None:
    """Line breaks and tabs written as escapes, with what can come after them."""
    if not view.final and len(view.buf) - pos == 1:
        return WAIT
    found = _ESCAPED_BLANKS.match(view.buf, pos)
    if found is None:
        return None
    if found[1] is not None and not view.final:
        return WAIT
    fits = _fits(view, node, found.end(), False)
    if fits is WAIT:
        return WAIT
    return Lexeme(found[0], pos, found.end(), Departed.STRAY) if fits else None


def _fits(view: View, node: Node, pos: int, json: bool) -> bool | Waiting:
    """Is what is at `buf[pos:]` surely what `node` takes? `json`: JSON may be something else."""
    buf, n = view.buf, len(view.buf)
    if node.escaped:
        return False
    if pos == n:
        return False if view.final else WAIT
    lexeme = _lexeme(view, node, pos)
    if lexeme is WAIT:
        return WAIT
    if node.text:  # where any text may stand, the longer marker
        return lexeme is not None and isinstance(lexeme.key, str) and len(lexeme.key) >= STRONG
    if lexeme is None:
        return node.json and not json and buf[pos] in "{["
    if not isinstance(lexeme.key, Terminal):
        return len(lexeme.key) >= STRONG
    if _WORD.fullmatch(buf, lexeme.start, lexeme.end) is None:
        return False
    if Role.NAME in node.fills(lexeme.key) and view.tools and buf[lexeme.start : lexeme.end] not in view.tools:
        return False
    after = node.step(lexeme.key).node
    at = past_blank(buf, lexeme.end)
    if at == n:
        return False if view.final else WAIT
    follows = _lexeme(view, after, at)
    if follows is WAIT:
        return WAIT
    if follows is None:
        return after.json and not after.text and buf[at] == "{"
    return isinstance(follows.key, str) and (len(follows.key) >= STRONG or at == lexeme.end)
