"""Salvage: what json-repair makes of arguments that could not be read, and whether a letter is lost by that.

Its repairs are guesses at any price. So they are a reading for people; where a call may be made of one is said here.
"""

from __future__ import annotations

import json
import re
from os.path import commonprefix
from typing import Any

MAX_TEXT = 4096
"""Characters of broken arguments that json-repair is given. Beyond it: nothing is salvaged. Its time is quadratic."""
MAX_WIRE = 4 * MAX_TEXT
"""Characters of a call in which its arguments are looked for. Beyond it: what was read of them counts."""
MAX_BRACKETS = 200
"""Brackets that open in such a text. Beyond it: nothing is salvaged. json-repair calls itself at each."""

_FIRST_KEY = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.){1,160})"').match
_MARKERS = re.compile(r"\s*(?:(?:<[^<>\"'{}]{1,64}>|\[/?\w{1,64}\]|`{3})\s*)+\Z")
_CLOSERS = re.compile(r"[\s\])};,]*\Z").match
_NOTHING = re.compile(r"\b(?:None|nil|undefined)\b")
_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_MEMBER = re.compile(r"""["']\s{0,8}:""").search
_OPENS, _CLOSES = "{[(", "}])"


def salvaged(text: str, raw: str) -> dict[str, Any] | None:
    """The object that json-repair makes of the arguments `text`, where there are more of them in the call `raw` of those.

    None where it makes no other object of them than an empty one.
    """
    wire = _in_wire(text, raw)
    found = _repaired(_closed(wire) or wire or text)
    if isinstance(found, list) and found and isinstance(found[0], dict):
        found = found[0]  # what follows it is something else
    return found if isinstance(found, dict) and found else None


def without_loss(text: str, raw: str) -> dict[str, Any] | None:
    """The same, where a call may be made of it: the arguments are closed, and broken, and all is in them that was.

    No letter and no digit of the wire is missing in them, was added or is in another place; and no text in them has a
    member in it, which may be another argument, or a call.
    """
    wire = _closed(_in_wire(text, raw))
    found = _repaired(wire)
    if not isinstance(found, dict) or not found or _is_json(wire):
        return None
    try:
        told = json.dumps(found, ensure_ascii=False, allow_nan=False)
        kept = _letters(told) == _letters(wire)
        return found if kept and not _holds_member(found) else None
    except (ValueError, RecursionError):
        return None


def _in_wire(text: str, raw: str) -> str:
    """The text of `raw` from where the arguments begin, of which `text` was read; empty where they are not JSON there."""
    key = _FIRST_KEY(text)
    if key is None or len(raw) > MAX_WIRE:
        return ""
    begins = re.finditer(rf"\{{\s*[\"'`]?{re.escape(key[1])}(?![\w-])", raw)
    found = max((raw[m.start() :] for m in begins), key=lambda rest: len(commonprefix((rest, text))), default="")
    return _MARKERS.sub("", found)


def _closed(wire: str) -> str:
    """The object that `wire` begins with, up to its last bracket, where nothing but brackets follow; else nothing."""
    depth = 0
    for at, sign in enumerate(wire):
        depth += (sign in _OPENS) - (sign in _CLOSES)
        if depth <= 0:
            return wire[: at + 1] if _CLOSERS(wire, at) is not None else ""
    return ""


def _repaired(text: str) -> Any:
    """The value that json-repair makes of `text`; None where it is too long or too deep for that."""
    if not text or len(text) > MAX_TEXT or sum(map(text.count, _OPENS)) > MAX_BRACKETS:
        return None
    from json_repair import loads  # not part of starting up

    try:
        return loads(text)
    except Exception:  # whatever it is: it is another package's, and the text a model's
        return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _letters(text: str) -> str:
    """The letters and digits of `text`, but for what has several spellings in JSON."""
    return "".join(sign for sign in _ESCAPE.sub("", _NOTHING.sub("null", text)) if sign.isalnum()).casefold()


def _holds_member(value: Any) -> bool:
    """True when a text in `value`, a key among them, has the end of a key in it."""
    if isinstance(value, str):
        return _MEMBER(value) is not None
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_member, inner))
