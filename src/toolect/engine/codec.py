"""Raw text to typed values and back: `decode` and `encode`, one pair for each codec."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolect.engine.elements import framed, read_element, unframed
from toolect.engine.json_lexemes import MAX_DEPTH, MAX_DIGITS, scan_once, shallow
from toolect.engine.layout import lay_out
from toolect.engine.yaml_text import read_yaml, write_yaml
from toolect.ir import Json, dumps, same_json
from toolect.spec.model import Codec, CodecKind, Spelling

Schema = Mapping[str, Any]
NO_SCHEMA: Schema = {}

_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DIGITS = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SPELLED: dict[Spelling, dict[Json, str]] = {
    Spelling.JSON: {None: "null", True: "true", False: "false"},
    Spelling.PYTHON: {None: "None", True: "True", False: "False"},
}
_PLAIN_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}
_OTHER_BASE = re.compile(r"-?0[xXoObB][0-9a-fA-F]+\Z").match
_COULD_BE_JSON = re.compile(r"[ \t\r\n]*(?:[-\[{0-9]|(?:[Tt]rue|[Ff]alse|[Nn](?:ull|one))[ \t\r\n]*\Z)").match
_SIGNS = {"amp": "&", "quot": '"', "apos": "'", "lt": "<", "gt": ">"}
_ENTITY = re.compile("&(amp|quot|apos|lt|gt);")
_NOTHING = object()
_ALL = ("null", "integer", "number", "boolean", "object", "array", "string")


def tool_schemas(tools: Iterable[Any] | None) -> dict[str, Schema]:
    """Tool name → its parameters' JSON Schema, from OpenAI tool objects or plain `{name, parameters}` mappings.

    Raises ValueError, with the place, for anything else.
    """
    found: dict[str, Schema] = {}
    for i, tool in enumerate(tools or ()):
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            raise ValueError(f"expected a tool with a name, got {str(tool)[:80]!r} - at `$[{i}]`")
        parameters = inner.get("parameters") or inner.get("input_schema")  # type: ignore[union-attr]  # a Mapping here
        found[name] = parameters if isinstance(parameters, Mapping) else NO_SCHEMA
    return found


def property_schema(schema: Schema | None, key: str) -> Schema | None:
    """The schema of parameter `key`, or None when the tool or the parameter is not declared."""
    properties = schema.get("properties") if schema else None
    found = properties.get(key) if isinstance(properties, Mapping) else None
    if isinstance(found, Mapping):
        reference = found.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            at: Any = schema
            for step in reference[2:].split("/"):
                at = at.get(step) if isinstance(at, Mapping) else None
            return at if isinstance(at, Mapping) else found
        return found
    return None


def declared_types(schema: Schema | None) -> tuple[str, ...]:
    """The JSON types that `schema` admits, wherever it says so; all of them when it does not say."""
    types = _types(schema or NO_SCHEMA, 0)
    return tuple(t for t in _ALL if t in types) if types else _ALL


def declares_list(schema: Schema | None) -> bool:
    """True when `schema` says that a value is a list, and not a text."""
    return schema is not None and "array" in (types := declared_types(schema)) and "string" not in types


def _types(schema: Schema, depth: int) -> set[str]:
    kind = schema.get("type")
    if isinstance(kind, str):
        return {kind}
    if isinstance(kind, Sequence):
        return {k for k in kind if isinstance(k, str)}
    if isinstance(schema.get("enum"), Sequence):
        return {type_of(v) for v in schema["enum"]}
    if "const" in schema:
        return {type_of(schema["const"])}
    found: set[str] = set()
    for word in ("anyOf", "oneOf", "allOf"):
        options = schema.get(word)
        if isinstance(options, Sequence) and depth < 8:
            for option in options:
                if isinstance(option, Mapping):
                    found |= _types(option, depth + 1) or set(_ALL)
    if not found and "properties" in schema:
        return {"object"}
    return found


def type_of(value: Json) -> str:
    """The JSON Schema type of `value`."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def is_text(codec: Codec, schema: Schema | None) -> bool:
    """True when the value is the text itself, so that it can be passed on as it arrives."""
    if codec.kind is CodecKind.SCHEMA:
        if schema is None:
            return codec.untyped is CodecKind.TEXT
        return declared_types(schema) == ("string",)
    return codec.kind is CodecKind.TEXT


