"""Measures reading against a floor taken in the same run, and against the last run that was kept.

    python -m tools.bench.speed [--dialect NAME]... [--quick] [--compiled] [--json OUT] [--write]
    python -m tools.bench.speed --profile DIALECT TEXT

Each dialect's texts (`workloads.py`) are read at once and in chunks of 4 and of 64 characters, with the tools declared
and without; then short and code20 with a flaw in one place (`flaws.py`), and without the name of the dialect (auto).
What the floor does is written at the top of workloads.py; the goals stand in speed_figures.py. Memory is what is held
at most while a text is read, in bytes a character of it. --compiled measures the wheel of `make compiled` in an
environment of its own; --write keeps the figures in .reports/speed.json, and writes the page beside it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from platform import python_version

import toolect
from toolect import registry
from toolect._authoring.corpus import read
from toolect._canonical.fast_path import read_canonical
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._values.toolset import tool_schemas
from toolect._version import __version__, build
from tools.bench import cold, speed_figures, speed_tables
from tools.bench.flaws import flawed
from tools.bench.speed_figures import AUTO, WAYS, Notation, Reading, Run, chunk_size
from tools.bench.speed_tables import drawn, missed, summary
from tools.bench.timing import best, machine, peak
from tools.bench.workloads import TOOLS, WORKLOADS, Wire, complete_floor, payloads, stream_floor, wire
from tools.conformance.chunked import disagreement
from tools.conformance.chunked import stream as streamed
from tools.peers.environments import compiled_wheel
from tools.reports import keep

ROOT = Path(__file__).resolve().parents[2]
FLAWED = ("short", "code20")
"""Texts that are read with flaws, too."""
WEIGHED = ("code200", "prose20")
"""Texts whose memory is measured."""


def reading(dialect: Dialect | Auto, text: str, way: str) -> Callable[[], object]:
    """Reads a text in one of the ways."""
    size, tools = chunk_size(way), TOOLS if "tools" in way else None
    if not size:
        return lambda: dialect.parse(text, tools=tools)
    pieces = chunks(text, size)

    def drain() -> None:
        opened = dialect.stream(tools=tools)
        feed = opened.feed
        for piece in pieces:
            feed(piece)
        opened.close()

    return drain


def chunks(text: str, size: int) -> list[str]:
    """A text in pieces of so many characters."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def times(dialect: Dialect, wire: Wire, ways: Sequence[str], seconds: float, reader: Dialect | Auto) -> Reading:
    """A text's figures, read by `reader`, beside the floor of its dialect."""
    found, floors = Reading(len(wire.text)), dict[int, float]()
    for way in ways:
        size = chunk_size(way)
        if size not in floors:
            floor = stream_floor(dialect, chunks(wire.text, size)) if size else complete_floor(dialect, wire)
            floors[size] = best(floor, seconds)
        found.floor[way] = floors[size]
        found.us[way] = best(reading(reader, wire.text, way), seconds)
    return found


def measure(name: str, seconds: float) -> speed_figures.Dialect:
    """All figures of one dialect."""
    dialect, auto = registry.dialect(name), toolect.auto
    wires = {workload: made for workload in WORKLOADS if (made := wire(dialect, workload))}
    figures = speed_figures.Dialect(notation(wires["code20"]), wires["short"].alone)
    for workload, made in wires.items():
        found = figures.readings[workload] = times(dialect, made, WAYS, seconds, dialect)
        if workload in WEIGHED:
            for way in ("whole, tools", "by 4, tools"):
                found.bytes[way] = peak(reading(dialect, made.text, way)) / len(made.text)
        if differs(dialect, made.text):
            figures.apart.append(workload)
        ways = [way for way in WAYS if way.endswith("tools") and chunk_size(way) in (0, 4)]
        for flaw, text in flawed(dialect, made) if workload in FLAWED else ():
            figures.readings[f"{workload} {flaw}"] = times(dialect, made._replace(text=text), ways, seconds, dialect)
        if workload in (*FLAWED, "prose20"):
            figures.readings[f"{workload} {AUTO}"] = times(dialect, made, ways, seconds, auto)
    figures.cases, figures.carried = carried(dialect)
    return figures


def differs(dialect: Dialect, text: str) -> bool:
    """True when the text says something else in chunks; figures of such a stream are worth nothing."""
    return bool(disagreement(dialect.parse(text), streamed(dialect, chunks(text, 4), {})))


def notation(code: Wire) -> Notation:
    """How the arguments of a call with a long text are written."""
    if payloads(code.text, code.calls):
        return Notation.JSON
    return Notation.RAW if str(code.calls[0].arguments["content"]) in code.text else Notation.ESCAPED


def carried(dialect: Dialect) -> tuple[int, int]:
    """The corpus cases that have calls and are just what the dialect writes, and those read in large steps alone."""
    path, graph, cases, whole = ROOT / f"tests/corpus/{dialect.spec.name}.txt", dialect._graph(), 0, 0
    for case in read(path) if path.exists() else ():
        tools = case.options.get("tools")
        if not case.canonical or case.options.keys() - {"tools"} or not dialect.parse(case.text, tools).calls:
            continue
        cases += 1
        schemas = tool_schemas(tools)
        whole += graph.strides and read_canonical(graph, case.text, schemas) is not None
    return cases, whole


# The command line


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, or profile, as the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--compiled", action="store_true", help="measure the wheel that `make compiled` built")
    parser.add_argument("--json", metavar="OUT", help="write the figures")
    parser.add_argument("--write", action="store_true", help="keep the figures in .reports")
    parser.add_argument(
        "--profile", nargs=2, metavar=("DIALECT", "TEXT"), help=f"where time goes in one of {WORKLOADS}"
    )
    options = parser.parse_args(argv)
    known = registry.dialects()
    names = options.dialect or list(known)
    if unknown := sorted({*names, *(options.profile or ())[:1]} - {*known}):
        parser.error(f"unknown dialect {unknown[0]!r}, expected one of {', '.join(known)}")
    if options.compiled and build() != "compiled":
        words = sys.argv[1:] if argv is None else argv
        return subprocess.run([compiled_wheel(), "-m", "tools.bench.speed", *words], cwd=ROOT, check=False).returncode
    if options.profile:
        return profile(registry.dialect(options.profile[0]), options.profile[1])
    run = Run(datetime.now(UTC).date().isoformat(), python_version(), f"{__version__} ({build()})", machine())
    last = speed_figures.kept().runs.get(build())
    print(f"toolect {run.version}; json.loads of 140 characters: {run.loads:.2f} µs")
    if last is not None:
        print(f"In brackets: times what it took in the last run that was kept, of {last.date}.")
    for name in names:
        run.dialects[name] = measure(name, 0.02 if options.quick else 0.1)
        print(f"\n{drawn(run, last, name)}", flush=True)
    run.start = cold.start(names[:8] if options.quick else names, 3 if options.quick else 5)
    print("", *summary(run), "", *missed(run), sep="\n")
    if options.write:
        speed_figures.keep(build(), run)
        keep("speed.md", speed_tables.page())
    if options.json:
        Path(options.json).write_bytes(speed_figures.encoded(run))
    return 0


def profile(dialect: Dialect, workload: str) -> int:
    """Show where the time goes, at once and in chunks."""
    made = wire(dialect, workload) if workload in WORKLOADS else None
    if made is None:
        raise SystemExit(f"cannot measure {workload!r} here, expected one of {', '.join(WORKLOADS)}")
    for way in ("whole, tools", "by 4, tools"):
        run = reading(dialect, made.text, way)
        print(f"{way}: {best(run, 0.2):.1f} µs")
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
