"""Measures reading, complete and in chunks of four characters, against a floor taken in the same run.

    python -m tools.bench.speed [--dialect NAME]... [--quick] [--json OUT] [--profile DIALECT WORKLOAD]

What is read, and what the floor does, is written at the top of workloads.py.

Targets
  complete  short at most 2.5 times the floor where calls are JSON, 5 times elsewhere; code20 at most 1.3 times
  stream    at most 8 times the floor; where `json.loads` of 140 characters takes 2 µs, at most 2.5 µs a chunk in prose
            and 3.5 µs in arguments (scaled to this machine)
  growth    code200 takes at most 11 times as long as code20
  start     `import toolect` 60 ms over the bare interpreter, first parse of a cached dialect 10 ms, the command line
            250 ms

Every figure is the minimum of several repeats with the garbage collector off.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from toolect import registry
from toolect.compiled import Dialect
from toolect.message import Json
from tools.bench.workloads import ARGUMENTS, SENTENCES, WORKLOADS, Wire, complete_floor, payloads, stream_floor, wire
from tools.conformance.chunked import disagreement, stream

CHUNK = 4


# Measuring


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest time one run takes, in µs, looked for during about this long."""
    clock = time.perf_counter
    run()
    start = clock()
    run()
    once = clock() - start
    loops = max(1, int(seconds / 20 / max(once, 1e-7)))
    shortest = once
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(20 if loops > 1 else 5 if once < seconds else 2):
            start = clock()
            for _ in range(loops):
                run()
            shortest = min(shortest, (clock() - start) / loops)
    finally:
        if enabled:
            gc.enable()
    return shortest * 1e6


@dataclass(frozen=True)
class Row:
    """The figures of one workload; times are µs, ratios are to the floor."""

    dialect: str
    workload: str
    characters: int
    json: bool
    alone: bool
    complete: float
    complete_rate: float
    complete_ratio: float
    stream: float
    stream_rate: float
    stream_ratio: float
    per_chunk: float
    agrees: bool = True


def measure(name: str, dialect: Dialect, workload: str, wire: Wire, seconds: float) -> Row:
    """The figures of one workload in one dialect."""
    text = wire.text
    chunks = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    size = len(text.encode("utf-8", "surrogatepass"))
    complete = best(lambda: dialect.parse(text), seconds)
    streamed = best(lambda: drain(dialect, chunks), seconds)
    return Row(
        name,
        workload,
        len(text),
        bool(payloads(text, wire.calls)),
        wire.alone,
        complete,
        size / complete,
        complete / best(complete_floor(dialect, wire), seconds),
        streamed,
        size / streamed,
        streamed / best(stream_floor(dialect, chunks), seconds),
        streamed / len(chunks),
        streams(dialect, text),
    )


def streams(dialect: Dialect, text: str) -> bool:
    """True when the text says the same in chunks; figures of a stream that does not are worth nothing."""
    chunks = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    return not disagreement(dialect.parse(text), stream(dialect, chunks, {}))


def drain(dialect: Dialect, chunks: Sequence[str]) -> None:
    """Stream these chunks and drop the events."""
    opened = dialect.stream()
    feed = opened.feed
    for chunk in chunks:
        feed(chunk)
    opened.close()


def machine() -> float:
    """How many µs `json.loads` of 140 characters takes here."""
    text = json.dumps({**ARGUMENTS, "padding": ""}, ensure_ascii=False)
    text = text.replace('"padding": ""', f'"padding": "{"x" * (140 - len(text))}"')
    return best(lambda: json.loads(text), 0.2)


# Targets


class Target(NamedTuple):
    """A limit, and whether a figure keeps it."""

    name: str
    value: float
    limit: float

    @property
    def kept(self) -> bool:
        """True when the figure is within the limit."""
        return self.value <= self.limit


def targets(rows: Sequence[Row], loads: float) -> list[Target]:
    """Every target that one dialect's figures are held to."""
    found = {row.workload: row for row in rows}
    limits = {"prose20": 2.5 * loads / 2, "code20": 3.5 * loads / 2}
    result = []
    for row in rows:
        if row.workload == "short":
            result.append(Target("short x", row.complete_ratio, 2.5 if row.json else 5))
        if row.workload == "code20":
            result.append(Target("code20 x", row.complete_ratio, 1.3))
        result.append(Target(f"{row.workload} stream x", row.stream_ratio, 8))
        if row.workload in limits:
            result.append(Target(f"{row.workload} µs/chunk", row.per_chunk, limits[row.workload]))
    if "code20" in found and "code200" in found:
        small, large = found["code20"], found["code200"]
        result.append(Target("growth", large.complete / small.complete, 11))
        result.append(Target("growth stream", large.stream / small.stream, 11))
    return result


# Start-up


def startup(names: Sequence[str], repeats: int) -> list[Target]:
    """What a cold process pays, in ms."""
    bare, imported = (_cold(["-c", code], repeats) for code in ("pass", "import toolect"))
    first = max((_first_parse(name, repeats), name) for name in names)
    command = ["-c", "from toolect.cli import main; main()", "parse", "--from", names[0], "--format", "json"]
    return [
        Target("import toolect (ms)", imported - bare, 60),
        Target(f"first parse (ms), slowest: {first[1]}", first[0], 10),
        Target("command line, one message (ms)", _cold(command, repeats), 250),
    ]