def decode(codec: Codec, text: str, schema: Schema | None) -> Json:
    """The value that `text` stands for. Raises ValueError when the codec is `json` and it is not JSON."""
    match codec.kind:
        case CodecKind.TEXT:
            return text
        case CodecKind.JSON:
            value = read_json(text)
            if value is _NOTHING:
                raise ValueError(f"expected a JSON value, got {text[:40]!r}")
            return value
        case CodecKind.JSON_OR_TEXT:
            return _sniff(codec, text)
        case CodecKind.ENTITIES:
            return _ENTITY.sub(lambda match: _SIGNS[match[1]], text)
        case CodecKind.SCHEMA:
            if schema is None:
                return text if codec.untyped is CodecKind.TEXT else _sniff(codec, text)
            return read_typed(text, declared_types(schema))
        case CodecKind.ELEMENTS:
            if schema is None and codec.untyped is CodecKind.TEXT:
                return unframed(text)
            return read_element(text, schema)
        case CodecKind.YAML:
            return read_yaml(text, schema)


def respelled(codec: Codec, text: str, value: Json) -> bool:
    """True when the text is not how the codec writes the value: `True` for JSON, `3.0` for an integer, a scalar with
    blanks. Blanks inside of a list or an object do not count.
    """
    if value is None or value is True or value is False:
        return _SPELLED[codec.scalars][value] != text
    if isinstance(value, dict | list):
        if codec.kind is CodecKind.ELEMENTS and text.lstrip()[:1] not in ("[", "{", "("):
            return False
        return (_literal if codec.containers is Spelling.PYTHON else read_json)(text) is _NOTHING
    return isinstance(value, int | float) and repr(value) != text


def encode(codec: Codec, value: Json) -> str:
    """The text that stands for `value`: a string is itself, anything else its JSON (or Python) spelling.

    Raises ValueError when the codec cannot carry the value.
    """
    if codec.kind is CodecKind.YAML and isinstance(value, dict):
        return write_yaml(value)
    if isinstance(value, str):
        if codec.kind is CodecKind.ENTITIES:
            return value.replace("&", "&amp;").replace('"', "&quot;")

        if codec.kind is CodecKind.ELEMENTS:
            return framed(value)
        return dumps(value) if codec.kind is CodecKind.JSON else value
    if codec.kind in (CodecKind.TEXT, CodecKind.ENTITIES):
        raise ValueError(f"expected a string, got {type_of(value)}")
    if value is None or value is True or value is False:
        return _SPELLED[codec.scalars][value]
    if codec.containers is Spelling.PYTHON and isinstance(value, dict | list):
        return repr(value)
    return lay_out(dumps(value), codec.layout)


def read_json(text: str) -> Json:
    """The JSON value that is all of `text` but for whitespace, or a marker object when there is none."""
    stripped = text.strip(" \t\r\n")
    try:
        value, end = scan_once(stripped, 0)
    except (ValueError, StopIteration, RecursionError):
        return _NOTHING
    if end != len(stripped) or end > MAX_DEPTH and not shallow(value):
        return _NOTHING
    return value


def sniff(text: str) -> Json:
    """`text` as a value of unknown type: JSON when its spelling survives a round trip, else the text."""
    if _COULD_BE_JSON(text) is None:
        return text
    if len(text) < 6 and text in _PLAIN_WORDS:  # hashing a long text would cost more than reading it
        return _PLAIN_WORDS[text]
    if len(text) < 16 and _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    value = read_json(text)
    if value is _NOTHING:
        return _WORDS.get(text.strip(), text)
    if isinstance(value, str):
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if dumps(value) == text.strip() else text
    return value


def _sniff(codec: Codec, text: str) -> Json:
    """As `sniff`, and the lists and objects of a codec that writes them as Python does."""
    value = sniff(text)
    if value is text and codec.containers is Spelling.PYTHON:
        shown = _literal(text)
        return text if shown is _NOTHING else shown
    return value


