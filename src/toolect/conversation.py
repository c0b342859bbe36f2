"""A conversation: its turns and the tools that the model may call, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.guess import reader as find
from toolect._message import Json, MessageError, Repair, kind_of
from toolect._transcript import OriginSpan
from toolect._turns import Assistant, Media, Results, System, ToolResult, Turn, User

__all__ = ["Assistant", "Conversation", "Media", "MessageError", "Results", "System", "ToolResult", "Turn", "User"]


_TURNS = frozenset((System, User, Assistant, Results))


class Conversation(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True):
    """Turns in the order in which they were said, and the tools on offer, as OpenAI tool objects.

    A conversation that was read from a text may be cut anywhere; those that come from an API have each result after
    its call.
    """

    turns: Sequence[Turn] = ()
    tools: Sequence[Mapping[str, Json]] = ()
    repairs: tuple[Repair, ...] = ()
    """Repairs of reading it from a transcript; like `spans` they do not count in comparisons."""
    spans: tuple[OriginSpan, ...] = ()
    """Provenance of the characters of the transcript that it was read from."""

    def __post_init__(self) -> None:
        for name, given in (("turns", self.turns), ("tools", self.tools)):
            if not isinstance(given, list | tuple):
                raise TypeError(f"expected a conversation's {name} as list, got {kind_of(given)}")
        for turn in self.turns:
            if type(turn) not in _TURNS and not isinstance(turn, System | User | Assistant | Results):
                raise TypeError(f"expected System, User, Assistant or Results as a turn, got {kind_of(turn)}")

    @classmethod
    def from_openai(cls, messages: Any, tools: Any = None) -> Conversation:
        """The conversation of chat-completions messages and of tool objects or their JSON. Raises MessageError."""
        from toolect._exchange.definitions import read_tools  # not part of starting up
        from toolect._exchange.openai_messages import read_messages

        return cls(read_messages(messages), read_tools(tools))

    def unread_as_text(self) -> Conversation:
        """The conversation without calls that could not be read, which no chat can write.

        Each is content, in the model's own words, and its result a turn of the user. Calls without an id are numbered.
        """
        from toolect._exchange.gathering import unread_as_text  # not part of starting up

        return msgspec.structs.replace(self, turns=tuple(unread_as_text(self.turns)))

    def to_openai(self) -> dict[str, Json]:
        """The `messages` of a chat-completions request, and its `tools` if there are any.

        Calls without an id are numbered. A call that could not be read is text, with its name, and its result is a
        turn of the user.
        """
        from toolect._exchange.definitions import chat_tools, free_form_names  # not part of starting up
        from toolect._exchange.openai_messages import messages_of

        messages = messages_of(self.turns, free_form_names(self.tools))
        return _request({"messages": messages}, chat_tools(self.tools))

    @classmethod
    def from_anthropic(cls, messages: Any, system: Any = None, tools: Any = None) -> Conversation:
        """The conversation of a request of Anthropic's Messages API. Raises MessageError."""
        from toolect._exchange.anthropic_messages import read_anthropic
        from toolect._exchange.definitions import read_tools

        return cls(read_anthropic(messages, system), read_tools(tools))

    def to_anthropic(self) -> dict[str, Json]:
        """The `messages` of a request of the Messages API, its `system` text and its `tools`. Raises RenderError.

        Thinking has the signature that it came with. What came without one has an empty one: the API itself takes that
        from nobody.
        """
        from toolect._exchange.anthropic_messages import anthropic_of
        from toolect._exchange.definitions import anthropic_tools

        return _request(anthropic_of(self.turns), anthropic_tools(self.tools))

    @classmethod
    def from_responses(cls, input: Any, instructions: Any = None, tools: Any = None) -> Conversation:  # noqa: A002
        """The conversation of a request of the Responses API: a text or items. Raises MessageError."""
        from toolect._exchange.definitions import read_tools
        from toolect._exchange.response_items import read_items

        return cls(read_items(input, instructions), read_tools(tools))

    def to_responses(self) -> dict[str, Json]:
        """The `input` of a request of the Responses API, and its `tools`. Answers in a row become one."""
        from toolect._exchange.definitions import flat_tools, free_form_names
        from toolect._exchange.response_items import items_of

        return _request({"input": items_of(self.turns, free_form_names(self.tools))}, flat_tools(self.tools))

    @classmethod
    def from_sharegpt(cls, row: Any, dialect: str | Dialect | None = "auto", *, retell: bool = False) -> Conversation:
        """The conversation of a row of a data set: `conversations` of `from` and `value`, `tools`, `system`.

        The model's texts are read in `dialect`, and kept as sampled if one is named; without one they are content.
        Where the system text presents the tools itself, the conversation has none, so that none is presented twice:
        with `retell` it has them, and no system turn. Raises MessageError, UnknownNameError.
        """
        from toolect._exchange.sharegpt import read_row

        reader, auto = find(dialect) if isinstance(dialect, str) else dialect, dialect == registry.AUTO
        turns, tools, in_system = read_row(row, reader, reader is not None and not auto)
        if not in_system:
            return cls(turns, tools)
        return cls([turn for turn in turns if not isinstance(turn, System)], tools) if retell else cls(turns)

    def to_sharegpt(self, dialect: str | Dialect | None = None) -> dict[str, Json]:
        """The row of a data set. Calls stand in the model's text, as `dialect` writes them, results in elements.

        Without a dialect both have turns of their own, as JSON. Raises RenderError, UnknownNameError.
        """
        from toolect._exchange.sharegpt import row_of

        return row_of(self.turns, self.tools, registry.dialect(dialect) if isinstance(dialect, str) else dialect)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return False
        return tuple(self.turns) == tuple(other.turns) and [*self.tools] == [*other.tools]

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(tuple(self.turns))


def _request(body: dict[str, Json], tools: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    return body | {"tools": [dict(tool) for tool in tools]} if tools else body
