"""Files of a new dialect: its entry, its grammar, and the rows as its corpus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolect._authoring.corpus import Case, describe, write
from toolect._authoring.induction import Induced, Row, difference
from toolect._authoring.lint.update import true
from toolect._compiled import Dialect
from toolect._message import Json, dumps


def files_of(made: Induced, name: str, folder: Path, rows: Sequence[Row], tools: Sequence[Json]) -> dict[Path, str]:
    """The files of a dialect by their paths below a folder; a case says what its row says, whatever is read."""
    assert made.spec is not None and made.dialect is not None
    files = {folder / path: text for path, text in made.spec.files(name).items()}
    corpus = folder / "corpus" / f"{name}.txt"
    cases = [_case(row, made.dialect, corpus, tools, name) for row in rows]
    files[corpus] = write(cases)
    if any(case.has("tools") for case in cases):
        files[corpus.parent / "tools" / f"{name}.json"] = json.dumps(tools, ensure_ascii=False, indent=2) + "\n"
    return files


def _case(row: Row, dialect: Dialect, path: Path, tools: Sequence[Json], name: str) -> Case:
    read = dialect.parse(row.text, tools, prefix=row.prefix)
    typed = describe(dialect.parse(row.text, prefix=row.prefix)) != describe(read)
    wrong = difference(read, row.message)
    given = [("prefix", dumps(row.prefix))] if row.prefix else []
    inline = (*given, *[("tools", dumps(tools))] * typed)
    case = Case(path, 1, f"Row {row.number}", inline, row.text, describe(row.message if wrong else read))
    manner = "" if wrong else true(case, read, dialect)
    return replace(case, attributes=(*given, *[("tools", name)] * typed, *[(manner, "")] * bool(manner)))
