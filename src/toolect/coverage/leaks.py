"""Markers where none belong: in content, in reasoning, in the texts of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from toolect.detection.index import index, trie
from toolect.ir import Call, Content, Json, Segment, dumps


class Where(StrEnum):
    """The part of a message in which a marker was left."""

    CONTENT = "content"
    REASONING = "reasoning"
    ARGUMENTS = "arguments"


@lru_cache(maxsize=1)
def marker() -> re.Pattern[str]:
    """Matches a marker of any dialect that is no word or sign of ordinary text: `<tool_call>`, but not `json`."""
    return re.compile(trie({m for m in index().markers if _telling(m)}))


def _telling(marker: str) -> bool:
    """True for a marker that begins as a tag does, or with a sign that is rare."""
    first = marker[0]
    return first in "<[]" and not marker[1:].isspace() or not first.isascii()


def leaks(segments: Iterator[Segment] | tuple[Segment, ...]) -> Iterator[tuple[str, Where, str, int]]:
    """Each marker left in the segments: the marker, the part it is in, that part's text, and where in it."""
    search = marker().search
    for segment in segments:
        if type(segment) is Call:
            if not segment.runnable or type(segment.arguments) is not dict:
                continue
            for value in segment.arguments.values():
                if (text := _text(value)) and search(text) is not None:
                    yield from _in(text, Where.ARGUMENTS)
        elif search(segment.text) is not None:  # type: ignore[union-attr]  # content or reasoning
            where = Where.CONTENT if type(segment) is Content else Where.REASONING
            yield from _in(segment.text, where)  # type: ignore[union-attr]  # as above


def _text(value: Json) -> str:
    """What a value has of text; numbers have none."""
    if type(value) is str:
        return value
    return dumps(value) if type(value) in (dict, list) else ""


def _in(text: str, where: Where) -> Iterator[tuple[str, Where, str, int]]:
    for match in marker().finditer(text):
        yield match[0], where, text, match.start()


def owners(found: str) -> list[str]:
    """The dialects that have this marker, the ones met most often first."""
    known = index()
    return [name for name in known.order if found in known.traits[name].markers]
