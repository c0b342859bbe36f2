"""Texts with holes in braces, and JSON with holes that begin with `$`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolect.message import Json

_HOLE = re.compile(r"\{([a-z][a-z/-]*)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with its holes filled, in one go: braces inside of values, and other braces, are just braces."""
    return _HOLE.sub(lambda match: values.get(match[1], match[0]), text)


def filled(pattern: Json, values: Mapping[str, Any]) -> Json:
    """`pattern` with its holes filled; a key whose hole has no value is left out."""
    match pattern:
        case dict():
            return {key: filled(item, values) for key, item in pattern.items() if not _empty(item, values)}
        case list():
            return [filled(item, values) for item in pattern]
        case str() if pattern in values:
            return values[pattern]
        case _:
            return pattern


def _empty(item: Json, values: Mapping[str, Any]) -> bool:
    return isinstance(item, str) and item in values and values[item] is None
