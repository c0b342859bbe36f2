"""Ablation: what each row of the cost table is worth, in texts that are read worse when it is switched off.

An edge is off when it is too dear to take, a penalty when it is nothing. A row is defended by two texts of others or of
bug reports, or by 0.3 % of fresh texts, damaged or quoted. The ledger is `docs/leniency.json`, of which the page of
leniency is made.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tools.markdown_text import table

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ROOT / "docs" / "leniency.json"
TOO_DEAR = 60
"""Cost of an edge that is switched off."""
CASES, SHARE = 2, 0.003
"""Cases that defend a row, and the share of fresh texts."""
FRESH = {"lossless": 1.0, "lossy": 0.5, "quoted in prose": 0.5, "quoted in a value": 0.5, "prose and code": 0.4}
"""Kinds of texts that a seed draws, and how many of them for one with lossless damage."""
KINDS = ("others' cases", "reported cases", "corpus", *FRESH)
RIGHT = ("right", "moot", "held")
WRONG = ("wrong", "wrong, unlabelled", "unlabelled", "runs")
COLUMNS = ("others' cases", "reported cases", "corpus", "lossless", "wrong")
"""Texts that are right only with a row, and fresh ones that run something else, or are unlabelled, only without it."""


def judged(row: str, seed: int, size: int) -> dict[str, str]:
    """The verdicts of all texts that need a search, by id, where a `row` is switched off; none for an empty one."""
    import msgspec

    from toolect import registry
    from toolect._canonical.fast_path import read_canonical
    from toolect._compiled import Dialect
    from toolect._spec.costs import PENALTIES
    from toolect._values.toolset import tool_schemas
    from tools.judge import judge
    from tools.judge.verdicts import verdict

    def dialect_of(name: str) -> Any:
        spec, off = registry.dialect(name).spec, 0 if row in PENALTIES else TOO_DEAR
        return Dialect(msgspec.structs.replace(spec, costs=msgspec.structs.replace(spec.costs, **{row: off})))

    dialects = cache(dialect_of if row else registry.dialect)
    found, names = {}, registry.dialects()
    for kind in KINDS:
        most = int(size * FRESH[kind]) if kind in FRESH else judge.EVERY
        for text in judge.KINDS[kind].draw(most, Random(f"{kind} {seed}"), names):
            if text.dialect not in names or text.kind == "corpus :invented":
                continue
            dialect: Any = dialects(text.dialect)
            if read_canonical(dialect._graph(), text.text, tool_schemas(text.options.get("tools"))) is None:
                found[text.id] = verdict(text, dialect).word
    return found


def counted(without: dict[str, str], base: dict[str, str]) -> dict[str, int]:
    """Numbers of texts of each kind that are right only with a row, and of those that are wrong only without it."""
    lost = Counter(kind_of(id_) for id_, word in base.items() if word in RIGHT and without.get(id_, word) not in RIGHT)
    fresh = (id_ for id_ in without if kind_of(id_) in FRESH)
    wrong = sum(without[id_] in WRONG and base.get(id_, "wrong") not in WRONG for id_ in fresh)
    return {**{kind: lost[kind] for kind in COLUMNS}, "wrong": wrong}


def kind_of(id_: str) -> str:
    """The kind of the text with an id."""
    return next(kind for kind in KINDS if id_.startswith(kind))


def defended(counts: dict[str, int], fresh: int) -> bool:
    """True when enough depends on a row; `fresh` is the number of texts with lossless damage."""
    cases = sum(counts[kind] for kind in COLUMNS[:3])
    return cases >= CASES or counts["lossless"] + counts["wrong"] >= SHARE * fresh


def _asked(row: str, options: argparse.Namespace) -> dict[str, str]:
    """Verdicts for a row, by a process of its own."""
    command = [sys.executable, "-m", "tools.judge.ablation", "--row", row or "-", "--seed", str(options.seed)]
    command += ["--size", str(options.size)]
    env = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    words: dict[str, str] = json.loads(done.stdout)
    return words


def main(argv: Sequence[str] | None = None) -> int:
    """Switch off each row, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--row", help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append", metavar="ROW", help="only this row; the ledger is not written")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--size", type=int, default=2_000, metavar="N", help="texts with fresh damage")
    options = parser.parse_args(argv)
    if options.row is not None:
        print(json.dumps(judged(options.row.strip("-"), options.seed, options.size)))
        return 0
    from toolect._spec.costs import ROWS

    names = options.only or [*ROWS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        base, *others = pool.map(lambda row: _asked(row, options), ("", *names))
    fresh = sum(kind_of(id_) == "lossless" for id_ in base)
    found: dict[str, Any] = {row: counted(words, base) for row, words in zip(names, others, strict=True)}
    ledger = {
        "seed": options.seed,
        "texts": dict(Counter(map(kind_of, base))),
        "rows": {row: {**counts, "defended": defended(counts, fresh)} for row, counts in found.items()},
    }
    if not options.only:
        LEDGER.write_text(json.dumps(ledger, indent=1) + "\n", "utf-8")
    kept = ledger["rows"].items()
    rows = [(name, *(str(of[kind]) for kind in COLUMNS), "yes" if of["defended"] else "no") for name, of in kept]
    print(table([("row", *COLUMNS, "defended"), *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
