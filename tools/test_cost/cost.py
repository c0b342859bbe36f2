"""Cost of the tests: the slowest ones, in seconds; with --mutants, the faults of `src` that they find.

    make test-cost
    make test-cost ARGS="--mutants 120 --seed 20261128"

A mutant is run against those tests of `make test` that execute its line, the fastest first, until one fails. The lines
are coverage.py's, recorded in one run and kept in `.test-cost/`. Mutants that live are run against all cases of these
tests (`--all`): one that dies there is a fault that `make test` finds with another seed only.
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
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import coverage
import msgspec

from tools.markdown_text import aligned
from tools.test_cost import recorded_tests
from tools.test_cost.mutants import Mutant, draw

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".test-cost"
SLOWEST = 20
"""Tests that are listed."""
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
PATIENCE = 900
"""Seconds after which a mutant counts as found: it does not end."""


class Outcome(msgspec.Struct, frozen=True):
    """Result of tests on a mutant: whether they fail, and the seconds of processor time until then."""

    mutant: Mutant
    died: bool
    seconds: float


def recorded(kept: Path) -> dict[tuple[str, int], list[str]]:
    """The tests of `make test` that execute each line of `src`, the fastest first."""
    kept.mkdir(parents=True, exist_ok=True)
    settings, seconds = kept / "coverage.ini", kept / "seconds.json"
    settings.write_text(
        f"[run]\nsource = {ROOT / 'src'}\nparallel = true\npatch = subprocess\ndata_file = {kept / 'lines'}\n"
        "concurrency = thread,multiprocessing\ncontext = ${PYTEST_CURRENT_TEST-}\n"
    )
    if not seconds.exists():
        command = [sys.executable, "-m", "coverage", "run", "--rcfile", str(settings), "-m", "pytest", "-q"]
        environment = {**_environment(ROOT), recorded_tests.SECONDS: str(seconds)}
        subprocess.run([*command, "-n", "auto", "-p", recorded_tests.__name__], cwd=ROOT, env=environment, check=False)
    order = msgspec.json.decode(seconds.read_bytes(), type=dict[str, float])
    whole = coverage.Coverage(data_file=kept / "lines", config_file=str(settings))
    whole.combine([str(kept)], keep=True)
    found = {}
    for path in whole.get_data().measured_files():
        name = Path(path).relative_to(ROOT).as_posix()
        for line, contexts in whole.get_data().contexts_by_lineno(path).items():
            tests = {re.sub(r" \((setup|call|teardown)\)$", "", one) for one in contexts}
            found[name, line] = sorted(tests & order.keys(), key=order.__getitem__)
    return found


def run(mutants: Iterable[Mutant], tests: dict[tuple[str, int], list[str]], *options: str) -> list[Outcome]:
    """Hold mutants against the tests that execute their lines, on all cores."""
    copies: Queue[Path] = Queue()
    for number in range(os.cpu_count() or 1):
        copy = KEPT / f"copy-{number}"
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(copy / "src")], check=True)
        copies.put(copy)

    def hold(mutant: Mutant) -> Outcome:
        names = tests.get((mutant.file, mutant.line), [])
        if not names:
            return Outcome(mutant, False, 0.0)
        copy = copies.get()
        file, chosen = copy / mutant.file, copy.with_suffix(".tests")
        chosen.write_text("\n".join(names), encoding="utf-8")
        source, times = file.read_text(encoding="utf-8"), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
        began = time.monotonic()
        try:
            file.write_text(mutant.applied(source), encoding="utf-8")
            command = [*_PYTEST, "-x", "--hypothesis-profile=unshrunk", *options, f"@{chosen}"]
            died = subprocess.run(
                command, cwd=copy, env=_environment(copy), capture_output=True, timeout=PATIENCE, preexec_fn=_bounded
            )
            outcome = Outcome(mutant, died.returncode != 0, time.monotonic() - began)
        except subprocess.TimeoutExpired:
            outcome = Outcome(mutant, True, PATIENCE)
        finally:
            file.write_text(source, encoding="utf-8")
            os.utime(file, ns=times)
            copies.put(copy)
        fault = f"{mutant.file}:{mutant.line} {mutant.old!r} -> {mutant.new!r}"
        print(f"{'died ' if outcome.died else 'LIVES'} {outcome.seconds:5.0f} s  {fault}", flush=True)
        return outcome

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [*pool.map(hold, mutants)]


def _bounded() -> None:
    """Let a mutant take 6 GiB of memory at most."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def table(everything: Sequence[Outcome], share: Sequence[Outcome]) -> str:
    """Mutants by package: how many there are, die in all cases of the tests, and in those of `make test`."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    died = {one.mutant for one in share if one.died}
    for one in everything:
        row = rows[one.mutant.package]
        row[0] += 1
        row[1] += one.died
        row[2] += one.mutant in died
    rows["all"] = [sum(column) for column in zip(*rows.values(), strict=True)]
    head = ("package", "mutants", "die with --all", "die in make test")
    return aligned([head, *((name, *map(str, counts)) for name, counts in rows.items())])


def mutation(count: int, seed: int) -> str:
    """The table of mutants."""
    tests = recorded(KEPT)
    print(f"{count} mutants, seed {seed}", flush=True)
    share = run(draw(ROOT, count, seed), tests)
    functions = {line: list(dict.fromkeys(name.partition("[")[0] for name in names)) for line, names in tests.items()}
    alive = [one.mutant for one in share if not one.died]
    again = {one.mutant: one for one in run(alive, functions, "--all")}
    return table([again.get(one.mutant, one) for one in share], share)


def main() -> None:
    """Print the slowest tests, or with --mutants the table of mutants."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutants", type=int, metavar="N", help="how many faults are drawn")
    parser.add_argument("--seed", type=int, default=0, help="what draws them")
    options, rest = parser.parse_known_args()
    if options.mutants:
        print(mutation(options.mutants, options.seed))
    else:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", f"--durations={SLOWEST}", *rest]
        subprocess.run(command, cwd=ROOT, check=False)


if __name__ == "__main__":
    main()
