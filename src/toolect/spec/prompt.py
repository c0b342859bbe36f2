"""How a dialect tells the model of tools and of what came of calls: texts with holes."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from toolect.ir import Json


class Role(StrEnum):
    """Whose turn results stand in."""

    TOOL = "tool"
    USER = "user"


class OutputKind(StrEnum):
    """How a tool's output is written."""

    TEXT = "text"
    """As it is."""
    STRING = "string"
    """As a JSON string, whatever it is."""
    JSON = "json"
    """As it is where it is JSON, else as a JSON string."""


class ToolText(msgspec.Struct, frozen=True):
    """How tools are told: `text` around all of them, `each` for one, `between` two.

    `tool` is the JSON that the hole `{tool}` stands for, `parameter` what `{fields}` writes for each parameter.
    """

    text: str
    each: str = "{tool}"
    between: str = "\n"
    tool: Json = None
    parameter: str = ""
    indent: int | None = None
    """Blanks that the JSON is indented by; without them it is on one line."""


class ResultText(msgspec.Struct, frozen=True):
    """How results are told: `text` around all of one answer, `each` for one, `between` two.

    `result` is the JSON that the hole `{result}` stands for.
    """

    each: str
    text: str = "{results}"
    between: str = "\n"
    role: Role = Role.TOOL
    output: OutputKind = OutputKind.TEXT
    result: Json = None


TOOLS_HOLES = ("tools", "names")
TOOL_HOLES = (
    "tool", "name", "description", "parameters", "fields", "typescript", "typescript/lines", "python", "docstring",
)  # fmt: skip
PARAMETER_HOLES = ("name", "type", "description", "required", "schema")
RESULTS_HOLES = ("results",)
RESULT_HOLES = ("output", "name", "id", "index", "result")
"""What may stand in braces in each of the texts; other braces are just braces."""
TOOL_VALUES = ("$name", "$description", "$parameters")
RESULT_VALUES = ("$output", "$name", "$id")
"""The holes of the JSON patterns `tool` and `result`."""

OPENAI_TOOL: Json = {
    "type": "function",
    "function": {"name": "$name", "description": "$description", "parameters": "$parameters"},
}
"""What `{tool}` stands for where an entry does not say."""
