"""Asks a template what it writes: of conversations of known words, and of how it spells data."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import msgspec

from toolect._authoring.generate.random_conversations import ChatCase, cases
from toolect._chats.answers import plain_dialect
from toolect._chats.template_work import TemplateWork, ways
from toolect._message import Content, Json, Message
from toolect._spec.prompts import OutputKind, ToolText
from toolect.chat_template import TemplateError
from toolect.chat_template.sandbox import Sandbox
from toolect.conversation import Assistant, Conversation, Results, System, Turn, User
from tools.chats.induction.cutting import Written
from tools.chats.induction.data_spellings import (
    DAY,
    Spellings,
    arguments_of,
    known_texts,
    quote_of,
    tools_of,
)  # fmt: skip
from tools.chats.induction.known_words import worded

DATES = (
    "%Y-%m-%d",
    "%d %b %Y",
    "%B %d, %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%A, %B %d, %Y",
    "%Y/%m/%d",
)
SECONDS = 60.0
"""What the renderings of one template may take at one time."""


class Template:
    """A chat template that can be asked. `variables` are what the tokenizer tells it.

    `known` are ways to spell definitions, besides JSON, that it may have in common with others.
    """

    def __init__(self, text: str, variables: Mapping[str, Json], known: Sequence[ToolText] = ()) -> None:
        self.text, self.sandbox, self.known = text, Sandbox(), known
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
        texts = self.rendered(talks)
        pairs = [(case, text) for case, text in zip(talks, texts, strict=True) if isinstance(text, str)]
        return Spellings(
            tools_of(pairs, self.known), arguments_of(pairs), self._date(talks), quote_of(pairs), self._output(talks)
        )

    def _output(self, talks: Sequence[ChatCase]) -> OutputKind:
        """How outputs of calls are spelled."""
        asked = [case for case in talks if any(isinstance(turn, Results) for turn in case.conversation.turns)]
        quoted = self._quotes(asked, 'a "b"\nc')
        return OutputKind.TEXT if not quoted else OutputKind.STRING if self._quotes(asked, '["b"]') else OutputKind.JSON

    def _quotes(self, talks: Sequence[ChatCase], output: str) -> bool:
        texts = self.rendered([_with_output(case, output) for case in talks])
        told = [json.dumps(output) in text for text in texts if isinstance(text, str)]
        return 2 * sum(told) > len(told)

    def _date(self, talks: Sequence[ChatCase]) -> str:
        """How the date of today is written; nothing where it is not, or otherwise."""
        day = datetime.date.fromisoformat(DAY)
        texts = [text for text in self.rendered(talks) if isinstance(text, str)]
        return next((form for form in DATES if any(day.strftime(form) in text for text in texts)), "")

    def written(self, seed: int, count: int, spellings: Spellings) -> tuple[list[Written], list[tuple[ChatCase, str]]]:
        """Conversations of known words as the template writes them; and those that it refuses, with its reasons."""
        talks = [worded(case) for case in (*cases(seed, count), *_odd(count))]
        asked: list[ChatCase] = []
        for case in talks:
            asked += [case._replace(generate=False), case._replace(generate=True), *_shorter(case)]
        texts = iter(self.rendered(asked))
        found, refused = [], []
        for case in talks:
            text, asking = next(texts), next(texts)
            before = [next(texts) for _ in _shorter(case)]
            if isinstance(text, TemplateError):
                refused.append((case, str(text)))
                continue
            shorter = [one if isinstance(one, str) else None for one in before]
            known = dict(known_texts(case, spellings))
            found.append(Written(case, text, asking if isinstance(asking, str) else None, shorter, known))
        return found, refused


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
    for turns, some, thinking in product(talks, ((), tools), (None, True, False)):
        yield ChatCase(number, Conversation(turns, some), True, thinking)
        number += 1


def _shorter(case: ChatCase) -> Iterator[ChatCase]:
    """The conversation without its last turns, from none at all on."""
    turns: list[Turn] = [*case.conversation.turns]
    head = 1 if turns and isinstance(turns[0], System) else 0
    for count in range(head, len(turns)):
        yield case._replace(conversation=Conversation(turns[:count], case.conversation.tools), generate=False)
