"""Mends a value language where it is broken, and the arguments that stand in it: what was meant is read there.

As in JSON, what is there stays as it is spelled: a sign that is missing is implied, one too many is gone over, a word
or a quote of another language stands for the own one. What follows has to prove it; else nothing is mended.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from toolect._graph.misspelling import near
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.symbols import Terminal
from toolect._reading.answer import WAIT, Answer, Waiting
from toolect._reading.probe import View, next_lexeme, past_blank
from toolect._reading.value_places import CLOSERS, Places, places_of
from toolect._values.toolset import ToolSchemas
from toolect._values.vocabulary import ANY_WORDS

MAX_MENDED = 256
"""Characters that are looked at from where a value of a value language is broken. Beyond it: `malformed`."""
MAX_MENDS = 64
"""Repairs of a call up to which a value of a value language is mended in it. Beyond it: `malformed`."""

_COMMENT = re.compile(
    r"(?://[^\n]*\n|/\*(?:[^*]|\*(?!/))*+\*/|#[ \t!][^\n]*\n|```\w*[ \t]*\n|```(?=\s{0,64}[,)\]}]))\s*"
)
"""A comment of another language, or a fence around a value."""
_ELLIPSIS = re.compile(r"(?:\.\.\.|…)\s*+(?![\w$(\[{]),?\s*")
"""Dots for more of the same; with something to spread behind them they are code."""
_CLOSING = {"“": '”“"', "”": '”"', "„": '“”"', "‘": "’‘'", "’": "’'", "«": "»", "`": "`", "'": "'"}
"""What opens a string in another language → the signs that may close it."""
_SEPARATORS = re.compile(r"=>|[:=](?!=)")
_WORD = re.compile(r"[^\W\d]\w*(?=\s{0,64}(?:[,)\]};\n]|\Z))")
_BARE_KEY = re.compile(r"[^\W\d][\w$.-]{0,63}(?=\s{0,64}:(?!:))")
_HALF = re.compile(r"""([^\s"'`{}\[\]():=,][^"'`{}\[\]():=,\n]{0,200})(["'`])(?=\s{0,64}(?:[,)\]}:]|\Z))""")
"""A string without its first quote."""
_WHOLE = re.compile(r"""(["'`])(?:[^"'`\\\n]|\\.){0,200}\1\s{0,64}(?:([,)\]}])|(:))""")
"""A string, and what follows it: in a list or as an argument, or after a key."""
_BARE_TEXT = re.compile(r"""[^\s"{}\[\]<|:,][^"{}\[\]<|:\n]{0,200}?(?=\s{0,64}(?:,\s{0,64}[\w.-]{1,64}:|\}))""")
"""A string in an object whose quotes are gone: it may have commas in it."""
_BARE_ITEM = re.compile(r"""[^\s"{}\[\]<|:,][^"{}\[\]<|:\n,]{0,200}?(?=\s{0,64}[,\]])""")
_PARTED = re.compile(r"[^\W\d]++(?:[\s\u200b\ufeff][^\W\d]++){1,3}(?=\s{0,64}(?:[,)\]}]|\Z))")
"""A word with blanks in it."""
_GAPS = re.compile(r"[\s\u200b\ufeff]+")
_SCALAR = re.compile(r"[-+.\w]{1,64}\s{0,64}[,)\]}\n]")
_ITEM = re.compile(r"""\s{0,64}(?:["'`“‘«„”’]|[\[{(]|[-+.\w]|\.\.\.|…|//|/\*|#|[)\]}]|[:=])""")
_LINE_END = re.compile(r"[ \t]*(?:[\n;]|```|\Z)")
_LINED = re.compile(r"\n[ \t]*\Z").search
_NO_ITEM = (*CLOSERS, ",", "(")
"""What no item begins with; before a bracket that opens stands what would have to be called."""


class Mend(NamedTuple):
    """How to go on where a value is broken: the markers `path` are missing, then up to index `end` something stands."""

    end: int
    why: str
    path: tuple[str, ...] = ()
    core: str = ""
    """The marker that was meant by it; none where it means nothing."""
    closers: str = ""
    """The string that `core` opens ends with one of these signs."""
    bare: str | None = None
    """It is a string without the marker `core` before it."""


class _Window:
    """The next part of a text as if that were all: what is found in it depends on nothing else."""

    __slots__ = ("_view", "base", "buf", "final", "graph", "seeking")

    def __init__(self, view: View, pos: int) -> None:
        self._view = view
        self.buf, self.base, self.final = view.buf[pos : pos + MAX_MENDED], view.base + pos, True
        self.graph = view.graph
        self.seeking: object = None

    @property
    def tools(self) -> ToolSchemas:
        """The tools that are declared, by name."""
        return self._view.tools

    def spelled(self, core: str) -> str:
        """The marker `core` as it is written here."""
        return self._view.spelled(core)


def mend(view: View, node: Node, pos: int, quoted: bool = False) -> Mend | Waiting | None:
    """What was meant at `buf[pos:]`, which `node` does not take; None where nobody knows.

    `quoted`: after a quote that may belong to its string. More has to prove what is missing there.
    """
    places = places_of(node)
    if places is None or quoted and _ITEM.match(view.buf, pos) is None:
        return None
    if not view.final and len(view.buf) - pos < MAX_MENDED:
        return WAIT
    lined = _LINED(view.buf, max(pos - MAX_BLANK, 0), pos) is not None
    found = _found(_Window(view, pos), node, places, quoted, lined)
    return None if found is None else found._replace(end=pos + found.end)


def _found(view: View, node: Node, places: Places, quoted: bool, lined: bool) -> Mend | None:
    buf = view.buf
    at = past_blank(buf, 0)
    if at == len(buf):
        return None
    char = buf[at]
    keyed = any(":" in after.marks for after in places.strings.values())
    comment = _COMMENT.match(buf, at)
    if comment is not None:
        return Mend(comment.end(), "a comment")
    if char in ".…," and not quoted and (keyed or not node.marks.keys().isdisjoint(CLOSERS)):
        more = _ELLIPSIS.match(buf, at)
        if more is not None or char == ",":
            return Mend(at + 1 if more is None else more.end(), "a comma" if more is None else "an ellipsis")
    if char in CLOSERS:
        return _bracket(view, node, places, at, quoted)
    separator = _SEPARATORS.match(buf, at)
    if separator is not None:
        meant = next((core for core in (":", "=") if core in node.marks), "")
        return Mend(separator.end(), f"expected `{meant}`", core=meant) if meant else None
    if quoted:
        return _lacks_separator(view, places, at, lined)
    return _other_spelling(buf, at, places, keyed) or _missing_signs(view, places, at)


def _other_spelling(buf: str, at: int, places: Places, keyed: bool) -> Mend | None:
    """A word, a quote or a key as another language has it."""
    word = _WORD.match(buf, at)
    if word is not None:
        once = word[0][: len(word[0]) // 2]
        said = once if once * 2 == word[0] else word[0]
        value = ANY_WORDS.get(said.lower(), said)
        if value in places.words:
            return Mend(word.end(), word[0], core=places.words[value])
        if any(near(core, buf, at, True)[1] == word.end() for core in places.words.values()):
            return None  # one of the words may have been meant
    parted = _PARTED.match(buf, at)
    if parted is not None:
        value = ANY_WORDS.get(_GAPS.sub("", parted[0]).lower(), parted[0])
        if value in places.words:
            return Mend(parted.end(), parted[0], core=places.words[value])
    opener = next(iter(places.strings), "")
    if not opener:
        return None
    closers = _CLOSING.get(buf[at]) if not buf.startswith("```", at) else None
    if closers is not None:
        return Mend(at + 1, buf[at], core=opener, closers=closers)
    bare = _BARE_KEY.match(buf, at) if keyed else None
    if bare is not None:
        return Mend(bare.end(), bare[0], core=opener, bare=bare[0])
    if places.half is not None:
        text = places.half.match(buf, at)
        if text is not None:
            return Mend(text.end(), text[0], core=opener, bare=text[1])
        text = (_BARE_ITEM if "]" in places.strings[opener].marks else _BARE_TEXT).match(buf, at)
        if text is not None:
            return Mend(text.end(), text[0], core=opener, bare=text[0])
    half = _HALF.match(buf, at)
    if half is not None and half[2] in places.strings and keyed is buf.startswith(":", past_blank(buf, half.end())):
        return Mend(half.end(), half[0], core=half[2], bare=half[1])
    return None


def _lacks_separator(view: View, places: Places, at: int, lined: bool) -> Mend | None:
    """After a string: is a comma or a colon missing? A whole string comes next, a value, or on another line a key."""
    buf = view.buf
    whole = _WHOLE.match(buf, at)
    bare = _BARE_KEY.match(buf, at) if lined else None
    for path, after in places.missing:
        if path not in ((",",), (":",)):
            continue
        inner = places_of(after)
        if inner is None:
            continue
        if bare is not None and path == (",",) and _fits(view, after, at):
            return Mend(at, "expected `,`", path)
        keyed = any(":" in then.marks for then in inner.strings.values())
        if whole is not None and whole[1] in inner.strings and (whole[3] is not None) is keyed:
            return Mend(at, f"expected `{path[0]}`", path)
        if path == (":",) and (buf[at] in "[{" or _SCALAR.match(buf, at) is not None):
            return Mend(at, "expected `:`", path)
    return None


def _missing_signs(view: View, places: Places, at: int) -> Mend | None:
    """Signs that are missing before what comes here."""
    for path, after in places.missing:
        if path[-1] == "=" and view.buf[at] == "[":
            continue  # an index
        if _fits(view, after, at):
            return Mend(at, f"expected `{path[0]}`", path)
    return None


def _bracket(view: View, node: Node, places: Places, at: int, quoted: bool) -> Mend | None:
    """A bracket that does not close what is open: one is missing, or it is one too many, as what follows says."""
    char = view.buf[at]
    for path, after in places.missing:
        if char in after.marks and not after.first(char) and all(core in CLOSERS for core in path):
            then = after.step(char).node
            if then.value and not quoted or _goes_on(view, then, at + 1):
                return Mend(at, f"expected `{path[0]}`", path)
    return Mend(at + 1, f"`{char}` too many") if _goes_on(view, node, at + 1) else None


def _goes_on(view: View, node: Node, pos: int) -> bool:
    """Is what comes at `buf[pos:]` what `node` takes, and what comes after that, too? A call may end with its line."""
    for i in range(2):
        if (node.over or node.text) and _LINE_END.match(view.buf, pos) is not None:
            return True
        if node.text:
            return i > 0
        pos = past_blank(view.buf, pos)
        lexeme = next_lexeme(view, node, pos)
        if lexeme is None or lexeme is WAIT:
            return False
        node, pos = node.step(lexeme.key).node, lexeme.end
    return True


def _fits(view: View, node: Node, pos: int) -> bool:
    """Is what is at `buf[pos:]` surely what `node` takes?"""
    buf = view.buf
    lexeme = None if node.text or node.escaped else next_lexeme(view, node, pos)
    if lexeme is None or lexeme is WAIT:
        return False
    after = node.step(lexeme.key).node
    if isinstance(lexeme.key, Terminal):
        if node.over:
            return False
        follows = next_lexeme(view, after, past_blank(buf, lexeme.end))
        return follows is not None and follows is not WAIT and isinstance(follows.key, str)
    if after.escaped:
        return _WHOLE.match(buf, pos) is not None
    if lexeme.key in _NO_ITEM:
        return False
    return not lexeme.key.isalpha() or _SCALAR.match(buf, pos) is not None


def next_entry(view: View, node: Node, pos: int) -> Mend | Waiting | None:
    """Is the string at `buf[pos:]`, which could be joined to the one before, the next key, or the value of that?"""
    buf, places = view.buf, places_of(node)
    sign = next((core for core in (":", ",") if core in node.marks), "")
    if places is None or buf[pos] not in places.strings or not sign or "}" not in node.marks:
        return None
    if not view.final and len(buf) - pos < MAX_MENDED:
        return WAIT
    whole = _WHOLE.match(buf, pos, pos + MAX_MENDED)
    wanted = whole is not None and whole[3 if sign == "," else 2] is not None
    return Mend(pos, f"expected `{sign}`", (sign,)) if wanted else None


def is_item(view: View, node: Node, pos: int) -> Answer:
    """Is what begins with the quote at `buf[pos]` a whole string in a list or object, joined to the one before?"""
    if "]" not in node.marks and "}" not in node.marks:
        return Answer.NO
    if not view.final and len(view.buf) - pos < MAX_MENDED:
        return WAIT
    return Answer.NO if _WHOLE.match(view.buf, pos, pos + MAX_MENDED) is None else Answer.YES
