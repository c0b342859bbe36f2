"""The page of leniency: what each cost of reading is for, and what depends on it, from the table and its ledger."""

from __future__ import annotations

import json

from toolect._spec.costs import COSTS, GAP, PENALTIES, ROWS
from tools.judge.ablation import CASES, COLUMNS, LEDGER, SHARE
from tools.markdown_text import cell, code, table

_HEAD = """# Leniency

What a model writes and its dialect does not have is read by the edges that cost least: see
[how it works](how-it-works.md). These are the edges and their costs, and the *penalties*, which make an edge dearer
where something speaks against it. An entry may [set its own](guide/dialects.md#costs). A reading that is dearer than
the best one by more than {gap} is dropped.

The last columns say what depends on a row: texts that are read right with it, and not where it is switched off, of
other projects' tests, of bug reports, of the corpus (cases that have a source), and freshly damaged; and fresh texts
that would run something else, or say nothing of what they lost. A row stays if {cases} texts of others depend on it,
or {share:.1%} of the fresh ones; what is kept with less is marked. `make ablation` measures it; these figures are of
seed {seed}, over {texts}.

"""


def page() -> str:
    """The page."""
    ledger = json.loads(LEDGER.read_text("utf-8"))
    texts = ", ".join(f"{count:,} {kind}" for kind, count in ledger["texts"].items())
    rows: list[tuple[str, ...]] = [("row", "cost", "where", "edge or penalty", "for instance", *COLUMNS)]
    for name, row in ROWS.items():
        counts, cost = ledger["rows"][name], getattr(COSTS, name)
        what = cell(f"*penalty*: {row.edge}" if name in PENALTIES else row.edge)
        mark = "" if counts["defended"] else " (kept)"
        numbers = (str(counts[column]) for column in COLUMNS)
        rows.append((code(name) + mark, str(cost), row.where, what, code(row.example), *numbers))
    head = _HEAD.format(gap=GAP, cases=CASES, share=SHARE, seed=ledger["seed"], texts=texts)
    return head + table(rows) + "\n"
