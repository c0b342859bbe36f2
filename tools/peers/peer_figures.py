"""The figures of one run, and the page that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import TypeAlias

import msgspec

from tools.pages.markdown_text import table

US, COMPILED = "toolect", "toolect compiled"
"""The build that users get, and the one that is compiled."""
WORKLOADS = ("short", "parallel", "code20")
HOW = ("whole", "streamed")


class Figure(msgspec.Struct, frozen=True):
    """What one package made of one text: its time in µs, what is wrong, and whether it waits for whole calls."""

    us: float
    wrong: str = ""
    waits: bool = False


class Row(msgspec.Struct, frozen=True):
    """One text read in one way by every package that reads its format."""

    dialect: str
    workload: str
    how: str
    figures: dict[str, Figure]

    @property
    def best(self) -> tuple[str, float] | None:
        """The peer that reads this text rightly in the shortest time."""
        right = [
            (f.us, name)
            for name, f in self.figures.items()
            if name not in (US, COMPILED) and f.us and not f.wrong and not f.waits
        ]
        return (min(right)[1], min(right)[0]) if right else None


Ratio: TypeAlias = tuple[float, str, str]
"""How many times as long the best peer takes, the dialect, and who that is."""


def middle(ratios: list[Ratio]) -> float:
    """The ratio in the middle."""
    return median(ratio for ratio, *_ in ratios)


def ahead(ratios: list[Ratio]) -> str:
    """In how many the best peer takes as long or longer, and of how many."""
    return f"{sum(ratio >= 1 for ratio, *_ in ratios)} of {len(ratios)}"


class Report(msgspec.Struct, frozen=True):
    """All figures of one run: when, with what versions, and the probes read right of those tried."""

    date: str
    python: str
    versions: dict[str, str]
    rows: list[Row]
    probes: dict[str, tuple[int, int]]

    def ratios(self, build: str, workload: str, how: str) -> list[Ratio]:
        """How many times as long the best peer takes, the least first."""
        return sorted(
            (best[1] / row.figures[build].us, row.dialect, best[0])
            for row in self.rows
            if (row.workload, row.how) == (workload, how) and build in row.figures and (best := row.best)
        )


_HEAD = """\
# Beside other packages

Each package reads the same texts in an environment of its own, in the same run and in turn with the others, with the
tools declared. A chunk has four characters, a marker is one chunk. What stands for a server around a package is written
in `tools/peers/readers/`.
"""
_AHEAD = """
## How many times as long the best peer takes

A peer counts where its answer is right; below 1 it is faster than toolect. mlx-lm hands a streamed call over when it is
whole: its streams do another job, and do not count.
"""
_PROBES = """
## Probes read right

Calls without arguments; quotes, escapes, brackets and the format's own markers in values; two tools; a text that is cut
off in a call: whole and streamed, in the formats that a package reads. agent-tool-parser reads whole texts only, and
tells no content.
"""
_TIMES = """
## Times in µs

In brackets where the answer is wrong; none where it took longer than a reader waits.
"""


def page(report: Report) -> str:
    """The page of a run."""
    versions = ", ".join(f"{name} {what}" for name, what in report.versions.items())
    right = [(who, f"{right} of {tried}") for who, (right, tried) in report.probes.items()]
    return "\n".join(
        [
            _HEAD,
            f"Measured {report.date} on Python {report.python}: {versions}.",
            _AHEAD,
            *(
                table([("what", f"{build} ahead", "median", "least"), *_summary(report, build)]) + "\n"
                for build in (US, COMPILED)
                if build in report.versions
            ),
            _PROBES,
            table([("package", "right"), *right]),
            _TIMES,
            table(list(_times(report))),
            "",
        ]
    )


def _summary(report: Report, build: str) -> Iterator[tuple[str, str, str, str]]:
    for how in HOW:
        for workload in WORKLOADS:
            if ratios := report.ratios(build, workload, how):
                least, dialect, who = ratios[0]
                told = f"{least:.2f} (`{dialect}`, {who})"
                yield f"{workload} {how}", ahead(ratios), f"{middle(ratios):.1f}", told


def _times(report: Report) -> Iterator[list[str]]:
    names = list(report.versions)
    yield ["dialect", "what", *names]
    for row in report.rows:
        yield [f"`{row.dialect}`", f"{row.workload} {row.how}", *(_cell(row.figures.get(name)) for name in names)]


def _cell(figure: Figure | None) -> str:
    if figure is None or not figure.us:
        return ""
    return f"({figure.us:,.0f})" if figure.wrong else f"{figure.us:,.1f}"