def _cold(arguments: Sequence[str], repeats: int) -> float:
    def once() -> float:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, *arguments], input=SENTENCES, text=True, capture_output=True, check=False
        )
        return (time.perf_counter() - start) * 1000 if done.returncode == 0 else math.inf

    once()
    return min(once() for _ in range(repeats))


def _first_parse(name: str, repeats: int) -> float:
    code = (
        "import time, toolect\n"
        "start = time.perf_counter()\n"
        f"toolect.dialect({name!r}).parse({SENTENCES!r})\n"
        "print(time.perf_counter() - start)"
    )
    runs = (
        subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
        for _ in range(repeats + 1)
    )
    return min(float(run.stdout) * 1000 for run in islice(runs, 1, None))


# Printing


def draw(name: str, rows: Sequence[Row], kept: Sequence[Target]) -> str:
    """One dialect's figures and targets."""
    lines = [f"{name}{' (calls are JSON)' if any(row.json for row in rows) else ''}"]
    heads = f"{'MB/s':>8}{'x floor':>9}"
    lines.append(f"  {'':10}{'chars':>8}{'complete µs':>13}{heads}{'stream µs':>12}{heads}{'µs/chunk':>10}")
    lines += [
        f"  {row.workload + '*' * row.alone:10}{row.characters:>8}{row.complete:>13.1f}{row.complete_rate:>8.0f}"
        f"{row.complete_ratio:>9.2f}{row.stream:>12.1f}{row.stream_rate:>8.1f}{row.stream_ratio:>9.1f}{row.per_chunk:>10.2f}"
        for row in rows
    ]
    missing = [workload for workload in WORKLOADS if workload not in {row.workload for row in rows}]
    if missing:
        lines.append(f"  not measured, because it does not read back what was rendered: {', '.join(missing)}")
    if apart := [row.workload for row in rows if not row.agrees]:
        lines.append(f"  figures void, because the stream says something else: {', '.join(apart)}")
    return "\n".join([*lines, "  " + "   ".join(map(mark, kept))])


def mark(target: Target) -> str:
    """A target with its figure and whether it is kept."""
    return f"{'✓' if target.kept else '✗'} {target.name} {target.value:.2f} ≤ {target.limit:g}"


# The command line


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, or profile, as the arguments say."""
    parser = arguments(__doc__ or "")
    parser.add_argument(
        "--profile", nargs=2, metavar=("DIALECT", "WORKLOAD"), help=f"show where time goes in one of {WORKLOADS}"
    )
    options = parser.parse_args(argv)
    names = options.dialect or registry.dialects()
    if not are_known([*names, *(options.profile or ())[:1]]):
        return 2
    if options.profile:
        return profile(registry.dialect(options.profile[0]), options.profile[1])
    seconds = 0.05 if options.quick else 0.4
    loads = machine()
    print(f"json.loads of 140 characters: {loads:.2f} µs\n")
    report: list[Json] = []
    missed: list[str] = []
    for name in names:
        dialect = registry.dialect(name)
        wires = {workload: wire(dialect, workload) for workload in WORKLOADS}
        rows = [measure(name, dialect, workload, w, seconds) for workload, w in wires.items() if w]
        kept = targets(rows, loads)
        print(draw(name, rows, kept), end="\n\n", flush=True)
        report += map(asdict, rows)
        missed += [f"{name}: {mark(target)}" for target in kept if not target.kept]
    starts = startup(names, 3 if options.quick else 10)
    print("\n".join(map(mark, starts)), end="\n\n")
    missed += [mark(target) for target in starts if not target.kept]
    print("\n".join([f"{len(missed)} targets missed", *missed]) if missed else "every target kept")
    if options.json:
        figures = {"loads": loads, "rows": report, "start": [target._asdict() for target in starts], "missed": missed}
        Path(options.json).write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def arguments(about: str) -> argparse.ArgumentParser:
    """The arguments of a benchmark of dialects."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--json", metavar="OUT", help="write the figures")
    return parser


def are_known(names: Sequence[str]) -> bool:
    """True when these are dialects; else it says which is none."""
    known = registry.dialects()
    unknown = sorted({*names} - {*known})
    if unknown:
        print(f"bench: unknown dialect {unknown[0]!r}, expected one of {', '.join(known)}", file=sys.stderr)
    return not unknown


def profile(dialect: Dialect, workload: str) -> int:
    """Show where the time goes, complete and in chunks."""
    measured = wire(dialect, workload) if workload in WORKLOADS else None
    if measured is None:
        print(f"bench: cannot measure {workload!r} here, expected one of {', '.join(WORKLOADS)}", file=sys.stderr)
        return 2
    text = measured.text
    chunks = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    for title, run in (("complete", lambda: dialect.parse(text)), ("stream", lambda: drain(dialect, chunks))):
        print(f"{title}: {best(run, 0.2):.1f} µs")
        _profile(run, max(1, int(1e6 / best(run, 0.1))))
    return 0


def _profile(run: Callable[[], object], loops: int) -> None:
    try:
        profiler = import_module("pyinstrument").Profiler(interval=0.0005)
    except ImportError:
        _profile_calls(run, loops)
        return
    with profiler:
        for _ in range(loops):
            run()
    print(profiler.output_text(show_all=True, color=sys.stdout.isatty()))


def _profile_calls(run: Callable[[], object], loops: int) -> None:
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(loops):
        run()
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    sys.exit(main())
