"""A YAML mapping as JSON types, and back: what YAML 1.2 and JSON agree on, with nothing evaluated or repeated.

Plain scalars are null, true, false and JSON's numbers in their usual spellings; everything else is a string, `no`, `on`
and dates among it. Anchors, aliases, tags and second documents are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toolect.engine.json_lexemes import MAX_DEPTH, MAX_DIGITS, bracket_depth
from toolect.engine.schema import declared_types, property_schema
from toolect.ir import Json, dumps

MAX_YAML = 1 << 20
"""Characters of a YAML text that is read."""

_WORDS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NOT_PLAIN = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_PLAIN = r"[^\W\d_][\w()]*+(?:[ ./_-][\w()]++)*+"
_ODD = "[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""Compiled when needed: they take as long as importing all the rest."""
_FLOW_FROM = 6  # levels of nesting from which on containers are written in one line


class Level(NamedTuple):
    """A mapping or a list that is being read."""

    value: Any  # a dict or a list
    keys: list[str]  # the key that waits for its value
    schema: Any  # of the whole


def read_yaml(text: str, schema: Any = None) -> dict[str, Json]:
    """The mapping that `text` is; nothing at all is an empty one. Raises ValueError for anything else.

    Where `schema` says that a value is a string, a plain scalar is its text.
    """
    import yaml  # type: ignore[import-untyped, unused-ignore]  # its annotations are a package apart

    if len(text) > MAX_YAML or bracket_depth(text) > MAX_DEPTH:
        raise ValueError("expected a YAML mapping, got one beyond the limits")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = _value(yaml.parse(text + "\n", Loader=loader), schema)
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        problem = getattr(error, "problem", None) or "a text that YAML does not allow"
        raise ValueError(f"cannot read the YAML: {problem}") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("expected a YAML mapping, got another value")
    return value


def _value(events: Iterator[Any], schema: Any) -> Json:
    """The value of the one document that `events` tell of."""
    levels: list[Level] = []
    root: list[Json] = []
    for event in events:
        kind = type(event).__name__
        if kind == "DocumentStartEvent" and root:
            raise ValueError("expected one YAML document, got more")
        if kind == "AliasEvent" or getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise ValueError("expected plain YAML, got an anchor, an alias or a tag")
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            levels.pop()
        elif kind == "ScalarEvent":
            level = levels[-1] if levels else None
            if level is not None and isinstance(level.value, dict) and not level.keys:
                if event.value in level.value:
                    raise ValueError(f"expected each key once, got {event.value[:40]!r} twice")
                level.keys.append(event.value)
            else:
                inner = _inner(level, schema)
                _put(root, level, _scalar(event.value, inner) if event.implicit[0] else event.value)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            level = levels[-1] if levels else None
            if level is not None and isinstance(level.value, dict) and not level.keys:
                raise ValueError("expected a text as a key, got a mapping or a list")
            if len(levels) >= MAX_DEPTH:
                raise ValueError("nested too deep")
            inner = _inner(level, schema)
            value: Any = {} if kind == "MappingStartEvent" else []
            _put(root, level, value)
            levels.append(Level(value, [], inner))
    return root[0] if root else None


def _put(root: list[Json], level: Level | None, value: Json) -> None:
    if level is None:
        root.append(value)
    elif isinstance(level.value, dict):
        level.value[level.keys.pop()] = value
    else:
        level.value.append(value)


def _inner(level: Level | None, schema: Any) -> Any:
    """The schema of the value that comes next."""
    if level is None:
        return schema
    if isinstance(level.value, dict):
        return property_schema(level.schema, level.keys[-1])
    items = level.schema.get("items") if isinstance(level.schema, dict) else None
    return items if isinstance(items, dict) else None


def _scalar(text: str, schema: Any) -> Json:
    """What a plain scalar stands for."""
    if schema and declared_types(schema) == ("string",):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if number - number == 0 else text
    return text


def write_yaml(value: dict[str, Json]) -> str:
    """`value` as YAML in blocks; texts of several lines as literal blocks."""
    return "\n".join(_lines(value, 0)) if value else "{}"


def _lines(value: Json, level: int) -> Iterator[str]:
    """The lines of a mapping or list that is not empty."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _entry(f"{_text(key)}:", inner, level)
    elif isinstance(value, list):
        for inner in value:
            yield from _entry("-", inner, level)


def _entry(head: str, value: Json, level: int) -> Iterator[str]:
    if isinstance(value, dict | list) and value and level < _FLOW_FROM:
        yield head
        for line in _lines(value, level + 1):
            yield f"  {line}" if line else ""
    elif isinstance(value, str) and _is_block(value):
        yield f"{head} |" if value.endswith("\n") else f"{head} |-"
        for line in value.removesuffix("\n").split("\n"):
            yield f"  {line}" if line else ""
    else:
        yield f"{head} {_flow(value)}"


def _is_block(text: str) -> bool:
    """True for a text that a literal block can hold as it is."""
    if "\n" not in text or text.endswith("\n\n") or text[0] in " \t\n" or "</" in text:
        return False
    return re.search(_ODD, text) is None and "\t" not in text and text.rstrip() == text.removesuffix("\n")


def _flow(value: Json) -> str:
    """`value` in one line."""
    match value:
        case str():
            return _text(value)
        case dict():
            return "{" + ", ".join(f"{_quoted(k)}: {_in_flow(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_in_flow, value)) + "]"
        case _:
            return dumps(value)


def _in_flow(value: Json) -> str:
    return _quoted(value) if isinstance(value, str) else _flow(value)


def _text(text: str) -> str:
    """A text in one line: plain where nothing else can be meant, else in quotes."""
    return (
        text if len(text) < 200 and re.fullmatch(_PLAIN, text) and text.casefold() not in _NOT_PLAIN else _quoted(text)
    )


def _quoted(text: str) -> str:
    """A text in double quotes; what YAML does not allow, and what could be a closing tag, is escaped."""
    return re.sub(_ODD, _escaped, dumps(text)).replace("</", "\\u003c/")


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
