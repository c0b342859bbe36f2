"""Packed files and tables that come to far more than they are: read up to a bound, whatever stands in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from toolect._data.converting import Settings
from toolect._data.job import Job, JobProgress, run
from toolect.data import Source, target_of

pa = pytest.importorskip("pyarrow", reason="no pyarrow here: the extra `data` brings it")
parquet = pytest.importorskip("pyarrow.parquet")
zstandard = pytest.importorskip("zstandard", reason="no zstandard here: the extra `dev` brings it")

LIMIT, MANY = 1 << 16, 1 << 22
TURNS = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "Soon."}]
SAID = json.dumps(TURNS)


def repeated(text: str, count: int) -> Any:
    """A column whose rows all have one text."""
    zeros = pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(bytes(4 * count))])
    return pa.DictionaryArray.from_arrays(zeros, pa.array([text]))


def several(values: Any) -> Any:
    """A column of one row, which is a list."""
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


COLUMNS: dict[str, Callable[[], Any]] = {
    "dictionary": lambda: repeated("x" * 60_000, 3000),
    "cell": lambda: pa.array(["x" * MANY]),
    "zeros": lambda: several(pa.Array.from_buffers(pa.int8(), MANY, [None, pa.py_buffer(bytes(MANY))])),
    "texts": lambda: several(repeated("x" * 4000, 50_000)),
    "struct": lambda: pa.StructArray.from_arrays([pa.array(["x" * MANY])], ["inner"]),
    "nulls": lambda: pa.nulls(MANY, "string"),
    "views": lambda: several(pa.array(["x" * 400] * 50_000).cast("string_view")),
    "runs": lambda: several(pa.RunEndEncodedArray.from_arrays(pa.array([1 << 30], pa.int32()), pa.array(["x"]))),
    "maps": lambda: pa.array([[("x" * MANY, 1)]], pa.map_(pa.string(), pa.int8())),
}
"""Columns that are kept, each far larger than what tells of it."""
NONE = ("views", "parquet"), ("runs", "parquet"), ("nulls", "arrow")
"""What there is not: Parquet has no views and runs, and in Arrow each null takes its room."""
PACKED: dict[str, Callable[[], bytes]] = {
    "line.jsonl.gz": lambda: gzip.compress(b'{"extra": "' + b"x" * MANY),
    "line.jsonl.zst": lambda: zstandard.compress(b'{"extra": "' + b"x" * 100 * MANY),
    "rows.jsonl.zst": lambda: zstandard.compress(b"{}\n" * (MANY // 4)),
    "list.json": lambda: json.dumps([{"messages": TURNS}] * 2000).encode(),
    "lines.json": lambda: json.dumps([{"messages": TURNS}] * 2000, indent=1).encode(),
    "events.jsonl.gz": lambda: gzip.compress(b'{"type": "event_msg", "payload": {"type": "x"}}\n' * 10_000),
}


def converted(path: Path, out: Path) -> tuple[JobProgress, str]:
    """What was done with a file, and the rows that were left out."""
    done = run(Job((str(path),), str(out), Settings(target_of("qwen3"), Source()), max_bytes=LIMIT), 1)
    return done, "".join(one.read_text("utf-8") for one in out.glob("left-out-*.jsonl"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for kind in ("parquet", "arrow") for name in COLUMNS if (name, kind) not in NONE],
)
def test_a_column_that_unpacks_without_end_is_refused(name: str, kind: str, tmp_path: Path) -> None:
    """With a sentence that names the column and the bound, before its rows are there."""
    extra = COLUMNS[name]()
    table, path = pa.table({"messages": repeated(SAID, len(extra)), "extra": extra}), tmp_path / f"x.{kind}"
    if kind == "arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, path, compression="zstd")
    done, left = converted(path, tmp_path / "out")
    assert "column `extra" in left or "column `messages" in left
    assert "raise --max-bytes" in left
    assert done.read < 2000
    assert sum(one.stat().st_size for one in (tmp_path / "out").iterdir()) < 30 * MANY


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_that_unpacks_without_end_is_refused(name: str, tmp_path: Path) -> None:
    """Of lines, rows or one value without end no more is read than the bound."""
    path = tmp_path / name
    path.write_bytes(PACKED[name]())
    done, left = converted(path, tmp_path / "out")
    assert "raise --max-bytes" in left
    assert done.read < 100_000


def test_long_values_that_repeat_are_read(tmp_path: Path) -> None:
    """As the tools of a data set are: what stands beside them is another row each time."""
    said = [sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(300)]
    rows = [json.dumps([{"role": "user", "content": one}, TURNS[1]]) for one in said]
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"messages": rows, "extra": repeated("x" * 50_000, 300)}), path, compression="zstd")
    done, left = converted(path, tmp_path / "out")
    assert (done.written, left) == (300, "")


def test_an_arrow_file_whose_offsets_lead_elsewhere_is_refused(tmp_path: Path) -> None:
    offsets = pa.array([0, 1 << 30, 4], pa.int32()).buffers()[1]
    bad = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"xxxx")])
    path = tmp_path / "x.arrow"
    with pa.ipc.new_file(path, pa.schema({"messages": pa.string()})) as writer:
        writer.write_batch(pa.record_batch([bad], ["messages"]))
    done, left = converted(path, tmp_path / "out")
    assert (done.written, "unreadable" in left) == (0, True)
