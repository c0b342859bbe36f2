"""A chat's spec, loaded and typed: what a whole transcript looks like, and what its parts are."""

from __future__ import annotations

from enum import IntFlag, StrEnum, auto

import msgspec

from toolect._spec.model import Rule
from toolect._spec.prompts import OutputKind, ToolText
from toolect.diagnostic import Place


class ChatSlot(StrEnum):
    """The holes that a chat's grammar may `%declare`."""

    TEXT = "TEXT"
    """What the rule is of: the text of a system or user turn, of content or reasoning, the output of a call."""
    CALLS = "CALLS"
    """All calls of an answer, as the dialect writes them."""
    ANSWER = "ANSWER"
    """A whole answer, as the dialect writes it."""
    TOOLS = "TOOLS"
    """The definitions of all tools."""
    TOOL = "TOOL"
    """The definition of one tool."""
    NAME = "NAME"
    """The name of the tool that a result is of."""
    ID = "ID"
    """The id of the call that a result is of."""
    NUMBER = "NUMBER"
    """The number of a result in its answer, from 0."""
    DATE = "DATE"
    """Today's date, in the entry's form."""


class ChatRole(StrEnum):
    """What a rule of a chat's grammar is; without a role it is scaffold."""

    SYSTEM = "system"
    USER = "user"
    ANSWER = "answer"
    RESULTS = "results"
    RESULT = "result"
    TOOLS = "tools"
    TOOL = "tool"
    REASONING = "reasoning"
    CONTENT = "content"
    CALLS = "calls"
    OPENING = "opening"
    """What asks for the next answer."""


class Fact(IntFlag):
    """What is so about a conversation, one of its turns, or one of the things in it: the words of `when`."""

    TOOLS = auto()
    """There are tools."""
    SYSTEM = auto()
    """There is a system text, of the conversation or of the entry; it may be empty."""
    SYSTEM_TEXT = auto()
    """There is one that is not empty."""
    GIVEN = auto()
    """The conversation itself begins with a system text."""
    THINKING = auto()
    """The caller asks for reasoning."""
    NO_THINKING = auto()
    """The caller asks for none."""
    GENERATE = auto()
    """An answer is asked for."""
    FIRST = auto()
    """The first turn that is not the system text at the head."""
    LAST = auto()
    LATEST = auto()
    """The turn comes after the last user turn."""
    FIRST_USER = auto()
    LAST_USER = auto()
    AFTER_USER = auto()
    """The turn before is the user's; so for the others."""
    AFTER_ANSWER = auto()
    AFTER_RESULTS = auto()
    AFTER_CALLS = auto()
    """The turn before is an answer with calls."""
    BEFORE_USER = auto()
    BEFORE_ANSWER = auto()
    BEFORE_RESULTS = auto()
    CONTENT = auto()
    """The answer has content, or the text of the turn is not empty."""
    REASONING = auto()
    CALLS = auto()
    SEVERAL_CALLS = auto()
    DEVELOPER = auto()
    """The system turn is a developer's."""
    FIRST_ITEM = auto()
    """The first of the tools, or of the results of a turn."""
    LAST_ITEM = auto()
    NAMED = auto()
    """The name of the result's tool is known."""
    HAS_ID = auto()
    """The id of the result's call is known."""
    ROUND = auto()
    """Some answer before has calls."""


WORDS: dict[str, Fact] = {str(fact.name).lower().replace("_", "-"): fact for fact in Fact}
"""The facts by their words in entries."""
OWN_GUARDS: dict[ChatRole, Fact] = {
    ChatRole.TOOLS: Fact.TOOLS,
    ChatRole.REASONING: Fact.REASONING,
    ChatRole.CONTENT: Fact.CONTENT,
    ChatRole.CALLS: Fact.CALLS,
    ChatRole.SYSTEM: Fact.SYSTEM,
    ChatRole.OPENING: Fact.GENERATE,
}
"""When a rule of this role is written that `when` says nothing of."""


class Trim(StrEnum):
    """What is cut off the ends of a text before it is written."""

    BOTH = "both"
    LEFT = "left"
    RIGHT = "right"
    NEWLINES = "newlines"
    LEFT_NEWLINES = "left newlines"
    RIGHT_NEWLINES = "right newlines"
    OUTER_NEWLINES = "one newline"
    """At most one line break at each end."""


class ChatSpec(msgspec.Struct, frozen=True):
    """One chat, loaded.

    `when` has guards by rule; `refuse` those of turns that the chat cannot carry, by their reasons.
    """

    name: str
    dialect: str
    rules: dict[str, Rule]
    roles: dict[str, ChatRole]
    when: dict[str, str] = {}
    refuse: dict[str, str] = {}
    trim: dict[str, Trim] = {}
    system: str | None = None
    """The system text of conversations that have none."""
    tools: ToolText | None = None
    output: OutputKind = OutputKind.TEXT
    date: str = "%Y-%m-%d"
    about: str = ""
    source: str = ""
    models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    """The tokens that end an answer: the model writes them."""
    lost: tuple[str, ...] = ()
    """What a reader cannot tell: `system` where that stands in the user's turn."""
    templates: tuple[str, ...] = ()
    place: Place = Place("", 1, 1)

    def __repr__(self) -> str:
        return f"<ChatSpec {self.name}>"
