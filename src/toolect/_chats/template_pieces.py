"""Provenance of a template's characters, by marks in the texts that it is given, and by the ends of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product, takewhile
from typing import NamedTuple

from toolect._chat_completion import arguments_text
from toolect._chats.control_tokens import control_tokens
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message
from toolect._rendered import RenderError
from toolect._transcript import Changed, Origin
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.chat_template.sandbox import Sandbox, TemplateError

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
    """Spans of the texts between marks in `text`, once the marks are taken out; in order, none inside of another.

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
    """Length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def apart(found: Iterable[MarkedText]) -> list[MarkedText]:
    """The stretches in order, without those that reach into one before them."""
    out: list[MarkedText] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not out or one.start >= out[-1].end:
            out.append(one)
    return out


def pieces(text: str, found: Sequence[MarkedText]) -> list[Piece]:
    """The text in pieces; text outside of the spans is scaffold."""
    out: list[Piece] = []
    at = 0
    for one in found:
        if one.start > at:
            out.append((text[at : one.start], Origin.SCAFFOLD, -1))
        out.append((text[one.start : one.end], one.mark.origin, one.mark.turn))
        at = one.end
    return [*out, (text[at:], Origin.SCAFFOLD, -1)] if at < len(text) else out


class AnswerFrame(NamedTuple):
    """Frame of a template's answers: the text that asks for one after each kind of turn, and the texts that end one."""

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
    """Spans of tools written as the JSON that they are; of their descriptions where they are written otherwise."""
    for tool in tools:
        for spelled in _spellings(tool):
            if spelled and spelled in text:
                at = text.find(spelled)
                while at >= 0:
                    yield MarkedText(at, at + len(spelled), TextMark(spelled, Origin.TOOLS, -1, "", ""))
                    at = text.find(spelled, at + len(spelled))
                break


def _spellings(tool: Mapping[str, Json]) -> Iterator[str]:
    """Spellings of a definition in templates, or of its parameters, or its description: the largest of them first."""
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
    """Format in which a template takes answers: arguments as objects or as text, and the content if there is none."""

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


# Work: a conversation rendered with marks in its texts, and once more where a template bears none


MAX_ALONE = 48
"""Texts that are marked one by one where a template does not bear all marks at once. Beyond it: those that are left are
searched for."""


class Ways(NamedTuple):
    """Properties of a template that all conversations share."""

    habits: Habits
    answered: AnswerFrame
    tokens: tuple[str, ...]


class TemplateRendering(NamedTuple):
    """A template's text, the spans of the given texts in it, and the texts that it changes."""

    text: str
    found: list[MarkedText]
    changed: tuple[Changed, ...]


class TemplateWork(NamedTuple):
    """A template, and its input besides the turns."""

    template: str
    variables: Mapping[str, Json]
    day: str
    sandbox: Sandbox

    def rendered(self, turns: Sequence[Turn], generate: bool, ways: Ways) -> TemplateRendering:
        """The rendering of the turns. Raises RenderError where the template refuses them, and TemplateError."""
        asked = [at for at, turn in enumerate(turns) if isinstance(turn, Assistant)]
        first = {type(turns[at - 1]) if at else None: at for at in reversed(asked)}
        markers = [Marker(turns), *(Marker(turns) for _ in first)]
        whole = [self.asked(turns, generate, ways.habits, marker) for marker in (None, markers[0])]
        parts = [
            self.asked(turns[:at], True, ways.habits, m) for at, m in zip(first.values(), markers[1:], strict=True)
        ]
        text, marked, *prompts = self.sandbox.run(self.template, [*whole, *parts], day=self.day)
        if isinstance(text, TemplateError):
            raise RenderError("conversation", str(text))
        if isinstance(marked, str) and unmarked(marked, markers[0].marks) == text:
            found = placed(marked, markers[0].marks)
        else:
            found = self._one_by_one(turns, generate, ways.habits, text, markers[0])
        openings = {
            kind: _after(prompt, marker) if isinstance(prompt, str) else ""
            for kind, prompt, marker in zip(first, prompts, markers[1:], strict=True)
        }
        answered = ways.answered._replace(openings=openings)
        return TemplateRendering(
            text, whole_answers(text, found, [*map(type, turns)], answered), _changed(text, found, markers[0])
        )

    def asked(
        self, turns: Sequence[Turn], generate: bool, habits: Habits, marker: Marker | None = None
    ) -> dict[str, Json]:
        """The variables for a rendering."""
        given = {"messages": messages(turns, habits, marker), "add_generation_prompt": generate}
        return dict(self.variables) | given

    def _one_by_one(
        self, turns: Sequence[Turn], generate: bool, habits: Habits, text: str, whole: Marker
    ) -> list[MarkedText]:
        """Each text alone: one whose mark changes what is written is searched for."""
        markers = [Marker(turns, frozenset([number])) for number in range(min(whole.count, MAX_ALONE))]
        given = [self.asked(turns, generate, habits, marker) for marker in markers]
        found: list[MarkedText] = []
        for marked, marker in zip(self.sandbox.run(self.template, given, day=self.day), markers, strict=True):
            if isinstance(marked, str) and unmarked(marked, marker.marks) == text:
                found += placed(marked, marker.marks)
        found = apart(found)
        known = {(one.mark.turn, one.mark.text) for one in found}
        at = 0
        for mark in whole.marks:
            if (mark.turn, mark.text) in known:
                at = max([at, *(one.end for one in found if one.mark.turn == mark.turn and one.mark.text == mark.text)])
            elif (start := text.find(mark.text, at)) >= 0:
                at = start + len(mark.text)
                found.append(MarkedText(start, at, mark))
        return apart(found)


