"""A chat's spec, loaded and typed: what a whole transcript looks like, and what its parts are."""

from __future__ import annotations

from enum import IntFlag, StrEnum, auto
from typing import Annotated

import msgspec

from toolect._diagnostic import Place
from toolect._spec.model import Rule
from toolect._spec.prompts import Notation, OutputKind, ResultRole, Syntax, ToolText
from toolect._turns import MediaKind


class ChatSlot(StrEnum):
    """The holes that a chat's grammar may `%declare`."""

    TEXT = "TEXT"
    """Text of the rule: that of a system or user turn, of content or reasoning, or the output of a call."""
    CALLS = "CALLS"
    """All calls of an answer, as the dialect writes them."""
    ANSWER = "ANSWER"
    """A whole answer, as the dialect writes it."""
    TOOLS = "TOOLS"
    """The definitions of all tools."""
    TOOL = "TOOL"
    """The definition of one tool."""
    NAME = "NAME"
    """The name of the tool that a result is of, or that a call calls."""
    ID = "ID"
    """The id of a call, or of the one that a result is of."""
    NUMBER = "NUMBER"
    """The number of a result or a call in its turn, from 0."""
    INDEX = "INDEX"
    """The same from 1."""
    CALLED = "CALLED"
    """The name of the first tool that the answer before a result calls."""
    TYPE = "TYPE"
    """The JSON type of the value of an argument, `number` for an integer."""
    COUNT = "COUNT"
    """The number of a result or a call in the conversation, from 0."""
    ARGUMENTS = "ARGUMENTS"
    """The arguments of a call, as JSON."""
    KEY = "KEY"
    """The name of an argument."""
    VALUE = "VALUE"
    """The value of an argument: a text as it is, anything else as JSON."""
    SAID = "SAID"
    """The content of the answer before, where it stands behind results; it is read as an answer of its own."""
    DATE = "DATE"
    """Today's date, in the entry's form."""


TRIMMED = (ChatSlot.TEXT, ChatSlot.SAID)
"""The slots whose texts may be trimmed."""


class ChatRole(StrEnum):
    """Role of a rule in a chat's grammar; a rule without one is scaffold."""

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
    CALL = "call"
    ARGUMENT = "argument"
    OPENING = "opening"
    """The generation prompt, which asks for the next answer."""


class Fact(IntFlag):
    """Facts about a conversation, one of its turns, or one of the things in it: the words of `when`."""

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
    AFTER_CONTENT = auto()
    """The turn before is an answer with content."""
    BEFORE_USER = auto()
    BEFORE_ANSWER = auto()
    BEFORE_RESULTS = auto()
    CONTENT = auto()
    """The answer has content, or the text of the turn is not empty."""
    WORDS = auto()
    """The answer has content that is more than whitespace."""
    ENDS_LINE = auto()
    """The answer's content ends with a line break."""
    REASONING = auto()
    THOUGHT = auto()
    """The answer has reasoning that is more than whitespace."""
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
    ARGUMENTS = auto()
    """The call has arguments."""
    IS_TEXT = auto()
    """The value of the argument is a text."""
    IS_MARKED = auto()
    """It is one that holds `<`, `&` or a line break."""
    ROUND = auto()
    """Some answer before has calls."""
    CALLED_ALONE = auto()
    """Some answer before has calls and no content."""
    TOLD = auto()
    """There are results before."""
    USER = auto()
    """The turn is the user's; so for the others."""
    ANSWER = auto()
    RESULTS = auto()
    NOTICE = auto()
    """The turn is the system's, after the head."""
    EMPTY = auto()
    """The conversation has no turn, but for the system text at the head."""
    UNASKED = auto()
    """No turn is the user's."""
    LAST_WORD = auto()
    """Neither the user nor results come after."""
    ODD = auto()
    """An odd number of messages come before, the system text at the head apart; each result is one."""
    OUT_OF_TURN = auto()
    """The user or an answer without calls is not next, were they to take turns; calls and results do not count."""
    ANSWERED = auto()
    """Some answer before has no calls."""
    UNANSWERED = auto()
    """Neither this turn nor one after it is an answer without calls."""
    NOTICED = auto()
    """Some turn after the head is the system's."""
    LAST_ASKED = auto()
    """The turn is the user's, and says what the last one of the user says."""
    LOW_EFFORT = auto()
    """The caller asks for little reasoning."""
    HIGH_EFFORT = auto()
    """The caller asks for much of it."""


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
"""Fact under which a rule of a role is written, if `when` says nothing of the rule."""


