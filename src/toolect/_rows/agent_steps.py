"""Steps of agents as messages: what was thought and said, the calls that were made, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolect._chat_completion import ARGUMENTS, arguments_in
from toolect._exchange.embedded_tools import one_each
from toolect._message import Json, MessageError, dumps
from toolect._objects import got, holding
from toolect._rows.ignored_fields import left_out, of_turn
from toolect._rows.open_row import OpenRow
from toolect._rows.opening import opened
from toolect._rows.row_holes import STEP, is_step
from toolect._rows.turn_shapes import shaped_turns

_INPUT = "action_input"
"""What an action that is only a name is given."""
_NAMES = ("name", "tool", "tool_name")
_READ = frozenset((*_NAMES, *ARGUMENTS, "function", "id", "type"))
_A_CALL = "a call, an object with `name` and `arguments`"
_TEXT = "text"


class StepMessages(NamedTuple):
    """The messages that a step tells, and its fields that are not read."""

    messages: list[Json]
    left: list[str]


def messages_of_steps(one: OpenRow, steps: Json, where: str) -> list[Json]:
    """The messages of steps, and of messages among them. Raises MessageError."""
    messages: list[Json] = []
    left: list[list[str]] = []
    for number, step in enumerate(steps):
        at = f"{where}[{number}]"
        if is_step(step):
            found = step_of(one, step, at)
            messages += found.messages
            left.append(found.left)
        else:
            messages += shaped_turns([step], one.shape, at).messages
            left.append([])
    one.changes += left_out(left)
    return messages


def step_of(one: OpenRow, step: Mapping[str, Json], where: str) -> StepMessages:
    """What an agent said and did in one step, and what it saw of it. Raises MessageError."""
    actions, read = _actions(step)
    calls = [_call(action, f"{where}.action") for action in actions]
    left = [*of_turn(step, STEP | read)]
    left += [f"action.{name}" for action in actions for name in of_turn(action, _READ)]
    thought, response = (_text(step, name, where) for name in ("thought", "response"))
    action = "" if calls else _text(step, "action", where)
    said = response or "\n\n".join(filter(None, (thought.strip(), action.strip())))
    left += [name for name, text in (("thought", thought), ("action", action)) if text.strip() not in said]
    spoken = len(one.spoken(said).calls)
    if calls and spoken:  # the text has calls already
        left, calls = [*left, "action"], []
    message = {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}
    role = "tool" if calls or spoken else "user"
    observed = [{"role": role, "content": text} for text in _observed(step.get("observation"), len(calls) or spoken)]
    return StepMessages([message, *observed] if said or calls or not observed else observed, left)


def _text(step: Mapping[str, Json], name: str, where: str) -> str:
    value = step.get(name)
    if not value or isinstance(value, str):
        return value or ""
    raise MessageError("a text or a call" if name == "action" else "a text", got(value), f"{where}.{name}")


def _actions(step: Mapping[str, Json]) -> tuple[list[Json], frozenset[str]]:
    """What an action holds that is no text, which are calls, and the fields besides that it stood in."""
    action, given = opened(step.get("action")), opened(step.get(_INPUT))
    if isinstance(action, str) and action.strip() and isinstance(given, Mapping):
        return [{"name": action.strip(), "arguments": given}], frozenset((_INPUT,))
    actions = action if isinstance(action, list) else [action] if isinstance(action, Mapping) and action else []
    is_text = isinstance(step.get("action"), str) and not all(map(_is_call, actions))
    return ([] if is_text else actions), frozenset()


def _is_call(action: Json) -> bool:
    return isinstance(action, Mapping) and (isinstance(action.get("function"), Mapping) or bool(_first(action, _NAMES)))


def _call(action: Json, where: str) -> Json:
    """A call, with the names of the chat-completions API. Raises MessageError for what is none."""
    if not isinstance(action, Mapping):
        raise MessageError(_A_CALL, got(action), where)
    if isinstance(action.get("function"), Mapping):
        return action
    name = _first(action, _NAMES)
    arguments = arguments_in(action)
    if not name or arguments is None and any(of_turn(action, _READ)):
        raise MessageError(_A_CALL, holding(action), where)
    return {"id": action.get("id"), "name": action[name], "arguments": arguments}


def _first(action: Mapping[str, Json], names: tuple[str, ...]) -> str:
    """The first of the keys that the action has a text under."""
    return next((name for name in names if isinstance(action.get(name), str) and action[name]), "")


def _observed(observation: Json, calls: int) -> list[str]:
    """The texts that an observation is: one for each call, where it is a list of as many."""
    if observation is None:
        return []
    given = observation if isinstance(observation, list) else []
    typed = [part for part in given if isinstance(part, Mapping) and part.get("type") == _TEXT]
    parts = [part[_TEXT] for part in typed if isinstance(part.get(_TEXT), str)]
    if parts and len(parts) == len(given):
        return parts if len(parts) == calls else ["".join(parts)]
    return one_each(observation if isinstance(observation, str) else dumps(observation), calls)
