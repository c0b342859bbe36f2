"""Trajectories of agents as messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect._data.agent_steps import is_step, step_of
from toolect._data.asked import asked
from toolect._data.kinds import LISTS
from toolect._data.left_out import told
from toolect._data.open_row import OpenRow, what_is
from toolect._data.opening import opened
from toolect._message import Json, MessageError
from toolect._turns import Turn

_ROLES = {"ai": "assistant", "agent": "assistant", "environment": "user", "env": "user"}


def trajectory(one: OpenRow) -> Iterator[Sequence[Turn]]:
    """The turns of a trajectory or a history; steps alone are the answer to what the row asks."""
    names = [name for name in ("messages", "history", *LISTS) if isinstance(opened(one.row.get(name)), list)]
    rows = one.take(*names) if names else one.take("trajectory")
    if not isinstance(rows, list):
        raise MessageError("a list of messages or steps", what_is(rows), "trajectory")
    messages: list[Json] = asked(one) if rows and is_step(rows[0]) else []
    left: list[list[str]] = []
    for number, row in enumerate(rows):
        if is_step(row):
            step = step_of(one, row, f"trajectory[{number}]")
            messages += step.messages
            left.append(step.left)
        else:
            messages.append(_told(row) if isinstance(row, Mapping) else row)
            left.append([])
    turns = one.turns(messages, "trajectory")
    one.beside += told(left)
    yield turns


def _told(step: Mapping[str, Json]) -> dict[str, Json]:
    """A message of an agent's history with the names of the chat-completions API."""
    found = {**step, "role": _ROLES.get(step["role"], step["role"]) if isinstance(step.get("role"), str) else None}
    if found.get("content") is None:
        found["content"] = found.pop("text", None) or found.pop("system_prompt", None)
    ids = step.get("tool_call_ids")
    if found["role"] == "tool" and not found.get("tool_call_id") and isinstance(ids, list) and ids:
        found["tool_call_id"], *rest = ids
        if not rest:
            del found["tool_call_ids"]
    return found
