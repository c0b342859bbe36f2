"""The parts of a row: its kind, the values of its holes, and the columns that are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from toolect._chats.conversation_diff import Change
from toolect._exchange.openai_messages import plain_turns
from toolect._message import Json, MessageError
from toolect._objects import got, word
from toolect._rows.account import RowRejectedError, because
from toolect._rows.patterns import Holes, RowHole, Words, unread
from toolect._rows.row_fields import RowFit, RowKind, RowKinds, row_kinds
from toolect._rows.row_holes import ROW, take_of_row
from toolect._rows.row_source import Source
from toolect._turns import Turn

MAX_WRAPPED = 4
"""Depth at which a row may stand in others, as a span in a trace. Beyond it: it is not read."""
TEXT, MESSAGES, EVENTS = "text", "messages", "events"
"""The columns of rows that are a text, a list of turns, or the lines of a file."""


class RowParts(msgspec.Struct, frozen=True):
    """Parts of a row of a kind, by holes; `names` are the columns of holes, `name` is the outermost kind's."""

    name: str
    kind: RowKind
    holes: Holes
    columns: frozenset[str]
    names: Mapping[str, str]
    plain: Mapping[str, Sequence[Turn]]
    """The turns of columns that are lists of plain messages."""
    left: tuple[str, ...] = ()
    """Fields with a system text or tools, which nothing reads and no column keeps."""

    def one(self, hole: str) -> Json:
        """The first value of a hole; None if it has none."""
        values = self.holes.get(hole)
        return values[0] if values else None


def as_row(row: Json, source: Source) -> Mapping[str, Json]:
    """A row as columns, also one that is a text or a list of turns or of events. Raises RowRejectedError."""
    if isinstance(row, str):
        return {TEXT: row}
    if isinstance(row, list):
        if (odd := next((one for one in row if not isinstance(one, Mapping | list | str)), row)) is not row:
            raise RowRejectedError(
                Change("no object", detail=f"expected an object as a row, got a list with {got(odd)}")
            )
        of_lines = row_kinds(source.files).of_lines(row[:MAX_WRAPPED])
        return {EVENTS if of_lines else MESSAGES: row}
    if not isinstance(row, Mapping):
        raise RowRejectedError(Change("no object", detail=f"expected an object as a row, got {got(row)}"))
    if source.field and row.get(source.field) is not None:
        value, name = row[source.field], source.field
        column = MESSAGES if isinstance(ROW["turns"].takes(value), list) else TEXT
        return {**{key: one for key, one in row.items() if key not in (name, TEXT, MESSAGES)}, column: value}
    return row


def parts_of(row: Mapping[str, Json], source: Source) -> list[RowParts]:
    """The parts of a row; of several that stand in one, each. Raises RowRejectedError for a row that no kind knows."""
    kinds = row_kinds(source.files)
    found = [*_parts(row, source.kind, kinds, 0)]
    if not found:
        wanted = [kind for kind in kinds.kinds if source.kind in ("", kind.name)]
        raise RowRejectedError(_unknown(row, wanted))
    return found


def kind_of(row: Json, source: Source | None = None) -> str | None:
    """The name of the kind of a row, None for a value that is no row."""
    try:
        return parts_of(as_row(row, source or Source()), source or Source())[0].name
    except RowRejectedError:
        return None


