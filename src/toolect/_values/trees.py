"""Whole JSON values, whatever is in them: how deep they go, whether JSON can write them, their keys in order."""

from __future__ import annotations

from collections.abc import Iterable

from toolect._message import Json


def is_deeper(value: Json, bound: int) -> bool:
    """True when more than `bound` lists and objects of `value` are inside one another."""
    level = [value]
    for _ in range(bound):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer if type(outer) is list else ())
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def is_finite(value: Json) -> bool:
    """True when every number in `value` can be written as JSON."""
    if isinstance(value, dict):
        return all(map(is_finite, value.values()))
    if isinstance(value, list):
        return all(map(is_finite, value))
    return not isinstance(value, float) or value - value == 0


def with_sorted_keys(value: Json) -> Json:
    """`value` with the keys of all its objects in order."""
    if isinstance(value, dict):
        return {key: with_sorted_keys(value[key]) for key in sorted(value)}
    return [with_sorted_keys(item) for item in value] if isinstance(value, list) else value


def texts_in(value: Json) -> Iterable[str]:
    """All texts in a value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_in(item)
