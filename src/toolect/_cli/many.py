"""Many messages: one object out for each line or row in, whatever that holds, in order and on all cores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from toolect import registry
from toolect._cli.input_files import InputError, check, opened, shown
from toolect._cli.terminal import Misuse, Pen, Styled, emit, encoded, note, output, progress
from toolect._corpora.records import Bad, tools_of
from toolect._corpora.sources import Unit, UnitKind, size, units
from toolect._corpora.value_kinds import Cursor, values
from toolect._message import Json
from toolect._processes import cores, in_order
from toolect._shown import counted, cut

Work: TypeAlias = Callable[[Json], tuple[dict[str, Json], bool]]
"""From the value of a line or row to the object to write, and whether that is clean; it can be pickled."""
TextWork: TypeAlias = Callable[..., tuple[dict[str, Json], bool]]
"""The same from a text, and how it is read."""
DrawRow: TypeAlias = Callable[[int, dict[str, Json]], Iterable[Styled]]
"""From the number of a message and its object to the pieces that are drawn."""

ALONE = 8 << 20
"""Bytes of input that are not worth a second process."""
UNIT = 1 << 20
"""Bytes of input that one process takes at a time."""
AT_ONCE = 1 << 16
"""Characters that are written at a time."""
TEXTS = ("text", "completion", "output", "response", "content")
"""The columns that may hold the text, in the order in which they are looked for."""


class LineAnswer(NamedTuple):
    """An object that is written with the number of its line; `number` is that in its unit."""

    number: int
    out: dict[str, Json]


class UnitPart(NamedTuple):
    """Answers to some lines, to be written; counts of the unit's lines `seen` so far, of messages, and of bad ones."""

    answers: list[str | LineAnswer]
    seen: int
    total: int
    bad: int


def each(path: str, limit: int, work: Work, jobs: int | None = None, draw: DrawRow | None = None) -> int:
    """Runs `work` over all that `path` holds; what cannot be used gets `{"line": number, "error": why}` beside it.

    The objects are written as JSON lines, or drawn. The exit status is 1 if anything is not clean.
    """
    check(path)
    if path != "-" and not path.endswith(".parquet"):
        with opened(path):
            pass  # a packed file that cannot be unpacked is said as everywhere
    whole = 0 if path == "-" else size(path)
    jobs = jobs or (1 if path == "-" or whole <= ALONE else cores())
    total = bad = lines = done = 0
    write = _write if draw is None else partial(_draw, Pen(), count(1), draw)
    with progress(not output().isatty()) as advance:
        advance(0, whole)
        for unit, parts in (_alone if jobs == 1 else _together)(path, limit, work, jobs):
            before = lines
            for part in parts:
                write(_lines(part.answers, before))
                lines, total, bad = before + part.seen, total + part.total, bad + part.bad
            done += unit.size
            advance(done, max(whole, done))
    if bad:
        have = "has" if bad == 1 else "have"
        note(f"{bad} of {counted(total, 'message')} {have} problems: see `error`, `status` and `losses` in the output")
    return int(bad > 0)


def _lines(answers: Sequence[str | LineAnswer], before: int) -> Iterator[str]:
    """The lines to write; `before` lines came before those of the unit."""
    for one in answers:
        yield one if isinstance(one, str) else encoded({"line": before + one.number, **one.out}) + "\n"


def _write(lines: Iterable[str]) -> None:
    emit("".join(lines))


def _draw(pen: Pen, numbers: Iterator[int], draw: DrawRow, lines: Iterable[str]) -> None:
    for line in lines:
        pen.write(draw(next(numbers), json.loads(line)))


def _alone(path: str, limit: int, work: Work, _jobs: int) -> Iterator[tuple[Unit, Iterable[UnitPart]]]:
    """The units with what is made of them; of standard input each line is one, so that none waits for the next."""
    for unit in units(path, limit, 1 if path == "-" else UNIT, lines=True):
        yield unit, _parts(unit, limit, work)


def _together(path: str, limit: int, work: Work, jobs: int) -> Iterator[tuple[Unit, Iterable[UnitPart]]]:
    """The same, by several processes."""
    return in_order(
        units(path, limit, UNIT, lines=True), jobs, partial(_made, limit, work), registry.restore, registry.state()
    )


def _parts(unit: Unit, limit: int, work: Work) -> Iterator[UnitPart]:
    """The answers to a unit, a few lines at a time."""
    answers: list[str | LineAnswer] = []
    size = total = bad = 0
    cursor = Cursor()
    for value in values(unit, cursor, "", "", limit, whole=True):
        if unit.kind is UnitKind.BAD and isinstance(value, Bad):
            raise Misuse(f"expected to read {shown(unit.path)}, got `{value.why}`: check the file")
        total += 1
        try:
            if isinstance(value, Bad):
                raise InputError(value.why)
            out, clean = work(value)
            answers.append(encoded(out) + "\n")
            size += len(answers[-1])
        except ValueError as error:
            clean = False
            answers.append(LineAnswer(cursor.number, {**beside(value, "line", "error"), "error": str(error)}))
        bad += not clean
        if size > AT_ONCE:
            yield UnitPart(answers, cursor.number, total, bad)
            answers, size, total, bad = [], 0, 0, 0
    yield UnitPart(answers, cursor.number, total, bad)


def text_of(record: Json, field: str = "") -> tuple[str, str]:
    """The text of a model in a line or row, and the column that holds it, "" where the line is the text."""
    if isinstance(record, str) and not field:
        return record, ""
    if not isinstance(record, dict):
        what = "null" if record is None else f"`{type(record).__name__}`"
        raise InputError(f'expected a string or an object with "{field or TEXTS[0]}", got {what}')
    names = [field] if field else TEXTS
    for name in names:
        if isinstance(text := record.get(name), str):
            return text, name
    there = ", ".join(f'"{cut(key, 24)}"' for key in [*record][:6]) or "nothing in it"
    wanted = ", ".join(f'"{name}"' for name in names)
    raise InputError(f"expected a text in {wanted}, got an object with {there}: name its column with --field")


def on_text(work: TextWork, reading: Mapping[str, Any], field: str, record: Json) -> tuple[dict[str, Json], bool]:
    """Apply `work` to the text of a line or row, read with its own options; its other columns are kept beside."""
    text, column = text_of(record, field)
    out, clean = work(text, **own({**reading}, record))
    return {**beside(record, column), **out}, clean


def beside(record: Json, *taken: str) -> dict[str, Json]:
    """The columns of a line or row but those that were `taken`: what is written goes beside them."""
    return {key: value for key, value in record.items() if key not in taken} if isinstance(record, dict) else {}


def own(options: dict[str, Any], record: Json) -> dict[str, Any]:
    """The options of reading, with the tools and the prefix that a line or row brings along."""
    if not isinstance(record, dict):
        return options
    found = dict(options)
    if record.get("tools") is not None:
        found["tools"] = tools_of(record["tools"])
    prefix = record.get("prefix")
    if isinstance(prefix, str):
        found["prefix"] = prefix
    elif prefix is not None:
        raise InputError(f"expected a text, got `{type(prefix).__name__}` - at `prefix`: what the prompt ends with")
    return found


def _made(limit: int, work: Work, unit: Unit) -> list[UnitPart]:
    return [*_parts(unit, limit, work)]
