"""New rows as tables: a type for each column, and JSON text for columns without one type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolect import _extras as extras
from toolect._corpora.any_json import decoded
from toolect._corpora.table_cells import is_time, times_of
from toolect._data.converting import ACCOUNT
from toolect._data.row_targets import COLUMNS, Form, Target
from toolect._message import Json, dumps

_NAMES: dict[frozenset[type], str] = {
    frozenset((str,)): "string", frozenset((bool,)): "bool", frozenset((int,)): "int64",
    frozenset((float,)): "double", frozenset((int, float)): "double",
}  # fmt: skip
_LARGEST = 1 << 63
TIME = "time"
"""The kind of a column of times, dates or durations, which are numbers on the way."""
LISTED = "listed"
"""The kind of a column of both sides of a pair, whose messages are JSON each."""


class TableColumns:
    """The columns of a table, found out from its first rows.

    A value that does not fit its column, or has none, is kept as JSON text in `account.columns`.
    """

    def __init__(
        self, first: Sequence[Mapping[str, Json]], target: Target, source: Mapping[str, Any] | None = None
    ) -> None:
        """Begin with the first rows, and the types of the table that they are from: times keep theirs."""
        self._arrow = arrow()
        self._times = {name: kind for name, kind in (source or {}).items() if is_time(kind)}
        self._own = _own_types(self._arrow)
        names = dict.fromkeys([*COLUMNS[target.form], *(name for row in first for name in row)])
        names.pop(ACCOUNT, None)
        if any("chosen" in row for row in first) and not any("completion" in row for row in first):
            names.pop("completion", None)  # a trainer takes a pair for a text if it is there, and empty
        self._kinds: dict[str, str] = {}
        for name in names:
            if name in COLUMNS[target.form]:
                self._kinds[name] = "own"
                continue
            if name in self._times:
                self._kinds[name] = TIME
                continue
            values = [row[name] for row in first if row.get(name) is not None]
            is_own = name in self._own and target.form is Form.TRL and all(_fits(one, LISTED) for one in values)
            self._kinds[name] = LISTED if is_own else _NAMES.get(frozenset(map(type, values)), "json")
        fields = [(name, self._type(name)) for name in self._kinds]
        self.schema = self._arrow.schema([*fields, (ACCOUNT, self._own[ACCOUNT])])

    def _type(self, name: str) -> Any:
        kind = self._kinds[name]
        if kind in ("own", LISTED):
            return self._own[name]
        if kind == TIME:
            return self._times[name]
        return self._arrow.string() if kind == "json" else self._arrow.type_for_alias(kind)

    def table(self, lines: Iterable[bytes]) -> Any:
        """The table of rows that are JSON lines."""
        rows = [self._row(decoded(line)) for line in lines]
        arrays = [self._array(name, kind, [row.get(name) for row in rows]) for name, kind in _fields(self.schema)]
        return self._arrow.Table.from_arrays(arrays, schema=self.schema)

    def _array(self, name: str, kind: Any, values: list[Json]) -> Any:
        if kind == self._own["prompt"]:  # Arrow makes no lists of JSON but of lists of texts
            return self._arrow.array(values, self._arrow.list_(self._arrow.string())).cast(kind)
        return times_of(values, kind) if self._kinds.get(name) == TIME else self._arrow.array(values, kind)

    def _row(self, row: dict[str, Json]) -> dict[str, Json]:
        account: dict[str, Json] = row.pop(ACCOUNT)
        found: dict[str, Json] = {}
        other: dict[str, Json] = {}
        for name, value in row.items():
            kind = self._kinds.get(name)
            if value is None and kind is not None:
                continue
            if kind is None or kind not in ("own", "json") and not _fits(value, kind):
                other[name] = value
            else:
                found[name] = dumps(value) if kind == "json" else value
        found[ACCOUNT] = account | {"columns": dumps(other) if other else None}
        return found


def _fields(schema: Any) -> list[tuple[str, Any]]:
    return [(field.name, field.type) for field in schema]


def _fits(value: Json, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "listed":
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case "int64" | "time":
            return isinstance(value, int) and not isinstance(value, bool) and -_LARGEST <= value < _LARGEST
        case _:
            return isinstance(value, float) or type(value) is int and abs(value) < 2**53


def arrow() -> Any:
    """The package pyarrow. Raises MissingExtraError."""
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError:
        raise extras.MissingExtraError("pyarrow", "data") from None
    return pyarrow


def _own_types(pa: Any) -> dict[str, Any]:
    """The types of the columns that targets have."""
    text = pa.string()
    ids, weights = pa.list_(pa.int64()), pa.list_(pa.float32())
    return {
        "messages": text, "tools": text, "system": text, "input": text, "text": text,
        **dict.fromkeys(("prompt", "completion", "chosen", "rejected"), pa.list_(pa.json_())),
        "conversations": pa.list_(pa.struct([("from", text), ("value", text)])),
        "segments": pa.list_(pa.struct([("label", pa.bool_()), ("text", text)])),
        "input_ids": ids, "attention_mask": ids, "labels": ids, "weights": weights,
        "model_input": pa.struct([("tokens", ids)]),
        "loss_fn_inputs": pa.struct([("target_tokens", ids), ("weights", weights)]),
        ACCOUNT: pa.struct([
            ("status", text), ("changes", pa.list_(text)), ("notes", pa.list_(text)), ("columns", text),
        ]),
    }  # fmt: skip
