"""Whose words a template's characters are: known by marks, by what asks for answers, and by what ends them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from toolect._chats.template_marks import TextMark
from toolect._message import Json
from toolect._transcript import Origin

Piece = tuple[str, Origin, int]


class MarkedText(NamedTuple):
    """Characters `start:end` of the text are of a mark's text, as the template tells it."""

    start: int
    end: int
    mark: TextMark


def unmarked(text: str, marks: Iterable[TextMark]) -> str:
    """`text` without the characters of marks."""
    return text.translate(dict.fromkeys(ord(char) for mark in marks for char in (mark.opener, mark.closer)))


def placed(text: str, marks: Sequence[TextMark]) -> list[MarkedText]:
    """Where the texts between marks stand in `text`, once the marks are taken out; in order, none inside of another.

    Where a template has cut a text, and one of its marks with that, nothing tells how far it reaches.
    """
    if not marks:
        return []
    by_char = {mark.opener: mark for mark in marks} | {mark.closer: mark for mark in marks}
    found: list[MarkedText] = []
    opened: tuple[int, TextMark | None] = 0, None
    for gone, one in enumerate(re.finditer("|".join(by_char), text)):
        mark, at = by_char[one[0]], one.start() - gone
        if one[0] == mark.closer and opened[1] is mark:
            found.append(MarkedText(opened[0], at, mark))
        opened = (at, mark) if one[0] == mark.opener else (at, None)
    return found


def alike(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def apart(found: Iterable[MarkedText]) -> list[MarkedText]:
    """The stretches in order, without those that reach into one before them."""
    out: list[MarkedText] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not out or one.start >= out[-1].end:
            out.append(one)
    return out


def pieces(text: str, found: Sequence[MarkedText]) -> list[Piece]:
    """The text in pieces; what nobody said is scaffold."""
    out: list[Piece] = []
    at = 0
    for one in found:
        if one.start > at:
            out.append((text[at : one.start], Origin.SCAFFOLD, -1))
        out.append((text[one.start : one.end], one.mark.origin, one.mark.turn))
        at = one.end
    return [*out, (text[at:], Origin.SCAFFOLD, -1)] if at < len(text) else out


class AnswerFrame(NamedTuple):
    """How a template asks for an answer after each kind of turn, and what ends one."""

    openings: dict[type | None, str]
    ends: tuple[str, ...]


def whole_answers(
    text: str, found: Sequence[MarkedText], kinds: Sequence[type], answered: AnswerFrame
) -> list[MarkedText]:
    """`found`, where each answer is one stretch: from after what asks for it up to what ends it, that included.

    `kinds` are the types of the turns. An answer whose end shows nowhere has its texts alone.
    """
    others = [one for one in found if one.mark.origin is not Origin.ANSWER]
    out = list(others)
    for number, kind in enumerate(kinds):
        if kind.__name__ != "Assistant":
            continue
        own = [one for one in found if one.mark.origin is Origin.ANSWER and one.mark.turn == number]
        before = max((one.end for one in others if one.mark.turn < number), default=0)
        before = max([before, *(one.end for one in out if one.mark.turn < number)])
        after = min((one.start for one in others if one.mark.turn > number), default=len(text))
        opening = answered.openings.get(kinds[number - 1] if number else None, "")
        start = before + alike(text[before:after], opening)
        inner = max((one.end for one in own), default=start)
        ends = [(at, token) for token in answered.ends if (at := text.find(token, inner, after)) >= 0]
        if not ends or (own and own[0].start < start):
            out += own
            continue
        at, token = min(ends)
        out.append(MarkedText(start, at + len(token), TextMark(text[start:at], Origin.ANSWER, number, "", "")))
    return apart(out)


def definitions(text: str, tools: Sequence[Mapping[str, Json]]) -> Iterator[MarkedText]:
    """Where tools are written as the JSON that they are; where they are written otherwise, their descriptions."""
    for tool in tools:
        for spelled in _spellings(tool):
            if spelled and spelled in text:
                at = text.find(spelled)
                while at >= 0:
                    yield MarkedText(at, at + len(spelled), TextMark(spelled, Origin.TOOLS, -1, "", ""))
                    at = text.find(spelled, at + len(spelled))
                break


def _spellings(tool: Mapping[str, Json]) -> Iterator[str]:
    """How templates spell a definition, its parameters, and what it is for: the largest of them first."""
    function = tool.get("function", tool)
    for value in (tool, function, function.get("parameters")):
        for indent in (None, 4, 2):
            yield json.dumps(value, ensure_ascii=False, indent=indent)
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    yield function.get("description") or ""
