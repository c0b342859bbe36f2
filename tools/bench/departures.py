"""Measures what a text costs that departs from what its dialect writes, against the same text as it is written.

    python -m tools.bench.departures [--dialect NAME]... [--quick] [--json OUT]

Each dialect writes a short text and one with 20 kB of code (`workloads.py`), which are then changed in one place:
  blank   a blank more in the JSON, or else a newline less beside a marker
  keys    the keys of the objects of calls the other way round, where calls are JSON
  closer  without its last marker
  double  with its last marker twice
  auto    unchanged, but read without naming the dialect
Every figure is a ratio to the unchanged text in the same run. The last column says how many of the dialect's corpus
cases that have calls and are just what it would write itself are read in large steps alone.

Target: 4 times the unchanged text, 10 times where the dialect is not named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import toolect
from toolect import registry
from toolect._reading.stride import stride
from toolect._values.toolset import tool_schemas
from toolect.authoring.corpus import read
from toolect.compiled import Dialect
from toolect.message import Json
from tools.bench.speed import are_known, arguments, best
from tools.bench.workloads import Wire, markers, payloads, wire

WORKLOADS = ("short", "code20")
LIMIT, UNNAMED_LIMIT = 4, 10
CORPUS = Path("tests/corpus")


@dataclass
class Figures:
    """What was measured of one dialect."""

    dialect: str
    canonical: dict[str, float] = field(default_factory=dict)
    """Workload → µs."""
    ratios: dict[str, float] = field(default_factory=dict)
    """`workload departure` → times the unchanged text."""
    cases: int = 0
    carried: int = 0


def departures(dialect: Dialect, wire: Wire) -> Iterator[tuple[str, str]]:
    """The names of the changes that the text admits, each with the changed text."""
    text = wire.text
    found = payloads(text, wire.calls)
    if found:
        yield "blank", text.replace(found[0], found[0][:1] + " " + found[0][1:], 1)
        swapped = text
        for payload in found:
            swapped = swapped.replace(payload, json.dumps(_turned(json.loads(payload)), ensure_ascii=False))
        if swapped != text:
            yield "keys", swapped
    places = sorted((text.rfind(marker), -len(marker), marker) for marker in markers(dialect.spec) if len(marker) > 2)
    places = [place for place in places if place[0] >= 0]
    if not found and (lines := [at + len(m) for at, _, m in places if text.startswith("\n", at + len(m))]):
        yield "blank", text[: lines[0]] + text[lines[0] + 1 :]
    if places:
        at, _, last = places[-1]
        yield "closer", text[:at] + text[at + len(last) :]
        yield "double", text[:at] + last + text[at:]


def _turned(value: Json) -> Json:
    if isinstance(value, list):
        return [_turned(item) for item in value]
    return dict(reversed(value.items())) if isinstance(value, dict) else value


def carried(dialect: Dialect) -> tuple[int, int]:
    """The canonical corpus cases that have calls, and how many of them are read in large steps alone."""
    path, graph, cases, whole = CORPUS / f"{dialect.spec.name}.txt", dialect.graph(), 0, 0
    for case in read(path) if path.exists() else ():
        tools = case.options.get("tools")
        if not case.canonical or case.options.keys() - {"tools"} or not dialect.parse(case.text, tools).calls:
            continue
        cases += 1
        schemas = tool_schemas(tools)
        strode = stride(graph, graph.start, case.text, 0, 0, schemas, True, True) if graph.strides else None
        whole += strode is not None and strode[0].finished
    return cases, whole


def measure(name: str, seconds: float) -> Figures:
    """All figures of one dialect."""
    dialect = registry.dialect(name)
    figures = Figures(name)
    for workload in WORKLOADS:
        made = wire(dialect, workload)
        if made is None:
            continue
        text = made.text
        unchanged = figures.canonical[workload] = best(lambda text=text: dialect.parse(text), seconds)  # type: ignore[misc]
        for kind, changed in departures(dialect, made):
            taken = best(lambda text=changed: dialect.parse(text), seconds)  # type: ignore[misc]
            figures.ratios[f"{workload} {kind}"] = taken / unchanged
        figures.ratios[f"{workload} auto"] = best(lambda text=text: toolect.parse(text), seconds) / unchanged  # type: ignore[misc]
    figures.cases, figures.carried = carried(dialect)
    return figures


KINDS = [f"{workload} {kind}" for workload in WORKLOADS for kind in ("blank", "keys", "closer", "double", "auto")]


def limit(kind: str) -> int:
    """The target of a departure."""
    return UNNAMED_LIMIT if kind.endswith("auto") else LIMIT


def draw(figures: Figures) -> str:
    """One line of the table; a ratio beyond the target is marked."""
    cells = [f"{figures.canonical[w]:>9.1f}" if w in figures.canonical else f"{'':9}" for w in WORKLOADS]
    for kind in KINDS:
        ratio = figures.ratios.get(kind)
        cells.append(f"{'–':>8} " if ratio is None else f"{ratio:>8.2f}{'!' if ratio > limit(kind) else ' '}")
    return f"{figures.dialect:22}{''.join(cells)}{figures.carried:>5}/{figures.cases}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure as the arguments say."""
    options = arguments(__doc__ or "").parse_args(argv)
    names = options.dialect or registry.dialects()
    if not are_known(names):
        return 2
    heads = "".join(f"{kind.replace('code20', 'c20'):>9}" for kind in KINDS)
    print(f"{'':22}{'short µs':>9}{'c20 µs':>9}{heads}  large steps alone")
    rows = []
    for name in names:
        rows.append(measure(name, 0.02 if options.quick else 0.2))
        print(draw(rows[-1]), flush=True)
    over = sum(ratio > limit(kind) for row in rows for kind, ratio in row.ratios.items())
    carries, cases = sum(row.carried for row in rows), sum(row.cases for row in rows)
    print(f"\n{carries} of {cases} canonical cases in large steps alone; {over} ratios above their target")
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
