"""Asks a template what it writes: of conversations of known words, and of how it spells data."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import msgspec

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.answers import plain_dialect
from toolect._chats.template_work import TemplateWork, ways
from toolect._message import Content, Json, Message
from toolect._prompting.notation import inset, spell
from toolect._prompting.tools import write_tools
from toolect._rendered import RenderError
from toolect._spec.prompts import Notation, OutputKind, Syntax, ToolText
from toolect.chat_template import TemplateError
from toolect.chat_template.sandbox import Sandbox
from toolect.conversation import Assistant, Conversation, Results, System, Turn, User
from tools.chats.induction.known_words import Slot, calls_of, numbered_turns, worded
from tools.random_conversations import cases

DAY = "2031-05-17"
"""The date that templates are told which tell it."""
DATES = ("%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d/%m/%Y", "%m/%d/%Y", "%A, %B %d, %Y")
NOTATIONS = (
    *(Notation(compact=compact, sorted=ordered) for ordered in (False, True) for compact in (False, True)),
    *(Notation(indent=indent, sorted=ordered) for ordered in (False, True) for indent in (4, 2)),
    Notation(spelling=Syntax.PYTHON),
)
"""How data may be spelled."""
_PATTERNS: tuple[Json, ...] = (
    "$tool", "$function", {"name": "$name", "description": "$description", "parameters": "$parameters"},
)  # fmt: skip
"""What may be told of a tool."""
SECONDS = 60.0
"""What the renderings of one template may take at one time."""


class Spellings(NamedTuple):
    """How a template spells data: definitions of tools, arguments of calls, the date; None where it does otherwise."""

    tools: ToolText | None
    arguments: Notation | None
    date: str
    output: OutputKind


class Written(NamedTuple):
    """A conversation as the template writes it: without asking for an answer, and asking; and its beginnings.

    `before` has, for each number of turns less than all, what is written for these alone; None where it is refused.
    `known` are texts that stand for data, with their places.
    """

    case: ChatCase
    text: str
    asking: str | None
    before: Sequence[str | None]
    known: Mapping[str, Slot]

    @property
    def turns(self) -> list[Turn]:
        """The turns without the system text at the head."""
        return [turn for number, turn in numbered_turns(self.case) if number >= 0]


class Template:
    """A chat template that can be asked. `variables` are what the tokenizer tells it."""

    def __init__(self, text: str, variables: Mapping[str, Json]) -> None:
        self.text, self.sandbox = text, Sandbox()
        given: dict[str, Json] = {"bos_token": "", "eos_token": "", "documents": None, **variables}
        self.habits = ways(text, given, plain_dialect(), self.sandbox).habits
        self._work = TemplateWork(text, given, DAY, self.sandbox)

    def close(self) -> None:
        """End the process that renders."""
        self.sandbox.close()

    def rendered(self, given: Sequence[ChatCase], day: str = DAY) -> Sequence[str | TemplateError]:
        """The text of each conversation, or why the template refuses it."""
        return self.sandbox.run(self.text, [self._given(case) for case in given], SECONDS, day=day)

    def _given(self, case: ChatCase) -> dict[str, Json]:
        given = self._work.asked(case.conversation.turns, case.generate, self.habits)
        given["tools"] = [*map(dict, case.conversation.tools)] or None
        if case.thinking is not None:  # the names that templates have for it
            given |= {"enable_thinking": case.thinking, "thinking": case.thinking}
        return given

    def spellings(self) -> Spellings:
        """How data is spelled in it."""
        talks = [worded(case) for case in cases(7, 60)]
        pairs = [(case, text) for case, text in zip(talks, self.rendered(talks), strict=True) if isinstance(text, str)]
        day = datetime.date.fromisoformat(DAY)
        date = next((form for form in DATES if any(day.strftime(form) in text for _, text in pairs)), "")
        asked = [case for case in talks if any(isinstance(turn, Results) for turn in case.conversation.turns)]
        output = OutputKind.TEXT
        if self._quotes(asked, 'a "b"\nc'):
            output = OutputKind.STRING if self._quotes(asked, '["b"]') else OutputKind.JSON
        return Spellings(_tools_of(pairs), _arguments_of(pairs), date, output)

    def _quotes(self, talks: Sequence[ChatCase], output: str) -> bool:
        """Whether an output is written as a JSON string."""
        texts = self.rendered([_with_output(case, output) for case in talks])
        return _mostly(json.dumps(output) in text for text in texts if isinstance(text, str))

    def written(self, seed: int, count: int, spellings: Spellings) -> tuple[list[Written], list[tuple[ChatCase, str]]]:
        """Conversations of known words as the template writes them; and those that it refuses, with its reasons."""
        talks = [worded(case) for case in (*cases(seed, count), *_odd(count))]
        asked: list[ChatCase] = []
        for case in talks:
            asked += [case._replace(generate=False), case._replace(generate=True), *_shorter(case)]
        texts = iter(self.rendered(asked))
        found, refused = [], []
        for case in talks:
            text, asking, *before = (next(texts) for _ in range(2 + len(_shorter(case))))
            if isinstance(text, TemplateError):
                refused.append((case, str(text)))
                continue
            whole, *shorter = (one if isinstance(one, str) else None for one in (asking, *before))
            found.append(Written(case, text, whole, shorter, dict(_known_texts(case, spellings))))
        return found, refused


def _known_texts(case: ChatCase, spellings: Spellings) -> Iterator[tuple[str, Slot]]:
    """The texts that stand for data in this conversation, with their places."""
    if spellings.arguments is not None:
        yield from ((spell(call.arguments, spellings.arguments), slot) for slot, call in calls_of(case))
    for number, turn in numbered_turns(case) if spellings.output is not OutputKind.TEXT else ():
        for item, result in enumerate(turn.results if isinstance(turn, Results) else ()):
            yield json.dumps(result.output), Slot("o", number, item)
    for number, tool in enumerate(case.conversation.tools if spellings.tools is not None else ()):
        yield _spelled(tool, spellings.tools or ToolText()), Slot("t", -1, number)
    if spellings.date:
        yield datetime.date.fromisoformat(DAY).strftime(spellings.date), Slot("d")


def _mostly(told: Iterator[bool]) -> bool:
    """True where more than half are."""
    found = [*told]
    return 2 * sum(found) > len(found)


def _spelled(tool: Mapping[str, Json], how: ToolText) -> str:
    """A definition in a notation; a text that nobody writes for one that the notation has no room for."""
    try:
        return inset(how.text, "tools", write_tools(msgspec.structs.replace(how, text="{tools}"), [tool]))
    except RenderError:
        return "\0"


def _tools_of(pairs: Sequence[tuple[ChatCase, str]]) -> ToolText | None:
    """How definitions are spelled: the way in which all of them are found in most texts that could tell them."""
    several = [(case.conversation.tools, text) for case, text in pairs if len(case.conversation.tools) > 1]
    for pattern, notation in product(_PATTERNS, NOTATIONS):
        for around in ("{tools}", *([f"[\n{' ' * notation.indent}{{tools}}\n]"] if notation.indent else [])):
            how = ToolText(around, tool=pattern, notation=notation)
            if _mostly(all(_spelled(tool, how) in text for tool in tools) for tools, text in several):
                return how
    return None


def _arguments_of(pairs: Sequence[tuple[ChatCase, str]]) -> Notation | None:
    """How the arguments of a call are spelled as one value."""
    called = [(calls, text) for case, text in pairs if (calls := calls_of(case))]
    for notation in NOTATIONS:
        if _mostly(all(spell(call.arguments, notation) in text for _, call in calls) for calls, text in called):
            return notation
    return None


def _with_output(case: ChatCase, output: str) -> ChatCase:
    turns = [
        Results(tuple(msgspec.structs.replace(one, output=output) for one in turn.results))
        if isinstance(turn, Results)
        else turn
        for turn in case.conversation.turns
    ]
    return case._replace(conversation=Conversation(turns, case.conversation.tools))


def _odd(number: int) -> Iterator[ChatCase]:
    """Conversations that come up rarely: of no turn, of one, with two neighbours of one kind."""
    asked, said, told = User("?"), Assistant(Message([Content("!")])), System("-")
    tools = next(case.conversation.tools for case in cases(7, 60) if case.conversation.tools)
    talks: Sequence[list[Turn]] = (
        [], [told], [asked], [told, asked], [said], [told, said], [asked, asked], [asked, said, said],
        [asked, said, told, asked],
    )  # fmt: skip
    for at, (turns, some, thinking) in enumerate(product(talks, ((), tools), (None, True, False))):
        yield ChatCase(number + at, Conversation(turns, some), True, thinking)


def _shorter(case: ChatCase) -> list[ChatCase]:
    """The conversation without its last turns, from none at all on."""
    turns, count = [*case.conversation.turns], sum(number >= 0 for number, _ in numbered_turns(case))
    shorter = (Conversation(turns[:at], case.conversation.tools) for at in range(len(turns) - count, len(turns)))
    return [case._replace(conversation=one, generate=False) for one in shorter]