def read_typed(text: str, types: tuple[str, ...]) -> Json:
    """`text` as the first of `types` it fits. One that fits none is itself, but null where no text is wanted."""
    word = text.strip()
    for kind in types:
        match kind:
            case "null" if word in ("null", "None"):
                return None
            case "integer" if len(word) <= MAX_DIGITS and _INTEGER.fullmatch(word):
                return int(word)
            case "integer" if "number" not in types and _integral(word) is not None:
                return _integral(word)
            case "number" if len(word) <= MAX_DIGITS and _NUMBER.fullmatch(word):
                number = json.loads(word)
                if number not in (float("inf"), float("-inf")):
                    return number
            case "boolean" if word in ("true", "false", "True", "False"):
                return _WORDS[word]
            case "object" | "array":
                value = read_json(text)
                if value is _NOTHING:
                    value = _literal(word)
                if value is _NOTHING:
                    value = read_json(_unquoted(word))
                if isinstance(value, dict if kind == "object" else list):
                    return value
            case "string":
                return text
    return text if "string" in types else _forced(word, types, text)


def _forced(word: str, types: tuple[str, ...], text: str) -> Json:
    """`word`, which fits none of `types`, where no text is wanted: null, or a number with needless signs and zeros."""
    if word in ("null", "None"):
        return None
    if {"integer", "number"} & {*types} and len(word) <= MAX_DIGITS and _DIGITS.fullmatch(word):
        return int(word)
    return text


def _unquoted(word: str) -> str:
    """A list or object whose quotes were escaped as in a JSON string (`[{\\"a\\": 1}]`), without that; else nothing."""
    inside = read_json(f'"{word}"') if word[:1] in ("{", "[") and '\\"' in word else _NOTHING
    return inside if isinstance(inside, str) else ""


def _integral(word: str) -> int | None:
    """The integer that `word` spells as a float (`3.0`), if it does."""
    if len(word) < 20 and _NUMBER.fullmatch(word):
        number = float(word)
        if number.is_integer() and abs(number) < 2**53:
            return int(number)
    return None


def _literal(text: str) -> Json:
    """A Python display of JSON types (`{'a': True}`) as a value, or a marker object when there is none."""
    from toolect.engine.literals import read_literal  # it needs this module

    word = text.strip()
    if word[:1] not in ("{", "[", "("):
        return _NOTHING
    try:
        return read_literal(word)
    except ValueError:
        return _NOTHING


def number(text: str) -> int | float:
    """The number that a literal spells; underscores, a leading `+` and other bases are allowed. Raises ValueError."""
    word = text.replace("_", "").lstrip("+")
    if len(word) > MAX_DIGITS:
        raise ValueError(f"expected a number of at most {MAX_DIGITS} characters, got {len(word)}")
    try:
        return int(word)
    except ValueError:
        value = int(word, 0) if _OTHER_BASE(word) else float(word)
    if value - value != 0:
        raise ValueError(f"expected a finite number, got {text[:40]!r}")
    return value


def faithful(codec: Codec, value: Json, schema: Schema | None) -> bool:
    """True when `encode` followed by `decode` gives `value` back."""
    try:
        return same_json(decode(codec, encode(codec, value), schema), value)
    except ValueError:
        return False


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\n": ""}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def unescape(text: str) -> str:
    """`text` with its backslash escapes resolved, Python's and JSON's; an unknown escape stays as it is."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code:
            return chr(min(int(code, 16), 0x10FFFF))
        return _ESCAPES.get(match[4], match[4] if match[4] in "\\'\"/`" else match[0])

    joined = _ESCAPE.sub(one, text)
    return _PAIR.sub(_paired, joined) if "\\u" in text else joined


def _paired(match: re.Match[str]) -> str:
    pair = match[0]
    return chr(0x10000 + ((ord(pair[0]) - 0xD800) << 10) + ord(pair[1]) - 0xDC00)


def escape(text: str, quote: str) -> str:
    """`text` for the inside of a string between `quote`s: the inverse of `unescape`."""
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}

    def one(match: re.Match[str]) -> str:
        char = match[0]
        if char in names:
            return names[char]
        if char in "'\"":
            return "\\" + char if char == quote[0] else char
        return f"\\x{ord(char):02x}"

    return re.sub(r"[\\'\"\x00-\x1f\x7f]", one, text)
