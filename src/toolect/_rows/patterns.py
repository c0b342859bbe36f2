"""JSON patterns with holes: values that fit them, and the values in the holes; and JSON that stands in texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from toolect._message import Json

# Columns that hold JSON as text, as tables do whose cells are all of one type


MOST = 2
"""Times that a text is decoded: it may be the JSON text of a JSON text. Beyond it: it stays a text."""


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


# Patterns


ONLY, SOME, LAST, ALL, ABSENT, EMPTY = "$only", "$some", "$last", "$all", "$absent", "$empty"
"""Keys of a pattern: no other fields are there; one item of the list fits; the last one; each fits another pattern.

The last two are values: there is no such field; or it may be there, and holds nothing.
"""
_SEARCHED = 20_000
"""Characters of a text in which an expression is looked for."""
MAX_KEYS = 64
"""Sets of keys that an object pattern remembers its fields of. Beyond it: all are worked out anew."""
SETTINGS = ("reasoning",)
"""Holes whose optional fields may hold something else, as `reasoning: on`: such a field is no part of the pattern."""
Holes: TypeAlias = dict[str, list[Json]]
NOTHING = object()
"""Sentinel for a value that may not stand in a hole."""
Takes: TypeAlias = Callable[[str, Json], Json]
"""Function from the name of a hole and a value to the value that the hole takes, or `NOTHING`."""


class RowHole(NamedTuple):
    """Any value that the hole takes."""

    name: str

    def fit(self, value: Json, takes: Takes) -> Holes | None:
        """Return the values in the holes, each in order; None if the value does not fit. So do all patterns."""
        taken = takes(self.name, value)
        return None if taken is NOTHING else {self.name: [taken]}


class Words(NamedTuple):
    """One of some texts, or a constant."""

    words: tuple[Json, ...]

    def fit(self, value: Json, _: Takes) -> Holes | None:
        """Return no holes if the value fits."""
        if type(value) is str:
            return {} if value in self.words else None
        same = any(value is word or type(value) is type(word) and value == word for word in self.words)
        return {} if same else None


class Expression(NamedTuple):
    """A text, or the digits of a number, in which an expression is found."""

    regex: re.Pattern[str]

    def fit(self, value: Json, _: Takes) -> Holes | None:
        """Return the named groups of the match as holes."""
        text = str(value) if type(value) in (int, float) else value
        found = self.regex.search(text, 0, _SEARCHED) if isinstance(text, str) else None
        return None if found is None else {name: [group] for name, group in found.groupdict().items()}


class EachItem(NamedTuple):
    """A list all of whose items fit, at least one where these have holes; without a pattern any list."""

    item: Pattern | None

    def fit(self, value: Json, takes: Takes) -> Holes | None:
        """Return the holes of all items."""
        value = opened(value)
        if not isinstance(value, list) or not value and self.item is not None and any(holes_of(self.item)):
            return None
        found: Holes = {}
        for one in value if self.item is not None else ():
            inside = self.item.fit(one, takes) if self.item is not None else None
            if inside is None:
                return None
            _add(found, inside)
        return found


class Some(NamedTuple):
    """A list one of whose items fits, or the last one."""

    item: Pattern
    last: bool = False

    def fit(self, value: Json, takes: Takes) -> Holes | None:
        """Return no holes if the value fits."""
        value = opened(value)
        if isinstance(value, list):
            for one in value[-1:] if self.last else value:
                if self.item.fit(one, takes) is not None:
                    return {}
        return None


class All(NamedTuple):
    """A list of as many items as there are patterns, each of which fits another one."""

    items: tuple[Pattern, ...]

    def fit(self, value: Json, takes: Takes) -> Holes | None:
        """Return the holes of all items."""
        value = opened(value)
        if not isinstance(value, list) or len(value) != len(self.items):
            return None
        found: Holes = {}
        for item in self.items:
            inside = next((inside for one in value if (inside := item.fit(one, takes)) is not None), None)
            if inside is None:
                return None
            _add(found, inside)
        return found


class Absent(NamedTuple):
    """A field that is not there, or that `may_be_empty`: a table has all columns in each row."""

    may_be_empty: bool

    def fit(self, value: Json, _takes: Takes) -> Holes | None:
        """Return no holes if there is no value."""
        return {} if value in (None, "", [], {}) else None


def fits_nothing(pattern: Pattern) -> bool:
    """True for the pattern of a field that may not be there, or must not."""
    return isinstance(pattern, Absent) or isinstance(pattern, Words) and None in pattern.words


class RowField(NamedTuple):
    """A field: the names that it may have, whether it may be missing, and the pattern of its value."""

    names: tuple[str, ...]
    optional: bool
    value: Pattern

    def fit(self, value: Mapping[str, Json], takes: Takes) -> tuple[str, Holes]:
        """The name under which the field is there and fits, and what stands in its holes; "" where it does not."""
        names: Sequence[str] = self.names
        if len(names) > 1:  # what holds nothing hides no other name
            names = sorted(names, key=lambda one: value.get(one) in ("", [], {}))
        for name in names:
            item = value.get(name)
            if item is None and name not in value:
                item = nested(value, name)
            inside = self.value.fit(item, takes)
            if inside is not None and (item is not None or not isinstance(self.value, RowHole)):
                return name, inside
        return "", {}

    def is_lost(self, value: Mapping[str, Json]) -> bool:
        """True where an object does not fit without the field: it must be there, or its value would be lost."""
        return not self.optional or _reads(self.value) and any(value.get(one) for one in self.names)

    def of_keys(self, keys: Sequence[str]) -> RowField | None:
        """The field with the names that an object with such keys may have it under; None where it has none."""
        if isinstance(self.value, Words) and fits_nothing(self.value):
            return self
        heads = {*keys, *(key[:at] for key in map(str, keys) for at, sign in enumerate(key) if sign == ".")}
        names = tuple(name for name in self.names if name in heads)
        return self._replace(names=names) if names else None


class Fields:
    """An object with these fields, and others unless it is `only`."""

    __slots__ = ("_of_keys", "fields", "needed", "only")

    def __init__(self, fields: tuple[RowField, ...], only: bool) -> None:
        self.fields, self.only = fields, only
        self.needed = [field for field in fields if not (field.optional or fits_nothing(field.value))]
        self._of_keys: dict[tuple[str, ...], tuple[RowField, ...] | None] = {}

    def of_keys(self, keys: tuple[str, ...]) -> tuple[RowField, ...] | None:
        """The fields that an object with these keys may have, worked out once; None where it cannot fit."""
        try:
            return self._of_keys[keys]
        except KeyError:
            if len(self._of_keys) >= MAX_KEYS:
                self._of_keys = {}
            found = self._of_keys[keys] = self._among(keys)
            return found

    def _among(self, keys: tuple[str, ...]) -> tuple[RowField, ...] | None:
        found = []
        for field in self.fields:
            own = field.of_keys(keys)
            if isinstance(field.value, Absent):
                if own is not None and not field.value.may_be_empty:
                    return None
                found += [own._replace(names=(name,)) for name in own.names] if own is not None else []
            elif own is not None:
                found.append(own)
            elif not field.optional:
                return None
        return (*found,)

    def fit(self, value: Json, takes: Takes) -> Holes | None:
        """Return the holes of the fields."""
        if type(value) is not dict:
            value = attributes(opened(value))
            if not isinstance(value, Mapping):
                return None
        fields = self.of_keys((*value,))
        if fields is None:
            return None
        found: Holes = {}
        read = set()
        for field in fields:
            name, inside = field.fit(value, takes)
            if name:
                read.add(name)
                _add(found, inside)
            elif field.is_lost(value):
                return None
        if self.only and any(value[name] is not None for name in value.keys() - read):
            return None
        return found


Pattern: TypeAlias = RowHole | Absent | Words | Expression | EachItem | Some | All | Fields


def compiled(given: Json) -> Pattern:
    """The pattern that a value in YAML spells. Raises ValueError."""
    if given in (ABSENT, EMPTY):
        return Absent(given == EMPTY)
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
    if LAST in given:
        return Some(compiled(given[LAST]), True)
    if ALL in given:
        return All(tuple(map(compiled, given[ALL])))
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
        case All(items):
            for item in items:
                yield from holes_of(item)
        case Expression(regex):
            yield from regex.groupindex
        case Fields():
            for field in pattern.fields:
                yield from holes_of(field.value)


def fields_of(pattern: Pattern, holes: Sequence[str]) -> Iterator[str]:
    """The names of the fields that are one of some holes, outside of lists."""
    for field in pattern.fields if isinstance(pattern, Fields) else ():
        yield from field.names if isinstance(field.value, RowHole) and field.value.name in holes else ()
        yield from fields_of(field.value, holes)


def unread(pattern: Pattern, value: Json, takes: Takes) -> Iterator[str]:
    """The fields of a value, at any depth, that a pattern which fits it does not read."""
    match pattern:
        case EachItem(item) if item is not None:
            yield from (name for one in opened(value) for name in unread(item, one, takes))
        case Fields():
            inside = attributes(opened(value))
            known: set[str] = set()
            for field in pattern.of_keys((*inside,)) or ():
                name = field.fit(inside, takes)[0]
                if name in inside:
                    known.add(name)
                    yield from unread(field.value, inside[name], takes)
                elif name:
                    known |= {key for key in inside if key.startswith(f"{name}.")}
            yield from (key for key, one in inside.items() if key not in known and (one or one in (0, False)))


def _reads(pattern: Pattern) -> bool:
    """True for a pattern that must read a value into a hole, settings aside."""
    match pattern:
        case RowHole(name):
            return name not in SETTINGS
        case EachItem(item):
            return item is not None and any(holes_of(item))
        case Fields():
            return any(_reads(field.value) for field in pattern.needed)
    return False


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
    """The value in one of OTLP's typed values."""
    kind, held = next(iter(value.items()), ("", None))
    inside = held.get("values") if isinstance(held, Mapping) else None
    if isinstance(inside, list):
        return attributes(inside) if kind == "kvlistValue" else [_any_value(one) for one in inside]
    return held


def nested(value: Mapping[str, Json], name: str) -> Json:
    """The value below a name in keys that are spelled with points: `a.b` and `a.0.c`; None where there is none."""
    start = f"{name}."
    inside = {key[len(start) :]: item for key, item in value.items() if isinstance(key, str) and key.startswith(start)}
    if not inside:
        return None
    heads = dict.fromkeys(key.partition(".")[0] for key in inside)
    if not all(head.isdecimal() and len(head) < 7 for head in heads):
        return inside
    return [inside[head] if head in inside else nested(inside, head) for head in sorted(heads, key=int)]
