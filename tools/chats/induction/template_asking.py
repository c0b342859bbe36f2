"""Asks a template what it writes: of conversations of known words, and of how it spells data."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.answers import plain_dialect
from toolect._chats.template_pieces import TemplateWork, ways
from toolect._message import Json
from toolect._prompting.notation import spell
from toolect._prompting.tools import write_tools
from toolect._spec.prompts import Notation, OutputKind, Syntax, ToolText
from toolect.chat_template import TemplateError
from toolect.chat_template.sandbox import Sandbox
from toolect.conversation import Conversation, Results, System, User
from tools.chats.induction.known_words import Places, Slot, calls_of, numbered_turns, places_of, turns_of, word, worded
from tools.random_conversations import cases

DAY = datetime.date(2031, 5, 17)
"""The date for templates that write one."""
DATES = ("%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d/%m/%Y", "%m/%d/%Y", "%A, %B %d, %Y")
NOTATIONS = (
    *(Notation(compact=compact, sorted=ordered) for ordered in (False, True) for compact in (False, True)),
    *(Notation(indent=indent) for indent in (4, 2)), Notation(spelling=Syntax.PYTHON),
)  # fmt: skip
"""Candidate spellings of data."""
_TOLD = ("$tool", "$function")
_Way = TypeVar("_Way")
SECONDS = 60.0
"""Seconds that all renderings of one template may take at one time."""


class Spellings(NamedTuple):
    """Spellings of data in a template: definitions of tools, arguments of calls, the date; None for others."""

    tools: ToolText | None
    arguments: Notation | None
    date: str
    output: OutputKind | None
    system: str
    """The system text of conversations that have none."""


class Written(NamedTuple):
    """A conversation as the template writes it: without asking for an answer, with its words, and asking."""

    case: ChatCase
    text: str
    places: Places
    asking: str | None


class Template:
    """A chat template that can be asked, in a sandbox of its own. `variables` are what the tokenizer gives it."""

    def __init__(self, text: str, variables: Mapping[str, Json]) -> None:
        self.text, self.variables, self.sandbox = text, variables, Sandbox()
        given: dict[str, Json] = {"bos_token": "", "eos_token": "", "documents": None, **variables}
        self.habits = ways(text, given, plain_dialect(), self.sandbox).habits
        self._work = TemplateWork(text, given, str(DAY), self.sandbox)

    def rendered(self, given: Sequence[ChatCase]) -> Sequence[str | TemplateError]:
        """The text of each conversation, or why the template refuses it."""
        return self.sandbox.run(self.text, [self._given(case) for case in given], SECONDS, day=str(DAY))

    def _given(self, case: ChatCase) -> dict[str, Json]:
        given = self._work.asked(case.conversation.turns, case.generate, self.habits)
        given["tools"] = [*map(dict, case.conversation.tools)] or None
        if case.thinking is not None:  # the names that templates have for it
            given |= {"enable_thinking": case.thinking, "thinking": case.thinking}
        return given

    def spellings(self) -> Spellings:
        """Find how the template spells data."""
        talks = [worded(case) for case in cases(7, 60)]
        pairs = [(case, text) for case, text in zip(talks, self.rendered(talks), strict=True) if isinstance(text, str)]
        date = next((form for form in DATES if any(DAY.strftime(form) in text for _, text in pairs)), "")
        tellings = (ToolText("{tools}", tool=tool, notation=how) for tool, how in product(_TOLD, NOTATIONS))
        return Spellings(
            _fitting(tellings, lambda case, how: [write_tools(how, [tool]) for tool in case.conversation.tools], pairs),
            _fitting(NOTATIONS, lambda case, how: [spell(call.arguments, how) for _, call in calls_of(case)], pairs),
            date,
            _fitting((OutputKind.STRING,), lambda case, _: [text for text, _ in _outputs(case)], pairs),
            self._system(),
        )

    def _system(self) -> str:
        """The system text of conversations that have none; empty where there is none, or not in the same place."""
        said, asked = word("s", -1), User(word("u", 0))
        talks = (Conversation([System(said), asked]), Conversation([asked]))
        given, plain = map(str, self.rendered([ChatCase(0, talk, True, None) for talk in talks]))
        before, _, after = given.partition(said)
        inside = plain.startswith(before) and plain.endswith(after) and len(plain) > len(before + after)
        return plain[len(before) : len(plain) - len(after)] if inside else ""

    def written(self, seed: int, count: int, spellings: Spellings) -> tuple[list[Written], list[tuple[ChatCase, str]]]:
        """Conversations of known words as the template writes them; and those that it refuses, with its reasons."""
        talks = [short for case in cases(seed, count) for short in _shorter(worded(case))]
        plain, asking = (self.rendered([case._replace(generate=ask) for case in talks]) for ask in (False, True))
        found, refused = [], []
        for case, text, other in zip(talks, plain, asking, strict=True):
            if isinstance(text, TemplateError):
                refused.append((case, str(text)))
            else:
                places = places_of(text, dict(_known_texts(case, spellings)))
                found.append(Written(case, text, places, other if isinstance(other, str) else None))
        return found, refused


def _known_texts(case: ChatCase, spellings: Spellings) -> Iterator[tuple[str, Slot]]:
    """The texts that stand for data in this conversation, with their places."""
    if spellings.arguments is not None:
        yield from ((spell(call.arguments, spellings.arguments), slot) for slot, call in calls_of(case))
    yield from _outputs(case) if spellings.output is not None else ()
    for number, tool in enumerate(case.conversation.tools if spellings.tools is not None else ()):
        yield write_tools(spellings.tools or ToolText(), [tool]), Slot("t", -1, number)
    if spellings.system and not isinstance(next(iter(case.conversation.turns), None), System):
        yield spellings.system, Slot("s")
    if spellings.date:
        yield DAY.strftime(spellings.date), Slot("d")


def _outputs(case: ChatCase) -> Iterator[tuple[str, Slot]]:
    """The outputs as JSON strings, with their places."""
    for number, turn in numbered_turns(case):
        for item, result in enumerate(turn.results if isinstance(turn, Results) else ()):
            yield json.dumps(result.output), Slot("o", number, item)


def _fitting(
    ways: Iterable[_Way], shown: Callable[[ChatCase, _Way], list[str]], pairs: Sequence[tuple[ChatCase, str]]
) -> _Way | None:
    """The first spelling in which all data is found in most texts that have any."""
    for way in ways:
        found = [all(one in text for one in data) for case, text in pairs if (data := shown(case, way))]
        if 2 * sum(found) > len(found):
            return way
    return None


def _shorter(case: ChatCase) -> Iterator[ChatCase]:
    """The conversation, and what it is without its last turns, to none at all."""
    turns = case.conversation.turns
    for at in range(len(turns) - len(turns_of(case)), len(turns) + 1):
        yield case._replace(conversation=Conversation(turns[:at], case.conversation.tools))
