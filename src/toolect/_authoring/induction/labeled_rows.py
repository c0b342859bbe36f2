"""Rows: texts of answers, each with its truth, and what is wrong with them before anything is aligned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import msgspec

from toolect._errors import ToolectError
from toolect._message import Call, Content, Json, Message, Reasoning, dumps, same_json
from toolect._shown import cut
from toolect._values.trees import is_deeper, texts_in

MAX_TEXT = 1 << 14
"""Characters of a text: more than an answer has that a person would paste."""
MAX_SHOWN = 80
"""Characters of a text that are shown."""
DEEP = 24
"""Levels of lists and objects in arguments. Beyond it: the row is refused."""
_CONTROL = re.compile("[\x00-\x08]")


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


class _GivenCall(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    arguments: dict[str, Json] = {}
    id: str | None = None


class _GivenRow(msgspec.Struct, forbid_unknown_fields=True):
    """A row as a file has it."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
    content: str | None = None
    reasoning: str | None = None
    calls: list[_GivenCall] | None = None
    prefix: str | None = None


def read_rows(source: str) -> list[Row]:
    """The rows of a file of JSONL. Raises RowsError."""
    lines = (line for line in source.split("\n") if line.strip())
    return check_rows([_row(line, number) for number, line in enumerate(lines, 1)])


def _row(line: str, number: int) -> Row:
    """The row that a line says. Raises RowsError."""
    if len(line) > 2 * MAX_TEXT:
        raise RowsError(f"row {number}: expected at most {2 * MAX_TEXT} characters, got {len(line)}: shorten `text`")
    try:
        given = msgspec.json.decode(line, type=_GivenRow)
    except msgspec.ValidationError as error:
        raise RowsError(f"row {number}: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        why = f"got {error}: rows for pasted answers are printed by --draft"
        raise RowsError(f"row {number}: expected one JSON object on the line, {why}") from None
    if (given.content, given.calls) == (None, None):
        raise RowsError(
            f"row {number}: expected what the text says, `content`, `reasoning` or `calls`, got `text` alone"
        )
    for text in texts_in(msgspec.to_builtins(given)):
        if odd := _CONTROL.search(text):
            raise RowsError(f"row {number}: expected text, got the sign {odd[0]!a}")
    calls = [Call(one.name, one.arguments, one.id) for one in given.calls or ()]
    if any(is_deeper(call.arguments, DEEP) for call in calls):
        raise RowsError(f"row {number}: expected arguments at most {DEEP} levels deep, got more")
    said = Reasoning(given.reasoning or ""), Content(given.content or "")
    return Row(number, given.text, Message([*(one for one in said if one.text), *calls]), given.prefix or "")


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
    """First difference of two messages: texts to the last blank, names, arguments, ids where both have some; or ""."""
    for what, one, other in _compared(got, wanted, ids):
        if not same_json(one, other):
            return f"{what} {cut(dumps(one), MAX_SHOWN)}, not {cut(dumps(other), MAX_SHOWN)}"
    return ""


def _compared(got: Message, wanted: Message, ids: bool) -> Iterator[tuple[str, Json, Json]]:
    """The parts of two messages side by side."""
    yield "reasoning", got.reasoning, wanted.reasoning
    yield "content", got.content, wanted.content
    yield "calls of", [call.name for call in got.calls], [call.name for call in wanted.calls]
    for one, other in zip(got.calls, wanted.calls, strict=True):
        yield f"a call of {one.name} that is", str(one.status) if not one.runnable else "ok", "ok"
        given, said = one.arguments or {}, other.arguments or {}
        for key in {**given, **said}:
            yield f"`{key}` of {one.name} as", given.get(key, "nothing"), said.get(key, "nothing")
        if ids and None not in (one.id, other.id):
            yield "the id", one.id, other.id


def parts_of(value: Message | Json) -> Iterator[Json]:
    """All values in the arguments of a message, and in one another."""
    if isinstance(value, Message):
        value = [one for call in value.calls for one in (call.arguments or {}).values()]
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield inner
        yield from parts_of(inner)
