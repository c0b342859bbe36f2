"""Fields of mappings and of objects, as clients and data sets have them, each with its place for an error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from toolect._segments import Json, MessageError, dumps
from toolect._shown import cut

_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
Object: TypeAlias = Any
"""A mapping, or an object with attributes, as clients return them."""
MOST_NAMES = 8
"""Names of an object that an error shows. Beyond it: there are more."""
LONGEST_WORD = 40
"""Characters of a word that an error shows. Beyond it: it is cut."""


def plain(value: Object, where: str) -> Json:
    """`value` in plain JSON types: mappings as dicts, sequences as lists."""
    try:
        copied = _decode(_encode(value))
        if copied == value:  # nearly always, and found out much quicker
            return copied
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass
    try:
        return _plainly(value, where)
    except RecursionError:
        raise MessageError("JSON", "a value nested too deeply", where) from None


def _plainly(value: Object, where: str) -> Json:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise MessageError("text as a key", got(key), where)
        return {key: _plainly(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plainly(item, f"{where}[{i}]") for i, item in enumerate(value)]
    raise MessageError("a JSON value", got(value), where)


def not_finite(value: Json) -> float | None:
    """The first number of a plain value that JSON cannot write, NaN or an infinity; None without one."""
    try:
        if b"null" not in _encode(value):  # nearly always, and found out much quicker
            return None
    except (TypeError, ValueError, OverflowError):
        pass
    return _not_finite(value)


def _not_finite(value: Json) -> float | None:
    if isinstance(value, float):
        return None if math.isfinite(value) else value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for item in items if (found := _not_finite(item)) is not None), None)


def field(obj: Object, key: str) -> Object:
    """The item or the attribute of this name, or None."""
    if type(obj) is dict:  # nearly always, and found out much quicker
        return obj.get(key)
    return obj.get(key) if isinstance(obj, Mapping) else getattr(obj, key, None)


def as_events(given: Object) -> Iterator[Object]:
    """The events of a stream, each a mapping or an object with attributes. Raises MessageError."""
    if isinstance(given, Mapping | str | bytes) or not isinstance(given, Iterable):
        raise MessageError("the events of a stream", got(given), "$")
    return (as_object(event, f"$[{at}]", "an event") for at, event in enumerate(given))


def as_object(value: Object, where: str, expected: str) -> Object:
    """A mapping, or an object with attributes. Raises MessageError for values that are neither."""
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        raise MessageError(expected, got(value), where)
    return value


def as_text(value: Object, where: str) -> str:
    """A text, empty for None. Raises MessageError for anything else."""
    if value is None or isinstance(value, str):
        return value or ""
    raise MessageError("text", got(value), where)


def as_list(value: Object, where: str, expected: str = "a list") -> Sequence[Object]:
    """A list. Raises MessageError for anything else."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    raise MessageError(expected, got(value), where)


OPAQUE: Mapping[str, tuple[str, ...]] = {
    "message": (
        "reasoning_details",
        "extra_content",
        "thinking_blocks",
        "provider_specific_fields",
        "reasoning_opaque",
    ),
    "call": ("extra_content", "provider_specific_fields", "thought_signature"),
    "reasoning": ("id", "encrypted_content", "summary"),
    "redacted_thinking": ("data",),
}
"""The fields that a provider wants back as they came, and nobody else reads, by where they stand.

They are OpenRouter's, Gemini's, LiteLLM's, Copilot's, those of the Responses API, and Anthropic's."""
MAX_OPAQUE = 1 << 20
"""Bytes of JSON, in streams characters, that the fields of one place may have. Beyond it: they are refused."""


def opaque_in(obj: Object, kind: str, where: str) -> dict[str, Json] | None:
    """The opaque fields of an object, if it has any. Raises MessageError for what is no JSON, or too long."""
    given = {name: value for name in OPAQUE[kind] if (value := field(obj, name))}
    found = {name: plain(value, f"{where}.{name}") for name, value in given.items()}
    found = {name: one for name, one in found.items() if not isinstance(one, dict) or any(map(bool, one.values()))}
    if kind == "reasoning" and "encrypted_content" not in found:  # the id alone leads to what a server keeps
        return None
    if found and (number := not_finite(found)) is not None:
        raise MessageError("JSON", f"the number {number}", where)
    size = len(dumps(found).encode("utf-8", "surrogatepass")) if found else 0
    if size > MAX_OPAQUE:
        raise MessageError(f"at most {MAX_OPAQUE:,} bytes that a provider wants back", f"{size:,}", where)
    return found or None


def opaque_of(given: Mapping[str, Json] | None, kind: str) -> dict[str, Json]:
    """Those of opaque fields that stand in an object of this kind."""
    return {name: given[name] for name in OPAQUE[kind] if name in given} if given else {}


def got(value: Object) -> str:
    """Type of a value, for the `got` of an error."""
    return "nothing" if value is None else f"`{type(value).__name__}`"


def holding(value: Object) -> str:
    """Keys of an object, for the `got` of an error where one is missing; of other values the type."""
    if not isinstance(value, Mapping):
        return got(value)
    names = ", ".join(f"`{cut(str(name), LONGEST_WORD)}`" for name in [*value][:MOST_NAMES])
    return f"an object with {names}" if names else "an empty object"


def word(value: Object) -> str:
    """The word given where one of several is expected, for the `got` of an error; of other values the type."""
    return repr(cut(value, LONGEST_WORD)) if isinstance(value, str) else got(value)
