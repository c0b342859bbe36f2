"""JSON in UTF-8 of any value: also of lone surrogates, which stay escapes, and of numbers of any size."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import msgspec

from toolect._message import Json, dumps

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def encoded(value: Any) -> bytes:
    """Encode plain data or structs as JSON; infinite numbers and NaN as `NaN` or `Infinity`. Raises RecursionError."""
    try:
        data = _encode(value)
        if b"null" not in data or _is_finite(
            msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value
        ):
            return data
        return dumps(msgspec.to_builtins(value)).encode("utf-8", "backslashreplace")
    except (TypeError, ValueError, OverflowError):
        return dumps(msgspec.to_builtins(value)).encode("utf-8", "backslashreplace")


def _is_finite(value: Any) -> bool:
    """False for plain data with a number that no JSON has."""
    todo = [value]
    while todo:
        value = todo.pop()
        if type(value) is dict:
            todo.extend(value.values())
        elif type(value) is list or type(value) is tuple:
            todo.extend(value)
        elif type(value) is float and not isfinite(value):
            return False
    return True


def decoded(data: bytes) -> Json:
    """Decode the output of `encoded`. Raises ValueError, RecursionError."""
    try:
        return _decode(data)
    except ValueError:
        return json.loads(data)


def is_unicode(value: Json) -> bool:
    """False where a text or a key in `value` has a lone surrogate, which no UTF-8 carries. Raises RecursionError."""
    try:
        _encode(value)
    except UnicodeEncodeError:
        return False
    except (TypeError, ValueError, OverflowError):
        try:
            dumps(value).encode()
        except UnicodeEncodeError:
            return False
    return True
