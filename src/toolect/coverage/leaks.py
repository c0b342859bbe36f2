"""Markers where none belong: in content, in reasoning, in the texts of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from toolect.detection.index import index, trie
from toolect.ir import Call, Content, Segment, dumps


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


@lru_cache(maxsize=1)
def marker() -> re.Pattern[str]:
    """Matches a marker of any dialect that is no word or sign of ordinary text: `<tool_call>`, but not `json`."""
    telling = sorted(filter(_telling, index().markers), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(map(re.escape, telling))})")


def _telling(marker: str) -> bool:
    """True for a marker that begins as a tag does, or with a sign that is rare."""
    return marker[0] in "<[]" or not marker[0].isascii()


def leaks(segments: Iterable[Segment]) -> list[Leak]:
    """Each marker that was left in content, reasoning, or the arguments of calls that were read."""
    search = _beginning().search
    found: list[Leak] = []
    for segment in segments:
        if type(segment) is Call:
            if not segment.runnable or type(segment.arguments) is not dict:
                continue
            for value in segment.arguments.values():
                text = value if type(value) is str else dumps(value) if type(value) in (dict, list) else ""
                if text and search(text) is not None:
                    found += _in(text, Where.ARGUMENTS)
        else:
            text = segment.text  # type: ignore[union-attr]  # content or reasoning
            if search(text) is not None:
                found += _in(text, Where.CONTENT if type(segment) is Content else Where.REASONING)
    return found


@lru_cache(maxsize=1)
def _beginning() -> re.Pattern[str]:
    """Matches where a marker begins, quickly."""
    return re.compile(trie(filter(_telling, index().markers)))


def _in(text: str, where: Where) -> Iterator[Leak]:
    for match in marker().finditer(text):
        yield Leak(match[0], where, text, match.start())


def owners(found: str) -> list[str]:
    """The dialects that have this marker, the ones met most often first."""
    known = index()
    return [name for name in known.order if found in known.traits[name].markers]
