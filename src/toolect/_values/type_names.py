"""The types that people name in schemas: those of JSON Schema, and those of other languages that stand for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from toolect._message import Json

MAX_TYPE_NAME = 200
"""Characters of a type's name in a schema. Beyond it: it names no type."""

_NAMES = {
    "string": ("string", "str", "text", "varchar", "char", "character", "unicode"),
    "integer": (
        "integer", "int", "uint", "long", "ulong", "short", "ushort", "bigint", "smallint", "tinyint", "unsigned",
    ),
    "number": ("number", "num", "numeric", "float", "double", "decimal", "real"),
    "boolean": ("boolean", "bool"),
    "object": ("object", "dict", "dictionary", "map", "mapping", "struct", "record"),
    "array": ("array", "arr", "list", "tuple", "set", "sequence", "iterable", "vector"),
    "null": ("null", "none", "nil", "nonetype", "nulltype"),
}  # fmt: skip
_TYPE_OF = {word: kind for kind, words in _NAMES.items() for word in words}
_SIZE = re.compile(r"(?:8|16|32|64|128|256)(?:_t)?\Z")
_GENERIC = re.compile(r"(?:typing\.)?([a-z]+)\s*[\[<(](.*)[\])>]\Z", re.DOTALL)
_WITHIN = re.compile(r"[\[\](){}<>,|]")
_INNER = frozenset(("items", "anyOf", "additionalProperties", "prefixItems"))
"""Other keywords that have schemas in them."""


@lru_cache(maxsize=1024)
def types_named(name: str) -> frozenset[str]:
    """The types of JSON Schema that `name` stands for: `int`, `Float64`, `List[int]`, `number[]`, `str | None`.

    None where it is the name of no type.
    """
    word = name.strip().casefold()
    if not word or len(word) > MAX_TYPE_NAME:
        return frozenset()
    found = _TYPE_OF.get(word) or _TYPE_OF.get(_SIZE.sub("", word))
    if found is not None:
        return frozenset((found,))
    several = _apart(word, "|")
    if len(several) > 1:
        return _either(several)
    if word.endswith("[]"):
        return frozenset(("array",))
    generic = _GENERIC.match(word)
    if generic is None:
        return frozenset()
    outer, inner = generic.groups()
    match outer:
        case "optional":
            return _either([inner, "null"])
        case "union":
            return _either(_apart(inner, ","))
        case "annotated":
            return types_named(_apart(inner, ",")[0])
        case _:
            return types_named(outer)  # `varchar(20)` too


def item_type(name: str) -> str:
    """The type of the items that `name`, that of a list, says: `int` of `List[int]` and `int[]`; empty for none."""
    word = name.strip()
    if len(word) > MAX_TYPE_NAME or types_named(word) != {"array"}:
        return ""
    if word.endswith("[]"):
        return word[:-2]
    generic = _GENERIC.match(word.casefold())
    inner = [] if generic is None else _apart(generic[2], ",")
    return inner[0] if len(inner) == 1 else ""


def _either(names: list[str]) -> frozenset[str]:
    """The types of several, of which one holds; none where one of them is no type, which may be any."""
    found = [types_named(name) for name in names]
    return frozenset().union(*found) if all(found) else frozenset()


def _apart(text: str, sign: str) -> list[str]:
    """The parts of `text` between the `sign`s that are not in brackets."""
    parts, depth, start = [], 0, 0
    for match in _WITHIN.finditer(text):
        depth += (match[0] in "[({<") - (match[0] in "])}>")
        if match[0] == sign and depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def json_type(name: str) -> str:
    """The one type of JSON Schema that `name` stands for; "" for several, and for none."""
    found = types_named(name)
    return next(iter(found)) if len(found) == 1 else ""


def with_json_types(schema: Json) -> Json:
    """A schema whose types are the words of JSON Schema: data sets have Python's, and Gemini's API capital letters."""
    if isinstance(schema, list):
        return [*map(with_json_types, schema)]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Json] = {**schema}
    if isinstance(kind := found.get("type"), str):
        found["type"] = json_type(kind) or kind
        if (item := item_type(kind)) and "items" not in found:
            found["items"] = {"type": item}
    for key in found.keys() & _INNER:
        found[key] = with_json_types(found[key])
    if isinstance(named := found.get("properties"), Mapping):
        found["properties"] = {name: with_json_types(one) for name, one in named.items()}
    return found
