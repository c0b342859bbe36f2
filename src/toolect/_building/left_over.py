"""Notes on content that was perhaps meant as a call and could not be read as one: it stays content.

Only the names of declared tools tell: one stands right before arguments, or is a value in JSON that has some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from toolect._building.quotation import MAX_LINE, QuotationState
from toolect._graph.graph import Graph
from toolect._graph.misspelling import near
from toolect._graph.spelling import squeeze
from toolect._message import Call, Content, Repair, RepairKind, Segment
from toolect._values.doubtful import left_out
from toolect._values.schema import visible
from toolect._values.toolset import ToolSchemas

MAX_TEXT = 1 << 16
"""Characters of content that are looked at."""
MAX_NAMED = 64
"""Places of a text where a tool is named that are looked at. Beyond it: nothing is noted."""

_CALLED = re.compile(r"(?:\.call)?\(\s{0,64}(?:\{|[^\W\d]\w{0,64}\s?=(?!=))").match
"""`f({` or `f(x=` after the name; code that ends a name with `.call` is a dialect's own."""
_OBJECT = re.compile(r"\s{0,64}(?:\[\s{0,64})?\{\s{0,64}[\"']").match
_BLANK = re.compile(r"\s{0,64}").match
_KEY = re.compile(r"(?:\w\\{0,16}\"\s{0,16}:|[{\[,])\s{0,16}\\{0,16}\"\Z").search
"""Before a name in JSON, escaped perhaps: the end of a key and its colon, or what a key comes after."""
_NEXT = re.compile(
    r"\\{0,16}\"?\s{0,64},\s{0,64}\\{0,16}\"\w{1,64}\\{0,16}\"\s{0,16}:\s{0,16}\\{0,16}\"?\s{0,64}\{"
).match
"""After it: a comma, and the next key with an object."""
_VALUE = re.compile(r"\\{0,16}\"\s{0,16}:\s{0,16}\\{0,16}\"?\s{0,64}\{").match
_SIGNS = re.compile("[{(]|&(?:lt|gt|quot|#x?[0-9a-fA-F]{2,4});").search
"""Finds a sign that is in all content that may have been a call."""
_MORE = re.compile(r"[\s,}\]]{0,64}\"(\w[\w.-]{0,63})\"\s{0,16}:").match
"""The key of another argument, perhaps after brackets too many."""
_FENCE = "```"
_STATEMENT = re.compile(r"(?:[^=\n]{1,128}=[ \t]{0,16}(?:[a-z]+ )?|await )?\Z").match
"""Before a name on its line, in code: nothing, or what the result is bound to."""
_REST = re.compile(r"\([^\n]*\)[ \t]{0,16};?[ \t]{0,16}(?:\n|\Z)").match
"""After it: arguments up to the end of the line."""
_SIGNS_BEHIND = re.compile(r"[\"'>|]{0,3}").match
"""Matches the end of another format's tag, in which the name is an attribute."""
_CLOSING_TAG = re.compile(r"</(\w{1,64})>").match
_GOES_ON = (*".,;:!?`\"'”’»|", "</")
"""Signs after an example in a sentence, and those that end a quotation or an element."""
_BETWEEN = ' \t\r\n,;"'
"""Signs between a text and a call: blanks, and the separator of calls."""
_ID = re.compile(r"[\w:.-]{1,64}").match
"""Matches text between two markers before the arguments, such as an id."""
_FAR = 128
"""Characters before a name that are looked at."""


def notes(segments: Sequence[Segment], repairs: Sequence[Repair], graph: Graph, tools: ToolSchemas) -> Iterator[Repair]:
    """A note of each content that holds what may have been a call, and has no note yet."""
    if graph.code is not None and any(type(segment) is Call for segment in segments):
        return  # other statements of its block are content, too
    before: Segment | None = None
    for segment, after in zip(segments, (*segments[1:], None), strict=True):
        call, before = before, segment
        if type(segment) is not Content:
            continue
        if type(call) is Call and (argument := _beside(call, segment.text, tools)):
            yield from _unless_noted(segment, repairs, argument)
            continue
        if _SIGNS(segment.text) is None:
            continue
        text = visible(segment.text[:MAX_TEXT])
        if type(after) is Call:
            text = text.rstrip(_BETWEEN)  # the sign between two calls, and no sentence that goes on
        name = next((name for name in tools.by_name if name and _calls(text, name, graph)), None)
        if name is not None:
            yield from _unless_noted(segment, repairs, name)


def _unless_noted(segment: Content, repairs: Sequence[Repair], what: str) -> Iterator[Repair]:
    """The note of `what` stands in the content, unless that has one."""
    start, end = segment.span or (0, 0)
    if not any(start <= repair.at <= end for repair in repairs):
        yield Repair(RepairKind.STRAY_MARKER, start, what)


