"""The page of leniency: the table of edit costs, and what each row is worth by the ledger of `make ablation`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolect._spec.costs import COSTS, ROWS
from tools.judge.ablation import KINDS, LEDGER
from tools.pages.markdown_text import cell, code, table

_HEAD = """# Leniency

What each edge of the search costs, and what depends on it. A cost below zero is evidence. The figures are texts that
are read right, and are not so where the edge is too dear to take; the last column counts damaged texts in which a wrong
call runs only without it.
"""


def page() -> str:
    """The page, the rows in the order of the table."""
    ledger: dict[str, Any] = json.loads(LEDGER.read_text("utf-8"))
    many = ", ".join(f"{count:,} of {kind}" for kind, count in ledger["texts"].items())
    return f"{_HEAD}\nTexts that need a search: {many}; seed {ledger['seed']}.\n\n{table([*_rows(ledger['rows'])])}\n"


def _rows(worth: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    yield "row", "cost", "where", "what is so", "example", *KINDS, "wrong runs"
    for name, row in ROWS.items():
        counts = (str(worth[name][kind]) if name in worth else "" for kind in (*KINDS, "wrong runs"))
        yield code(name), str(getattr(COSTS, name)), row.where, cell(row.edge), code(row.example), *counts
