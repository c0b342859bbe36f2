"""Whose words a template's characters are: known by marks in the texts that it is given, and by what ends answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from toolect._chat_completion import arguments_text
from toolect._message import Call, Json, Message
from toolect._transcript import Origin
from toolect._turns import Assistant, Results, System, Turn, User

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


# A conversation with marks in its texts that tell where each of them was written


_PLANES = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE), range(0xE000, 0xF900))
"""The characters for private use: no text has all of them."""


class Habits(NamedTuple):
    """How a template wants to be given answers: arguments as objects or as text, and content that there is none of."""

    text: bool = False
    empty: str | None = ""


class TextMark(NamedTuple):
    """The text of a turn that stands between the characters `opener` and `closer`, its outer blanks aside."""

    text: str
    origin: Origin
    turn: int
    opener: str
    closer: str


class Marker:
    """Puts texts between marks. `chosen` are the numbers of those that are marked: all, unless they are given."""

    def __init__(self, turns: Sequence[Turn], chosen: frozenset[int] | None = None) -> None:
        self._free = _free(turns)
        self._chosen = chosen
        self.marks: list[TextMark] = []
        self.count = 0

    def mark(self, text: str, origin: Origin, turn: int) -> str:
        """`text` with its marks; one of blanks only has none, as templates ask whether there is anything in it."""
        core = text.strip()
        if not core:
            return text
        self.count += 1
        if self._chosen is not None and self.count - 1 not in self._chosen:
            return text
        opener, closer = next(self._free, ""), next(self._free, "")
        if not closer:
            return text
        self.marks.append(TextMark(core, origin, turn, opener, closer))
        before = len(text) - len(text.lstrip())
        return text[:before] + opener + core + closer + text[before + len(core) :]


def _free(turns: Sequence[Turn]) -> Iterator[str]:
    """Characters that nobody uses."""
    used = {*"".join(text for turn in turns for text in _texts(turn))}
    return (chr(code) for plane in _PLANES for code in plane if chr(code) not in used)


def _texts(turn: Turn) -> Iterator[str]:
    match turn:
        case System(text) | User(text):
            yield text
        case Assistant(message):
            yield from (one.arguments_text if isinstance(one, Call) else one.text for one in message.segments)
        case Results(results):
            yield from (result.output for result in results)


def messages(turns: Sequence[Turn], habits: Habits, marker: Marker | None = None) -> list[dict[str, Json]]:
    """The turns as messages, with reasoning under every name that a template may read."""
    mark = Marker(turns, frozenset()).mark if marker is None else marker.mark
    out: list[dict[str, Json]] = []
    for number, turn in enumerate(turns):
        match turn:
            case System(text, developer):
                role = "developer" if developer else "system"
                out.append({"role": role, "content": mark(text, Origin.SYSTEM, number)})
            case User(text):
                out.append({"role": "user", "content": mark(text, Origin.USER, number)})
            case Assistant(message):
                out.append(_answer(message, habits, lambda text, at=number: mark(text, Origin.ANSWER, at)))  # type: ignore[misc]
            case Results(results):
                marked = ((result, mark(result.output, Origin.RESULT, number)) for result in results)
                out += [result.to_openai() | {"content": text} for result, text in marked]
    return out


def _answer(message: Message, habits: Habits, mark: Callable[[str], str]) -> dict[str, Json]:
    said: dict[str, Json] = {"role": "assistant", "content": mark(message.content) or habits.empty}
    if message.reasoning:
        said |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), mark(message.reasoning))
    if message.calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call) if habits.text else call.arguments},
            }
            for call in message.calls
        ]
    return said
