"""Tool schema: out of type hints, out of a flat map of parameters, or as it is given."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from toolect._message import Call
from toolect._turns import Turn
from toolect.agent.errors import ToolDefinitionError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Context(Generic[T]):
    """Surroundings of a call: a tool's parameter of this type is given it, and the model does not see that parameter.

    `value` is what the run was given as `context`, `history` the turns before this answer.
    """

    value: T
    call: Call
    call_id: str = ""
    history: tuple[Turn, ...] = ()


def binder(function: Callable[..., Any]) -> tuple[Callable[..., Any], str | None]:
    """A function that takes what `function` does and gives it back, and the parameter that it lacks: the context's.

    Raises what type hints may raise.
    """

    def given(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs

    hints = typing.get_type_hints(_plain(function), include_extras=True)
    context = next((name for name, hint in hints.items() if name != "return" and _is_context(hint)), None)
    signature = inspect.signature(function)
    left = {name: p for name, p in signature.parameters.items() if name != context}
    given.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # `inspect` looks there
        [p.replace(annotation=hints.get(name, p.empty)) for name, p in left.items()]
    )
    given.__annotations__ = {name: hints[name] for name in left if name in hints}
    return given, context


def _is_context(hint: Any) -> bool:
    return hint is Context or typing.get_origin(hint) is Context


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function; of a callable object that of its class."""
    inner = getattr(function, "func", function)  # of a partial
    return getattr(inner, "__name__", None) or type(inner).__name__.lower()


def documented(function: Callable[..., Any]) -> str:
    """The docstring of a function, or of what it stands for; of a class its own, if somebody wrote it."""
    inner = getattr(function, "func", function)
    if inspect.isclass(inner):  # other docstrings are of a base class, of Python, or made by `dataclass`
        own = vars(inner).get("__doc__") or ""
        is_written = inner.__module__ not in sys.stdlib_module_names and not own.startswith(f"{inner.__name__}(")
        return inspect.cleandoc(own) if is_written else ""
    return inspect.getdoc(inner) or ("" if inspect.isroutine(inner) else inspect.getdoc(_plain(inner)) or "")


def _plain(function: Callable[..., Any]) -> Any:
    """The function that has the hints: of a partial, of a callable object."""
    inner = getattr(function, "func", function)
    return inner if inspect.isroutine(inner) or inspect.isclass(inner) else type(inner).__call__


_KEYWORDS: dict[str, type | tuple[type, ...]] = {
    "type": (str, list), "properties": Mapping, "required": list, "additionalProperties": (bool, Mapping), "enum": list,
    "anyOf": list, "oneOf": list, "allOf": list, "patternProperties": Mapping, "$defs": Mapping, "definitions": Mapping,
    "description": str, "title": str, "default": (str, int, float, list, type(None)), "propertyNames": Mapping,
    "if": Mapping, "then": Mapping, "else": Mapping, "not": Mapping, "unevaluatedProperties": (bool, Mapping),
}  # fmt: skip
"""Words of JSON Schema, and what each has beside it where it is meant as one."""


def object_schema(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The schema of an object: `given` as it is, or a flat map of parameters as its properties.

    In a flat map every value is the schema of a parameter; all without a `default` are required. Raises
    `ToolDefinitionError`.
    """
    flat = [name for name, value in given.items() if not _is_keyword(name, value)]
    if flat and len(flat) == len(given) and all(map(_is_schema, given.values())):
        required = [name for name, schema in given.items() if "default" not in schema]
        return {"type": "object", "properties": dict(given), "required": required}
    if "properties" not in given and any(len(flat) == len(given) or _is_schema(given[name]) for name in flat):
        names = ", ".join(f"`{name}`" for name in flat)
        example = '{"type": "object", "properties": {"city": {"type": "string"}}}'
        raise ToolDefinitionError(
            f"expected a JSON Schema such as {example}, got {names} outside of `properties` - at `{where}`"
        )
    return {"type": "object", "properties": {}, **given}


def _is_schema(value: Any) -> bool:
    """True for what reads as the schema of one value."""
    return isinstance(value, Mapping) and (not value or any(_is_keyword(name, inner) for name, inner in value.items()))


def _is_keyword(name: str, value: Any) -> bool:
    """True for a word of JSON Schema with what belongs to it; of a map, the values are schemas."""
    if name in ("properties", "patternProperties", "$defs", "definitions"):
        return isinstance(value, Mapping) and all(isinstance(one, Mapping | bool) for one in value.values())
    return name.startswith(("$", "x-")) or name in _KEYWORDS and isinstance(value, _KEYWORDS[name])
