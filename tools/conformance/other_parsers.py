"""Runs a corpus of other projects' test cases, and a file of wire formats, and prints how much of it holds.

    python -m tools.conformance.other_parsers [CORPUS_DIR] [--formats FILE] [--dialect NAME]... [--failures]
        [--json OUT] [--markdown] [--detection] [--write]

CORPUS_DIR holds *.jsonl, one case a line; FILE lists wire formats with examples and quirks. Without arguments they are
taken from TOOLECT_CORPUS and TOOLECT_FORMATS. Every case of a known dialect is read three ways (complete, in the case's
own chunks, by character). What counts as agreement, and why, is written at the top of scoring.py, for the corpus, and
of formats.py, for the formats. A failing case is read again under each policy, and strictly: one that passes so
fails because two projects want opposite things, and is listed with that setting. --write keeps the tables in
.reports/conformance.md, and how much of each dialect holds beside it, for the pages of the dialects.

Exit code 0: everything was read, and in the corpus streams agree with complete texts. 1: they do not, or a reading
raised. A case that says something else than we do does not count here: no library can satisfy suites that contradict
each other.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from toolect import registry
from toolect._compiled import Dialect
from tools.conformance import guessing, summary
from tools.conformance import wire_formats as formats
from tools.conformance.cases import Case
from tools.conformance.running import COLUMNS, Result, prefix, run
from tools.conformance.tables import as_json, causes, draw, shorten, show_failure, table
from tools.reports import REPORTS, keep

# Reading the corpus


def load(directory: Path) -> list[Case]:
    """Every case under a directory."""
    paths = sorted(directory.glob("*.jsonl"))
    if not paths:
        _misuse(f"no *.jsonl in {directory}")
    return [case for path in paths for case in _load_file(path)]


def _load_file(path: Path) -> Iterator[Case]:
    decoder = msgspec.json.Decoder(Case)
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError as error:
            _misuse(f"{path}:{number}: {error}")


# The command line


def main(argv: Sequence[str] | None = None) -> int:
    """Run the corpus and the formats as the arguments say."""
    options = _arguments().parse_args(argv)
    if not (options.corpus or options.formats):
        _misuse("name a corpus directory or a formats file, or set TOOLECT_CORPUS or TOOLECT_FORMATS")
    for path in filter(None, (options.corpus, options.formats)):
        if not Path(path).exists():
            _misuse(f"{path} does not exist")
    dialects = known_dialects(options.dialect)
    sound = True
    figures: summary.Figures = {}
    if options.corpus and options.detection:
        return 0 if _detection(Path(options.corpus), dialects, options) else 1
    if options.corpus:
        sound &= _corpus(Path(options.corpus), dialects, options, figures)
    if options.formats:
        sound &= _formats(Path(options.formats), dialects, options, figures)
    if options.write:
        summary.write(REPORTS / "conformance.json", figures)
    return 0 if sound else 1


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", nargs="?", metavar="CORPUS_DIR", default=os.environ.get("TOOLECT_CORPUS"))
    parser.add_argument("--formats", metavar="FILE", default=os.environ.get("TOOLECT_FORMATS"))
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--detection", action="store_true", help="find the dialects of the corpus, instead")
    parser.add_argument("--failures", action="store_true", help="show each failing case")
    parser.add_argument("--differences", action="store_true", help="also show cases that differ in bytes alone")
    parser.add_argument("--json", metavar="OUT", help="write every result of the corpus, one JSON object a line")
    parser.add_argument("--write", action="store_true", help="keep the tables and figures in .reports")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser


def known_dialects(names: Sequence[str] | None) -> dict[str, Dialect]:
    """The named dialects, or all of them."""
    known = list(registry.dialects())
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        _misuse(f"unknown dialect {unknown[0]!r}, expected one of {', '.join(known)}")
    return {name: registry.dialect(name) for name in names or known}


def _corpus(
    directory: Path, dialects: dict[str, Dialect], options: argparse.Namespace, figures: summary.Figures
) -> bool:
    cases = [case for case in load(directory) if case.dialect in dialects and not case.known_broken]
    results = [run(case, dialects[str(case.dialect)]) for case in cases]
    report(results, options)
    for result in results:
        for column in COLUMNS:
            summary.note(figures, str(result.case.dialect), column, result.column(column))
    if options.json:
        Path(options.json).write_text(
            "".join(json.dumps(as_json(r), ensure_ascii=True) + "\n" for r in results), "utf-8"
        )
    return all(result.agree and not result.raised for result in results)


def _detection(directory: Path, dialects: dict[str, Dialect], options: argparse.Namespace) -> bool:
    cases = [case for case in load(directory) if case.dialect in dialects and not case.known_broken]
    guesses = [guessing.guess(c, dialects[str(c.dialect)], prefix(c, dialects[str(c.dialect)])) for c in cases]
    if options.failures:
        print("\n\n".join(guessing.failures(guesses)), end="\n\n")
    print(draw(guessing.rows(guesses), markdown=options.markdown))
    return all(one.agree and not one.invented for one in guesses)


def report(results: Sequence[Result], options: argparse.Namespace) -> None:
    """Print the tables, and the failing cases when asked."""
    if options.failures:
        shown = [r for r in results if not (r.passed and r.agree) or (options.differences and r.score.bytes is False)]
        print("\n\n".join(map(show_failure, shown)), end="\n\n")
    tables = (
        table(results, lambda r: (str(r.case.dialect), r.case.kind), ("dialect", "kind")),
        table(results, lambda r: (r.case.kind,), ("kind",)),
        table(results, lambda r: (str(r.case.dialect),), ("dialect",)),
        table(results, lambda r: (r.case.source,), ("source",)),
        causes(results),
    )
    for rows in tables:
        print(draw(rows, markdown=options.markdown), end="\n\n")
    if options.write:
        keep("conformance.md", "\n\n".join(["# Conformance", *(draw(rows, markdown=True) for rows in tables)]) + "\n")


def _formats(path: Path, dialects: dict[str, Dialect], options: argparse.Namespace, figures: summary.Figures) -> bool:
    try:
        entries = formats.load(path)
    except msgspec.DecodeError as error:
        _misuse(f"{path}: {error}")
    checks = [
        check for entry in entries if entry.name in dialects for check in formats.check(entry, dialects[entry.name])
    ]
    rows = [["dialect", "strict", "rendered", "quirks"]]
    for name in sorted({check.dialect for check in checks}):
        rows.append([name, *(_held(c for c in checks if (c.dialect, c.kind) == (name, kind)) for kind in rows[0][1:])])
    rows.append(["all", *(_held(c for c in checks if c.kind == kind) for kind in rows[0][1:])])
    for check in checks:
        summary.note(figures, check.dialect, check.kind, not check.wrong)
        if check.wrong and options.failures:
            text, wrong = shorten(repr(check.text)), shorten(check.wrong, 900)
            print(f"{check.dialect}: {check.title}\n  text  {text}\n  {wrong}\n")
    print(draw(rows, markdown=options.markdown))
    return all(check.sound for check in checks)


def _held(checks: Iterable[formats.Check]) -> str:
    held = [not check.wrong for check in checks]
    return f"{sum(held)}/{len(held)}" if held else ""


def _misuse(sentence: str) -> NoReturn:
    print(f"conformance: {sentence}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
