"""Markers where none belong: in content, in reasoning, in the texts of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from toolect import registry
from toolect._building.quotation import MAX_LINE, QuotationState, line_before, said
from toolect._detection.index import index
from toolect._message import Call, Content, Segment, dumps

_GOES_ON = re.compile(r"[,.;:!?)]|[ \t][^\W\d_A-Z]").match
"""Matches what a sentence goes on with that names a marker: behind one that is left, another sentence begins."""
_FENCE = re.compile(r"^[ \t>]*```", re.MULTILINE)
_TOKEN = re.compile(r"<\|[\w:.-]{1,64}\|>|<([\w:.-]{1,64})\s{1,64}\w{1,64}=").finditer
"""A special token of whatever model, or a tag with an attribute."""
_SPELLED = re.compile(
    r"\\(?=[<>_|\[\]])|[ \t](?:(?<=[<|｜/][ \t])[ \t]{0,7}(?=[\w|｜/])|(?<=[\w|｜][ \t])[ \t]{0,7}(?=[|｜>]))"
)
"""Finds characters too many in a marker: the backslashes of Markdown, blanks beside the signs of a tag."""


class Where(StrEnum):
    """The part of a message in which a marker was left."""

    CONTENT = "content"
    REASONING = "reasoning"
    ARGUMENTS = "arguments"


class Leak(NamedTuple):
    """A marker that was left in a part of a message, and where in that part's text."""

    marker: str
    where: Where
    text: str
    at: int


class Markers:
    """The markers of all dialects that are no words or signs of ordinary text: `<tool_call>`, but not `json`."""

    def __init__(self, known: Iterable[str]) -> None:
        telling = sorted(filter(_telling, known))
        self._signs = tuple({marker[0] for marker in telling if marker[0].isascii()})
        found = re.compile(_any_of(telling))
        self._search, self._each, self.finditer = found.search, found.findall, found.finditer

    def within(self, text: str) -> bool:
        """True when there is one in `text`."""
        return self._may(text) and self._search(text) is not None

    def kinds(self, text: str) -> frozenset[str]:
        """The markers that are in `text`: those of texts of one dialect are much the same."""
        return frozenset(self._each(text)) if self._may(text) else frozenset()

    def _may(self, text: str) -> bool:
        """False for most text: it holds not even the first sign of a marker, which is found out much quicker."""
        if text.isascii():
            for sign in self._signs:
                if sign in text:
                    break
            else:
                return False
        return True


def _any_of(texts: Sequence[str]) -> str:
    """An expression for the longest of these texts, which looks at each sign once."""
    if len(texts) == 1:
        return re.escape(texts[0])
    rests: dict[str, list[str]] = {}
    for text in filter(None, texts):
        rests.setdefault(text[0], []).append(text[1:])
    each = "|".join(re.escape(first) + _any_of(ends) for first, ends in rests.items())
    return f"(?:{each})?" if "" in texts else f"(?:{each})"


def markers() -> Markers:
    """The markers of the dialects that are registered now."""
    return _markers(registry.fingerprint())


@lru_cache(maxsize=1)
def _markers(_dialects: str) -> Markers:
    return Markers(index().markers)


def left_in(content: str) -> tuple[str, ...]:
    """The markers of any dialect, those of reasoning and the ends of answers too, that are left in a content.

    They may have attributes, blanks, or entities for their signs; special tokens are those of whatever model. One that
    is quoted, in a code block, or named in a sentence is none.
    """
    known = _all_markers(registry.fingerprint())
    if "<" not in content and "&lt;" not in content and not known.within(content):
        return ()
    content = _SPELLED.sub("", unescape(content) if "&lt;" in content else content)
    tokens = [
        match for match in _TOKEN(content) if known.within(f"<{match[1]}>" if match[1] else match[0]) == bool(match[1])
    ]
    found = list[str]()
    for match in _unquoted(content, sorted((*known.finditer(content), *tokens), key=lambda match: match.start())):
        at, end = match.span()
        after = content[end : end + 2]
        if not (_GOES_ON(after) and said(line_before(content, 0, at), after[0])):
            found.append(match[0])
    return tuple(found)


def _unquoted(content: str, matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Those that are neither quoted nor in a code block."""
    quotation, blocks, fenced = QuotationState(), _FENCE.finditer(content), False
    block = next(blocks, None)
    for match in matches:
        at, end = match.span()
        while block is not None and block.start() < at:
            fenced, block = not fenced, next(blocks, None)
        if not (fenced or quotation.holds(content[max(at - MAX_LINE, 0) : at], at, end)):
            yield match


@lru_cache(maxsize=1)
def _all_markers(_dialects: str) -> Markers:
    return Markers({m for t in index().traits.values() for m in (*t.markers, *t.thinking, *t.ends)})


def has_marker_of(dialect: str, text: str) -> bool:
    """True for a text with a marker of this dialect that is no ordinary text, and not quoted: code alone has none."""
    own = tuple(filter(_telling, index().traits[dialect].markers))
    return any(marker.startswith(own) for marker in left_in(text))


def begins_reasoning(text: str) -> bool:
    """True for a text that begins with a marker of reasoning of any dialect."""
    text = text.lstrip()
    return _may_tell(text) and text.startswith(_thinking(registry.fingerprint()))


@lru_cache(maxsize=1)
def _thinking(_dialects: str) -> tuple[str, ...]:
    return (*{marker for t in index().traits.values() for marker in t.thinking if _telling(marker)},)


def _telling(marker: str) -> bool:
    """True for a marker that begins as a tag does, or with a sign that is rare."""
    return len(marker) > 1 and _may_tell(marker)


def _may_tell(text: str) -> bool:
    return text[:1] in "<[]" or not text[0].isascii()


def leaks(segments: Iterable[Segment]) -> list[Leak]:
    """Each marker that was left in content, reasoning, or the arguments of calls that were read.

    One in a text that is quoted, or in a code block, is none.
    """
    known = markers()
    within = known.within
    found: list[Leak] = []
    for segment in segments:
        if type(segment) is Call:
            if not segment.runnable or type(segment.arguments) is not dict:
                continue
            for value in segment.arguments.values():
                text = value if type(value) is str else dumps(value) if type(value) in (dict, list) else ""
                if text and within(text):
                    found += _in(known, text, Where.ARGUMENTS)
        else:
            text = segment.text  # type: ignore[union-attr]  # content or reasoning
            if within(text):
                found += _in(known, text, Where.CONTENT if type(segment) is Content else Where.REASONING)
    return found


def _in(known: Markers, text: str, where: Where) -> Iterator[Leak]:
    found = known.finditer(text)
    for match in found if where is Where.ARGUMENTS else _unquoted(text, found):
        yield Leak(match[0], where, text, match.start())


def owners(found: str) -> list[str]:
    """The dialects that have this marker, the ones met most often first."""
    known = index()
    return [name for name in known.order if found in known.traits[name].markers]
