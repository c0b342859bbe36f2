"""The figures on the README, taken from the runs that are kept: how much is read rightly, and how fast."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from functools import partial
from itertools import product
from statistics import median

import msgspec

from tools.bench.speed_figures import LOADS, Run, chunk, chunk_size, kept
from tools.conformance.summary import percent
from tools.pages.dialect_pages import MEASURED
from tools.pages.markdown_text import table
from tools.peers import peer_figures
from tools.peers.peer_figures import COMPILED, HOW, US, WORKLOADS, Ratio, Report, ahead, middle

_TEXTS = dict(zip(WORKLOADS, ("a short answer", "eight calls", "20 kB of code"), strict=True))
_BUILDS = {US: "pure Python", COMPILED: "compiled"}


def text() -> str:
    """The part of the README that has figures."""
    report = msgspec.json.decode(peer_figures.FILE.read_bytes(), type=Report)
    told = [fill(_conformance(), subsequent_indent="  "), fill(_probes(report), subsequent_indent="  "), ""]
    return "\n".join([*told, fill(_BESIDE), "", table([*_beside(report)]), "", fill(_alone()), "", fill(_auto())])


fill = partial(textwrap.fill, width=120, break_long_words=False, break_on_hyphens=False)


def _conformance() -> str:
    counted = json.loads(MEASURED.read_text(encoding="utf-8")).values()
    (passed, tried), (wanted, _) = (
        [sum(each[what][part] for each in counted if what in each) for part in (0, 1)] for what in ("pass", "policies")
    )
    return (
        f"- **{tried:,} test cases of other projects' parsers**: {percent(passed, tried)} are read as those expect, "
        f"{percent(wanted, tried)} under the policy that a project wants; all of them alike in whatever pieces they "
        "arrive ([conformance](docs/reports/conformance.md), `make conformance`)."
    )


def _probes(report: Report) -> str:
    best = sorted(report.probes.items(), key=lambda one: -one[1][0] / one[1][1])
    told = ", ".join(f"{who} {right:,} of {tried:,}" for who, (right, tried) in best)
    return f"- **Probes read right**, whole and streamed, in the formats that each package reads: {told}."


_BESIDE = (
    "Times as fast as the fastest package that reads the same text rightly: the median over the formats, and in how "
    "many toolect is ahead ([peers](docs/reports/peers.md), `make peers`)."
)


def _beside(report: Report) -> Iterator[tuple[str, ...]]:
    builds = [build for build in _BUILDS if build in report.versions]
    yield "text", *(_BUILDS[build] for build in builds)
    for how, (workload, what) in product(HOW, _TEXTS.items()):
        yield f"{what}, {how}", *(_ahead(report.ratios(build, workload, how)) for build in builds)


def _ahead(ratios: list[Ratio]) -> str:
    return f"{middle(ratios):.1f} ({ahead(ratios)})"


def _alone() -> str:
    runs = sorted(kept().runs.items(), reverse=True)  # the pure build, which users get, first
    told = [f"{_of(run, 'short', 'whole'):.0f} and {_of(run, 'short', 'by 4'):.1f} µs ({build})" for build, run in runs]
    return (
        f"A short answer, and a chunk of four characters of one, take {', '.join(told)}, where `json.loads` of 140 "
        f"characters takes {LOADS:g} ([speed](docs/reports/speed.md), `make bench`; `make compiled`)."
    )


def _auto() -> str:
    readings = [one.readings for one in kept().runs[_BUILDS[US]].dialects.values()]
    short, long, pieces, stretches = (
        f"{median(one[f'{workload} auto'].us[way] / one[workload].us[way] for one in readings):.1f}"
        for way in ("whole, tools", "by 4, tools")
        for workload in ("short", "code20")
    )
    return (
        f"Without a name, by `auto`, a short answer takes {short} times as long as in its dialect, 20 kB of code "
        f"{long} times, streamed {pieces} and {stretches} times ([what it "
        "costs](docs/guide/detection.md#what-it-costs))."
    )


def _of(run: Run, workload: str, way: str) -> float:
    """µs of a text in the median dialect, or of a chunk of it, on the machine that limits are given for."""
    readings = [one.readings[workload] for one in run.dialects.values() if workload in one.readings]
    return LOADS / run.loads * median(chunk(one, way) if chunk_size(way) else one.us[way] for one in readings)
