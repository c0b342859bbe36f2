"""Rows whose other half stands in another file: answers of a batch, and the requests that they are to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from toolect._message import Json, MessageError
from toolect._rows.row_fields import row_kinds
from toolect._rows.row_source import Source


def joined(row: Mapping[str, Json], source: Source) -> Mapping[str, Json]:
    """A row with the columns of its other half; the same object where it needs none. Raises MessageError."""
    if not source.join:
        return row
    kind = next((kind for kind in row_kinds(source.files).kinds if kind.fields.join and kind.fit(row)), None)
    if kind is None:
        return row
    key = row.get(kind.fields.join)
    at = _places(source.join, kind.fields.join).get(str(key))
    if at is None:
        raise MessageError("a request in the file of --join", f"none of `{key}`", kind.fields.join)
    with open(source.join, "rb") as file:
        file.seek(at)
        return {**json.loads(file.readline()), **{name: value for name, value in row.items() if value is not None}}


@lru_cache(2)
def _places(path: str, column: str) -> dict[str, int]:
    """Where the line with each key begins, in bytes; what is no row is passed over. Raises OSError."""
    found: dict[str, int] = {}
    at = 0
    with Path(path).open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict) and row.get(column) is not None:
                found.setdefault(str(row[column]), at)
            at += len(line)
    return found
