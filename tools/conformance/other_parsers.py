"""Runs a corpus of other projects' test cases, and a file of wire formats, and prints how much of it holds.

    python -m tools.conformance.other_parsers [CORPUS_DIR] [--formats FILE] [--dialect NAME]... [--failures]
        [--json OUT] [--detection] [--write]

CORPUS_DIR holds *.jsonl, one case a line; FILE lists wire formats with examples and quirks. Without arguments they are
taken from TOOLECT_CORPUS and TOOLECT_FORMATS. Every case of a known dialect is read three ways (complete, in the case's
own chunks, by character). What counts as agreement, and why, is written at the top of scoring.py, for the corpus, and
of formats.py, for the formats. A failing case is read again under each policy, and strictly: one that passes so
fails because two projects want opposite things, and is listed with that setting. --detection reads the corpus without
the names of its dialects. --write keeps the tables in .reports/conformance.md, and how much of each dialect holds
beside it, for the pages of the dialects.

Exit code 0: everything was read, and in the corpus streams agree with complete texts. 1: they do not, or a reading
raised. A case that says something else than we do does not count here: no library can satisfy suites that contradict
each other.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

import msgspec

from toolect import registry
from toolect._compiled import Dialect
from toolect._message import Json
from tools.conformance import wire_formats as formats
from tools.conformance.cases import Case
from tools.conformance.running import Result, guess, run
from tools.markdown_text import aligned
from tools.reports import REPORTS, keep

Figures: TypeAlias = dict[str, dict[str, tuple[int, int]]]
"""Dialect → figure → how many cases hold, of how many."""


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


def known_dialects(names: Sequence[str] | None) -> dict[str, Dialect]:
    """The named dialects, or all of them."""
    known = list(registry.dialects())
    if unknown := sorted(set(names or ()) - set(known)):
        _misuse(f"unknown dialect {unknown[0]!r}, expected one of {', '.join(known)}")
    return {name: registry.dialect(name) for name in names or known}


# Tables


def table(results: Sequence[Result], *names: str) -> list[list[str]]:
    """Rates of the results grouped by some fields of their cases, with a header and a total."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(tuple(str(getattr(result.case, name)) for name in names), []).append(result)
    rows = [[*names, "cases", *(results[0].columns if results else ())]]
    rows += [[*group, str(len(members)), *_rates(members)] for group, members in sorted(groups.items())]
    return [*rows, ["all", *[""] * (len(names) - 1), str(len(results)), *_rates(results)]]


def _rates(results: Sequence[Result]) -> Iterator[str]:
    for column in results[0].columns if results else ():
        values = [value for result in results if (value := result.columns[column]) is not None]
        yield f"{100 * sum(values) // len(values)}% {sum(values)}/{len(values)}" if values else ""


def causes(results: Iterable[Result]) -> list[list[str]]:
    """The failing cases, counted by dialect and by what is wrong."""
    counted = Counter((str(r.case.dialect), r.case.source, _cause(r)) for r in results if not r.passed)
    return [["dialect", "source", "cause", "cases"], *([*group, str(n)] for group, n in sorted(counted.items()))]


def _cause(result: Result) -> str:
    if result.policy or result.raised:
        return f"policy {result.policy}" if result.policy else result.score.wrong[0][:80]
    return " and ".join(name for name in ("calls", "content") if result.columns[name] is False)


def shown(result: Result) -> str:
    """A failing case: its id, its text, what was expected and what we gave."""
    case, wrong = result.case, ", ".join(name for name, held in result.columns.items() if held is False)
    how = f"  passes with {result.policy}" if result.policy else ""
    lines = [
        f"{case.id}  [{case.dialect}, {case.kind}, {case.scope}]  {wrong}{how}",
        f"  text  {_cut(repr(case.text))}",
    ]
    return "\n".join([*lines, *(f"  {_cut(one, 700)}" for one in result.score.wrong)])


def _cut(text: str, length: int = 300) -> str:
    """The text, or its beginning and its end."""
    return text if len(text) <= length else f"{text[: length * 2 // 3]} … {text[-length // 3 :]}"


def as_json(result: Result) -> dict[str, Json]:
    """A result as plain data."""
    case, view = result.case, result.score.view
    got = view and {**view._asdict(), "calls": [msgspec.to_builtins(call) for call in view.calls]}
    about = {name: getattr(case, name) for name in ("id", "dialect", "source", "kind", "scope", "text")}
    shown_results = {"policy": result.policy, "wrong": list(result.score.wrong), "got": got}
    return {**about, "expect": msgspec.to_builtins(case.expect), **result.columns, **shown_results}


