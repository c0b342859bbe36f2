"""JSON in UTF-8 of whatever was read: also of lone surrogates, which stay escapes, and of numbers of any size."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from toolect._message import Json, dumps

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def encoded(value: Any) -> bytes:
    """`value`, plain data or structs, as JSON. Raises RecursionError."""
    try:
        return _encode(value)
    except (TypeError, ValueError, OverflowError):
        return dumps(msgspec.to_builtins(value)).encode("utf-8", "backslashreplace")


def decoded(data: bytes) -> Json:
    """What `encoded` wrote. Raises ValueError, RecursionError."""
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
