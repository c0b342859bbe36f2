"""Rows: texts of answers, each with its truth, and what is wrong with them before anything is aligned."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect._errors import ToolectError
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, dumps, kind_of, same_json
from toolect._shown import cut

MAX_TEXT = 1 << 14
"""Characters of a text: more than an answer has that a person would paste."""
MAX_SHOWN = 80
"""Characters of a text that are shown."""
MAX_BITS = 4096
"""Bits of a whole number in a row. Beyond it: it is refused."""
DEEP = 24
"""Levels of lists and objects in a row. Beyond it: it is refused."""
_FIELDS = ("text", "content", "reasoning", "calls", "prefix")


_CONTROL = re.compile("[\x00-\x08\ud800-\udfff]")


class RowsError(ToolectError, ValueError):
    """Rows that no dialect can be induced from: the message names the row and the part."""


class Row(NamedTuple):
    """A text and the message that it says; `prefix` is the end of the prompt, where that has begun the answer."""

    number: int
    text: str
    message: Message
    prefix: str = ""

    @property
    def whole(self) -> str:
        """The answer with what the prompt has begun of it."""
        return self.prefix + self.text


def read_rows(source: str) -> list[Row]:
    """The rows of a file of JSONL. Raises RowsError."""
    rows = []
    for number, line in enumerate((line for line in source.split("\n") if line.strip()), 1):
        if len(line) > 2 * MAX_TEXT:
            raise RowsError(
                f"row {number}: expected at most {2 * MAX_TEXT} characters, got {len(line)}: shorten `text`"
            )
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            why = f"got {error}: rows for pasted answers are printed by --draft"
            raise RowsError(f"row {number}: expected one JSON object on the line, {why}") from None
        rows.append(row_of(given, number))
    return check_rows(rows)


def row_of(given: Json, number: int) -> Row:
    """The row that an object says. Raises RowsError."""

    def check(holds: object, expected: str, got: object) -> None:
        if not holds:
            raise RowsError(f"row {number}: expected {expected}, got {got}")

    text: Json = given.get("text") if isinstance(given, dict) else None
    got = f"{kind_of(given)}" if not isinstance(given, dict) else f"`text` of {kind_of(text)}" if text else "none"
    check(isinstance(text, str), "an object with `text`, the answer", got)
    odd = _odd(given)
    check(not odd, f"text and finite numbers, at most {DEEP} levels deep", odd)
    unknown = next((key for key in given if key not in _FIELDS), "")
    check(not unknown, f"the fields {', '.join(_FIELDS)}", f"`{unknown}`")
    check(
        "content" in given or "calls" in given, "what the text says, `content`, `reasoning` or `calls`", "`text` alone"
    )
    check(len(text) <= MAX_TEXT, f"at most {MAX_TEXT} characters of `text`", len(text))
    content, reasoning, prefix = (given.get(key) or "" for key in ("content", "reasoning", "prefix"))
    for key, value in (("content", content), ("reasoning", reasoning), ("prefix", prefix)):
        check(isinstance(value, str), f"`{key}` as a text", kind_of(value))
    calls = given.get("calls") or []
    check(isinstance(calls, list), "`calls` as a list", kind_of(calls))
    segments: list[Segment] = [Reasoning(reasoning)] if reasoning else []
    segments += [Content(content)] if content else []
    segments += [_call(call, f"row {number}: call {i}") for i, call in enumerate(calls, 1)]
    return Row(number, text, Message(segments), prefix)


def _odd(value: Json, depth: int = 0) -> str:
    """What a row may not hold: numbers that are not finite, signs that no text has, and what is nested too deep."""
    if isinstance(value, str):
        found = _CONTROL.search(value)
        return f"the sign {found[0]!a}" if found else ""
    if isinstance(value, float) and not math.isfinite(value):
        return f"the number {value}"
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, dict | list) and depth >= DEEP:
        return "more"
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, (_odd(one, depth + 1) for one in inner)), "")


def _call(given: Json, where: str) -> Call:
    if not isinstance(given, dict) or not isinstance(name := given.get("name"), str) or not name:
        raise RowsError(f"{where}: expected an object with `name`, a text, and `arguments`, got {dumps(given)[:80]}")
    arguments, ident = given.get("arguments", {}), given.get("id")
    if not isinstance(arguments, dict):
        raise RowsError(f"{where}: expected `arguments` as an object, got {kind_of(arguments)}")
    if ident is not None and not isinstance(ident, str):
        raise RowsError(f"{where}: expected `id` as a text, got {kind_of(ident)}")
    return Call(name, arguments, ident)


def check_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows, each text once. Raises RowsError where they contradict each other, or say no call."""
    seen: dict[str, Row] = {}
    for row in rows:
        other = seen.setdefault(row.whole, row)
        if wrong := difference(row.message, other.message):
            raise RowsError(f"row {row.number}: expected what row {other.number} says of the same text, got {wrong}")
    if not rows:
        raise RowsError("expected rows, got none: write one JSON object a line, or begin with --draft")
    if not any(row.message.calls for row in rows):
        raise RowsError(
            f"expected calls in some row, got none in {len(rows)}: without one nothing shows how calls look"
        )
    return [*seen.values()]


def difference(got: Message, wanted: Message, ids: bool = True) -> str:
    """What a message says otherwise: texts to the last blank, names, arguments, ids where both have some; or ""."""
    for part in ("reasoning", "content"):
        if getattr(got, part) != getattr(wanted, part):
            return f"{part} {_shown(getattr(got, part))}, not {_shown(getattr(wanted, part))}"
    if [call.name for call in got.calls] != [call.name for call in wanted.calls]:
        return f"calls of {[call.name for call in got.calls]}, not of {[call.name for call in wanted.calls]}"
    for one, other in zip(got.calls, wanted.calls, strict=True):
        if not one.runnable:
            return f"a call of {one.name} that is {one.status}"
        if not same_json(one.arguments, other.arguments):
            keys = dict.fromkeys([*(one.arguments or {}), *(other.arguments or {})])
            odd = next((key for key in keys if not same_json(_at(one, key), _at(other, key))), "")
            return f"`{odd}` of {one.name} as {_shown(_at(one, odd))}, not {_shown(_at(other, odd))}"
        if ids and None not in (one.id, other.id) and one.id != other.id:
            return f"the id {one.id}, not {other.id}"
    return ""


def _at(call: Call, key: str) -> Json:
    return (call.arguments or {}).get(key, "nothing")


def _shown(value: Json) -> str:
    return cut(dumps(value), MAX_SHOWN)


def parts_of(value: Message | Json) -> Iterator[Json]:
    """All values in the arguments of a message, and in a value, itself among them."""
    if isinstance(value, Message):
        inner = [one for call in value.calls for one in (call.arguments or {}).values()]
    else:
        yield value
        inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for one in inner:
        yield from parts_of(one)
