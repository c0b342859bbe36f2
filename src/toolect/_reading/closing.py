"""Does a quote end its string, or was it left unescaped in the middle? What follows it tells."""

from __future__ import annotations

import re

from toolect._graph.graph import TooDeep
from toolect._graph.misspelling import MORE, NO, near
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK
from toolect._graph.symbols import Terminal
from toolect._reading.answer import WAIT, Answer
from toolect._reading.could_grow import could_grow
from toolect._reading.probe import Probe, View
from toolect._reading.text_source import Source
from toolect._reading.value_mend import is_item, mend
from toolect._values.toolset import ToolSchemas

MAX_LOOK = 160
"""Characters after a doubtful quote that are looked at for code. Beyond it: nothing is looked at."""

_TORN_ARGUMENT = re.compile(r"(?:(?:^|,\s*)|[),\n]\s*\[?[\w.]+\()[^\W\d]\w*\s?=\s?[\[{]*\Z")
_LINED_CALL = re.compile(r"[ \t]*\[?([^\W\d][\w.:/-]*)\((?:\)|\s*\{?\s*[^\W\d]\w*\s?[=:]\s?[\[{\"'\w-])")
"""A call that begins with its line: its name, and the first argument."""
_LINED_BEGUN = re.compile(r"[ \t]*\[?(?:[^\W\d][\w.:/-]*(?:\(\s*\{?\s*(?:[^\W\d]\w*\s?(?:[=:]\s?)?)?)?)?")
_TORN_CALL = re.compile(r"((?:(?<=[^,\s])\s*[,\n]\s*\[?)?)([\w.]++)\([^\W\d]\w*\s?=\s?[\[{]*\Z")
_TORN_KEY = re.compile(r"[:,]\s*[\[{\s]*\Z")
_TORN_ENTRY = re.compile(r"(?:^|[\s,{])[^\W\d]\w*:\s?\Z")
_TORN_MEMBER = re.compile(r"[,{]\s*[^\W\d]\w*:\s?[\[{]*\Z")
_TORN_ITEM = re.compile(r"""(?:^|[^"'`\s]),\s*\Z""")
_TORN_OBJECT = re.compile(r"[}\]]\s*,\s*[\[{]+\s*\Z")
_CALLS = re.compile(r"\w?\(|\)")
_ROUND = re.compile(r"[()]")
_DOUBLED = re.compile(r"[=:]\s?").fullmatch
_CLOSED = re.compile(r"[}\]]+").fullmatch
_LEAST = 8
"""Characters of a call that have to come once more, up to its first quote or beyond, for it to be written again."""
_HEAD = 64
"""Characters of a call up to its first quote. Beyond it: that it is written again is not looked for."""
_FAR = 4
"""Lexemes after a doubtful quote that are looked at: a comma, the next name, its sign and what opens its value."""


def ends_string(view: View, node: Node, pos: int, operator: str, mends: bool = True) -> Answer:
    """Is the quote before `buf[pos]` the closer that `node` follows? `operator`: the expression for what shows it.

    `mends`: it is, too, where something is missing after it.
    """
    try:
        answer = _goes_on(Probe(view, node, pos), mends)
    except TooDeep:
        return Answer.YES
    if answer is not Answer.NO:
        return answer
    buf, n = view.buf, len(view.buf)
    if not view.final and n - pos < MAX_LOOK:
        return WAIT
    # Code that would have to be run is no string with quotes in it: the call is malformed.
    computed = operator and view.graph.pattern(operator).match(buf, pos, min(n, pos + MAX_LOOK))
    return Answer.YES if computed else Answer.NO


def is_torn(node: Node, quote: str, before: str) -> bool:
    """Does `quote` open a string, after text `before` that one without its last quote took in? `node` follows a string.

    In a list a comma is before it, after a key a colon, before an argument its name, and before an object the end of
    another one. A string that is the sign before it has that twice.
    """
    if _DOUBLED(before) is not None:
        return True
    if "}" in node.marks and _TORN_OBJECT.search(before) is not None:
        return True
    if _TORN_ARGUMENT.search(before) is not None and "=" not in node.marks:
        return True
    if ":" in node.marks and _TORN_KEY.search(before) is not None:
        return True
    if "}" in node.marks and _TORN_ENTRY.search(before) is not None:
        return True
    if "]" in node.marks and _TORN_MEMBER.search(before) is not None:
        return True
    return "," in node.marks and _TORN_ITEM.search(before) is not None and quote in node.step(",").node.marks


