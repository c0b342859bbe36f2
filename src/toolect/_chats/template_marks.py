"""A conversation as a template is given it, with marks in its texts that tell where each of them was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from toolect._chat_completion import arguments_text
from toolect._message import Call, Json, Message
from toolect._transcript import Origin
from toolect._turns import Assistant, Results, System, Turn, User

_PLANES = (range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE), range(0xE000, 0xF900))
"""The characters for private use: no text has all of them."""


class Habits(NamedTuple):
    """How a template wants to be given answers: arguments as objects or as text, and content that there is none of."""

    text: bool = False
    empty: str | None = ""


class TextMark(NamedTuple):
    """The text of a turn that stands between the characters `opener` and `closer`, its outer blanks aside."""

    text: str
    origin: Origin
    turn: int
    opener: str
    closer: str


class Marker:
    """Puts texts between marks. `chosen` are the numbers of those that are marked: all, unless they are given."""

    def __init__(self, turns: Sequence[Turn], chosen: frozenset[int] | None = None) -> None:
        self._free = _free(turns)
        self._chosen = chosen
        self.marks: list[TextMark] = []
        self.count = 0

    def mark(self, text: str, origin: Origin, turn: int) -> str:
        """`text` with its marks; one of blanks only has none, as templates ask whether there is anything in it."""
        core = text.strip()
        if not core:
            return text
        self.count += 1
        if self._chosen is not None and self.count - 1 not in self._chosen:
            return text
        opener, closer = next(self._free, ""), next(self._free, "")
        if not closer:
            return text
        self.marks.append(TextMark(core, origin, turn, opener, closer))
        before = len(text) - len(text.lstrip())
        return text[:before] + opener + core + closer + text[before + len(core) :]


def _free(turns: Sequence[Turn]) -> Iterator[str]:
    """Characters that nobody uses."""
    used = {*"".join(text for turn in turns for text in _texts(turn))}
    return (chr(code) for plane in _PLANES for code in plane if chr(code) not in used)


def _texts(turn: Turn) -> Iterator[str]:
    match turn:
        case System(text) | User(text):
            yield text
        case Assistant(message):
            yield from (one.arguments_text if isinstance(one, Call) else one.text for one in message.segments)
        case Results(results):
            yield from (result.output for result in results)


def messages(turns: Sequence[Turn], habits: Habits, marker: Marker | None = None) -> list[dict[str, Json]]:
    """The turns as messages, with reasoning under every name that a template may read."""
    mark = Marker(turns, frozenset()).mark if marker is None else marker.mark
    out: list[dict[str, Json]] = []
    for number, turn in enumerate(turns):
        match turn:
            case System(text, developer):
                role = "developer" if developer else "system"
                out.append({"role": role, "content": mark(text, Origin.SYSTEM, number)})
            case User(text):
                out.append({"role": "user", "content": mark(text, Origin.USER, number)})
            case Assistant(message):
                out.append(_answer(message, habits, lambda text, at=number: mark(text, Origin.ANSWER, at)))  # type: ignore[misc]
            case Results(results):
                marked = ((result, mark(result.output, Origin.RESULT, number)) for result in results)
                out += [result.to_openai() | {"content": text} for result, text in marked]
    return out


def _answer(message: Message, habits: Habits, mark: Callable[[str], str]) -> dict[str, Json]:
    said: dict[str, Json] = {"role": "assistant", "content": mark(message.content) or habits.empty}
    if message.reasoning:
        said |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), mark(message.reasoning))
    if message.calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call) if habits.text else call.arguments},
            }
            for call in message.calls
        ]
    return said