def _beside(call: Call, text: str, tools: ToolSchemas) -> str:
    """The parameter of the `call` with which `text` goes on, as if more arguments came; none for no such."""
    match = _MORE(text)
    if match is None or not isinstance(call.arguments, dict):
        return ""
    return left_out(tools.of(call.name), call.arguments, (match[1],))


def _calls(text: str, name: str, graph: Graph) -> bool:
    """Does `name` stand in `text` as if it were called, and not as what the text speaks of, or shows?"""
    if "&" in text and _is_escaped(text, name, graph):
        return True
    at = text.find(name)
    if at < 0 or graph.code is None and not _is_over(text):
        return False
    shown = QuotationState()
    for _ in range(MAX_NAMED):
        if at < 0:
            break
        end = at + len(name)
        begins = -1 if _in_word(text[at - 1 : at]) else _begins(text, at, end, graph)
        if begins >= 0 and not shown.holds(text[max(begins - MAX_LINE, 0) : begins], begins, end):
            return True
        at = text.find(name, end)
    return False


def _is_escaped(text: str, name: str, graph: Graph) -> bool:
    """Is there an opener whose signs are entities in `text`, outside of code, and `name` after it?"""
    for core in graph.openers:
        said = escape(core)
        at = text.find(said) if said != core else -1
        if at < 0 and said != (said := escape(core, quote=False)) != core:
            at = text.find(said)
        if at >= 0 and text.count(_FENCE, 0, at) % 2 == 0 and text[at - 1 : at] != "`" and text.find(name, at) >= 0:
            return True
    return False


def _is_over(text: str) -> bool:
    """Does no sentence go on after the last bracket?"""
    rest = text[max(map(text.rfind, ")}]")) + 1 :]
    tag = _CLOSING_TAG(rest)
    if tag is not None and re.search(rf"<{tag[1]}[= ]", text) is not None:
        return True  # it closes an element that has an attribute
    return not rest.strip() or rest[0] == "\n" or not rest[0].isspace() and not rest.startswith(_GOES_ON)


def _begins(text: str, at: int, end: int, graph: Graph) -> int:
    """The index where a possible call of the tool named at `text[at:end]` begins; -1 for none.

    Where calls are code, it stands in no block, or before the end of one that nothing began; elsewhere in no block.
    """
    if graph.code is not None and text.count(_FENCE) % 2 == 0:
        return at if _is_statement(text, at, end) or _is_fenced(text, at, graph) else -1
    if graph.code is None and text.count(_FENCE, 0, at) % 2:
        return -1
    return at if _as_text(text, at, end, graph) else _in_json(text, at, end)


def _in_word(before: str) -> bool:
    return before.isalnum() or before in ("_", "-")


def _is_statement(text: str, at: int, end: int) -> bool:
    """Is a line that stands in no block of code nothing but the call, and perhaps what takes its result?"""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return text.count(_FENCE, 0, at) % 2 == 0 and _STATEMENT(line) is not None and _REST(text, end) is not None


def _is_fenced(text: str, at: int, graph: Graph) -> bool:
    """Does a block of code begin before index `at` with an opener of the dialect that has blanks in it?"""
    fence = text.rfind(_FENCE, 0, at)
    if fence < 0 or text.count(_FENCE, 0, at) % 2 == 0:
        return False
    begun = squeeze(text[fence : min(at, fence + _FAR)])
    return any(core.startswith(_FENCE) and begun.startswith(squeeze(core)) for core in graph.markers)


def _as_text(text: str, at: int, end: int, graph: Graph) -> bool:
    """Are arguments after the name, perhaps on a line of their own, or after a marker, misspelled perhaps?"""
    blank = _BLANK(text, end).end()  # type: ignore[union-attr]  # matches the empty string
    if _CALLED(text, end) is not None or _OBJECT(text, end) is not None and "\n" not in text[end:blank]:
        return not text[at - 1 : at].isspace() or text[at - 1] == "\n" or text.endswith("]")
    signs = _SIGNS_BEHIND(text, end).end()  # type: ignore[union-attr]  # matches the empty string
    return any(_OBJECT(text, after) is not None for after in (blank, signs, *_behind_markers(text, blank, graph)))


def _behind_markers(text: str, at: int, graph: Graph) -> Iterator[int]:
    """The indexes behind a marker at index `at`, misspelled perhaps, and behind an id and another marker after it."""
    for core in graph.markers:
        end = near(core, text, at, True)[1]
        if end < at:
            continue
        yield end
        number = _ID(text, end)
        if number is not None:
            after = (near(other, text, number.end(), True)[1] for other in graph.markers)
            yield from (index for index in after if index >= number.end())


def _in_json(text: str, at: int, end: int) -> int:
    """The index of the JSON in which the name is a text, perhaps in a string of its own, and the next member holds an
    object; -1 for no such thing.
    """
    low = max(at - _FAR, 0)
    if text[at - 1 : at] != '"' or _KEY(text, low, at) is None:
        return -1
    if _NEXT(text, end) is None and _VALUE(text, end) is None:
        return -1
    return min(at for at in map(text.find, "{[") if at >= 0)
