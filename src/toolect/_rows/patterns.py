"""JSON patterns with holes: which values they fit, and what stands in the holes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from toolect._message import Json
from toolect._rows.opening import opened

ONLY, SOME, ABSENT = "$only", "$some", "$absent"
"""Keys of a pattern: no other fields are there; one item of the list fits. A value: there is no such field."""
_SEARCHED = 20_000
"""Characters of a text in which an expression is looked for."""
Holes: TypeAlias = dict[str, list[Json]]
NOTHING = object()
"""What a hole takes of a value that may not stand in it."""
Takes: TypeAlias = Callable[[str, Json], Json]
"""From the name of a hole and a value to what stands in it, or `NOTHING`."""


class RowHole(NamedTuple):
    """Any value that the hole takes."""

    name: str


class Words(NamedTuple):
    """One of some texts, or a constant."""

    words: tuple[Json, ...]


class Expression(NamedTuple):
    """A text in which an expression is found."""

    regex: re.Pattern[str]


class EachItem(NamedTuple):
    """A list all of whose items fit; without a pattern any list."""

    item: Pattern | None


class Some(NamedTuple):
    """A list one of whose items fits."""

    item: Pattern


class RowField(NamedTuple):
    """A field: the names that it may have, whether it may be missing, and what it holds."""

    names: tuple[str, ...]
    optional: bool
    value: Pattern


class Fields(NamedTuple):
    """An object with these fields, and others unless it is `only`."""

    fields: tuple[RowField, ...]
    only: bool


class Absent(NamedTuple):
    """A field that is not there."""


Pattern: TypeAlias = RowHole | Absent | Words | Expression | EachItem | Some | Fields


def compiled(given: Json) -> Pattern:
    """The pattern that a value in YAML spells. Raises ValueError."""
    if given == ABSENT:
        return Absent()
    if isinstance(given, str) and given.startswith("$"):
        return RowHole(given[1:])
    if isinstance(given, str) and len(given) > 2 and given[0] == given[-1] == "/":
        try:
            return Expression(re.compile(given[1:-1], re.MULTILINE))
        except re.error as error:
            raise ValueError(f"expected a regular expression, got `{given}`: {error}") from None
    if isinstance(given, str):
        return Words((*given.split("|"), *((None,) if "null" in given.split("|") else ())))
    if isinstance(given, list):
        if len(given) > 1:
            raise ValueError("expected a list of one pattern, which all items fit, got several")
        return EachItem(compiled(given[0]) if given else None)
    if not isinstance(given, dict):
        return Words((given,))
    if SOME in given:
        return Some(compiled(given[SOME]))
    fields = [
        RowField((*key.removesuffix("?").split("|"),), key.endswith("?"), compiled(value))
        for key, value in given.items()
        if key != ONLY
    ]
    return Fields((*fields,), bool(given.get(ONLY)))


def holes_of(pattern: Pattern) -> Iterator[str]:
    """The names of the holes of a pattern."""
    match pattern:
        case RowHole(name):
            yield name
        case EachItem(item) | Some(item) if item is not None:
            yield from holes_of(item)
        case Fields(fields):
            for field in fields:
                yield from holes_of(field.value)


def fit(pattern: Pattern, value: Json, takes: Takes) -> Holes | None:
    """What stands in the holes of a pattern, each in order; None where the value does not fit."""
    match pattern:
        case Absent():
            return None
        case RowHole(name):
            taken = takes(name, value)
            return None if taken is NOTHING else {name: [taken]}
        case Words(words):
            return {} if any(value is word or type(value) is type(word) and value == word for word in words) else None
        case Expression(regex):
            return {} if isinstance(value, str) and regex.search(value, 0, _SEARCHED) else None
        case Some(item):
            value = opened(value)
            fits = isinstance(value, list) and any(fit(item, one, takes) is not None for one in value)
            return {} if fits else None
        case EachItem(item):
            value = opened(value)
            if not isinstance(value, list):
                return None
            found: Holes = {}
            for one in value if item is not None else ():
                inside = fit(item, one, takes) if item is not None else None
                if inside is None:
                    return None
                _add(found, inside)
            return found
        case Fields(fields, only):
            value = attributes(opened(value))
            return _fields(fields, only, value, takes) if isinstance(value, Mapping) else None


def _fields(fields: tuple[RowField, ...], only: bool, value: Mapping[str, Json], takes: Takes) -> Holes | None:
    found: Holes = {}
    read = set()
    for field in fields:
        name, inside = fit_field(field, value, takes)
        if name:
            read.add(name)
            _add(found, inside)
        elif not field.optional or isinstance(field.value, RowHole) and any(value.get(one) for one in field.names):
            return None  # what stands there would be lost
    if only and any(value[name] is not None for name in value.keys() - read):
        return None
    return found


def fit_field(field: RowField, value: Mapping[str, Json], takes: Takes) -> tuple[str, Holes]:
    """The name under which a field is there and fits, and what stands in its holes; "" where it does not."""
    if isinstance(field.value, Absent):
        return ("", {}) if any(name in value for name in field.names) else (field.names[0], {})
    for name in field.names:
        item = value.get(name)
        if item is None and name not in value:
            item = nested(value, name)
        inside = fit(field.value, item, takes)
        if inside is not None and (item is not None or not isinstance(field.value, RowHole)):
            return name, inside
    return "", {}


def _add(found: Holes, more: Holes) -> None:
    for name, values in more.items():
        found.setdefault(name, []).extend(values)


def attributes(value: Json) -> Json:
    """An object, also where it is a list of `key` and `value`, as OTLP has attributes."""
    if not isinstance(value, list) or not value:
        return value
    found = {}
    for one in value:
        if not (isinstance(one, Mapping) and isinstance(one.get("key"), str) and isinstance(one.get("value"), Mapping)):
            return value
        found[one["key"]] = _any_value(one["value"])
    return found


def _any_value(value: Mapping[str, Json]) -> Json:
    """What one of OTLP's typed values holds."""
    kind, held = next(iter(value.items()), ("", None))
    inside = held.get("values") if isinstance(held, Mapping) else None
    if isinstance(inside, list):
        return attributes(inside) if kind == "kvlistValue" else [_any_value(one) for one in inside]
    return held


def nested(value: Mapping[str, Json], name: str) -> Json:
    """What is below a name whose fields are spelled with points: `a.b` and `a.0.c`; None where nothing is."""
    start = f"{name}."
    inside = {key[len(start) :]: item for key, item in value.items() if isinstance(key, str) and key.startswith(start)}
    if not inside:
        return None
    heads = dict.fromkeys(key.partition(".")[0] for key in inside)
    if not all(head.isdecimal() and len(head) < 7 for head in heads):
        return inside
    return [inside[head] if head in inside else nested(inside, head) for head in sorted(heads, key=int)]