def calls_in(before: str) -> int:
    """How many calls are open at the end of the text `before`: after a name and a bracket. One torn off has none."""
    depth = opened = 0
    for sign in _CALLS.finditer(before):
        if sign[0] == ")":
            depth -= depth > 0
            opened = min(opened, depth)
        else:
            depth += 1
            opened += len(sign[0]) > 1
    return depth if opened else 0


def still_open(depth: int, buf: str, pos: int, until: int) -> int:
    """How many of `depth` brackets `buf[pos:until]` leaves open, with those that it opens; 0 once all were closed."""
    for sign in _ROUND.finditer(buf, pos, until):
        depth += 1 if sign[0] == "(" else -1
        if not depth:
            break
    return depth


def begins_line(view: View, pos: int, name: str) -> Answer:
    """Does a call begin with the line at `buf[pos:]`, in the middle of one of `name`? It is that or a declared one."""
    buf = view.buf
    match = _LINED_CALL.match(buf, pos, pos + MAX_LOOK)
    if match is None:
        if not view.final and len(buf) - pos < MAX_LOOK and _LINED_BEGUN.fullmatch(buf, pos) is not None:
            return WAIT
        return Answer.NO
    known = match[1] == name or match[1] in view.tools.by_name
    return Answer.YES if known else Answer.NO


def is_doubled(text: str, quote: str) -> bool:
    """Do brackets, and nothing else, come after the last `quote` in the string `text`, and nothing in it opens them?"""
    before, _, between = text.rpartition(quote)
    return _CLOSED(between) is not None and "{" not in before and "[" not in before


def torn_call(before: str, tools: ToolSchemas) -> int:
    """Where the call begins, with the sign before it, whose first argument `before` ends with; -1 for none."""
    match = _TORN_CALL.search(before)
    return match.start(1) if match is not None and match[2] in tools.by_name else -1


def begins_again(source: Source, start: int, at: int) -> int:
    """The character where the call from character `start` on is written again, with its first quote at `at`; or -1."""
    before = source.raw(start, min(start + _HEAD, at)).find(source.raw(at, at + 1))
    again, size = at - before, max(before + 1, _LEAST)
    same = before >= 0 and again > start and source.raw(again, again + size) == source.raw(start, start + size)
    return again if same else -1


def _goes_on(probe: Probe, mends: bool) -> Answer:
    """Does the text go on as the grammar does?"""
    code = probe.view.graph.code is not None
    named = False
    for i in range(_FAR):
        node = probe.node
        if node.text or node.escaped or code and i and node.over:
            break
        comes = probe.space()
        if len(probe.blank) == MAX_BLANK:
            break
        if comes is not Answer.YES:
            return WAIT if comes is WAIT else Answer.YES
        lexeme = probe.next()
        if lexeme is None and i and node.done is not None and "\n" in probe.blank:
            return Answer.YES  # the answer may end here, and what follows is on another line
        if lexeme is None:
            answer = _breaks_off(probe)
            if mends and answer is Answer.NO and not (code and i and node.over):
                found = mend(probe.view, node, probe.pos, quoted=not i)
                answer = WAIT if found is WAIT else Answer.NO if found is None else Answer.YES
            return answer
        if lexeme is WAIT:
            return WAIT
        terminal = isinstance(lexeme.key, Terminal)
        if not terminal and (named or i == 0 and lexeme.key == ":"):
            break
        opened = probe.over(lexeme).node.escaped
        if i == 0 and not probe.blank and (terminal or opened):
            # A word; or a doubled quote, but for the next of adjacent strings in a list.
            return is_item(probe.view, node, lexeme.start) if opened else Answer.NO
        named = named or terminal
    return Answer.YES


def _breaks_off(probe: Probe) -> Answer:
    """The text is not what the grammar has next: is it what may follow where closers are missing?"""
    view, node, pos = probe.view, probe.node, probe.pos
    buf, graph = view.buf, view.graph
    if node.json:
        return Answer.YES
    if any(buf.startswith(core, pos) for group in (node.implied, graph.ends, graph.closers) for core in group):
        return Answer.YES
    if could_grow(node, buf, pos, view.spelled):
        return Answer.YES if view.final else WAIT
    for core in node.marks if node.over else ():
        end = near(core, buf, pos, view.final)[1] if len(core) >= STRONG else NO
        if end == MORE and not view.final:
            return WAIT
        if end > pos:
            return Answer.YES  # the next marker, spelled otherwise
    return Answer.NO if view.final or len(buf) - pos > 3 or not node.patterns else WAIT