# Figures by dialect, for their pages


def read_figures(path: Path) -> Figures:
    """The figures of a file; none when there is no file."""
    return msgspec.json.decode(path.read_bytes(), type=Figures) if path.exists() else {}


def write_figures(path: Path, measured: Iterable[tuple[str, str, bool | None]]) -> None:
    """Count what was measured: dialect, figure, whether it held; what the file has besides stays."""
    counted: dict[str, dict[str, list[bool]]] = {}
    for dialect, figure, held in measured:
        if held is not None:
            counted.setdefault(dialect, {}).setdefault(figure, []).append(held)
    whole = read_figures(path)
    for dialect, found in counted.items():
        whole[dialect] = whole.get(dialect, {}) | {name: (sum(held), len(held)) for name, held in found.items()}
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(whole.items()))), indent=1))


# The command line


def main(argv: Sequence[str] | None = None) -> int:
    """Run the corpus and the formats as the arguments say."""
    options = _arguments().parse_args(argv)
    if not (options.corpus or options.formats):
        _misuse("name a corpus directory or a formats file, or set TOOLECT_CORPUS or TOOLECT_FORMATS")
    for path in filter(None, (options.corpus, options.formats)):
        if not Path(path).exists():
            _misuse(f"{path} does not exist")
    dialects, results = known_dialects(options.dialect), list[Result]()
    if options.corpus:
        how: Callable[[Case, Dialect], Result] = guess if options.detection else run
        cases = [case for case in load(Path(options.corpus)) if case.dialect in dialects and not case.known_broken]
        results = [how(case, dialects[str(case.dialect)]) for case in cases]
        _report(results, options)
    if options.detection:
        return int(not all(one.agree and one.columns["none invented"] is not False for one in results))
    checks = list(_formats(Path(options.formats), dialects, options)) if options.formats else []
    if options.write:
        columns = [(str(one.case.dialect), name, held) for one in results for name, held in one.columns.items()]
        write_figures(REPORTS / "conformance.json", [*columns, *((c.dialect, c.kind, not c.wrong) for c in checks)])
    return int(not all(one.agree and not one.raised for one in results) or not all(check.sound for check in checks))


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
    return parser


def _report(results: Sequence[Result], options: argparse.Namespace) -> None:
    """Print the tables, and the failing cases when asked."""
    if options.failures:
        shown_results = [r for r in results if r.fails or (options.differences and r.score.bytes is False)]
        print("\n\n".join(map(shown, shown_results)), end="\n\n")
    tables = [table(results, "dialect")]
    if not options.detection:
        groups = (("dialect", "kind"), ("kind",), ("dialect",), ("source",))
        tables = [*(table(results, *names) for names in groups), causes(results)]
    print("\n\n".join(map(aligned, tables)), end="\n\n")
    if options.write:
        keep("conformance.md", "\n\n".join(["# Conformance", *map(aligned, tables)]) + "\n")
    if options.json:
        lines = "".join(json.dumps(as_json(r), ensure_ascii=True) + "\n" for r in results)
        Path(options.json).write_text(lines, "utf-8")


def _formats(path: Path, dialects: dict[str, Dialect], options: argparse.Namespace) -> Iterator[formats.Check]:
    """Check the formats, and print the table."""
    try:
        entries = [entry for entry in formats.load(path) if entry.name in dialects]
    except msgspec.DecodeError as error:
        _misuse(f"{path}: {error}")
    checks = [check for entry in entries for check in formats.check(entry, dialects[entry.name])]
    rows = [["dialect", "strict", "rendered", "quirks"]]
    for name in [*sorted({check.dialect for check in checks}), ""]:
        of = [check for check in checks if name in ("", check.dialect)]
        held = ([not check.wrong for check in of if check.kind == kind] for kind in rows[0][1:])
        rows.append([name or "all", *(f"{sum(one)}/{len(one)}" if one else "" for one in held)])
    for check in checks if options.failures else ():
        if check.wrong:
            print(f"{check.dialect}: {check.title}\n  text  {_cut(repr(check.text))}\n  {_cut(check.wrong, 900)}\n")
    print(aligned(rows))
    yield from checks


def _misuse(sentence: str) -> NoReturn:
    print(f"conformance: {sentence}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