def _after(prompt: str, marker: Marker) -> str:
    """The end of a marked prompt, after the last of its texts."""
    return re.split("|".join(mark.closer for mark in marker.marks) or r"(?!)", prompt)[-1]


def _between(text: str | TemplateError, marker: Marker) -> str:
    """The end of an answer in a marked text: the line after it, or the first control token there if a turn follows."""
    if isinstance(text, TemplateError) or len(marker.marks) < 2 or marker.marks[1].closer not in text:
        return ""
    after = text.rpartition(marker.marks[1].closer)[2]
    following = re.split("|".join(mark.opener for mark in marker.marks), after)[0].strip()
    line = following.partition("\n")[0]
    return next(iter(control_tokens([line])), "") if len(marker.marks) > 2 else line


def _changed(text: str, found: Sequence[MarkedText], marker: Marker) -> tuple[Changed, ...]:
    spellings: dict[tuple[int, str], list[str]] = {}
    for one in found:
        spellings.setdefault((one.mark.turn, one.mark.text), []).append(text[one.start : one.end])
    texts = ((mark, spellings.get((mark.turn, mark.text), [""])) for mark in marker.marks)
    return tuple(Changed(mark.turn, mark.text, some[0]) for mark, some in texts if mark.text not in some)


_TOOL: dict[str, Json] = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks it up.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string", "description": "What"}}},
    },
}
_CALL = Call("look_up", {"key": "it's"}, "abcdefgh1")


def ways(template: str, variables: Mapping[str, Json], dialect: Dialect, sandbox: Sandbox) -> Ways:
    """The properties of a template, by conversations of a few words. Raises TemplateError if it renders none."""
    work = TemplateWork(template, dict(variables) | {"tools": None, "documents": None}, "", sandbox)
    asked, said = User("Ask"), Assistant(Message([Content("Said")]))
    # An answer has markup of its own: only the first two tell what turns are made of.
    talks: list[tuple[list[Turn], bool]] = [
        ([asked], True), ([System("Be"), asked], True), ([asked, said], False), ([asked, said, asked], False),
    ]  # fmt: skip
    markers = [Marker(turns) for turns, _ in talks]
    given = [work.asked(turns, ask, Habits(), marker) for (turns, ask), marker in zip(talks, markers, strict=True)]
    habits = [Habits(text, empty) for empty, text in product(("", None), (False, True))]
    called: list[Turn] = [asked, Assistant(Message([_CALL])), Results((ToolResult("abcdefgh1", "look_up", "Told"),))]
    given += [work.asked(called, True, habit) | {"tools": [_TOOL]} for habit in habits]
    texts = sandbox.run(template, given)
    if all(isinstance(text, TemplateError) for text in texts):
        raise next(text for text in texts if isinstance(text, TemplateError))
    scaffold = [
        piece
        for text, marker in zip(texts[:2], markers, strict=False)
        if isinstance(text, str)
        for piece in re.split("|".join(f"{m.opener}.*?{m.closer}" for m in marker.marks), text)
    ]
    closings = [_between(text, marker) for text, marker in zip(texts[2:4], markers[2:], strict=True)]
    ends = tuple(dict.fromkeys([*dialect.spec.end, *filter(None, closings)]))
    tokens = tuple(dict.fromkeys([*ends, *control_tokens(scaffold)]))
    good = (habit for habit, text in zip(habits, texts[len(talks) :], strict=True) if _tells(text))
    return Ways(next(good, Habits()), AnswerFrame({}, ends), tokens)


def _tells(text: str | TemplateError) -> bool:
    """True for a text that holds the call, and its arguments neither as Python prints them nor as JSON in JSON."""
    if isinstance(text, TemplateError) or "look_up" not in text.rpartition("Ask")[2]:
        return False
    return "it's" in text and "{'key'" not in text and '\\"key\\"' not in text