class Trim(StrEnum):
    """Whitespace that is cut off the ends of a text before it is written."""

    NONE = "none"
    BOTH = "both"
    LEFT = "left"
    RIGHT = "right"
    RIGHT_BLANKS = "right blanks"
    NEWLINES = "newlines"
    LEFT_NEWLINES = "left newlines"
    RIGHT_NEWLINES = "right newlines"
    OUTER_NEWLINES = "one newline"
    """At most one line break at each end."""


class Thoughts(StrEnum):
    """Treatment of content up to a closer of reasoning, as some servers give it."""

    KEPT = "kept"
    """It is content like any other."""
    TAKEN = "taken"
    """It is the answer's reasoning where there is no other."""
    DROPPED = "dropped"
    """It is left out."""
    CUT = "cut"
    """Of it what stands from an opener to a closer is left out, and the closers."""


class Systems(StrEnum):
    """Choice of the system turns that make the text at the head."""

    HEAD = "head"
    """The first turn, if it is one."""
    FIRST = "first"
    """The first one, wherever it stands; the others are turns."""
    LAST = "last"
    """The last one, wherever it stands; the others are left out."""
    GLUED = "glued"
    """All of them, with nothing between two."""
    JOINED = "joined"
    """All of them, with an empty line between two."""


class Lost(StrEnum):
    """Losses of a chat: what it does not write, or what a reader cannot tell apart."""

    TOOLS = "tools"
    CALLS = "calls"
    RESULTS = "results"
    CONTENT = "content"
    """Content beside calls."""
    SYSTEM = "system"
    """The system text stands in the user's turn, or is written otherwise than it was given."""
    TURNS = "turns"
    """Results, calls or answers of nothing cannot be distinguished from other turns."""


class ModelTokens(msgspec.Struct, frozen=True):
    """The tokens of a chat's models.

    `end` are those that end an answer: the model writes them. `special` are those of its vocabulary that the grammar
    of the chat does not have: as texts of others they would be read as tokens, so no text may hold them. `markup` are
    those that calls and results are made of: no result or tool may hold them, while people may speak of them.
    """

    end: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    markup: tuple[str, ...] = ()


class ChatFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an entry that can be read without its grammar."""

    dialect: str = ""
    """The dialect of the answers; empty where they are nothing but content."""
    trim: dict[str, Trim] = {}
    systems: Systems = Systems.HEAD
    escapes: dict[str, str] = {}
    """Replacements of signs in the texts of arguments, made one after the other."""
    system: str | None = None
    """The system text of conversations that have none."""
    tools: ToolText | None = None
    output: OutputKind = OutputKind.TEXT
    role: ResultRole = ResultRole.TOOL
    """Role of the messages that hold results, where turns are messages: that of a tool, or of the user."""
    arguments: Notation = Notation()
    scalars: Syntax = Syntax.JSON
    """Notation of true, false and null as values of arguments."""
    lists: Syntax = Syntax.JSON
    """Notation of lists, with the objects in them."""
    thoughts: Thoughts = Thoughts.KEPT
    date: str = "%Y-%m-%d"
    about: str = ""
    source: str = ""
    models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tokens: ModelTokens = ModelTokens()
    media: dict[MediaKind, str] = {}
    """Placeholder in a text for each kind of part that is not text."""
    ids: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    """Number of letters and digits in a call's id, 0 for any; an id of another form is made anew."""
    lost: tuple[Lost, ...] = ()
    """Losses: what is not written, or cannot be distinguished by a reader."""
    templates: tuple[str, ...] = ()


class ChatSpec(ChatFields, frozen=True, kw_only=True):
    """One chat, loaded.

    `when` has guards by rule; `refuse` those of turns that the chat cannot carry, by their reasons.
    """

    name: str
    rules: dict[str, Rule]
    roles: dict[str, ChatRole]
    when: dict[str, str] = {}
    refuse: dict[str, str] = {}
    place: Place = Place("", 1, 1)

    @property
    def end(self) -> tuple[str, ...]:
        """The tokens that end an answer."""
        return self.tokens.end

    @property
    def special(self) -> tuple[str, ...]:
        """The tokens that no turn begins or ends with, those of media among them."""
        return (*self.tokens.special, *self.tokens.markup, *(token.strip() for token in self.media.values()))

    def __repr__(self) -> str:
        return f"<ChatSpec {self.name}>"
