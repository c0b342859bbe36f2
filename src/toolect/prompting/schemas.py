"""Reading JSON Schemas for people: references followed, descriptions found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 12
"""Objects inside of objects that a definition tells of."""
_MAX_REFERENCES = 20


def resolve(root: Mapping[str, Any], schema: Any) -> Any:
    """`schema`, or what its `$ref` into `root` leads to; itself where that leads nowhere."""
    at = schema
    for _ in range(_MAX_REFERENCES):
        reference = at.get("$ref") if isinstance(at, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return at
        target: Any = root
        for step in filter(None, reference[1:].split("/")):
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        if target is None:
            return at
        at = target
    return at


def described(root: Mapping[str, Any], schema: Any) -> str:
    """What a schema says that it describes, itself or where it refers to."""
    for one in (schema, resolve(root, schema)):
        text = one.get("description") if isinstance(one, Mapping) else None
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""
