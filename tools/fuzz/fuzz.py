"""Holds every law of reading against texts of all dialects, damaged in many ways, until so many have been read.

    python -m tools.fuzz.fuzz [--runs N] [--seed N] [--jobs N] [--dialect NAME]... [--write]

A run is one text with the options it is read with and the sizes of its chunks; `auto` gets more of them than a dialect,
and so does `drawn`, which stands for dialects whose grammars are made up. The same runs and seed give the same. A
finding is shrunk and printed as data: the law, the dialect, the text, options and sizes, and what was read. --write
keeps the figures of this run in .reports/fuzz.json, and writes the page beside it.

A long run is better done by the compiled packages, which are the same source and read faster:

    make compiled && python -m venv build/fast && build/fast/bin/pip install dist/compiled/*.whl
    build/fast/bin/python -m tools.fuzz.fuzz --runs 1000000 --seed 7

Exit code 0: nothing was found. 1: something was.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from inspect import getsource
from pathlib import Path
from typing import NamedTuple

import msgspec

from toolect._authoring.processes import cores, pool
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from tools.fuzz.draw import runs
from tools.fuzz.drawn_specs import DRAWN, drawn_files
from tools.fuzz.fuzz_laws import Finding, Law, Run, broken
from tools.fuzz.shrink import shrunk
from tools.fuzz.subjects import names, subject
from tools.pages.markdown_text import table
from tools.reports import REPORTS, keep

ROOT = Path(__file__).resolve().parents[2]
FILE = REPORTS / "fuzz.json"

BLOCK = 500
"""Runs that a process does at a time, of one dialect."""
MANY = {"auto": 8, DRAWN: 8}
"""How much more often these are read than a dialect: each is many."""
EACH = 50
"""Texts of one drawn dialect."""
SHOWN = 3
"""Findings of one law that are shrunk in a block: others are most likely the same."""


class Figures(msgspec.Struct, frozen=True):
    """What came of one run of the command; `found` counts the texts that break a law, by the law."""

    commit: str
    seed: int
    runs: int
    subjects: int
    found: dict[str, int]


class Block(NamedTuple):
    """Runs of one dialect."""

    name: str
    seed: int
    size: int


def blocks(chosen: Sequence[str], count: int, seed: int) -> Iterator[Block]:
    """`count` runs over the dialects, in blocks."""
    turns = [name for name in chosen for _ in range(MANY.get(name, 1) if len(chosen) > 1 else 1)]
    share = min(BLOCK, -(-count // len(turns)))
    number = 0
    while count > 0:
        size = min(share, count)
        yield Block(turns[number % len(turns)], seed * 1_000_000 + number, size)
        count -= size
        number += 1


class Searched(NamedTuple):
    """A block, how many of its runs break each law, and some of those, shrunk."""

    block: Block
    broken: Counter[str]
    findings: list[Finding]


def search(block: Block) -> Searched:
    """What is found in a block."""
    if block.name != DRAWN:
        dialect = subject(block.name)
        return hold(block, dialect, runs(dialect, block.seed, block.size))
    found = Searched(block, Counter(), [])
    for at in range(0, block.size, EACH):
        dialect = subject(f"{DRAWN}-{block.seed}-{at}")
        _, broke, findings = hold(block, dialect, runs(dialect, block.seed, min(EACH, block.size - at)))
        found = Searched(block, found.broken + broke, [*found.findings, *findings])
    return found


def hold(block: Block, dialect: Dialect | Auto, drawn: Iterable[Run]) -> Searched:
    """What is found in the runs drawn for a block."""
    found: list[Finding] = []
    count: Counter[str] = Counter()
    written: set[str] = set()
    try:
        for run in drawn:
            finding = broken(dialect, run, written)
            if finding is not None:
                count[finding.law] += 1
                if count[finding.law] <= SHOWN:
                    found.append(shrunk(dialect, finding))
    except Exception:  # what is drawn is read as well
        count[Law.RAISED] += 1
        found.append(Finding(Law.RAISED, Run(dialect.name, "", {}, ()), f"while drawing: {traceback.format_exc()}"))
    return Searched(block, count, found)


def shown(finding: Finding) -> str:
    """A finding as data."""
    run = finding.run
    how = [*(f"{key}={value!r}" for key, value in run.options.items()), f"sizes={run.sizes}"]
    files = "\n".join(drawn_files(run.dialect)) if run.dialect.startswith(DRAWN) else ""
    return f"{finding.law} {run.dialect} {run.text!r}\n    {', '.join(how)}\n    {finding.detail}\n{files}".rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzz and report as the arguments say."""
    options = _arguments().parse_args(argv)
    chosen = options.dialect or names()
    if unknown := sorted({name for name in chosen if not name.startswith(DRAWN)} - {*names()}):
        print(f"fuzz: unknown dialect {unknown[0]!r}, expected one of {', '.join(names())}", file=sys.stderr)
        return 2
    began, done, count = time.perf_counter(), 0, Counter[str]()
    for block, broke, findings in _searched(blocks(chosen, options.runs, options.seed), options.jobs):
        done += block.size
        count += broke
        for finding in findings:
            print(shown(finding), flush=True)
    seconds = time.perf_counter() - began
    print(f"{done:,} runs with seed {options.seed}: {count.total():,} break a law, {seconds:.0f} s")
    if options.write:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        figures = Figures(commit.stdout.strip(), options.seed, done, len(chosen), dict(count))
        keep(FILE.name, msgspec.json.format(msgspec.json.encode([*read(), figures]), indent=1) + b"\n")
        keep("fuzz.md", page())
    return 1 if count else 0


