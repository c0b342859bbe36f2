"""Raw text to typed values and back: `decode` and `encode`, one pair for each codec."""

from __future__ import annotations

from toolect._message import Json, dumps, same_json
from toolect._spec.codec_model import Codec, CodecKind, Spelling
from toolect._values.elements import framed, read_element, unframed
from toolect._values.layout import lay_out
from toolect._values.schema import Schema
from toolect._values.schema_keywords import type_of
from toolect._values.text_values import NOTHING, read_json, read_typed, shown, sniff
from toolect._values.vocabulary import PYTHON, WORD_OF


def is_text(codec: Codec, schema: Schema | None) -> bool:
    """True when the value is the text itself, so that it can be passed on as it arrives."""
    if codec.spelling is Spelling.ELEMENTS:
        return False
    if codec.kind is CodecKind.SCHEMA:
        if schema is None:
            return codec.untyped is CodecKind.TEXT
        return schema.types == ("string",)
    return codec.kind is CodecKind.TEXT


def decode(codec: Codec, text: str, schema: Schema | None) -> Json:
    """The value that `text` stands for, whose escapes have been resolved.

    Raises ValueError when the codec is `json` and it is not JSON.
    """
    match codec.kind:
        case CodecKind.TEXT:
            return text
        case CodecKind.JSON if codec.spelling is Spelling.YAML:
            from toolect._values.yaml_text import read_yaml  # not part of starting up: few dialects need it

            return read_yaml(text, schema, codec.column)
        case CodecKind.JSON:
            value = read_json(text)
            if value is NOTHING and codec.spelling is Spelling.PYTHON:
                value = PYTHON.get(text.strip(), shown(text))
            if value is NOTHING:
                raise ValueError(f"expected a JSON value, got {text[:40]!r}")
            return value
        case CodecKind.JSON_OR_TEXT:
            return _sniff(codec, text)
        case CodecKind.SCHEMA if codec.spelling is Spelling.ELEMENTS:
            if schema is None and codec.untyped is CodecKind.TEXT:
                return unframed(text)
            return read_element(text, schema)
        case CodecKind.SCHEMA:
            if schema is None:
                return text if codec.untyped is CodecKind.TEXT else _sniff(codec, text)
            return read_typed(text, schema.types)


def is_plain(codec: Codec) -> bool:
    """True when the text of a string is the string, and `decode_plain` reads other values."""
    return codec.kind in (CodecKind.SCHEMA, CodecKind.TEXT) and codec.spelling is not Spelling.ELEMENTS


def decode_plain(codec: Codec, text: str, kind: str) -> Json:
    """Decode an integer or a word, of this type, that is written as a plain codec writes it.

    `NOTHING` for all that takes a closer look.
    """
    if codec.kind is CodecKind.TEXT:
        return NOTHING
    if kind == "boolean":
        return _BOOLEANS[codec.spelling].get(text, NOTHING)
    number = (kind == "integer" or kind == "number") and text.isdecimal() and text.isascii() and len(text) < _SHORT
    return int(text) if number and (text[0] != "0" or text == "0") else NOTHING


_SHORT = 16
"""Digits of a number that is surely within all bounds."""
_BOOLEANS: dict[Spelling, dict[str, Json]] = {
    spelling: {word: value for value, word in words.items() if type(value) is bool}
    for spelling, words in WORD_OF.items()
}


def decode_arguments(codec: Codec, text: str, schema: Schema | None) -> dict[str, Json]:
    """All arguments, which `text` holds at once. Raises ValueError when it does not."""
    value = decode(codec, text, schema)
    if value is None and codec.spelling is Spelling.YAML:
        return {}  # nothing at all
    if not isinstance(value, dict):
        raise ValueError(f"expected an object as the arguments, got {type_of(value)}")
    return value


def respelled(codec: Codec, text: str, value: Json) -> bool:
    """True when the text is not how the codec writes the value: `True` for JSON, `3.0` for an integer, a scalar with
    blanks. Blanks inside of a list or an object do not count.
    """
    if codec.spelling is Spelling.YAML:
        return False
    if codec.spelling is Spelling.ELEMENTS:
        text = unframed(text)
    if value is None or value is True or value is False:
        return WORD_OF[codec.spelling][value] != text
    if isinstance(value, dict | list):
        if codec.spelling is Spelling.ELEMENTS and text.lstrip()[:1] not in ("[", "{", "("):
            return False
        said = (shown if codec.spelling is Spelling.PYTHON else read_json)(text)
        return said is NOTHING or isinstance(said, str)
    return isinstance(value, int | float) and repr(value) != text


def encode(codec: Codec, value: Json) -> str:
    """The text that stands for `value`: a string is itself, anything else its JSON (or Python) spelling.

    Raises ValueError when the codec cannot carry the value.
    """
    if codec.spelling is Spelling.YAML:
        from toolect._values.yaml_text import write_yaml

        return write_yaml(value, codec.column)
    if isinstance(value, str):
        if codec.spelling is Spelling.ELEMENTS:
            return framed(value)
        return dumps(value) if codec.kind is CodecKind.JSON else value
    if codec.kind is CodecKind.TEXT:
        raise ValueError(f"expected a string, got {type_of(value)}")
    if value is None or value is True or value is False:
        return WORD_OF[codec.spelling][value]
    if codec.spelling is Spelling.PYTHON and isinstance(value, dict | list):
        return repr(value)
    return lay_out(dumps(value), codec.layout)


def _sniff(codec: Codec, text: str) -> Json:
    """As `sniff`, and the lists and objects of a codec that writes them as Python does."""
    value = sniff(text)
    if value is text and codec.spelling is Spelling.PYTHON:
        display = shown(text)
        return text if display is NOTHING else display
    return value


def faithful(codec: Codec, value: Json, schema: Schema | None) -> bool:
    """True when `encode` followed by `decode` gives `value` back."""
    try:
        return same_json(decode(codec, encode(codec, value), schema), value)
    except ValueError:
        return False
