"""Runs a corpus of other projects' test cases, and a file of wire formats, and prints how much of it holds.

    python tools/conformance.py [CORPUS_DIR] [--formats FILE] [--dialect NAME]... [--failures] [--json OUT] [--markdown]
        [--detection] [--summary FILE]

CORPUS_DIR holds *.jsonl, one case a line; FILE lists wire formats with examples and quirks. Without arguments they are
taken from TOOLECT_CORPUS and TOOLECT_FORMATS. Every case of a known dialect is read three ways (complete, in the case's
own chunks, by character). What counts as agreement, and why, is written at the top of scoring.py, for the corpus, and
of formats.py, for the formats. A failing case is read again under each policy: one that passes under another policy
fails because two projects want opposite things, and is listed with that policy. The pages of the dialects are written
from docs/conformance.json, which --summary updates.

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
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import formats
import guessing
import msgspec
import summary
from reading import Dialect, Streamed, disagreement, markup, opener, reasoning_prefix, stream
from scoring import Case, Reading, Score, score

from toolect import registry
from toolect.ir import Json, Message

POLICIES = (
    ("unknown_tool", "content"),
    ("malformed", "content"),
    ("unwrapped", "content"),
    ("after_calls", "drop"),
    ("reasoning_calls", "ignore"),
    ("reasoning_calls", "parse"),
    ("coercion", "none"),
    ("repeated_keys", "first"),
    ("repeated_keys", "malformed"),
)
COLUMNS = ("calls", "content", "bytes", "streams", "pass")


@dataclass(frozen=True)
class Result:
    """What became of one case."""

    case: Case
    score: Score
    agree: bool
    raised: bool = False
    policy: str = ""

    @property
    def passed(self) -> bool:
        """True when calls and content are upstream's."""
        return self.score.passed and not self.raised

    def column(self, name: str) -> bool | None:
        """True, false, or None when the case asserts nothing there."""
        match name:
            case "calls":
                return self.score.calls
            case "content":
                return self.score.content
            case "bytes":
                return self.score.bytes
            case "streams":
                return self.agree
        return self.passed


# Running


def run(case: Case, dialect: Dialect) -> Result:
    """Read a case three ways and score it; a failing one again under each policy."""
    result = _run(case, dialect, {})
    if result.passed:
        return result
    if opened := _opened_prefix(case, dialect):
        other = _run(case, dialect, {}, opened)
        if other.passed:
            return other
    for name, setting in POLICIES:
        if _run(case, dialect, {name: setting}).passed:
            return Result(case, result.score, result.agree, result.raised, f"{name}={setting}")
    return result


def _run(case: Case, dialect: Dialect, policies: dict[str, str], before: str | None = None) -> Result:
    before = prefix(case, dialect) if before is None else before
    options: dict[str, Json] = {"tools": case.tools, "prefix": before, **policies}
    try:
        complete = dialect.parse(case.text, **options)
        streams = [stream(dialect, chunks, options) for chunks in (case.chunks or [case.text], case.text)]
        scores = [score(case, readings) for readings in _readings(case, dialect, before, complete, streams)]
        wrong = list(filter(None, (disagreement(complete, streamed) for streamed in streams)))
    except Exception as error:
        return Result(case, Score(False, False, None, (f"raised {error!r}",)), agree=False, raised=True)
    if case.expect.must_not_raise:
        scores = [Score(True, None, None)]
    worst = min(scores, key=lambda s: (s.passed, s.calls is not False, s.content is not False, s.bytes is not False))
    if wrong:
        worst = Score(
            worst.calls, worst.content, worst.bytes, (*worst.wrong, f"streams disagree: {wrong[0]}"), worst.view
        )
    return Result(case, worst, agree=not wrong)


