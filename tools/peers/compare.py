"""Reads the same texts with toolect and its peers, in turn, and says who is right and how long each takes.

    python -m tools.peers.compare [--dialect NAME]... [--peer NAME]... [--quick] [--compiled] [--json OUT] [--write]

`peers.yaml` says which packages, and what they call a format. Each gets an environment of its own below `.peers/`,
made once. A text is what the dialect writes for a message of `tools/bench/workloads.py`, read with the tools declared:
whole, and in chunks of four characters in which a marker's tags are never split.
Every package is asked in turn, some rounds; its figure is the shortest time. What it says must be the calls and the
content that were written (spaces around content do not count): a figure of a wrong answer is marked and wins nothing.
Besides, the probes count what is read right of texts that are harder than the ones timed. --compiled has the wheel
of `make compiled` beside them. --write makes a
page of it, .reports/peers.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version
from typing import Any

import msgspec

from toolect import registry
from toolect._message import Message
from toolect._version import __version__, build
from tools.bench.workloads import TOOLS, wire
from tools.bench.workloads import message as message_of
from tools.peers.environments import Worker, compiled_wheel, environment, peers
from tools.peers.peer_figures import COMPILED, HOW, US, WORKLOADS, Figure, Report, Row, page
from tools.peers.probe_texts import pieces, probes, tags
from tools.reports import keep

ROUNDS = 3


# Measuring


def wrong(answer: Mapping[str, Any], said: Message) -> str:
    """What is wrong with an answer, or nothing."""
    if "error" in answer:
        return str(answer["error"])
    if answer["calls"] != [[call.name, call.arguments] for call in said.calls]:
        return f"calls {json.dumps(answer['calls'], ensure_ascii=False)[:120]}"
    if answer["content"] is not None and answer["content"].strip() != said.content.strip():
        return f"content {answer['content'][:80]!r}"
    return ""


def measure(
    name: str, readers: Mapping[str, tuple[Worker, str]], waiting: frozenset[str], seconds: float
) -> Iterator[Row]:
    """The rows of one dialect: every package in turn, some rounds."""
    dialect = registry.dialect(name)
    known = tags(dialect)
    for workload in WORKLOADS:
        if not (made := wire(dialect, workload)):
            continue
        said = Message(made.calls) if made.alone else message_of(workload)
        for how in HOW:
            given = {"text": made.text} if how == "whole" else {"chunks": pieces(made.text, known)}
            about = {"tools": TOOLS, "markers": known, **given}
            faults = {
                who: wrong(worker.ask(format=format_, say=how, **about), said)
                for who, (worker, format_) in readers.items()
            }
            times: dict[str, float] = {}
            for _ in range(ROUNDS):
                for who, (worker, format_) in readers.items():
                    if "TooLongError" in faults[who]:
                        continue
                    took = worker.ask(format=format_, time=how, seconds=seconds / ROUNDS, **about)
                    if "us" in took:
                        times[who] = min(times.get(who, float("inf")), took["us"])
            figures = {
                who: Figure(times.get(who, 0), fault, how == "streamed" and who in waiting)
                for who, fault in faults.items()
                if not _absent(fault)
            }
            yield Row(name, workload, how, figures)


def _absent(fault: str) -> bool:
    """True when a package has no such reading at all."""
    return fault.startswith("NotImplementedError")


def probed(name: str, readers: Mapping[str, tuple[Worker, str]]) -> dict[str, tuple[int, int]]:
    """How many probes of one dialect each package reads right, whole and streamed, and of how many."""
    dialect = registry.dialect(name)
    known = tags(dialect)
    found = dict.fromkeys(readers, (0, 0))
    for text, said in probes(dialect):
        for how, given in (("whole", {"text": text}), ("streamed", {"chunks": pieces(text, known)})):
            for who, (worker, format_) in readers.items():
                answer = worker.ask(format=format_, say=how, tools=TOOLS, markers=known, **given)
                fault = wrong(answer, said)
                if _absent(fault):
                    continue
                right, tried = found[who]
                if fault and who in (US, COMPILED):
                    print(f"  {who} is wrong: {name} {how} {text!r}: {fault}")
                found[who] = (right + (not fault), tried + 1)
    return found


# Printing


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """One line a row: our time, and each peer's with how many times ours it is; a wrong answer's stands in brackets."""
    for row in rows:
        ours = row.figures[US]
        others = "   ".join(
            f"({who} {f.us:.0f} µs: {f.wrong})" if f.wrong else f"{who} {f.us:.1f} µs ({f.us / ours.us:.2f})"
            for who, f in row.figures.items()
            if who != US
        )
        behind = "" if not row.best or row.best[1] >= ours.us else "  BEHIND"
        print_wrong = f" WRONG: {ours.wrong}" if ours.wrong else ""
        yield f"{row.dialect:16} {row.workload:9} {row.how:9} {ours.us:9.1f} µs{print_wrong}   {others}{behind}"


# The command line


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what the arguments say."""
    known = peers()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--peer", action="append", choices=sorted(known), help="only this package; may be repeated")
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    parser.add_argument("--compiled", action="store_true", help="the wheel that `make compiled` built, too")
    parser.add_argument("--json", metavar="OUT", help="write the figures")
    parser.add_argument("--write", action="store_true", help="write .reports/peers.md")
    options = parser.parse_args(argv)
    chosen = {name: peer for name, peer in known.items() if not options.peer or name in options.peer}
    names = sorted({name for peer in chosen.values() for name in peer.formats})
    if strange := sorted({*(options.dialect or ())} - {*names}):
        print(f"peers: no package here reads {strange[0]!r}, expected one of {', '.join(names)}", file=sys.stderr)
        return 2
    waiting = frozenset(name for name, peer in chosen.items() if peer.waits)
    pythons = {name: environment(name, peer) for name, peer in chosen.items()}
    rows: list[Row] = []
    counts: dict[str, tuple[int, int]] = {}
    with ExitStack() as open_:
        ours = open_.enter_context(Worker(US, sys.executable))
        builds = {US: ours}
        if options.compiled:
            builds[COMPILED] = open_.enter_context(Worker(US, compiled_wheel()))
        workers = {name: open_.enter_context(Worker(name, python)) for name, python in pythons.items()}
        for name in options.dialect or names:
            readers = {build: (worker, name) for build, worker in builds.items()} | {
                who: (workers[who], peer.formats[name]) for who, peer in chosen.items() if name in peer.formats
            }
            for row in measure(name, readers, waiting, 0.06 if options.quick else 0.6):
                rows.append(row)
                print("\n".join(lines([row])), flush=True)
            for who, (right, tried) in probed(name, readers).items():
                before = counts.get(who, (0, 0))
                counts[who] = (before[0] + right, before[1] + tried)
    for who, (right, tried) in counts.items():
        print(f"{who}: {right} of {tried} probes right")
    behind = sum(row.best is not None and row.best[1] < row.figures[US].us for row in rows)
    print(f"{behind} of {len(rows)} rows behind the best peer that is right")
    versions = {US: f"{__version__} ({build()})"} | ({COMPILED: __version__} if options.compiled else {})
    versions |= {n: p.package.partition("==")[2] for n, p in chosen.items()}
    report = Report(datetime.now(UTC).date().isoformat(), python_version(), versions, rows, counts)
    if options.write:
        keep("peers.md", page(report))
    if options.json:
        Path(options.json).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
