"""Fields of a row's messages that are not read: they are left out, with a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolect._chats.conversation_diff import Change
from toolect._message import Json, MessageError
from toolect._objects import OPAQUE
from toolect._rows.calls_and_results import WEIGHTS
from toolect._rows.finish_reasons import SAID
from toolect._shown import cut

LEFT_OUT = "fields of messages are left out"
LEFT = "$left"
"""The field of a message that names those of its turn that could not stand in it."""
_OPAQUE = frozenset(OPAQUE["message"])
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""The fields of a message's reasoning, of which the first that has any is read."""
_READ: dict[str, frozenset[str]] = {
    "assistant": frozenset(("role", "content", "tool_calls", "function_call", "refusal", "invalid_tool_calls", *WEIGHTS,
                            *OPAQUE["message"])),
    "tool": frozenset(("role", "content", "tool_call_id", "name", "tool_name", "is_error")),
    "function": frozenset(("role", "content", "tool_call_id", "name")),
}  # fmt: skip
"""The fields that are read of a message, by its role."""
MESSAGE = frozenset(("role", "content"))
"""The fields that are read of any message."""
_PARTS: dict[str, frozenset[str]] = {
    "text": frozenset(("type", "text")), "input_text": frozenset(("type", "text")),
    "output_text": frozenset(("type", "text")), "refusal": frozenset(("type", "refusal")),
    "thinking": frozenset(("type", "thinking", "signature")), "tool_use": frozenset(("type", "id", "name", "input")),
    "tool_result": frozenset(("type", "tool_use_id", "content", "is_error")),
    "redacted_thinking": frozenset(("type", *OPAQUE["redacted_thinking"])),
}  # fmt: skip
"""The fields that are read of a part of a content, or that say nothing, by its type."""
_BOOKS = frozenset(("id", "status", "type"))
_ITEMS: dict[str, frozenset[str]] = {
    "message": _BOOKS | {"role", "content"}, "reasoning": _BOOKS | {"content", "summary", "encrypted_content"},
    "function_call": _BOOKS | {"call_id", "name", "arguments"}, "function_call_output": _BOOKS | {"call_id", "output"},
    "custom_tool_call": _BOOKS | {"call_id", "name", "input"},
    "custom_tool_call_output": _BOOKS | {"call_id", "output"},
}  # fmt: skip
"""The fields that are read of an item of the Responses API, with the server's own id and status."""
MOST = 8
"""Names of unread fields that a change lists. Beyond it: only the number of the others."""


def of_message(message: Json, ignored: Sequence[str] = ()) -> Iterator[str]:
    """The fields of a message that are not read, but for empty ones and those ignored."""
    if not isinstance(message, Mapping):
        return
    role = message.get("role")
    read = _READ.get(role, MESSAGE) if isinstance(role, str) else MESSAGE
    thought = next((message[name] for name in _THOUGHTS if message.get(name)), None) if role == "assistant" else None
    yield from message.get(LEFT, ())
    for name in _others(message, read | {LEFT}):
        if name not in ignored and not (name in _THOUGHTS and thought is not None and message[name] == thought):
            yield name
    if role == "assistant" and thought is None and not _OPAQUE.isdisjoint(message):  # the thought stands there alone
        yield from (name for name in OPAQUE["message"] if message.get(name))
    if message.get("tool_calls") and message.get("function_call"):
        yield "function_call"
    yield from of_parts(message.get("content"))


def check_read(message: Json, others: Sequence[str], where: str) -> None:
    """Raises MessageError for a message that says nothing where its words may stand: there are only other fields."""
    if not others or not isinstance(message, Mapping) or any(message.get(name) for name in SAID):
        return
    held = next((name for name in others if isinstance(message.get(name), list | Mapping)), None)
    if held is not None:
        raise MessageError("text or calls", f"neither, and `{cut(held, 40)}`, which is not read", where)


def of_parts(content: Json) -> Iterator[str]:
    """The fields of the parts of a content that are not read, and of parts in them."""
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in _PARTS:
            yield from _others(part, _PARTS[kind])
            yield from of_parts(part.get("thinking" if kind == "thinking" else "content"))


def of_blocks(message: Json, ignored: Sequence[str] = ()) -> Iterator[str]:
    """The fields of a message of Anthropic's API, and of its blocks, that are not read."""
    yield from of_turn(message, MESSAGE.union(ignored, WEIGHTS))
    if isinstance(message, Mapping):
        yield from of_parts(message.get("content"))


def of_items(items: Json) -> list[Change]:
    """A change that lists the unread fields of items of the Responses API; none if all are read."""
    return left_out(map(_of_item, items)) if isinstance(items, list) else []


def _of_item(item: Json) -> Iterator[str]:
    kind = (item.get("type") or "message") if isinstance(item, Mapping) else None
    if not isinstance(kind, str) or kind not in _ITEMS:
        return
    yield from _others(item, _ITEMS[kind])
    yield from of_parts(item.get("content"))
    if kind == "reasoning" and item.get("content") and item.get("summary"):
        yield "summary"


def of_turn(turn: Json, read: frozenset[str]) -> Iterator[str]:
    """The fields of a message, or a step, but those that are read."""
    if isinstance(turn, Mapping):
        yield from _others(turn, read)


def _others(message: Mapping[str, Json], read: frozenset[str]) -> Iterator[str]:
    """The other fields that say anything: tables have all of them in each row."""
    return (name for name, value in message.items() if name not in read and (value or value in (0, False)))


def left_out(found: Iterable[Iterable[str]]) -> list[Change]:
    """A change that lists the unread fields of messages, given for each message in order; none if there are none."""
    each = [[*names] for names in found]
    names = [*dict.fromkeys(name for names in each for name in names)]
    if not names:
        return []
    first = next(number for number, some in enumerate(each) if some)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return [Change(LEFT_OUT, first, ", ".join(f"`{cut(name, 40)}`" for name in names[:MOST]) + more)]
