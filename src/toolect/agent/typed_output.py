"""Typed output: the final answer as a value of a type, by a tool that takes it, or as text."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable
from typing import Any

import msgspec

from toolect import _extras as extras
from toolect._message import Json, dumps
from toolect.agent.errors import ToolDefinitionError
from toolect.agent.tool import Tool, documented, untitled

NAME = "final_answer"
"""The name of the tool by which a model gives its answer."""
_BARE = "answer"  # the one parameter of a type that is no object
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)


class Refused(ValueError):
    """Error for a value of another type than asked for; the message is for the model."""


class TypedOutput:
    """Reads answers as values of `type_`: a msgspec struct, a pydantic model, a data class, a TypedDict, any type.

    Raises `ToolDefinitionError` for a type that JSON Schema cannot say.
    """

    def __init__(self, type_: Any) -> None:
        try:
            schema, self._convert = _schema_of(type_)
        except (ImportError, ToolDefinitionError):
            raise
        except Exception as error:  # pydantic and msgspec have many kinds
            why = str(error).split("\n")[0]
            raise ToolDefinitionError(f"expected a type that JSON Schema can say, got `{why}` - at `output`") from None
        self._bare = schema.get("type") != "object" or "properties" not in schema
        self._is_text = schema.get("type") == "string" and "enum" not in schema
        defs = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
        if self._bare:
            schema = {"type": "object", "properties": {_BARE: schema}, "required": [_BARE]}
        about = documented(type_) if isinstance(type_, type) else ""
        text = "Gives the final answer. Call it once, when the answer is known."
        self.tool = Tool(NAME, f"{text}\n\n{about}".strip(), schema | defs, self._taken)

    def from_arguments(self, arguments: dict[str, Json]) -> Any:
        """The value that the tool was called with. Raises `Refused`."""
        value = arguments.get(_BARE) if self._bare else arguments
        try:
            return self._convert(dumps(value).encode())
        except Exception as error:  # a type's own checks may raise anything
            raise Refused(f"the answer is not what was asked for: {error}") from None

    def from_text(self, text: str) -> Any:
        """The value that an answer's text is, alone or in a block of code. Raises `Refused`."""
        fenced = _FENCED.fullmatch(text)
        try:
            value = json.loads(fenced[1] if fenced else text)
        except (ValueError, RecursionError):
            if not self._is_text:
                raise Refused(f"expected the answer by a call of `{NAME}`, got text: call it now") from None
            value = text
        if self._bare and not (isinstance(value, dict) and value.keys() == {_BARE}):
            value = {_BARE: value}
        if not isinstance(value, dict):
            raise Refused(f"expected the answer by a call of `{NAME}`, got text: call it now")
        if wrong := "; ".join(map(str, self.tool.violations(value))):
            raise Refused(f"the answer is not what was asked for: {wrong}")
        return self.from_arguments(value)

    def _taken(self, **_: Json) -> str:
        return "the answer is taken"


def _schema_of(type_: Any) -> tuple[dict[str, Any], Callable[[bytes], Any]]:
    """The JSON Schema of a type, and what reads its values from JSON, strictly."""
    # msgspec knows its structs, alone and in lists, and the TypedDict of every Python; pydantic knows all else.
    own = isinstance(type_, type) and issubclass(type_, msgspec.Struct) or typing.is_typeddict(type_)
    first, second = (_by_msgspec, _by_pydantic) if own else (_by_pydantic, _by_msgspec)
    try:
        return first(type_)
    except Exception as error:  # each has many kinds
        try:
            return second(type_)
        except Exception:
            raise error from None


def _by_msgspec(type_: Any) -> tuple[dict[str, Any], Callable[[bytes], Any]]:
    (schema,), defs = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    schema = defs.get(schema.get("$ref", "").rpartition("/")[2], schema)
    whole = {**schema, "$defs": defs} if '"$ref"' in dumps(schema) else dict(schema)
    return untitled(whole), msgspec.json.Decoder(type_).decode


def _by_pydantic(type_: Any) -> tuple[dict[str, Any], Callable[[bytes], Any]]:
    adapter = extras.need("pydantic", "agent").TypeAdapter(type_)
    return untitled(adapter.json_schema()), lambda text: adapter.validate_json(text, strict=True)
