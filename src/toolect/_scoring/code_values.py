"""Literals of Java and JavaScript: the values that arguments written as source text stand for.

What is read, and what stays a text, is as the checker of BFCL has it: items of a Java array of strings keep their
quotes, those of an `ArrayList` do not, and quoted members of a JavaScript object are read by what is in the quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from toolect._message import Json

MAX_NESTED = 50
"""Lists and objects around a literal. Beyond it: the rest is a text."""

_Literal: TypeAlias = tuple[str, Callable[[str], Json]]
_WHOLE, _REAL = r"-?\d{1,4000}", r"-?\d{1,4000}(?:\.\d+)?"
_int: _Literal = f"({_WHOLE})", int
_bool: _Literal = "(true|false)", "true".__eq__
_double: _Literal = rf"({_REAL}(?:[eE][+-]?\d+)?)", float
_SCALARS: dict[str, dict[str, _Literal]] = {
    "java": {
        "byte": _int, "short": _int, "integer": _int, "long": (f"({_WHOLE})[lL]", int), "boolean": _bool,
        "float": (_double[0] + "[fF]", float), "double": _double,
    },
    "javascript": {
        "integer": _int, "float": (f"({_REAL})", float), "Bigint": (f"({_WHOLE})n", int), "Boolean": _bool,
        "String": (r"([\"'].*[\"'])", lambda text: text[1:-1] if text[0] == text[-1] else text),
    },
}  # fmt: skip
"""How a literal of a declared type is written, and its value; whatever is written otherwise is a text."""
_UNDECLARED = {"java": ("long", "float", "integer", "double"), "javascript": ("integer", "float")}
"""What a literal is tried as of which no type is declared."""

_ARRAY = re.compile(r"new\s+\w+\s*\[\s*\]")
_ARRAY_LIST = re.compile(r"new\s+ArrayList\s*<\w*>\s*\(")
_HASH_MAP = re.compile(r"new\s+HashMap\s*<[^()]*>\s*\(")
_LIST = re.compile(r"\[(.*)\]|new\s+Array\((.*)\)", re.DOTALL)
_OBJECT = re.compile(r"\{(.*)\}", re.DOTALL)
_SPLIT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[()\[\]{}]|[,:;]", re.DOTALL)


def code_value(text: str, kind: str, item: str, language: str) -> Json:
    """The value of a literal that is declared as `kind`, a list of `item`; the text itself where it is none."""
    if scalar := _SCALARS[language].get(kind):
        found = re.fullmatch(scalar[0], text, re.DOTALL)
        return scalar[1](found[1]) if found else text
    text = text.strip()
    if language == "javascript":
        literal = {"array": _LIST, "dict": _OBJECT}.get(kind)
        return _script(text, item, 0) if literal and literal.match(text) else text
    if kind == "Array" and (found := _ARRAY.search(text)):
        body = _inside(text[found.end() :], "{}")
        return text if body is None else [code_value(one, item, "", language) for one in _parts(body) if one]
    if kind == "ArrayList" and (found := _ARRAY_LIST.search(text)):
        given, _, added = text[found.end() :].partition("Arrays.asList(")
        if not added:
            return [_listed(one, item) for one in _calls("add", given)]
        body = _inside("(" + added, "()") or ""
        return [_listed(one, item) for one in _parts(body[:-1])] if body.endswith(")") else text
    if kind == "HashMap" and (found := _HASH_MAP.search(text)):
        pairs = (_parts(one) for one in _calls("put", text[found.end() :]))
        return {pair[0].strip('"'): _undeclared(",".join(pair[1:]), "java") for pair in pairs if len(pair) > 1}
    return text


def _listed(text: str, item: str) -> Json:
    """An item of an `ArrayList`."""
    if item in ("char", "String"):
        return text[1:-1]
    return code_value(text, item, "", "java") if item else _undeclared(text, "java")


def _undeclared(text: str, language: str) -> Json:
    if text in ("true", "false"):
        return text == "true"
    if len(text) > 1 and text[0] == text[-1] and text[0] in ('"' if language == "java" else "\"'"):
        return text[1:-1]
    values = (code_value(text, kind, "", language) for kind in _UNDECLARED[language])
    return next((value for value in values if not isinstance(value, str)), text)


def _script(text: str, item: str, depth: int) -> Json:
    """The value of a list or an object of JavaScript; `item` is the declared type of items."""
    text = text.strip()
    if depth > MAX_NESTED:
        return text
    if found := _LIST.match(text):
        parts = _parts(found[1] if found[1] is not None else found[2])
        if any(map(_LIST.match, parts)) or item in ("", "dict"):
            return [_script(part, "", depth + 1) for part in parts if part]
        return [code_value(part, item, "", "javascript") for part in parts if part]
    if found := _OBJECT.match(text):
        pairs = (_parts(one, ":") for one in _parts(found[1]))
        plain = ((pair[0].strip("'\""), ":".join(pair[1:]).strip("'\"")) for pair in pairs if len(pair) > 1)
        return {key: _script(value, "", depth + 1) for key, value in plain}
    return _undeclared(text, "javascript")


def _inside(text: str, brackets: str) -> str | None:
    """What is between the bracket that a text begins with and the last one; what comes after that does not count."""
    text = text.strip()
    end = text.rfind(brackets[1])
    return text[1:end].strip() if text.startswith(brackets[0]) and end > 0 else None


def _calls(name: str, rest: str) -> Iterator[str]:
    """What the statements of a double-brace initialisation are given, behind `(`: `) {{ add(1); add(2); }}`."""
    body = _inside(rest.lstrip().removeprefix(")"), "{}") or ""
    for statement in _parts(body.removeprefix("{").removesuffix("}"), ";"):
        if statement.startswith(f"{name}(") and statement.endswith(")"):
            yield statement[len(name) + 1 : -1].strip()


def _parts(text: str, sign: str = ",") -> list[str]:
    """The parts of a text between signs that stand in no quotes and no brackets, without blanks around them."""
    parts, start, depth = [], 0, 0
    for found in _SPLIT.finditer(text):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if found[0] == sign and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    return [*parts, text[start:].strip()]
