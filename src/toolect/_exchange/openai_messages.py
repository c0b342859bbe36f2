"""Turns as messages of the chat-completions API."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from toolect._chat_completion import assistant_message, segments_of
from toolect._exchange.gathering import Gathering
from toolect._exchange.media import MediaApi, read_parts, written_parts
from toolect._exchange.numbering import numbered
from toolect._exchange.plain_messages import plain_turns
from toolect._exchange.plain_text import text_of, unread_text
from toolect._message import Content, Json, Message, MessageError, Reasoning
from toolect._objects import Object, as_list, as_object, as_text, field, not_finite, word
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User

_ROLES = "a role: system, developer, user, assistant or tool"


def read_answer(message: Object, where: str) -> Message:
    """What an assistant message says. Raises MessageError."""
    return Message(segments_of(message, where))


def read_messages(
    messages: Object, where: str = "messages", answer: Callable[[Object, str], Message] = read_answer
) -> tuple[Turn, ...]:
    """The turns that messages say; `answer` reads those of the assistant. Raises MessageError."""
    if answer is read_answer and type(messages) is list and (turns := plain_turns(messages)) is not None:
        return turns
    gathering = Gathering()
    for index, message in enumerate(as_list(messages, where, "a list of messages")):
        _read(message, f"{where}[{index}]", gathering, answer)
    return gathering.done()


def _read(message: Object, where: str, into: Gathering, answer: Callable[[Object, str], Message]) -> None:
    match role := field(as_object(message, where, "a message"), "role"):
        case "system" | "developer":
            text = text_of(field(message, "content"), f"{where}.content")
            into.add(System(text, role == "developer"))
        case "user":
            into.add(User(*read_parts(field(message, "content"), f"{where}.content")))
        case "assistant":
            into.add(Assistant(answer(message, where)))
        case "tool" | "function":
            call_id = as_text(field(message, "tool_call_id"), f"{where}.tool_call_id")
            name = as_text(field(message, "name"), f"{where}.name")
            text, media = read_parts(field(message, "content"), f"{where}.content")
            into.result(ToolResult(call_id, name, text, media=media), where)
        case _:
            raise MessageError(_ROLES, word(role), f"{where}.role")


def messages_of(turns: Iterable[Turn], free_form: Collection[str] = ()) -> list[dict[str, Json]]:
    """The turns as messages; calls of the tools `free_form` are of type `custom`.

    A call that could not be read is written as text; a result that no call was made for, as the user's words.
    """
    return [message for turn in numbered(turns) for message in _written(turn, free_form)]


def template_messages(turns: Iterable[Turn]) -> list[dict[str, Json]]:
    """The turns as messages for chat templates: arguments are objects, and an answer of calls alone has the text "".

    Templates write JSON text as it stands, or encode it once more, and join or strip `content`. Raises RenderError.
    """
    found: list[dict[str, Json]] = []
    for turn in numbered(turns):
        if not isinstance(turn, Assistant):
            found += _written(turn)
            continue
        texts, thoughts, calls = [], [], []
        for one in turn.message.segments:
            if isinstance(one, Content):
                texts.append(one.text)
            elif isinstance(one, Reasoning):
                thoughts.append(one.text)
            elif not one.runnable:
                texts.append(f"\n{unread_text(one)}" if texts else unread_text(one))
            elif not_finite(one.arguments) is not None:
                raise RenderError("arguments", "expected finite numbers", one.arguments_text)
            else:
                calls.append(
                    {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
                )
        said: dict[str, Json] = {"role": "assistant", "content": "".join(texts)}
        if any(thoughts):
            said["reasoning_content"] = "".join(thoughts)
        found.append(said | {"tool_calls": calls} if calls else said)
    return found


def _written(turn: Turn, free_form: Collection[str] = ()) -> Iterator[dict[str, Json]]:
    match turn:
        case System(text, developer):
            yield {"role": "developer" if developer else "system", "content": text}
        case User(text, media):
            yield {"role": "user", "content": written_parts(text, media, MediaApi.CHAT)}
        case Assistant(message):
            said = assistant_message(message.segments, free_form=free_form)
            unread = [unread_text(call) for call in message.calls if not call.runnable]
            said.pop("invalid_tool_calls", None)
            if unread:
                said["content"] = "\n".join(filter(None, [said.get("content"), *unread]))
            yield said
        case Results(results):
            for one in results:
                yield one.to_openai() | {"content": written_parts(one.output, one.media, MediaApi.CHAT)}
