"""The kinds of rows, and which one a row is of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from toolect._corpora.records import FIELDS
from toolect._data.left_out import STEP
from toolect._data.opening import opened
from toolect._message import Json


class Kind(StrEnum):
    """How a row tells a conversation."""

    MESSAGES = "messages"
    """Messages of the chat-completions API, with `tools` beside them."""
    ANTHROPIC = "anthropic"
    """Messages of Anthropic's API: blocks of content, with `system` and `tools` beside them."""
    RESPONSES = "responses"
    """Items of the Responses API, with `instructions` and `tools` beside them."""
    SHAREGPT = "sharegpt"
    """`conversations` of `from` and `value`: calls in the text, or in turns of their own."""
    QUERY = "query"
    """A `query`, the `tools`, and the calls that are its `answers`, as xLAM has them."""
    PROMPTED = "prompted"
    """A `prompt` and its `completion`, each a text or messages; a `system` text may stand beside them."""
    TRAJECTORY = "trajectory"
    """The `trajectory` or `history` of an agent: messages, or steps of `action` and `observation`."""
    LOG = "log"
    """A request to a model with its response, which may be streamed chunks."""
    TRANSCRIPT = "transcript"
    """The text of a whole conversation, as some chat writes it."""
    ANSWER = "answer"
    """The text of one answer; what was asked may stand in other columns: see `asked`."""


LISTS = ("messages", "conversations", "conversation", "trajectory", "history", "traj")
"""The columns that may hold turns."""
TEXTS = tuple(name for name in FIELDS if name not in LISTS)
"""The columns that may hold the text of a transcript or an answer."""
PAST = "history"
"""The column of turns that may be pairs, beside a text."""
REQUESTS = ("request", "body", "kwargs", "inputs")
RESPONSES = ("response", "chunks", "events", "stream", "completion", "output", "outputs", "choices")
"""The columns that may hold what a model was asked, and what it answered."""
_BLOCKS = ("tool_use", "tool_result", "thinking")
_SPEAKERS = {"human", "gpt", "function_call", "observation", "tool_response"}
_ITEMS = ("function_call", "function_call_output", "reasoning", "message")


def kind_of(row: Json, field: str = "") -> Kind | None:
    """The kind of a row, None for what is none; `field` is the column that holds its turns or its text."""
    if isinstance(row, str):
        return Kind.ANSWER
    if isinstance(row, list):
        return _of_turns(row, {})
    if not isinstance(row, Mapping):
        return None
    if any(isinstance(opened(row.get(name)), Mapping) for name in REQUESTS):
        return Kind.LOG
    if {"query", "answers"} <= row.keys():
        return Kind.QUERY
    for name in (field,) if field else LISTS:
        turns = opened(row.get(name))
        if isinstance(turns, list) and not (name == PAST and are_pairs(turns) and _says(row)):
            kind = _of_turns(turns, row)
            if kind is Kind.MESSAGES and name in ("trajectory", "history", "traj"):
                return Kind.TRAJECTORY
            if kind is Kind.MESSAGES and any(_is_response(row.get(one)) for one in RESPONSES):
                return Kind.LOG
            return kind
    if isinstance(opened(row.get("input")), list) and _typed(opened(row["input"]), _ITEMS) or "instructions" in row:
        return Kind.RESPONSES
    if "prompt" in row and "completion" in row:
        return Kind.PROMPTED
    return Kind.ANSWER if _says(row, field) else None


def are_pairs(turns: Json) -> bool:
    """True for a history of questions with their answers, which comes before what another column says."""
    return isinstance(turns, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in turns
    )


def _says(row: Mapping[str, Json], field: str = "") -> bool:
    """True for a row with a text of an answer."""
    return any(isinstance(row.get(name), str) for name in ((field,) if field else TEXTS))


def _of_turns(turns: list[Json], row: Mapping[str, Json]) -> Kind:
    """The kind of a row with a list of turns."""
    first = next((turn for turn in turns if isinstance(turn, Mapping)), {})
    roles = {turn["role"] for turn in turns if isinstance(turn, Mapping) and isinstance(turn.get("role"), str)}
    if first.get("from") is not None or roles & _SPEAKERS:
        return Kind.SHAREGPT
    if first.get("role") is None and STEP & first.keys():
        return Kind.TRAJECTORY
    if (
        isinstance(row.get("system"), str)
        and row["system"]
        or any(_typed(turn.get("content"), _BLOCKS) for turn in turns if isinstance(turn, Mapping))
    ):
        return Kind.ANTHROPIC
    tools = opened(row.get("tools"))
    if isinstance(tools, list) and tools and isinstance(tools[0], Mapping) and tools[0].get("input_schema"):
        return Kind.ANTHROPIC
    return Kind.MESSAGES


def _typed(parts: Json, types: tuple[str, ...]) -> bool:
    """True for parts one of which is of one of the types."""
    return isinstance(parts, list) and any(isinstance(part, Mapping) and part.get("type") in types for part in parts)


def _is_response(value: Json) -> bool:
    """True for what a server answers to a request: choices, the chunks of a stream, or a message."""
    value = opened(value)
    if isinstance(value, list):
        value = opened(value[0]) if value else None
    if isinstance(value, str):
        return value.lstrip().startswith("data:")
    return isinstance(value, Mapping) and ("choices" in value or value.get("type") in ("message", "message_start"))
