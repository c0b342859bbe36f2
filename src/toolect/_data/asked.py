"""What a row asks in columns of its own: the system's text, turns before, a question, and what that is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolect._data.kinds import PAST, are_pairs
from toolect._data.open_row import OpenRow, what_is
from toolect._data.opening import opened
from toolect._message import Json, MessageError

INSTRUCTION = "instruction"
"""The question that may be about something in another column."""
_QUESTIONS = ("prompt", "question", INSTRUCTION, "query", "input")
_ABOUT = ("input", "context")
_SYSTEMS = ("system", "system_prompt")


def asked(one: OpenRow) -> list[Json]:
    """The messages before what is answered, as far as columns tell them: those of the first question there is."""
    for name in _QUESTIONS:
        question = opened(one.row.get(name))
        if isinstance(question, list) and question and all(isinstance(message, Mapping) for message in question):
            one.taken.add(name)
            return with_system(one, question)
        text = one.row.get(name)
        if isinstance(text, str) and text.strip():
            one.taken.add(name)
            text = _with_what(one, text) if name == INSTRUCTION else text
            return with_system(one, [*_before(one), {"role": "user", "content": text}])
    return with_system(one, [])


def _with_what(one: OpenRow, instruction: str) -> str:
    """An instruction and, below it, what it is about, as the templates of such rows have it."""
    about = next((one.row[name] for name in _ABOUT if one.row.get(name)), "")
    if not isinstance(about, str):
        name = next(name for name in _ABOUT if one.row.get(name))
        raise MessageError("a text", what_is(about), name)
    one.taken.update(name for name in _ABOUT if one.row.get(name, about) in (None, "", about))
    return f"{instruction}\n\n{about}" if about.strip() else instruction


def _before(one: OpenRow) -> list[Json]:
    """The messages of a history of questions with their answers."""
    pairs = opened(one.row.get(PAST))
    if not are_pairs(pairs):
        return []
    one.taken.add(PAST)
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for pair in pairs for role, text in zip(roles, pair, strict=True)]


def with_system(one: OpenRow, messages: Sequence[Json]) -> list[Json]:
    """The messages, after the text of the system that a column holds where they have none of their own."""
    texts = ((name, one.row.get(name)) for name in _SYSTEMS)
    name, text = next(((name, text) for name, text in texts if isinstance(text, str) and text.strip()), ("", ""))
    if not name or any(isinstance(one, Mapping) and one.get("role") in ("system", "developer") for one in messages):
        return [*messages]
    one.taken.add(name)
    return [{"role": "system", "content": text}, *messages]
