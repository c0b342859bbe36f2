"""How a dialect tells the model of tools and of what came of calls: texts with holes."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from toolect.message import Json


class ResultRole(StrEnum):
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


class Syntax(StrEnum):
    """Whose notation definitions are written in."""

    JSON = "json"
    PYTHON = "python"
    """As Python prints dictionaries: single quotes, `True`, `None`."""
    BARE = "bare"
    """Keys without quotes, and strings between `quote`; no blanks."""


class Trailing(StrEnum):
    """Where a comma follows the last of TypeScript's fields too."""

    ALL = "all"
    OUTER = "outer"
    """In the parameters, not in the objects inside of them."""
    NONE = "none"


class Notation(msgspec.Struct, frozen=True):
    """How the data in a text is spelled.

    `keywords` are the ones of JSON Schema that are written, where they hold anything; without any, all are.
    """

    spelling: Syntax = Syntax.JSON
    quote: str = '"'
    compact: bool = False
    """No blanks after commas and colons."""
    sorted: bool = False
    """Keys in alphabetical order."""
    upper: bool = False
    """Types of JSON Schema in capitals."""
    indent: int | None = None
    """Blanks that JSON and TypeScript are indented by; without them JSON is on one line."""
    trailing: Trailing = Trailing.ALL
    open: bool = False
    """TypeScript tells of objects that may hold further keys."""
    keywords: tuple[str, ...] = ()


class Listing(msgspec.Struct, frozen=True):
    """A further list of the tools: `each` for one, `between` two."""

    each: str
    between: str = "\n"


class ToolText(msgspec.Struct, frozen=True):
    """How tools are told: `text` around all of them, `each` for one, `between` two.

    `tool` is the JSON that the hole `{tool}` stands for. `parameter` is what `{fields}` writes for each parameter,
    after `head` if there is any; `other` what `{others}` writes for each keyword of a schema. `required` is what
    `{required}` says of a parameter that is and of one that is not.
    """

    text: str
    each: str = "{tool}"
    between: str = "\n"
    tool: Json = None
    parameter: str = ""
    head: str = ""
    other: str = ""
    required: tuple[str, str] = ("true", "false")
    lists: dict[str, Listing] = {}
    """Further lists, by the holes that they have in `text`."""
    notation: Notation = Notation()


class ResultText(msgspec.Struct, frozen=True):
    """How results are told: `text` around all of one answer, `each` for one, `between` two.

    `result` is the JSON that the hole `{result}` stands for.
    """

    each: str
    text: str = "{results}"
    between: str = "\n"
    role: ResultRole = ResultRole.TOOL
    output: OutputKind = OutputKind.TEXT
    result: Json = None
    notation: Notation = Notation()


TOOLS_HOLES = ("tools", "names")
TOOL_HOLES = (
    "tool", "name", "description", "comment", "jsdoc", "parameters", "fields", "others", "typescript",
    "typescript/arguments", "python", "docstring",
)  # fmt: skip
PARAMETER_HOLES = ("name", "type", "hint", "description", "required", "schema", "others")
OTHER_HOLES = ("key", "value")
RESULTS_HOLES = ("results",)
RESULT_HOLES = ("output", "name", "id", "index", "result")
"""What may stand in braces in each of the texts; other braces are just braces."""
TOOL_VALUES = ("$name", "$description", "$parameters")
RESULT_VALUES = ("$output", "$name", "$id", "$index")
"""The holes of the JSON patterns `tool` and `result`."""

OPENAI_TOOL: Json = {
    "type": "function",
    "function": {"name": "$name", "description": "$description", "parameters": "$parameters"},
}
"""What `{tool}` stands for where an entry does not say."""
