"""Measures reading beside another commit: the same texts under both, in turn, so that the machine's moods cancel out.

    python -m tools.bench.beside [COMMIT] [--dialect NAME]... [--rounds N] [--corpus]

The texts are those of workloads.py, read whole and in chunks of four characters, without tools; the figure of each is
the shortest time of its rounds. With `--corpus` they are the cases of the corpus, with their tools and policies, those
that are clean apart from those that are not: the figure is that of all of them together.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from toolect import registry
from toolect._authoring.corpus import read as cases_of
from tools.bench.workloads import wire
from tools.pages.markdown_text import table

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "HEAD~1"
WORKLOADS = ("short", "parallel", "code20")
CHUNK = 4
SLOWER = 1.1
"""Times what it took that count as slower: less is the machine's."""
_WHAT_IS_READ = ("src", "dialects.yaml", "grammars")

# Run under either commit, so nothing but what both of them have: it answers a text with the shortest time in µs.
WORKER = """
import gc, json, sys, time
import toolect
gc.disable()
for line in sys.stdin:
    name, text, chunk, seconds, options = json.loads(line)
    dialect = toolect.dialect(name)
    pieces = [text[at : at + chunk] for at in range(0, len(text), chunk)] if chunk else None
    def read():
        if pieces is None:
            return dialect.parse(text, **options)
        stream = dialect.stream(**options)
        for piece in pieces:
            stream.feed(piece)
        stream.close()
    read()
    start = time.perf_counter()
    read()
    loops = max(1, int(seconds / 4 / max(time.perf_counter() - start, 1e-7)))
    least = 1e9
    for _ in range(4):
        start = time.perf_counter()
        for _ in range(loops):
            read()
        least = min(least, (time.perf_counter() - start) / loops)
    print(1e6 * least, flush=True)
"""


Options: TypeAlias = dict[str, Any]


class Figures(NamedTuple):
    """What was measured: dialect → workload and way → µs before and now."""

    before: str
    now: str
    times: dict[str, dict[str, tuple[float, float]]]


class Reader:
    """A process that reads texts with the toolect of a checkout."""

    def __init__(self, checkout: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def time(self, dialect: str, text: str, chunk: int, seconds: float, options: Options | None = None) -> float:
        """The µs that reading takes, whole where `chunk` is 0, looked for during about so many seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps((dialect, text, chunk, seconds, options or {})) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def measure(commit: str, names: Sequence[str], rounds: int, seconds: float = 0.012, corpus: bool = False) -> Figures:
    """All figures of these dialects beside those of `commit`: of workloads, or of the `corpus`."""
    figures = Figures(_git("rev-parse", "--short", commit), _git("rev-parse", "--short", "HEAD"), {})
    with unpacked(commit) as folder:
        readers = Reader(folder), Reader(ROOT)
        for name in names:
            times = figures.times[name] = {}
            for workload, texts in (of_corpus if corpus else of_workloads)(name):
                for chunk in (0, CHUNK):
                    before = now = 0.0
                    for text, options in texts:
                        turns = [
                            [reader.time(name, text, chunk, seconds, options) for reader in readers]
                            for _ in range(rounds)
                        ]
                        was, is_now = map(min, zip(*turns, strict=True))
                        before, now = before + was, now + is_now
                    times[f"{workload} {'streamed' if chunk else 'whole'}"] = round(before, 1), round(now, 1)
            print(name, *(f"{kind} {now / was:.2f}" for kind, (was, now) in times.items()), sep="  ", flush=True)
    return figures


Texts: TypeAlias = list[tuple[str, Options]]


def of_workloads(name: str) -> Iterator[tuple[str, Texts]]:
    """The workloads as a dialect writes them."""
    for workload in WORKLOADS:
        made = wire(registry.dialect(name), workload)
        if made is not None:
            yield workload, [(made.text, {})]


def of_corpus(name: str) -> Iterator[tuple[str, Texts]]:
    """The cases of a dialect: what is as it should be, and what is not."""
    cases = [case for case in cases_of(ROOT / "tests" / "corpus" / f"{name}.txt") if not case.has("skip")]
    for kind, clean in (("canonical", True), ("flawed", False)):
        if texts := [(case.text, case.options) for case in cases if case.clean is clean]:
            yield kind, texts


@contextmanager
def unpacked(commit: str) -> Iterator[Path]:
    """A folder with what of `commit` reads, as long as it is needed."""
    packed = subprocess.run(
        ["git", "archive", commit, *_WHAT_IS_READ], cwd=ROOT, stdout=subprocess.PIPE, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def report(figures: Figures) -> str:
    """The figures as a table: times what the earlier commit takes; below 1 is faster."""
    kinds = list(dict.fromkeys(kind for times in figures.times.values() for kind in times))
    rows = [("what", "median", "slowest", "slower")]
    for kind in kinds:
        ratios = {name: times[kind][1] / times[kind][0] for name, times in figures.times.items() if kind in times}
        worst = max(ratios, key=ratios.__getitem__)
        slower = sum(ratio > SLOWER for ratio in ratios.values())
        rows.append(
            (kind, f"{median(ratios.values()):.2f}", f"{ratios[worst]:.2f} (`{worst}`)", f"{slower} of {len(ratios)}")
        )
    return f"`{figures.now}` beside `{figures.before}`\n\n{table(rows)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "commit", nargs="?", default=BEFORE, help="what this one is measured beside (default: %(default)s)"
    )
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--rounds", type=int, default=3, help="how often each text is measured (default: %(default)s)")
    parser.add_argument("--corpus", action="store_true", help="measure the cases of the corpus")
    options = parser.parse_args(argv)
    known = list(registry.dialects())
    if unknown := set(options.dialect or ()) - set(known):
        parser.error(f"unknown dialect {min(unknown)!r}, expected one of {', '.join(known)}")
    figures = measure(options.commit, options.dialect or known, options.rounds, corpus=options.corpus)
    print(f"\n{report(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
