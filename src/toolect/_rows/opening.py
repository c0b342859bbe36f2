"""Columns that hold JSON as text, as tables do whose cells are all of one type."""

from __future__ import annotations

import json

from toolect._message import Json

MOST = 2
"""How often a text is opened: it may be the JSON text of a JSON text. Beyond it: it stays a text."""


def opened(value: Json) -> Json:
    """The list or object that a text is the JSON of, or messages that are such texts; any other value as it is."""
    if type(value) is list and value and all(type(one) is str and one[:1] == "{" for one in value):
        messages = [*map(opened, value)]
        return messages if all(isinstance(one, dict) and "role" in one for one in messages) else value
    if type(value) is not str or value[:1].isalpha():
        return value
    found: Json = value
    for _ in range(MOST):
        if not isinstance(found, str) or found.lstrip()[:1] not in ("[", "{", '"'):
            break
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return value
    return found if isinstance(found, list | dict) else value


def twice(value: Json) -> bool:
    """True for a text that is the JSON text of a JSON text."""
    return isinstance(value, str) and value.lstrip()[:1] == '"' and opened(value) is not value
