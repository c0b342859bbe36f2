"""A conversation: its turns and the tools that the model may call, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from toolect.message import BadMessage, Json, Repair, kind_of
from toolect.transcript import OriginSpan
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

__all__ = ["Assistant", "BadMessage", "Conversation", "Results", "System", "ToolResult", "Turn", "User"]


class Conversation(msgspec.Struct, frozen=True, eq=False):
    """Turns in the order in which they were said, and the tools on offer, as OpenAI tool objects.

    A conversation that was read from a text may be cut anywhere; those that come from an API have each result after
    its call, and one system turn at most.
    """

    turns: Sequence[Turn] = ()
    tools: Sequence[Mapping[str, Json]] = ()
    repairs: tuple[Repair, ...] = ()
    """What was relaxed to read it from a transcript; like `spans` it does not count in comparisons."""
    spans: tuple[OriginSpan, ...] = ()
    """Whose words the characters of the transcript are that it was read from."""

    def __post_init__(self) -> None:
        for name, given in (("turns", self.turns), ("tools", self.tools)):
            if not isinstance(given, list | tuple):
                raise TypeError(f"expected a conversation's {name} as list, got {kind_of(given)}")
        for turn in self.turns:
            if not isinstance(turn, System | User | Assistant | Results):
                raise TypeError(f"expected System, User, Assistant or Results as a turn, got {kind_of(turn)}")

    @classmethod
    def from_openai(cls, messages: Any, tools: Any = None) -> Conversation:
        """The conversation of chat-completions messages, and of tool objects or their JSON text. Raises BadMessage."""
        from toolect._exchange.definitions import read_tools  # not part of starting up
        from toolect._exchange.openai_messages import read_messages

        return cls(read_messages(messages), read_tools(tools))

    def to_openai(self) -> dict[str, Json]:
        """The `messages` of a chat-completions request, and its `tools` if there are any.

        Calls without an id are numbered. A call that could not be read is told as what it was, text, and its result
        as the user's words.
        """
        from toolect._exchange.openai_messages import messages_of  # not part of starting up

        return _request({"messages": messages_of(self.turns)}, self.tools)

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
