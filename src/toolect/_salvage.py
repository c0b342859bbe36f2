"""Salvage: what json-repair makes of arguments that could not be read, and whether a sign is lost by that.

Its repairs are guesses at any price. So they are a reading for people; where a call may be made of one is said here.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_TEXT = 4096
"""Characters of broken arguments that json-repair is given. Beyond it: nothing is salvaged. Its time is quadratic."""
MAX_WIRE = 4 * MAX_TEXT
"""Characters of a call in which its arguments are looked for. Beyond it: what was read of them counts."""
MAX_BRACKETS = 200
"""Brackets that open in such a text. Beyond it: nothing is salvaged. json-repair calls itself at each."""

MAX_SAME = 256
"""Signs that distinguish the place of the arguments from others that begin with their key. Beyond it: the first one."""

_FIRST_KEY = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.){1,160})"').match
_MARKERS = re.compile(r"(?:(?:<[^<>\"'{}]{1,64}>|\[/?\w{1,64}\]|`{3})\s*){1,8}\Z")
_FENCE = re.compile(r"\s*(?:```\w{0,16}\s)?(.*?)(?:```\s*)?\Z", re.DOTALL).match
_CLOSERS = re.compile(r"[\s\])};,]*\Z").match
_NOTHING = re.compile(r"\b(?:None|nil|undefined)\b")
_DIVIDING = re.compile(r"""\\["'\\/bfnrt]|[\s"',:;\\]""")
_OMITTED = re.compile(r"[:,\[{]\s*(?:\.{3}|…)\s*[,}\]]").search
_ODD_TEXT = re.compile(r"""\A["',:]|["']\s{0,8}:|["',:;]\s{0,8}\Z""").search
_ODD_KEY = re.compile(r"""["',:{}\[\]]|\A\s|\s\Z""").search
_OPENS, _CLOSES = "{[(", "}])"


def salvaged(text: str, raw: str) -> dict[str, Any] | None:
    """The object that json-repair makes of the arguments `text`, or of all that stands of them in the call `raw`.

    None where it makes no other object of them than an empty one.
    """
    wire = _in_wire(text, raw)
    found = _repaired(_closed(wire) or wire or text)
    if isinstance(found, list) and found and isinstance(found[0], dict):
        found = found[0]  # what follows it is something else
    return found if isinstance(found, dict) and found else None


def without_loss(text: str, raw: str) -> dict[str, Any] | None:
    """The same, where a call may be made of it: the arguments were closed, and broken, and nothing is lost or added.

    Their signs are those of the wire, in its order, but for quotes, commas, colons and blanks, none of which
    has got into a key or to an end of a text. No text has a member in it, which may be another argument, or a call.
    """
    wire = _closed(_in_wire(text, raw))
    found = _repaired(wire)
    if not isinstance(found, dict) or not found or _OMITTED(wire) is not None or _is_json(wire):
        return None
    return found if _keeps(found, wire) else None


def value_without_loss(text: str) -> Any:
    """The object or list that json-repair makes of a text that is no JSON, where no sign of it is lost or added.

    None where there is none.
    """
    wire = unfenced(text)
    wire = _closed(wire) or wire
    found = _repaired(wire) if wire[:1] in ("{", "[") else None
    if not isinstance(found, (dict, list)) or _OMITTED(wire) is not None:
        return None
    return found if _keeps(found, wire) else None


def unfenced(text: str) -> str:
    """A text without blanks at its ends, and without the code fence that it stands in."""
    return _FENCE(text)[1].strip()  # type: ignore[index]  # matches any text


def _keeps(found: Any, wire: str) -> bool:
    """True when a value has the signs of the text that it was made of, none of them in a place that is not its own."""
    try:
        written = json.dumps(found, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    empty = written.count('""') <= wire.count('""') + wire.count("''")
    return empty and _signs(written) == _signs(wire) and not _is_odd(found)


def _in_wire(text: str, raw: str) -> str:
    """The text of `raw` from where the arguments begin, as `text` does; empty where they are not JSON there."""
    key = _FIRST_KEY(text)
    if key is None or len(raw) > MAX_WIRE:
        return ""
    begins = [m.start() for m in re.finditer(rf"\{{\s*[\"'`]?{re.escape(key[1])}(?![\w-])", raw)]
    if not begins:
        return ""
    return _MARKERS.sub("", raw[max(begins, key=lambda at: _same(raw[at : at + MAX_SAME], text)) :]).rstrip()


def _same(one: str, other: str) -> int:
    """Number of signs with which both begin."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(other))


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


def _signs(text: str) -> str:
    """The signs of `text`, but for those that divide values in JSON, and for what has several spellings there."""
    return "".join(_DIVIDING.split(_NOTHING.sub("null", text))).casefold()


def _is_odd(value: Any) -> bool:
    """True when signs that divide values may have got into `value`: a key has one, or a text begins or ends with one.

    So it is where a text has the end of a key in it.
    """
    if isinstance(value, dict):
        return any(map(_ODD_KEY, value)) or any(map(_is_odd, value.values()))
    if isinstance(value, list):
        return any(map(_is_odd, value))
    return isinstance(value, str) and _ODD_TEXT(value) is not None
