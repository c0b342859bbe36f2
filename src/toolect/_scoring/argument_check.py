"""Argument comparison: declared types, possible values, and texts that count as the same.

The rules are those that the checker of BFCL publishes (`bfcl_eval.eval_checker.ast_eval`), so that figures compare with
its leaderboard: case, blanks and some signs of texts do not count, whole numbers stand for declared floats, members of
an object have possible values of their own, and a value may be of the type of the first possible one, whatever is
declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect._message import Json
from toolect._scoring.code_values import code_value
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
    """What is wrong with the arguments of a call, in the order in which it is looked at."""
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
    """Why a value is not the one that is wanted; None where it is."""
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
    """Why a value is none of the possible ones; None where it is one of them."""
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
