"""YAML as JSON types, and back: what YAML 1.2 and JSON agree on, with nothing evaluated or repeated.

Plain scalars are null, true, false and JSON's numbers in their usual spellings; everything else is a string, `no`, `on`
and dates among it. Anchors, aliases, tags and second documents are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NoReturn

from toolect._message import Json, dumps
from toolect._spec.document import Items, Node, YamlError, YamlScalar, YamlTable, compose
from toolect._values.json_lexemes import MAX_DEPTH, bracket_depth
from toolect._values.schema import Schema
from toolect._values.vocabulary import YAML, json_number

MAX_YAML = 1 << 20
"""Characters of arguments in YAML. Beyond it: `malformed`."""

_NOT_PLAIN = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_PLAIN = r"[^\W\d_][\w()]*+(?:[ ./_-][\w()]++)*+"
_ODD = "[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""Compiled when needed: they take as long as importing all the rest."""
_KEY = re.compile(r"(?P<in> *)(?P<key>[^\s#:'\"][^:]*?|'[^']*'|\"[^\"]*\"):(?:\s+(?P<value>[^\s#|>&{[].*)|\s*\Z)")
"""A line of a mapping in blocks, with its value if that stands in the line, and goes on no further than blocks do."""
_ONCE = "expected each key once"
_FLOW_FROM = 6  # levels of nesting from which on containers are written in one line


def read_yaml(text: str, schema: Schema | None = None, column: int = 0) -> Json:
    """The value that `text` is; nothing at all is null. Raises ValueError for what YAML and JSON do not agree on.

    Where `schema` says that a value is a string, a plain scalar is its text. So many blanks as `column` stand before
    its first line, if its lines agree with that; else as many as before the others, or none.
    """
    if len(text) > MAX_YAML or bracket_depth(text) > MAX_DEPTH:
        raise ValueError("expected YAML, got more than the limits allow")
    refused: list[ValueError] = []
    for blanks in (column, _least(text), 0) if column else (0,):
        whole = " " * blanks + text + "\n"
        try:
            node = compose(whole, "", MAX_DEPTH, _refuse)
        except YamlError as wrong:
            refused.append(_further_in(whole, wrong.place.line - 1) or ValueError(str(wrong)))
        except ValueError as wrong:
            refused.append(wrong)
        else:
            return None if node is None else _value(node, schema)
    raise next((wrong for wrong in refused if str(wrong).startswith(_ONCE)), refused[-1])


def _further_in(text: str, at: int) -> ValueError | None:
    """The error of the line at index `at` of a text that is no YAML, if its key is indented too deep; None if not."""
    lines = text.split("\n")
    found = _KEY.match(lines[at]) if at < len(lines) else None
    above = [match for line in lines[:at] if line.strip() and (match := _KEY.match(line))]
    if found is None or not above or not above[-1]["value"] or len(above[-1]["in"]) >= len(found["in"]):
        return None
    level = len(above[-1]["in"])
    beside = takewhile(lambda one: len(one["in"]) >= level, reversed(above))
    key = found["key"].strip("\"'")
    if any(len(one["in"]) == level and one["key"].strip("\"'") == key for one in beside):
        return ValueError(f"{_ONCE}: the key `{key}` comes twice, further in the second time")
    return ValueError(f"expected keys of one mapping below one another, got `{key}` further in than those before it")


def _least(text: str) -> int:
    """The least number of blanks before a line of `text` after the first."""
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    return min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)


def _refuse(wrong: YamlError) -> NoReturn:
    raise ValueError(f"{_ONCE}: {wrong}" if wrong.first else str(wrong))


def _value(node: Node, schema: Schema | None) -> Json:
    """The value of a node."""
    match node:
        case YamlScalar(text, plain):
            return _scalar(text, schema) if plain else text
        case Items(items):
            return [_value(item, schema.item(i) if schema else None) for i, item in enumerate(items)]
        case YamlTable(entries):
            return {k.text: _value(inner, schema.member(k.text) if schema else None) for k, inner in entries}


def _scalar(text: str, schema: Schema | None) -> Json:
    """The value of a plain scalar."""
    if schema is not None and schema.types == ("string",):
        return text
    if text in YAML:
        return YAML[text]
    number = json_number(text)
    return text if number is None else number


def write_yaml(value: Json, column: int = 0) -> str:
    """`value` as YAML in blocks; texts of several lines in it as literal blocks.

    So many blanks as `column` stand before its first line, and before each other one.
    """
    if not value or not isinstance(value, dict | list):
        return _flow(value)
    first, *lines = _lines(value, 0)
    return "\n".join((first, *(" " * column + line if line else "" for line in lines)))


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
