"""A call in JSON that does not have the dialect's shape: in those that other formats have, or by what is declared."""

from __future__ import annotations

from collections.abc import Container

from toolect._message import Json
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.shape_events import Arguments, Filled, ShapeEvent
from toolect._shapes.shape_reader import BESIDE
from toolect._spec.shape_model import Hole, HoleKind, Many, Member, Obj, OneOf, Shape
from toolect._values.json_lexemes import JsonError, complete
from toolect._values.text_values import read_json
from toolect._values.toolset import ToolSchemas

_ARGUMENTS = Member(
    ("arguments", "parameters", "args", "input", "params", "kwargs", "tool_input", "action_input"),
    Hole(HoleKind.ARGUMENTS),
)
_ID = Member(("id", "call_id", "tool_call_id"), Hole(HoleKind.ID), optional=True)
_NAME = Member(("name", "tool_name", "function_name", "tool", "function", "method", "action"), Hole(HoleKind.NAME))
_CALL = Obj((_ID, _NAME, _ARGUMENTS))
_AROUND = Member(("function", "function_call", "tool_call"), Obj((_NAME, _ARGUMENTS)))
_INNER = Obj((_ID, _AROUND))
_LIST = Many(OneOf((_CALL, _INNER)))
_SHAPE: Shape = OneOf((_LIST, _CALL, _INNER, Obj((Member(("tool_calls",), _LIST),))))
"""Shape of calls in JSON, in one format or another."""


def is_call(arguments: Json, name: str, tools: ToolSchemas) -> bool:
    """True when `arguments` of a call of `name` are another one with its name: of a declared tool, or of the same.

    Where the tool declares all of the keys, they may well be arguments.
    """
    named = isinstance(arguments, dict) and _is_named(arguments, tools or {name})
    return named and not all(key in tools.of(name).names for key in arguments)


def holds_call(arguments: Json, name: str, tools: ToolSchemas) -> bool:
    """True when `arguments` of a call of `name` are another call, its name a key perhaps, or hold one."""
    known: Container[str] = tools or {name}
    declared = tools.of(name).names
    whole = isinstance(arguments, dict) and all(key in declared for key in arguments)
    left = [arguments]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if _is_call(value, known) and not (whole and value is arguments):
                return True
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
    return False


def _is_call(value: dict[str, Json], known: Container[str]) -> bool:
    if len(value) == 1:
        ((key, inner),) = value.items()
        return isinstance(inner, dict) and key in known
    return _is_named(value, known)


def _is_named(value: dict[str, Json], known: Container[str]) -> bool:
    if value.keys().isdisjoint(_NAME.keys):  # nearly always
        return False
    named = any(isinstance(name := value.get(key), str) and name in known for key in _NAME.keys)
    return named and any(isinstance(value.get(key), dict | str) for key in _ARGUMENTS.keys)


def only_call(value: Json, tools: ToolSchemas) -> tuple[str, dict[str, Json]] | None:
    """The call whose exact shape a value has, alone in a list perhaps; None where it is no call."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    members = {key: item for key, item in value.items() if key not in BESIDE}
    if len(members) == 1 and (inner := next(map(members.get, filter(members.get, _AROUND.keys)), None)):
        return only_call(inner, tools) if isinstance(inner, dict) else None
    name = next((members[key] for key in _NAME.keys if key in members), None)
    key = next(filter(members.__contains__, _ARGUMENTS.keys), None)
    if len(members) != 2 or key is None or not isinstance(name, str):
        return None
    arguments = members[key]
    arguments = read_json(arguments) if isinstance(arguments, str) else arguments
    known = name in tools if tools.declared else name != "" and name.split() == [name]
    return (name, arguments) if known and isinstance(arguments, dict) else None


def calls_elsewhere(text: str, at: int, tools: ToolSchemas) -> list[ShapeEvent]:
    """The events of the value `text`, from character `at` on, in the shape of some other format; empty for no call."""
    events: list[ShapeEvent] = []
    reader = JsonReader(_SHAPE, events.append, tools=tools)
    try:
        reader.feed(text, 0, at, True)
    except (JsonError, RecursionError):
        return []
    return events if reader.done and reader.called else []


def arguments_elsewhere(text: str, name: str, tools: ToolSchemas) -> tuple[str, dict[str, Json]] | None:
    """The arguments in the object `text`, a call of `name` that has none where they belong, and the key they are under.

    They are an object under a key that other formats have for them. The declaration tells them by their names under any
    key, or beside the name, where the key is empty.
    """
    events = calls_elsewhere(text, 0, tools)
    found = [event.value for event in events if isinstance(event, Arguments)]
    names = [event.value for event in events if isinstance(event, Filled) and event.kind is HoleKind.NAME]
    whole = complete(text, 0, True)
    if whole is None or not isinstance(value := whole[0], dict):
        return None
    if len(found) == 1 and isinstance(found[0], dict) and names[:1] == [name]:
        return next((key for key in value if value[key] == found[0]), ""), found[0]
    known = set(tools.of(name).names)
    named = next((key for key, item in value.items() if item == name), None)
    others = {key: item for key, item in value.items() if key not in BESIDE and key != named}
    if others and known.issuperset(others):
        return "", others
    if len(others) != 1:
        return None
    key, inner = others.popitem()
    return (key, inner) if isinstance(inner, dict) and inner and known.issuperset(inner) else None
