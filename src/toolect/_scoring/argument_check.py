"""Argument comparison: declared types, possible values, and texts that count as the same.

The rules are those that the checker of BFCL publishes (`bfcl_eval.eval_checker.ast_eval`), so that figures compare with
its leaderboard: case, blanks and some signs of texts do not count, whole numbers stand for declared floats, members of
an object have possible values of their own, and a value may be of the type of the first possible one, whatever is
declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from toolect._message import Json
from toolect._scoring.expectation import ExpectedCall, Miss, Reason, members, shown

OMITTED = ""
"""The possible value that says: this argument may be left out."""
_IGNORED = {ord(sign): None for sign in " ,./-_*^"} | {ord("'"): '"'}
_TYPES: dict[str, dict[str, type[object]]] = {
    "": {
        "string": str, "integer": int, "float": float, "number": float, "boolean": bool, "array": list, "tuple": list,
        "dict": dict, "object": dict, "any": str,
    },
    "java": {
        "byte": int, "short": int, "integer": int, "float": float, "double": float, "long": int, "boolean": bool,
        "char": str, "Array": list, "ArrayList": list, "HashMap": dict, "String": str, "any": str,
    },
    "javascript": {
        "String": str, "integer": int, "float": float, "Bigint": int, "Boolean": bool, "dict": dict, "array": list,
        "any": str,
    },
}  # fmt: skip
"""The types that schemas name, by the language of arguments."""


def argument_misses(
    expected: ExpectedCall, given: Mapping[str, Json], schema: Mapping[str, Json], language: str
) -> Iterator[Miss]:
    """Differences of a call's arguments from the expected ones, in the order of the checks."""
    properties, required, wanted = members(schema.get("properties")), schema.get("required"), expected.arguments
    required = [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
    for key in dict.fromkeys((*required, *wanted)):
        if key not in given and not (key not in required and _may_be_left_out(expected, key, properties.get(key))):
            yield Miss(Reason.MISSING, expected.name, key, shown(wanted[key]) if key in wanted else "a value", "none")
    for key, value in given.items():
        declared = properties.get(key)
        if key not in wanted or expected.options and properties and declared is None:
            if expected.options or not _is_default(value, declared):
                yield Miss(Reason.UNEXPECTED, expected.name, key, "no such argument", shown(value))
            continue
        check = _why_none_fits(value, wanted[key], declared, language) if expected.options else _why(value, wanted[key])
        if check is not None:
            yield Miss(check, expected.name, key, "one of " * expected.options + shown(wanted[key]), shown(value))


def _may_be_left_out(expected: ExpectedCall, key: str, declared: Json) -> bool:
    wanted = expected.arguments[key]
    return OMITTED in wanted if expected.options else _is_default(wanted, declared)


def _is_default(value: Json, declared: Json) -> bool:
    return "default" in members(declared) and _why(value, declared["default"]) is None


def _why(value: Json, wanted: Json) -> Reason | None:
    """Reason why a value is not the one that is wanted; None where it is."""
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (value, wanted))
    if not numbers and type(value) is not type(wanted):
        return Reason.TYPE
    if isinstance(wanted, dict):
        same = value.keys() == wanted.keys() and not any(_why(value[key], wanted[key]) for key in wanted)
    elif isinstance(wanted, list):
        same = len(value) == len(wanted) and not any(map(_why, value, wanted))
    else:
        same = _plain(value) == _plain(wanted)
    return None if same else Reason.VALUE


def _why_none_fits(value: Json, options: Sequence[Json], declared: Json, language: str) -> Reason | None:
    """Reason why a value is none of the possible ones; None where it is one of them."""
    named, item = _named(declared), _named(members(declared).get("items"))
    first = _first_type(options)
    if language:
        if not isinstance(value, str):
            return Reason.TYPE
        value = code_value(value, named, item, language)
    elif named in ("float", "number") and type(value) is int and abs(value) < 1 << 1023:
        value = float(value)
    kind = _TYPES[language].get(named, first)
    nested = _TYPES[language].get(item) if kind is list and named else None
    if type(value) is kind:
        if nested is not None and not any(_items_fit(value, option, nested) for option in options):
            return Reason.TYPE
    elif first is None or type(value) is not first:
        return Reason.TYPE
    if first is not None and first is not kind:
        fits = value in options  # what is meant is of another type than is declared: a variable, for example
    elif kind is dict:
        fits = any(_members_fit(value, option) for option in options)
    elif kind is list and nested is dict:
        fits = any(_objects_fit(value, option) for option in options)
    elif kind is str:
        fits = _plain(value) in [_plain(option) for option in options if isinstance(option, str)]
    elif kind is list:
        fits = _plain_items(value) in map(_plain_items, options)
    else:
        fits = value in options
    return None if fits else Reason.VALUE


def _named(declared: Json) -> str:
    found = members(declared).get("type")
    return found if isinstance(found, str) else ""


def _first_type(options: Sequence[Json]) -> type[object] | None:
    return next((type(option) for option in options if option != OMITTED), None)


def _items_fit(value: Json, option: Json, nested: type[object]) -> bool:
    """True for items of the declared type, or of the type that the first item of the option has."""
    types = (nested, _first_type(option)) if isinstance(option, list) else ()
    return not types or all(type(item) in types for item in value)


def _members_fit(value: Json, option: Json) -> bool:
    """True for an object whose members have possible values, and that lacks none but those that may be left out."""
    if not isinstance(option, dict) or not isinstance(value, dict):
        return False
    options = {key: one if isinstance(one, list) else [one] for key, one in option.items()}
    return all(_plain(member) in map(_plain, options.get(key, ())) for key, member in value.items()) and all(
        key in value or OMITTED in one for key, one in options.items()
    )


def _objects_fit(value: Json, option: Json) -> bool:
    listed = option if isinstance(option, list) else [] if option == OMITTED else None
    return listed is not None and len(value) == len(listed) and all(map(_members_fit, value, listed))


def _plain(value: Json) -> Json:
    """A text without what does not count in it; any other value as it is."""
    return value.translate(_IGNORED).lower() if isinstance(value, str) else value


def _plain_items(value: Json) -> Json:
    return list(map(_plain, value)) if isinstance(value, list | str) else value


# Literals of Java and JavaScript: the values that arguments written as source text stand for
#
# What is read, and what stays a text, is as the checker of BFCL has it: items of a Java array of strings keep their
# quotes, those of an `ArrayList` do not, and quoted members of a JavaScript object are read by what is in the quotes.


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
"""Pattern and value of a literal, by its declared type; a text that does not match stays a text."""
_UNDECLARED = {"java": ("long", "float", "integer", "double"), "javascript": ("integer", "float")}
"""Types tried for a literal of which no type is declared."""

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
    """Text between its first sign, a bracket, and the last such bracket, whatever comes after; None without both."""
    text = text.strip()
    end = text.rfind(brackets[1])
    return text[1:end].strip() if text.startswith(brackets[0]) and end > 0 else None


def _calls(name: str, rest: str) -> Iterator[str]:
    """Arguments of the statements of a double-brace initialisation, behind `(`: `) {{ add(1); add(2); }}`."""
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
