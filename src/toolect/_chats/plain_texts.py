"""Texts and values that are nothing but words wherever they stand, whatever a chat has around them."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from toolect._message import Call, Json, Status

Key: TypeAlias = tuple[Any, ...]
MAX_DEPTH = 8
"""How deep the arguments of a call are looked into for what is plain. Beyond it: they are not."""
_IS_WORDS = re.compile(r"[^\W\d_][\w .,:;!?/@%+=()-]*(?<! )").fullmatch
_IS_ID = re.compile(r"[A-Za-z0-9_.:-]*").fullmatch
_IS_NAME = re.compile(r"[A-Za-z0-9_.:/-]+").fullmatch
_VALUES = frozenset("true false null none nan inf infinity undefined nil yes no on off".split())  # noqa: SIM905
"""Words that are values in some notation."""


def is_bare(text: str) -> bool:
    """True for a text without blanks at its ends, which nothing is cut off from."""
    return not text or not (text[0].isspace() or text[-1].isspace())


def has_plain_names(call: Call) -> bool:
    """True for a call that was read, whose name and id are nothing but that wherever they stand."""
    return call.status is Status.OK and _IS_ID(call.id or "") is not None and _IS_NAME(call.name) is not None


def is_plain_call(call: Call) -> bool:
    """True for a call whose names and values are nothing but words wherever they stand."""
    return has_plain_names(call) and call.name.isidentifier() and key_of_call(call) is not None


def key_of_call(call: Call) -> Key | None:
    """What a call with plain arguments has in common with others: its name and, of each argument, key and type.

    None for one that may be read back otherwise than others like it.
    """
    kinds = _kind(call.arguments, 0)
    return None if kinds is None else (call.name, call.spelling is None, kinds)


def _kind(value: Json, depth: int) -> Key | None:
    """The type of a value, at any depth; None for what is not plain."""
    kind = type(value)
    if kind is str:
        if value:
            return None if not _IS_WORDS(value) or value.lower() in _VALUES else _TEXT
        return _NO_TEXT
    if kind is int:
        return ("number", value < 0) if -(2**53) < value < 2**53 else None
    if kind is dict and depth < MAX_DEPTH:
        found: list[Any] = ["object"]
        for key, item in value.items():
            inner = _kind(item, depth + 1)
            if inner is None or not _IS_NAME(key):
                return None
            found += (key, inner)
        return (*found,)
    if kind is list and depth < MAX_DEPTH:
        kinds = {_kind(item, depth + 1) for item in value}
        return None if None in kinds else ("list", len(value) > 1, frozenset(kinds))
    return ("word", value) if kind is bool or value is None else None


_TEXT, _NO_TEXT = ("text",), ("no text",)
