"""Whether the arguments of a call are what its tool declares: JSON Schema, draft 2020-12, apart from syntax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from toolect import _extras as extras
from toolect._errors import ToolectError
from toolect._message import Json, dumps
from toolect._shown import cut

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

MAX_VIOLATIONS = 20
"""Violations that are told of one call; a model mends no more at a time."""
_SHOWN = 80


class BadTool(ToolectError, ValueError):
    """A tool that cannot be offered: the message says what was expected, what came, and where."""


class Violation(msgspec.Struct, frozen=True):
    """One thing that is wrong with the arguments: `path` is a JSONPath such as `$.days[0]`."""

    path: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"expected {self.expected}, got {self.got} - at `{self.path}`"


class Validator:
    """The JSON Schema of one tool's parameters, ready to use. Raises `BadTool` for what is no schema."""

    def __init__(self, schema: Mapping[str, Any], where: str) -> None:
        try:
            from jsonschema import Draft202012Validator
            from jsonschema.exceptions import SchemaError
            from referencing import Registry
        except ImportError:
            raise extras.MissingExtraError("jsonschema", "agent") from None

        self.schema = schema
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            at = f"{where}{error.json_path[1:]}"
            raise BadTool(f"expected a JSON Schema, got {cut(error.message, _SHOWN)} - at `{at}`") from None
        except RecursionError:
            raise BadTool(f"expected a JSON Schema, got one that nests too deeply - at `{where}`") from None
        # A registry without retrieval: no schema makes this program fetch anything.
        self._validator: Draft202012Validator = Draft202012Validator(schema, registry=Registry())

    def violations(self, arguments: Json) -> list[Violation]:
        """What is wrong with `arguments`, in the order of the schema; at most `MAX_VIOLATIONS`."""
        from referencing.exceptions import Unresolvable

        found: list[Violation] = []
        try:
            for error in self._validator.iter_errors(arguments):
                found += _violations(error)
                if len(found) >= MAX_VIOLATIONS:
                    return found[:MAX_VIOLATIONS]
            found += self._unknown(arguments)
        except RecursionError:
            found.append(Violation("$", "arguments that can be checked", "a value or a schema that nests without end"))
        except Unresolvable as error:
            found.append(Violation("$", "a schema without outside references", f"`{error.ref}`"))
        return found[:MAX_VIOLATIONS]

    def _unknown(self, arguments: Json) -> Iterator[Violation]:
        """Parameters that the tool does not have, unless its schema says that it takes others."""
        known = self.schema.get("properties")
        if isinstance(known, Mapping) and isinstance(arguments, dict) and not _OTHERS & self.schema.keys():
            for name in arguments:
                if name not in known:
                    yield _no_parameter(f"$.{name}", known)


_OTHERS = frozenset(
    ("additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "anyOf", "oneOf", "allOf")
)
"""What in a schema may speak of parameters that `properties` does not list."""


def _violations(error: ValidationError) -> Iterator[Violation]:
    """What one error of the validator says, in our words where they are clearer."""
    path: str = error.json_path
    rule: Any = error.validator_value
    match error.validator:
        case "required":
            for name in rule if isinstance(rule, list) else ():
                if isinstance(error.instance, Mapping) and name not in error.instance and f"'{name}'" in error.message:
                    yield Violation(f"{path}.{name}", "this required parameter", "nothing")
        case "type":
            yield Violation(path, _types(rule), _typed(error.instance))
        case "enum":
            yield Violation(path, " or ".join(map(_value, rule)), _value(error.instance))
        case "const":
            yield Violation(path, _value(rule), _value(error.instance))
        case "additionalProperties" if rule is False and isinstance(error.instance, Mapping):
            known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
            for name in error.instance:
                if name not in known:
                    yield _no_parameter(f"{path}.{name}", known)
        case "anyOf" | "oneOf" if error.context:
            choices = sorted({str(v) for inner in error.context for v in _violations(inner)})
            yield Violation(path, "one of several forms", f"{_typed(error.instance)} ({'; or '.join(choices[:4])})")
        case name:
            yield Violation(path, f"{name} {_value(rule)}", _value(error.instance))


def _no_parameter(path: str, known: Mapping[str, Any]) -> Violation:
    names = ", ".join(f"`{name}`" for name in list(known)[:20])
    return Violation(path, f"one of the parameters {names}" if known else "no parameters", "an unknown one")


def _types(rule: Any) -> str:
    return " or ".join(rule) if isinstance(rule, list) else str(rule)


def _typed(value: Json) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else f"the {kinds.get(type(value), 'value')} {_value(value)}"


def _value(value: Any) -> str:
    return f"`{cut(dumps(value), _SHOWN)}`"