def _parts(row: Json, wanted: str, kinds: RowKinds, depth: int) -> Iterator[RowParts]:
    """The parts of a row that is of the kind `wanted`, or of any."""
    if isinstance(row, list):
        row = {MESSAGES: row}
    plain = {name: turns for name, value in row.items() if type(value) is list and (turns := _plain(value)) is not None}
    for kind in kinds.of_columns((*row,), frozenset(plain)):
        if wanted not in ("", kind.name) or kind.fields.inside and not depth or (found := kind.fit(row)) is None:
            continue
        holes, columns, names = found.holes, found.columns, found.names
        left = _left(row, found, kinds.telling, depth)
        for tree in holes.pop("tree", ()):
            names["turns"] = names["tree"]
            for path in _paths(tree, kind.fields.branches):
                yield RowParts(kind.name, kind, {**holes, "turns": [path]}, columns, names, plain, left)
            return
        if not holes.get("row"):
            yield RowParts(kind.name, kind, holes, columns, names, plain, left)
            return
        if depth == MAX_WRAPPED:
            return
        others = {name: values for name, values in holes.items() if name != "row"}
        inner = [part for one in _each(holes["row"]) for part in _parts(one, "", kinds, depth + 1)]
        for part in inner:
            renamed = {**part.names, **names}
            yield RowParts(kind.name, part.kind, others | part.holes, columns, renamed, part.plain, left + part.left)
        if inner:
            return


def _left(row: Mapping[str, Json], found: RowFit, telling: frozenset[str], depth: int) -> tuple[str, ...]:
    """Fields of the names `telling` that are not read: of a row in another one, or of objects in a row's columns."""
    nested = (field.names for field in found.pattern.fields if not isinstance(field.value, RowHole))
    if not depth and not any(name in row for names in nested for name in names):
        return ()
    left = telling.intersection(unread(found.pattern, row, take_of_row))
    return tuple(sorted(left if depth else left - row.keys()))


def _plain(messages: list[Json]) -> Sequence[Turn] | None:
    """The turns of plain messages; None where there is anything else about one, or a text may be a list of parts."""
    turns = plain_turns(messages) if messages and type(messages[0]) is dict and "role" in messages[0] else None
    for message in messages if turns is not None else ():
        if (text := message.get("content")) and text[0] == "[":
            return None
    return turns


def _paths(root: Json, branches: str) -> Iterator[list[Json]]:
    """The turns on each path through a tree; values that are no turns are among them, to be refused later."""
    open_ones: list[tuple[tuple[Json, ...], Json]] = [((), root)]
    while open_ones:
        before, turn = open_ones.pop()
        inside = None
        if isinstance(turn, Mapping):
            inside, turn = turn.get(branches), {name: value for name, value in turn.items() if name != branches}
        if isinstance(inside, list) and inside:
            open_ones += [((*before, turn), one) for one in reversed(inside)]
        else:
            yield [*before, turn]


def _each(rows: list[Json]) -> Iterator[Json]:
    """The rows that stand in holes; lists of rows, but not of turns, are several."""
    for row in rows:
        if isinstance(row, list) and not any(
            isinstance(one, Mapping) and ("role" in one or "from" in one) for one in row
        ):
            yield from row
        else:
            yield row


def _unknown(row: Mapping[str, Json], wanted: Sequence[RowKind]) -> Change:
    """Reason that no kind knows a row: the fault in one that has its columns, or the columns that there are."""
    for kind in wanted:
        for pattern in kind.rows:
            needed = pattern.needed
            if not needed or not all(any(name in row for name in field.names) for field in needed):
                continue
            for field in (*needed, *(field for field in pattern.fields if field.optional)):
                name = next((name for name in field.names if name in row and (row[name] or not field.optional)), None)
                values = [one.value for pattern in kind.rows for one in pattern.fields if name in one.names]
                known = [said for value in values if isinstance(value, Words) for said in value.words]
                if known and name and isinstance(row[name], str) and row[name] not in known:
                    return because(MessageError(" or ".join(map(word, known)), word(row[name]), name))
                if name and isinstance(field.value, RowHole) and not field.fit(row, take_of_row)[0]:
                    words = ROW[field.value.name].words
                    return because(MessageError(words, "nothing" if row[name] in (None, "") else got(row[name]), name))
    there = ", ".join(f"`{key}`" for key in [*row][:8]) or "no columns"
    if len(wanted) == 1:
        names = " and ".join("|".join(field.names) for field in wanted[0].rows[0].needed)
        return Change("no conversation", detail=f"expected a row of `{wanted[0].name}`, with {names}, got {there}")
    return Change("no conversation", detail=f"expected a kind of row that is known, got {there}")
