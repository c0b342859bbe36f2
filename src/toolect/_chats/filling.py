"""Data for the slots of plans: for each slot the text of a turn, or of an item of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from toolect._chats.prompt_tools import TEXT, in_json
from toolect._message import Call, Content, Json, Message, Reasoning
from toolect._objects import not_finite
from toolect._prompting.notation import inset, speller
from toolect._prompting.outputs import written
from toolect._prompting.tools import write_tools
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.prompts import OutputKind, Syntax, ToolText
from toolect._turns import ToolResult, Turn
from toolect._values.schema_keywords import type_of


class SlotAnswer(NamedTuple):
    """An answer, its texts as the chat has them, and its calls."""

    message: Message
    content: str
    reasoning: str
    calls: Sequence[Call]
    ordered: bool
    """True when reasoning comes before content, and both before calls."""


ORDER: dict[type, int] = {Reasoning: 0, Content: 1, Call: 2}
"""Order of the segments of an answer."""


def check_spelled(message: Message) -> None:
    """Raise RenderError for an answer with calls that cannot be written, or in an order that cannot be."""
    for call in message.calls:
        if not call.runnable:
            raise RenderError(
                "call",
                f"a {call.status} call has no canonical spelling (`Conversation.unread_as_text` makes text of it)",
                call.raw,
            )
        if not_finite(call.arguments) is not None:
            raise RenderError("arguments", "expected finite numbers", call.arguments_text)
    kinds = [ORDER[type(segment)] for segment in message.segments]
    if kinds != sorted(kinds):
        raise RenderError("answer", "expected reasoning, then content, then calls", message.content)


class Pair(NamedTuple):
    """One argument of a call."""

    key: str
    value: Json


Data: TypeAlias = Turn | ToolResult | SlotAnswer | Call | Pair | Mapping[str, Any] | None
"""Data that a plan is filled with."""
Take: TypeAlias = Callable[[Any, int], str]
"""The text of a slot, given the data and its number among its like."""
MAX_TOOLS, MAX_BYTES = 512, 1 << 16
"""Texts of tools that are kept at a time, and the bytes of one. Beyond it: it is written anew."""
_encode = msgspec.json.Encoder().encode
AS_GIVEN = ToolText(tool="$tool")
"""Default notation of tools: as the objects that they are."""


def taker(spec: ChatSpec, slot: ChatSlot, role: ChatRole | None) -> Take | None:
    """The function that fills `slot` in a rule of `role`; None where more than the data is needed."""
    match slot:
        case ChatSlot.TEXT if role is ChatRole.REASONING:
            return lambda said, _: said.reasoning
        case ChatSlot.TEXT if role is ChatRole.CONTENT:
            return lambda said, _: said.content
        case ChatSlot.TEXT if role is ChatRole.RESULT:
            if spec.output is OutputKind.TEXT:
                return lambda result, _: result.output
            return lambda result, _: written(spec.output, result.output)
        case ChatSlot.TEXT:
            return lambda turn, _: turn.text
        case ChatSlot.NAME if role is ChatRole.TOOL:
            return lambda tool, _: str(tool.get("function", tool).get("name", ""))
        case ChatSlot.NAME:
            return lambda one, _: one.name
        case ChatSlot.ID:
            return lambda one, _: (one.call_id if isinstance(one, ToolResult) else one.id) or ""
        case ChatSlot.NUMBER:
            return lambda _, index: str(index)
        case ChatSlot.INDEX:
            return lambda _, index: str(index + 1)
        case ChatSlot.ARGUMENTS:
            spell = speller(spec.arguments)
            return lambda call, _: spell(call.arguments)
        case ChatSlot.KEY:
            return lambda pair, _: pair.key
        case ChatSlot.VALUE:
            value = _values(spec)
            return lambda pair, _: value(pair.value)
        case ChatSlot.TYPE:
            return lambda pair, _: "number" if type_of(pair.value) == "integer" else type_of(pair.value)
        case ChatSlot.TOOL:
            return _ToolTexts(spec).text
    return None


def _values(spec: ChatSpec) -> Callable[[Json], str]:
    """The function that spells the value of an argument: a text as it is, but for its escapes."""
    escapes, spell = (*spec.escapes.items(),), speller(spec.arguments)

    def spelled(value: Json) -> str:
        if isinstance(value, str):
            text = value
            for sign, other in escapes:
                text = text.replace(sign, other)
            return text
        kind = spec.lists if isinstance(value, list) else spec.scalars
        if kind is Syntax.PYTHON and not isinstance(value, dict):
            return str(value)
        return spell(value)

    return spelled


class _ToolTexts:
    """The definitions of single tools, each written once: rows of a data set have the same ones again and again."""

    def __init__(self, spec: ChatSpec) -> None:
        self._spec = spec
        self._known: dict[bytes, str] = {}

    def text(self, tool: Mapping[str, Any], _: int) -> str:
        """The definition of a tool. Raises RenderError for the text of another chat."""
        try:
            key = _encode(tool)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return tools_text(self._spec, [tool])
        found = self._known.get(key)
        if found is None:
            found = tools_text(self._spec, [tool])
            if len(self._known) >= MAX_TOOLS:
                self._known = {}
            if len(key) < MAX_BYTES:
                self._known[key] = found
        return found


def tools_text(spec: ChatSpec, tools: Sequence[Mapping[str, Any]]) -> str:
    """The definitions of `tools`. Raises RenderError for the text of another chat."""
    how = spec.tools or AS_GIVEN
    texts = [str(tool.get("text", "")) for tool in tools if tool.get("type") == TEXT]
    if texts:
        if in_json(how) or len(texts) < len(tools):
            raise RenderError("tools", "expected definitions, got the text of another chat", texts[0])
        return "".join(texts)
    if how.each == "{tool}" and how.tool in ("$tool", "$function"):
        whole = how.tool == "$tool"
        spelled = map(speller(how.notation), (tool if whole else tool.get("function", tool) for tool in tools))
        return how.text.replace("{tools}", inset(how.text, "tools", how.between.join(spelled)))
    return write_tools(how, tools)
