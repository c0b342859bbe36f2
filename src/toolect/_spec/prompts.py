"""How a dialect tells the model of tools and of what came of calls: texts with holes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

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


def _holes(*holes: str, needed: tuple[str, ...] = ()) -> msgspec.Meta:
    """What may stand in braces in a text, and what of it must; or the holes of JSON."""
    return msgspec.Meta(extra={"holes": holes, "needed": needed})


_PLAIN = _holes()
_TOOL = _holes(
    "tool", "name", "description", "comment", "jsdoc", "parameters", "fields", "others", "typescript",
    "typescript/arguments", "python", "docstring",
)  # fmt: skip
_PARAMETER = _holes("name", "type", "hint", "description", "required", "schema", "others")
_RESULT = _holes("output", "name", "id", "index", "result", needed=("output", "result"))
_LISTED = msgspec.Meta(pattern="[a-z-]+", description="lower-case letters")


class Notation(msgspec.Struct, frozen=True):
    """How the data in a text is spelled.

    `keywords` are the ones of JSON Schema that are written, where they hold anything; without any, all are.
    """

    spelling: Syntax = Syntax.JSON
    quote: Annotated[str, _PLAIN] = '"'
    compact: bool = False
    """No blanks after commas and colons."""
    sorted: bool = False
    """Keys in alphabetical order."""
    upper: bool = False
    """Types of JSON Schema in capitals."""
    indent: Annotated[int, msgspec.Meta(ge=0, le=8)] | None = None
    """Blanks that JSON and TypeScript are indented by; without them JSON is on one line."""
    trailing: Trailing = Trailing.ALL
    open: bool = False
    """TypeScript tells of objects that may hold further keys."""
    flat: Annotated[str, _PLAIN] = ""
    """What TypeScript has between name and type in inner objects, if it has their fields on one line, without comments.

    There is a comma after defaults then, too.
    """
    remarks: tuple[str, ...] = ()
    """Keywords of fields that TypeScript tells in comments. They, and defaults, are then as Python writes them."""
    keywords: tuple[str, ...] = ()


class Listing(msgspec.Struct, frozen=True):
    """A further list of the tools: `each` for one, `between` two."""

    each: Annotated[str, _TOOL]
    between: Annotated[str, _PLAIN] = "\n"


class ToolText(msgspec.Struct, frozen=True):
    """How tools are told: `text` around all of them, `each` for one, `between` two.

    `tool` is the JSON that the hole `{tool}` stands for: `$function` in it is a definition as it was given, `$tool` the
    object around it, too. `parameter` is what `{fields}` writes for each parameter,
    after `head` if there is any; `other` what `{others}` writes for each keyword of a schema. `required` is what
    `{required}` says of a parameter that is and of one that is not.
    """

    text: Annotated[str, _holes(needed=("tools",))] = "{tools}"
    each: Annotated[str, _TOOL] = "{tool}"
    between: Annotated[str, _PLAIN] = "\n"
    tool: Annotated[Json, _holes("$name", "$description", "$parameters", "$function", "$tool")] = None
    parameter: Annotated[str, _PARAMETER] = ""
    head: Annotated[str, _PLAIN] = ""
    other: Annotated[str, _holes("key", "value")] = ""
    required: tuple[str, str] = ("true", "false")
    lists: dict[Annotated[str, _LISTED], Listing] = {}
    """Further lists, by the holes that they have in `text`."""
    notation: Notation = Notation()


class ResultText(msgspec.Struct, frozen=True):
    """How results are told: `text` around all of one answer, `each` for one, `between` two.

    `result` is the JSON that the hole `{result}` stands for.
    """

    each: Annotated[str, _RESULT]
    text: Annotated[str, _holes("results", needed=("results",))] = "{results}"
    between: Annotated[str, _PLAIN] = "\n"
    role: ResultRole = ResultRole.TOOL
    output: OutputKind = OutputKind.TEXT
    result: Annotated[Json, _holes("$output", "$name", "$id", "$index")] = None
    notation: Notation = Notation()


TOOLS_HOLES = ("tools", "names")
"""What may stand in braces in `ToolText.text`, besides its further lists."""
OPENAI_TOOL: Json = {
    "type": "function",
    "function": {"name": "$name", "description": "$description", "parameters": "$parameters"},
}
"""What `{tool}` stands for where an entry does not say."""
