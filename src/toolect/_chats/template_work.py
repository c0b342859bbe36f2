"""What a template makes of a conversation: rendered with marks in its texts, and once more where it bears none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from toolect._chats.control_tokens import control_tokens
from toolect._chats.template_pieces import (
    AnswerFrame,
    Habits,
    MarkedText,
    Marker,
    apart,
    messages,
    placed,
    unmarked,
    whole_answers,
)
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message
from toolect._rendered import RenderError
from toolect._transcript import Changed
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.chat_template.sandbox import Sandbox, TemplateError

MAX_ALONE = 48
"""Texts that are marked one by one where a template does not bear all marks at once. Beyond it: those that are left are
searched for."""


class Ways(NamedTuple):
    """What a template does in every conversation."""

    habits: Habits
    answered: AnswerFrame
    tokens: tuple[str, ...]


class TemplateRendering(NamedTuple):
    """A template's text, where it tells which text, and which texts it tells otherwise."""

    text: str
    found: list[MarkedText]
    changed: tuple[Changed, ...]


class TemplateWork(NamedTuple):
    """A template, and what it is given besides the turns."""

    template: str
    variables: Mapping[str, Json]
    day: str
    sandbox: Sandbox

    def rendered(self, turns: Sequence[Turn], generate: bool, ways: Ways) -> TemplateRendering:
        """What it makes of the turns. Raises RenderError where it refuses them, and TemplateError."""
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
    """What a marked prompt ends with, after the last of its texts."""
    return re.split("|".join(mark.closer for mark in marker.marks) or r"(?!)", prompt)[-1]


def _between(text: str | TemplateError, marker: Marker) -> str:
    """What follows the answer in a marked text, where it was last: the first control token there, or the line."""
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
    """What a template always does, by conversations of a few words. Raises TemplateError if it renders none."""
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