def _readings(
    case: Case, dialect: Dialect, prefix: str, complete: Message, streams: Sequence[Streamed]
) -> Iterator[list[Reading]]:
    """For each way of reading, the messages that may be held against the case."""
    rest = (case.text, opener(dialect.spec, prefix), markup(dialect.spec))
    waiting = [streamed.open for streamed in streams]
    yield [Reading(m, *rest) for m in ([complete] if case.finished else [complete, *waiting])]
    for streamed in streams:
        messages = [streamed.closed] if case.finished else [streamed.closed, streamed.open]
        yield [Reading(m, *rest) for m in messages]


def prefix(case: Case, dialect: Dialect) -> str:
    """What the prompt ended with."""
    if case.generation_prompt is not None:
        return case.generation_prompt
    return reasoning_prefix(dialect.spec) if case.options.get("starts_in_reasoning") else ""


def _opened_prefix(case: Case, dialect: Dialect) -> str:
    """For reasoning that a template wrote without its opener: the prompt, with the opener after it."""
    told = case.source == "template" and case.generation_prompt is not None and case.expect.reasoning
    return f"{case.generation_prompt}{reasoning_prefix(dialect.spec)}" if told else ""


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


# Printing


def table(
    results: Sequence[Result], key: Callable[[Result], tuple[str, ...]], names: tuple[str, ...]
) -> list[list[str]]:
    """Pass rates of the results grouped by `key`, with a header and a total."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    rows = [[*names, "cases", *COLUMNS]]
    rows += [[*group, str(len(members)), *_rates(members)] for group, members in sorted(groups.items())]
    return [*rows, ["all", *[""] * (len(names) - 1), str(len(results)), *_rates(results)]]


def _rates(results: Sequence[Result]) -> Iterator[str]:
    for column in COLUMNS:
        values = [value for result in results if (value := result.column(column)) is not None]
        yield f"{_percent(sum(values), len(values))} {sum(values)}/{len(values)}" if values else ""


def _percent(part: int, whole: int) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{100 * part // whole}%"


def draw(rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """A table as text or as Markdown."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    if not markdown:
        return "\n".join("  ".join(cells).rstrip() for cells in lines)
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def show_failure(result: Result) -> str:
    """A failing case: its id, its text, what was expected and what we gave."""
    case = result.case
    head = f"{case.id}  [{case.dialect}, {case.kind}, {case.scope}]" + (
        f"  passes with {result.policy}" if result.policy else ""
    )
    return "\n".join(
        [head, f"  text  {_shorten(repr(case.text))}", *(f"  {_shorten(wrong, 700)}" for wrong in result.score.wrong)]
    )


def _shorten(text: str, length: int = 300) -> str:
    return text if len(text) <= length else f"{text[: length * 2 // 3]} … {text[-length // 3 :]}"


def causes(results: Iterable[Result]) -> list[list[str]]:
    """The failing cases, counted by dialect and by what is wrong."""
    counted = Counter((str(r.case.dialect), r.case.source, _cause(r)) for r in results if not r.passed)
    return [["dialect", "source", "cause", "cases"], *([*group, str(n)] for group, n in sorted(counted.items()))]


def _cause(result: Result) -> str:
    if result.policy:
        return f"policy {result.policy}"
    if result.raised:
        return result.score.wrong[0][:80]
    return " and ".join(name for name in ("calls", "content") if result.column(name) is False)


def as_json(result: Result) -> dict[str, Json]:
    """A result as plain data."""
    case, view = result.case, result.score.view
    return {
        "id": case.id,
        "dialect": case.dialect,
        "source": case.source,
        "kind": case.kind,
        "scope": case.scope,
        "text": case.text,
        "expect": msgspec.to_builtins(case.expect),
        **{column: result.column(column) for column in COLUMNS},
        "policy": result.policy,
        "wrong": list(result.score.wrong),
        "got": view and {**view._asdict(), "calls": [msgspec.to_builtins(call) for call in view.calls]},
    }


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
    if options.summary:
        summary.write(Path(options.summary), figures)
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
    parser.add_argument(
        "--summary", metavar="FILE", help="write how much of each dialect holds, for docs/conformance.json"
    )
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
            text, wrong = _shorten(repr(check.text)), _shorten(check.wrong, 900)
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