def _searched(todo: Iterable[Block], jobs: int) -> Iterator[Searched]:
    """What the blocks gave, by so many processes."""
    if jobs <= 1:
        yield from map(search, todo)
        return
    with pool(jobs) as processes:
        yield from processes.map(search, todo)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", metavar="N", type=int, default=10_000, help="texts that are read")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="which texts are drawn")
    parser.add_argument("--jobs", metavar="N", type=int, default=cores(), help="so many at a time")
    parser.add_argument("--dialect", metavar="NAME", action="append", help="only this one")
    parser.add_argument("--write", action="store_true", help="keep the figures in .reports")
    return parser


# The page


def read() -> list[Figures]:
    """The figures that are kept."""
    return msgspec.json.decode(FILE.read_bytes(), type=list[Figures]) if FILE.exists() else []


def page() -> str:
    """The page of the figures that are kept, and of the laws."""
    rows = [("commit", "seed", "runs", "dialects", "findings")]
    for one in read():
        found = ", ".join(f"{law} {count}" for law, count in one.found.items()) or "0"
        rows.append((f"`{one.commit}`", str(one.seed), f"{one.runs:,}", str(one.subjects), found))
    laws = table([("law", "what holds"), *((str(law), doc) for law, doc in _laws())])
    return f"{_PAGE}\n{table(rows)}\n\n## The laws\n\n{laws}\n"


def _laws() -> Iterator[tuple[Law, str]]:
    """The laws, and what the strings below them say."""
    (body,) = (node.body for node in ast.parse(getsource(Law)).body if isinstance(node, ast.ClassDef))
    docs = [
        node.value.value for node in body[1:] if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    return zip(Law, map(str, docs), strict=True)


_PAGE = """# Fuzzing

`make fuzz ARGS="--runs 1000000 --seed 7"` reads so many
texts of all dialects, of `auto`, and of dialects whose grammars are drawn as well: generated and rendered messages,
cases of the corpus, several joined or one broken off before the next, those of other dialects after a marker too,
damaged up to five times and cut, with tools, prefixes, modes and policies of all kinds, in chunks of all sizes. Every
text is read whole, strictly and in chunks, written as JSON and read again, and so is in the dialect what may be run;
each law below is held against it.
"""


if __name__ == "__main__":
    sys.exit(main())
