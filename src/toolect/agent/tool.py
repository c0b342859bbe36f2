"""Tool: a name, a description and a schema for the model, and the Python that answers."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from toolect import _extras as extras
from toolect._message import Call, Json, Violation, dumps
from toolect._turns import Turn
from toolect._validation import SchemaError, Validator
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


# Schemas: out of type hints, out of a flat map of parameters, or as they are given


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


Handler: TypeAlias = Callable[..., Any]
"""A function that takes the arguments by name and returns a value, or a coroutine of one."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
"""Pattern of the tool names that hosted APIs accept, and points besides."""


class Tool:
    """One tool. `timeout` is in seconds; without one the registry's counts.

    Raises `ToolDefinitionError` for a name, a description or parameters that cannot be offered.
    """

    def __init__(
        self, name: str, description: str, parameters: Mapping[str, Any], handler: Handler, timeout: float | None = None
    ) -> None:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ToolDefinitionError(
                f"expected a tool name of up to 64 letters, digits, `_`, `-` and `.` that begins with a letter or `_`, "
                f"got {name!r}"
            )
        if not isinstance(description, str) or not description.strip():
            raise ToolDefinitionError(
                f"expected a description for the tool `{name}`, got {description!r}: say what it is for"
            )
        schema = object_schema(parameters, f"{name}.parameters") if isinstance(parameters, Mapping) else {}
        if schema.get("type") != "object":
            raise ToolDefinitionError(
                f"expected parameters of type object for the tool `{name}`, got {str(parameters)[:80]!r}"
            )
        if not callable(handler):
            raise ToolDefinitionError(f"expected a handler to call for the tool `{name}`, got {handler!r}")
        self.name, self.description, self.handler, self.timeout = name, description, handler, timeout
        self.parameters: dict[str, Any] = schema
        self.context: str | None = None
        """The parameter that takes the `Context` of a call."""
        self.wire_name = name
        """The name by which a server of tools knows it, where no model takes that."""
        try:
            self._validator = Validator(self.parameters, f"{name}.parameters")
        except SchemaError as error:
            raise ToolDefinitionError(str(error)) from None
        self._bind: Callable[[dict[str, Json]], tuple[tuple[Any, ...], dict[str, Any]]] = _by_name

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    @classmethod
    def from_function(
        cls, function: Handler, name: str | None = None, description: str | None = None, timeout: float | None = None
    ) -> Tool:
        """The tool that a function is: its parameters by their type hints, its texts by its docstring.

        Without a docstring its name has to do as its description. A parameter of type `Context` is not the model's.
        Raises `ToolDefinitionError`.
        """
        pydantic = extras.need("pydantic", "agent")
        from docstring_parser import parse

        if not callable(function):
            raise ToolDefinitionError(
                f"expected a function as a tool, got {str(function)[:80]!r}: see `Tool.from_openai`"
            )
        name = name or name_of(function)
        docstring = parse(documented(function))
        try:
            given, context = binder(function)
            adapter = pydantic.TypeAdapter(given)
            schema = adapter.json_schema()
        except Exception as error:  # pydantic has many kinds, and type hints may raise any
            why = str(error).split("\n")[0]
            raise ToolDefinitionError(
                f"expected type hints that JSON Schema can say, got `{why}` - at the tool `{name}`"
            ) from None
        if schema.get("type") != "object":
            raise ToolDefinitionError(f"expected parameters with names, got positional ones - at the tool `{name}`")
        for param in docstring.params:
            if param.description and param.arg_name in schema.get("properties", {}):
                schema["properties"][param.arg_name].setdefault("description", param.description)
        text = description or "\n\n".join(filter(None, (docstring.short_description, docstring.long_description)))
        tool = cls(name, text or name.strip("_").replace("_", " "), untitled(schema), function, timeout)
        tool.context = context
        tool._bind = functools.partial(_bound, adapter)
        return tool

    @classmethod
    def from_model(
        cls, model: Any, handler: Handler, name: str | None = None, description: str | None = None,
        timeout: float | None = None,
    ) -> Tool:  # fmt: skip
        """The tool whose parameters are the fields of a pydantic model; `handler` gets an instance of it."""
        adapter = extras.need("pydantic", "agent").TypeAdapter(model)
        text = description or documented(model) or model.__name__
        tool = cls(name or model.__name__, text, untitled(adapter.json_schema()), handler, timeout)
        tool._bind = lambda arguments: ((adapter.validate_json(dumps(arguments), strict=True),), {})
        return tool

    @classmethod
    def from_openai(cls, definition: Mapping[str, Any], handler: Handler, timeout: float | None = None) -> Tool:
        """The tool that an OpenAI tool object, or a `{name, description, parameters}` mapping, defines.

        Raises `ToolDefinitionError`.
        """
        inner = definition.get("function", definition) if isinstance(definition, Mapping) else None
        if not isinstance(inner, Mapping) or "name" not in inner:
            raise ToolDefinitionError(f"expected an OpenAI tool object, got {str(definition)[:80]!r}")
        name = inner["name"]
        return cls(name, inner.get("description") or "", inner.get("parameters") or {}, handler, timeout)

    def definition(self, name: str = "") -> dict[str, Json]:
        """The tool as an OpenAI tool object, by another name where one is given."""
        function = {"name": name or self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    def violations(self, arguments: Json) -> list[Violation]:
        """The violations of `arguments`; see `Validator.violations`."""
        return self._validator.violations(arguments)

    def bind(self, arguments: dict[str, Json]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and named arguments that the handler gets. Raises ValueError for what its types refuse."""
        return self._bind(arguments)


def _by_name(arguments: dict[str, Json]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (), dict(arguments)


def _bound(adapter: Any, arguments: dict[str, Json]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    # From JSON and strictly: a date is read from its text, a number is not.
    bound: tuple[tuple[Any, ...], dict[str, Any]] = adapter.validate_json(dumps(arguments), strict=True)
    return bound


def untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic makes out of names: they tell a model nothing."""
    if isinstance(schema, list):
        return [untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: untitled(inner) for name, inner in value.items()} if key in _NAMED else untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


_NAMED = ("properties", "$defs", "patternProperties")
