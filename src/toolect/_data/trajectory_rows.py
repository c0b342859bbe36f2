"""Trajectories of agents as messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect._data.kinds import LISTS
from toolect._data.left_out import STEP, of_turn, told
from toolect._data.open_row import OpenRow, what_is
from toolect._data.opening import opened
from toolect.message import BadMessage, Json
from toolect.turns import Turn

_ROLES = {"ai": "assistant", "agent": "assistant", "environment": "user", "env": "user"}


def trajectory(one: OpenRow) -> Iterator[Sequence[Turn]]:
    """The turns of a trajectory or a history."""
    names = [name for name in ("messages", "history", *LISTS) if isinstance(opened(one.row.get(name)), list)]
    rows = one.take(*names) if names else one.take("trajectory")
    if not isinstance(rows, list):
        raise BadMessage("a list of messages or steps", what_is(rows), "trajectory")
    messages: list[Json] = []
    for step in rows:
        if isinstance(step, Mapping) and step.get("role") is None and {"action", "response", "observation"} & {*step}:
            messages += _step(step)
        elif isinstance(step, Mapping):
            messages.append(_told(step))
        else:
            messages.append(step)
    turns = one.turns(messages, "trajectory")
    steps = (step for step in rows if isinstance(step, Mapping) and step.get("role") is None)
    one.beside += told(of_turn(step, STEP) for step in steps)
    yield turns


def _told(step: Mapping[str, Json]) -> dict[str, Json]:
    """A message of an agent's history with the names of the chat-completions API."""
    found = {**step, "role": _ROLES.get(step["role"], step["role"]) if isinstance(step.get("role"), str) else None}
    if found.get("content") is None:
        found["content"] = found.pop("text", None) or found.pop("system_prompt", None)
    ids = step.get("tool_call_ids")
    if found["role"] == "tool" and not found.get("tool_call_id") and isinstance(ids, list) and ids:
        found["tool_call_id"] = ids[0]
        del found["tool_call_ids"]
    return found


def _step(step: Mapping[str, Json]) -> list[Json]:
    """What an agent said and did in one step, and what it was told of it."""
    said = step.get("response")
    if not isinstance(said, str) or not said:
        parts = (step.get("thought"), step.get("action"))
        said = "\n\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    messages: list[Json] = [{"role": "assistant", "content": said}]
    if isinstance(step.get("observation"), str):
        messages.append({"role": "user", "content": step["observation"]})
    return messages
