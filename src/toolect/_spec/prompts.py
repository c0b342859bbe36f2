"""Templates for the tools and the results in a prompt: texts with holes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from toolect._message import Json


class ResultRole(StrEnum):
    """Role of the messages that hold results."""

    TOOL = "tool"
    USER = "user"


class OutputKind(StrEnum):
    """Notation of a tool's output."""

    TEXT = "text"
    """As it is."""
    STRING = "string"
    """As a JSON string, whatever it is."""
    JSON = "json"
    """As it is where it is JSON, else as a JSON string."""


class Syntax(StrEnum):
    """Notation of definitions."""

    JSON = "json"
    PYTHON = "python"
    """As Python prints dictionaries: single quotes, `True`, `None`."""
    BARE = "bare"
    """Keys without quotes, and strings between `quote`; no blanks."""


class Trailing(StrEnum):
    """Places where a comma follows the last of TypeScript's fields, too."""

    ALL = "all"
    OUTER = "outer"
    """In the parameters, not in the objects inside of them."""
    NONE = "none"


def _holes(*holes: str, needed: tuple[str, ...] = ()) -> msgspec.Meta:
    """The names of holes that may stand in braces in a text, and those that must; or the holes of JSON."""
    return msgspec.Meta(extra={"holes": holes, "needed": needed})


_PLAIN = _holes()
_TOOL = _holes(
    "tool", "name", "description", "comment", "jsdoc", "parameters", "fields", "others", "typescript",
    "typescript/arguments", "python", "docstring", "signature", "described",
)  # fmt: skip
_PARAMETER = _holes("name", "type", "hint", "description", "required", "schema", "others")


class Notation(msgspec.Struct, frozen=True):
    """Notation of the data in a text.

    `keywords` are the ones of JSON Schema that are written, where they hold anything; without any, all are.
    """

    spelling: Syntax = Syntax.JSON
    quote: Annotated[str, _PLAIN] = '"'
    compact: bool = False
    """No blanks after commas and colons."""
    ascii: bool = False
    """JSON has numbers for signs beyond ASCII."""
    html: bool = False
    """The description of a tool is escaped as in HTML, quotes too."""
    null: Annotated[str, _PLAIN] = "null"
    """Spelling of null in `bare`."""
    sorted: bool = False
    """Keys in alphabetical order."""
    upper: bool = False
    """Schemas as Google's models have them: types in capitals, one in each field, `enum` for those of texts."""
    indent: Annotated[int, msgspec.Meta(ge=0, le=8)] | None = None
    """Blanks that JSON and TypeScript are indented by; without them JSON is on one line."""
    trailing: Trailing = Trailing.ALL
    open: bool = False
    """TypeScript tells of objects that may hold further keys."""
    flat: Annotated[str, _PLAIN] = ""
    """Text between name and type in inner objects of TypeScript, if their fields are on one line, without comments.

    There is a comma after defaults then, too.
    """
    simple: bool = False
    """TypeScript has the simple types alone: `any` where a schema has none of them, or several, `Date` for a date."""
    sentences: bool = False
    """TypeScript tells descriptions, defaults and bounds of fields in one comment of sentences, as Python writes them.

    The fields of the outermost object are not set in.
    """
    remarks: tuple[str, ...] = ()
    """Keywords of fields that TypeScript tells in comments. They, and defaults, are then as Python writes them."""
    keywords: tuple[str, ...] = ()


class ToolText(msgspec.Struct, frozen=True):
    """Template for tools: `text` around all of them, `each` for one, `between` two.

    `tool` is the JSON that the hole `{tool}` stands for: `$function` in it is a definition as it was given, `$tool`
    the object around it, too. `parameter` is what `{fields}` writes for each parameter, after `head` if there is any;
    `other` what `{others}` writes for each keyword of a schema. `required` is what `{required}` says of a parameter
    that is and of one that is not, where `{hint}` is its type. `argument` is what `{signature}` writes for each
    parameter, with `comma` between two; `optional` what it writes for one that is not required. `types` has the words
    of `{hint}`, by the types of JSON Schema and `any`; without them they are those of Python. `empty` is what
    `{parameters}` stands for where there are none; without it, a schema of an object. `described` is what
    `{described}` writes for the description of a tool that has one; as a comment, for one that is not empty.
    """

    text: Annotated[str, _holes("tools", needed=("tools",))] = "{tools}"
    each: Annotated[str, _TOOL] = "{tool}"
    between: Annotated[str, _PLAIN] = "\n"
    tool: Annotated[Json, _holes("$name", "$description", "$parameters", "$function", "$tool")] = None
    parameter: Annotated[str, _PARAMETER] = ""
    head: Annotated[str, _PLAIN] = ""
    other: Annotated[str, _holes("key", "value")] = ""
    required: tuple[str, str] = ("true", "false")
    argument: Annotated[str, _PARAMETER] = "{name}: {hint}"
    optional: Annotated[str, _PARAMETER] = ""
    comma: Annotated[str, _PLAIN] = ", "
    types: dict[str, str] = {}
    empty: Annotated[str, _PLAIN] = ""
    described: Annotated[str, _holes("description", "comment")] = ""
    notation: Notation = Notation()


OPENAI_TOOL: Json = {
    "type": "function",
    "function": {"name": "$name", "description": "$description", "parameters": "$parameters"},
}
"""JSON of the hole `{tool}` where an entry does not say."""
