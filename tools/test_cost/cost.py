"""Cost of the tests: the slowest ones, in seconds; with --mutants, the faults of `src` that they find.

    make test-cost
    make test-cost ARGS="--mutants 120 --seed 20261128 --before ../older-checkout"

A mutant is run against the test files that execute its line until a test fails: those first that found most, then the
fastest. The lines are those of coverage.py's contexts, one for each test file, kept in `.test-cost/`. Mutants that live
are run against all tests of the other checkout: one that dies there is a fault that nobody finds any more.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import coverage
import msgspec

from tools.test_cost.mutants import Mutant, draw

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".test-cost"
SLOWEST = 20
"""Tests that are listed."""
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/(\w+)\.py", re.MULTILINE)
PATIENCE = 900
"""Seconds after which a mutant counts as found: it does not end."""


class Outcome(msgspec.Struct, frozen=True):
    """Whether tests fail with a mutant, and the seconds of processor time until then."""

    mutant: Mutant
    died: bool
    seconds: float


def contexts(checkout: Path, kept: Path) -> dict[tuple[str, int], list[str]]:
    """The test files that execute each line of `src`, the fastest first."""
    kept.mkdir(parents=True, exist_ok=True)
    settings = kept / "coverage.ini"
    settings.write_text(
        f"[run]\nsource = {checkout / 'src'}\nparallel = true\npatch = subprocess\n"
        f"concurrency = thread,multiprocessing\ndata_file = {kept / 'lines'}\n"
    )

    def cover(file: Path) -> float:
        began = time.monotonic()
        coverage_run = [sys.executable, "-m", "coverage", "run", "--rcfile", str(settings), "--context", file.stem]
        subprocess.run(
            [*coverage_run, *_PYTEST[1:], "--all", str(file)],
            cwd=checkout,
            env=_environment(checkout),
            capture_output=True,
        )
        return time.monotonic() - began

    files = sorted((checkout / "tests").glob("test_*.py"))
    seconds = kept / "seconds.json"
    if not seconds.exists():
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            took = dict(zip((file.stem for file in files), pool.map(cover, files), strict=True))
        seconds.write_bytes(msgspec.json.encode(took))
    order = msgspec.json.decode(seconds.read_bytes(), type=dict[str, float])
    whole = coverage.Coverage(data_file=kept / "lines", config_file=str(settings))
    whole.combine([str(kept)], keep=True)
    found = defaultdict(list)
    for path in whole.get_data().measured_files():
        name = Path(path).relative_to(checkout).as_posix()
        for line, names in whole.get_data().contexts_by_lineno(path).items():
            found[name, line] = sorted(filter(None, names), key=lambda one: order.get(one, 0.0))
    return found


def run(
    mutants: Iterable[Mutant], checkout: Path, tests: dict[tuple[str, int], list[str]], *options: str
) -> list[Outcome]:
    """Hold mutants against the tests of a checkout, on all cores."""
    copies: Queue[Path] = Queue()
    found = Counter[str]()  # what has found most is asked first
    for number in range(os.cpu_count() or 1):
        copy = KEPT / f"{checkout.name}-{number}"
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", str(checkout), str(copy)], check=True)
        copies.put(copy)

    def hold(mutant: Mutant) -> Outcome:
        names = sorted(tests.get((mutant.file, mutant.line), []), key=lambda name: -found[name])
        if not names:
            return Outcome(mutant, False, 0.0)
        copy = copies.get()
        file = copy / mutant.file
        source, times = file.read_text(encoding="utf-8"), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
        began = time.monotonic()
        try:
            file.write_text(mutant.applied(source), encoding="utf-8")
            paths = [f"tests/{name}.py" for name in names if (copy / "tests" / f"{name}.py").exists()]
            command = [*_PYTEST, "-x", "--hypothesis-profile=unshrunk", *options, *paths]
            died = subprocess.run(
                command, cwd=copy, env=_environment(copy), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                timeout=PATIENCE, preexec_fn=_bounded,
            )  # fmt: skip
            found.update(_FAILED.findall(died.stdout))
            outcome = Outcome(mutant, died.returncode != 0, time.monotonic() - began)
        except subprocess.TimeoutExpired:
            outcome = Outcome(mutant, True, PATIENCE)
        finally:
            file.write_text(source, encoding="utf-8")
            os.utime(file, ns=times)
            copies.put(copy)
        print(
            f"{'died ' if outcome.died else 'LIVES'} {outcome.seconds:5.0f} s  {mutant.file}:{mutant.line}", flush=True
        )
        return outcome

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [*pool.map(hold, mutants)]


def _bounded() -> None:
    """Let a mutant take 6 GiB of memory at most."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def table(before: Sequence[Outcome], after: Sequence[Outcome]) -> str:
    """Mutants by package: how many there are, die in all tests of the other checkout, and in those of `make test`."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    died = {one.mutant for one in after if one.died}
    for one in before:
        row = rows[one.mutant.package]
        row[0] += 1
        row[1] += one.died
        row[2] += one.mutant in died
    rows["all"] = [sum(column) for column in zip(*rows.values(), strict=True)]
    lines = [f"{name:18} {drawn:8} {first:8} {second:8}" for name, (drawn, first, second) in rows.items()]
    return "\n".join([f"{'package':18} {'mutants':>8} {'before':>8} {'after':>8}", *lines])


def mutation(count: int, seed: int, older: Path | None) -> str:
    """The table of mutants for this checkout, whose tests are a share, and an older one, whose tests are all."""
    mutants = draw(older or ROOT, count, seed)
    print(f"{count} mutants, seed {seed}", flush=True)
    after = run(mutants, ROOT, contexts(ROOT, KEPT / "after"))
    alive = [one.mutant for one in after if not one.died]
    checkout = older or ROOT
    all_tests = contexts(checkout, KEPT / ("before" if older else "after"))
    again = {one.mutant: one for one in run(alive, checkout, all_tests, "--all")}
    return table([again.get(one.mutant, one) for one in after], after)


def main() -> None:
    """Print the slowest tests, or with --mutants the table of mutants."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutants", type=int, metavar="N", help="how many faults are drawn")
    parser.add_argument("--seed", type=int, default=0, help="what draws them")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="another checkout, all of whose tests count")
    options, rest = parser.parse_known_args()
    if options.mutants:
        older = options.before.resolve() if options.before else None
        print(mutation(options.mutants, options.seed, older))
    else:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", f"--durations={SLOWEST}", *rest]
        subprocess.run(command, cwd=ROOT, check=False)


if __name__ == "__main__":
    main()
