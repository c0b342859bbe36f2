"""JSON Schema validation of the arguments of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolect._errors import ToolectError
from toolect._message import Violation as Violation
from toolect._validation import SchemaError, Validator


class BadTool(ToolectError, ValueError):
    """A tool that cannot be offered: the message says what was expected, what came, and where."""


def validator(schema: Mapping[str, Any], where: str) -> Validator:
    """What holds arguments against the JSON Schema of one tool's parameters. Raises `BadTool` for what is no schema."""
    try:
        return Validator(schema, where)
    except SchemaError as error:
        raise BadTool(str(error)) from None
