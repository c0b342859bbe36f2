"""Python's regular expressions as small typed trees; what no automaton can follow is refused with a reason."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

import msgspec

from toolect._regular.ranges import EVERY, Ranges, any_case, asked, joined, others


class NotRegularError(ValueError):
    """An expression that is not analysed; the message says why. It is `large` if that is for its size alone."""

    def __init__(self, reason: str, large: bool = False) -> None:
        super().__init__(reason)
        self.large = large


class Chars(msgspec.Struct, frozen=True):
    """One character of a set."""

    ranges: Ranges


class Chain(msgspec.Struct, frozen=True):
    """One after the other."""

    parts: tuple[Node, ...]


class Either(msgspec.Struct, frozen=True):
    """One of several, the first that fits."""

    parts: tuple[Node, ...]


class Greed(StrEnum):
    """Preference of a repetition for its length."""

    GREEDY = "greedy"
    LAZY = "lazy"
    POSSESSIVE = "possessive"


class Repetition(msgspec.Struct, frozen=True):
    """`item` at least `least` and at most `most` times; without an end when that is None."""

    item: Node
    least: int
    most: int | None
    greed: Greed = Greed.GREEDY


class Atomic(msgspec.Struct, frozen=True):
    """`item`, which gives nothing back."""

    item: Node


class Look(msgspec.Struct, frozen=True):
    """A condition on what comes next, or came before: it takes no characters."""

    item: Node
    ahead: bool
    wanted: bool


class Border(msgspec.Struct, frozen=True):
    """A condition on the place: the end of a word, of a line, of the text. It takes no characters."""

    kind: str


Node: TypeAlias = Chars | Chain | Either | Repetition | Atomic | Look | Border

MAX_LENGTH = 20_000
"""Characters of an expression that is looked at."""


@lru_cache(maxsize=1024)
def read(regex: str) -> Node:
    """The tree of `regex`. Raises `NotRegularError`."""
    if len(regex) > MAX_LENGTH:
        raise NotRegularError(f"it has more than {MAX_LENGTH} characters", large=True)
    try:
        parsed = _parser.parse(regex)
        return _chain(parsed, parsed.state.flags)
    except RecursionError:
        raise NotRegularError("it nests too deeply") from None
    except (re.error, OverflowError) as error:
        raise NotRegularError(f"Python's `re` rejects it: {error}") from None


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of `node`."""
    match node:
        case Chain(parts) | Either(parts):
            return parts
        case Repetition(item) | Atomic(item) | Look(item):
            return (item,)
        case Chars() | Border():
            return ()


def conditional(node: Node) -> str:
    """The part of `node` that an automaton leaves out, so that it may accept more; empty when it is exact."""
    match node:
        case Repetition(greed=Greed.POSSESSIVE):
            return "a possessive repetition"
        case Atomic():
            return "an atomic group"
        case Look(ahead=ahead):
            return "a look-ahead" if ahead else "a look-behind"
        case Border():
            return "an anchor"
        case _:
            return next(filter(None, map(conditional, parts_of(node))), "")


# The parser of `re` is undocumented and unannotated: everything it hands over is `Any` here and typed above.
_parser: Any = import_module("re._parser")


def _chain(items: Any, flags: int) -> Node:
    parts = [_node(str(op), value, flags) for op, value in items]
    return parts[0] if len(parts) == 1 else Chain(tuple(parts))


def _node(op: str, value: Any, flags: int) -> Node:
    match op:
        case "LITERAL":
            return _chars(((value, value),), flags)
        case "NOT_LITERAL":
            return Chars(others(_cased(((value, value),), flags)))
        case "ANY":
            return Chars(EVERY if flags & re.DOTALL else others(((10, 10),)))
        case "IN":
            return Chars(_class(value, flags))
        case "BRANCH":
            return Either(tuple(_chain(part, flags) for part in value[1]))
        case "SUBPATTERN":
            _, added, removed, inner = value
            return _chain(inner, (_scoped(flags, added)) & ~removed)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = value
            endless = most is _parser.MAXREPEAT or most == _parser.MAXREPEAT
            return Repetition(_chain(inner, flags), int(least), None if endless else int(most), _GREED[op])
        case "ATOMIC_GROUP":
            return Atomic(_chain(value, flags))
        case "ASSERT" | "ASSERT_NOT":
            direction, inner = value
            return Look(_chain(inner, flags), direction > 0, op == "ASSERT")
        case "AT":
            return Border(str(value).removeprefix("AT_").lower())
        case "FAILURE":
            return Chars(())
        case "GROUPREF" | "GROUPREF_EXISTS":
            raise NotRegularError("it refers back to a group")
        case _:
            raise NotRegularError(f"it uses {op.lower().replace('_', ' ')}")


_GREED = {"MAX_REPEAT": Greed.GREEDY, "MIN_REPEAT": Greed.LAZY, "POSSESSIVE_REPEAT": Greed.POSSESSIVE}


def _scoped(flags: int, added: int) -> int:
    """The flags inside `(?a:…)`: the kinds of text exclude each other."""
    return (flags & ~(re.ASCII | re.UNICODE) if added & (re.ASCII | re.UNICODE) else flags) | added


def _chars(ranges: Ranges, flags: int) -> Chars:
    return Chars(_cased(ranges, flags))


def _cased(ranges: Ranges, flags: int) -> Ranges:
    return any_case(ranges, flags) if flags & re.IGNORECASE else ranges


def _class(items: Any, flags: int) -> Ranges:
    found: list[tuple[int, int]] = []
    negative = False
    for op, value in items:
        match str(op):
            case "NEGATE":
                negative = True
            case "LITERAL":
                found.append((value, value))
            case "RANGE":
                found.append((value[0], value[1]))
            case "CATEGORY":
                found += asked(_CATEGORIES[str(value)], flags & re.ASCII)
            case other:
                raise NotRegularError(f"it uses {other.lower().replace('_', ' ')}")
    ranges = _cased(joined(found), flags)
    return others(ranges) if negative else ranges


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
