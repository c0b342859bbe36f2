"""The figures of the benchmark as they are printed, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from tools.bench.speed_figures import (
    WAYS,
    Dialect,
    Goal,
    Reading,
    Run,
    chunk,
    chunk_size,
    goals,
    kept,
    since,
    started,
)
from tools.bench.workloads import WORKLOADS
from tools.pages.markdown_text import table

CHANGED = 1.1
"""Times what it took in the last run that are worth a word: less is the machine's."""


# On a terminal


def drawn(run: Run, last: Run | None, name: str) -> str:
    """One dialect's figures: for each way µs, or µs a chunk, and times the floor; and which goals are kept."""
    figures = run.dialects[name]
    heads = [f"{way}{' µs/chunk' if chunk_size(way) else ' µs'}" for way in WAYS]
    lines = [
        f"{name} ({figures.notation} arguments{', calls alone' if figures.alone else ''})",
        f"  {'':14}{'chars':>8}" + "".join(f"{head:>24}" for head in heads),
    ]
    for text, reading in figures.readings.items():
        cells = [_cell(reading, way, since(run, last, name, text, way)) for way in WAYS]
        lines.append(f"  {text:14}{reading.characters:>8}" + "".join(f"{one:>24}" for one in cells))
    held = [f"{text} {way} {amount:.1f}" for text, r in figures.readings.items() for way, amount in r.bytes.items()]
    lines.append(f"  bytes held a character: {'; '.join(held)}")
    lines.append(f"  {figures.carried} of {figures.cases} canonical cases in large steps alone")
    if figures.apart:
        lines.append(f"  figures void, because the stream says something else: {', '.join(figures.apart)}")
    return "\n".join([*lines, "  " + "   ".join(map(mark, goals(figures, run.loads)))])


def _cell(reading: Reading, way: str, change: float | None) -> str:
    if way not in reading.us:
        return ""
    took = chunk(reading, way) if chunk_size(way) else reading.us[way]
    told = "" if change is None or 1 / CHANGED < change < CHANGED else f" ({change:.2f})"
    return f"{took:.1f}  {_ratio(reading, way):.1f}x{told}"


def _ratio(reading: Reading, way: str) -> float:
    return reading.us[way] / reading.floor[way]


def mark(goal: Goal) -> str:
    """A goal with its figure and whether it is kept."""
    return f"{'✓' if goal.kept else '✗'} {goal.name} {goal.value:.2f} ≤ {goal.limit:.3g}"


def summary(run: Run) -> Iterator[str]:
    """The goals of a cold process, and how many dialects keep each of the others."""
    yield from map(mark, started(run.start))
    for name, *cells in _kept(run):
        yield f"{name:32}" + "".join(f"{one:>28}" for one in cells)


def missed(run: Run) -> list[str]:
    """The goals that are missed, by dialect."""
    every = [(f"{name}: ", goal) for name, figures in run.dialects.items() for goal in goals(figures, run.loads)]
    every += [("", goal) for goal in started(run.start)]
    lost = [f"{name}{mark(goal)}" for name, goal in every if not goal.kept]
    return [f"{len(lost)} of {len(every)} goals missed", *lost]


def _kept(run: Run) -> Iterator[tuple[str, ...]]:
    """Of each goal: how many keep it, the median, and the figure and name of the dialect that is furthest from it."""
    found: dict[str, list[tuple[str, Goal]]] = {}
    for name, figures in run.dialects.items():
        for goal in goals(figures, run.loads):
            found.setdefault(goal.name, []).append((name, goal))
    yield "goal", "kept", "limit", "median", "furthest"
    for goal_name, each in found.items():
        limits = sorted({f"{goal.limit:.3g}" for _, goal in each}, key=float)
        furthest, goal = max(each, key=lambda one: one[1].value / one[1].limit)
        yield (
            goal_name,
            f"{sum(goal.kept for _, goal in each)} of {len(each)}",
            " / ".join(limits),
            f"{median(goal.value for _, goal in each):.2f}",
            f"{goal.value:.2f} ({furthest})",
        )


# The page

_HEAD = """\
# Speed

`make bench ARGS=--write` measures this (and, for the compiled build, `make compiled bench ARGS="--compiled --write"`).
The texts and the floor, the least that any reader
has to do, stand in `tools/bench/workloads.py`: two sentences and a call (short) or eight (parallel), a call with 20 or
200 kB of code in it (code20, code200), 20 kB of prose (prose20). A text may have a flaw: a blank more or a newline
less (blank), the keys of its objects the other way round (keys), no last marker (closer), or that twice (double); or
be read without the name of its dialect (auto). Limits in µs are for a machine where `json.loads` of 140 characters
takes 1.5 µs, and are scaled to this one. `make peers` has other packages beside it, `make beside` an
earlier commit.
"""
_GOALS = """\
How many dialects keep each goal. Where a goal has three limits they are for arguments in JSON, as they are, and in a
notation whose escapes have to be undone."""
_MISSED = """\
## What is missed, and why

Shares are of pure Python; in the compiled build a call of a function costs a third or less, and the goals that are a
matter of such calls are kept by most dialects.

- **short × floor.** A short call in JSON takes some fifty calls of functions, half of them in C. A tenth of the time
  goes into telling equal tools apart by their JSON, which no look at an object can replace, since it may have changed.
  A sixth is the search of the text and the decoding of the arguments, a twelfth the expressions for what stands around
  them, a seventh their check against the schema and the objects of the message. The rest, half, is Python between
  them. Elements cost one match for each argument, one look-up of what the tool declares, and the value. Value
  languages (pythonic, `functiongemma`) take three steps for each argument.
- **Names without a marker** (`glm4`, `line-pythonic`, `yaml-xml`): each line, or each sign before a word, may begin a
  call. What it is, is looked ahead for, and only a declared tool in canonical text is spared that. YAML comes from
  the parser of PyYAML, one object for each event.
- **code20 × floor** where escapes have to be undone: the floor looks for the ends of a value and leaves it as it is.
  To undo escapes is one search that all are of the usual kind and one decoding, 35 µs for 20 kB.
- **short µs a chunk.** A chunk of text costs 0.4 µs, one inside a string of JSON 0.9, one with signs of JSON 3 to 8. A
  third of the time of a short call goes into its two ends, 50 to 100 µs where it begins and 40 where it ends: the
  marker is looked at until what follows proves the call, and then the markers are read one by one, 8 µs each. Where
  tools are declared, the text of the arguments is followed once more for values that have to fit.
- **growth.** What is above 11 in one run is below it in the next: `longcat` took 20.7 times as long in the run that is
  kept, and 7.5 times when it was measured again.
- **prose20 auto × prose20.** Four fifths are one search for whatever may begin a call in any dialect; the dialect
  itself looks for one marker.
- **short auto × short.** Every dialect that has the opener is ranked, then one stride tells whether the first leaves
  nothing to be desired: fixed costs of 40 µs. Where several dialects write nearly the same (`glm-4.5`, `ling3`), each
  has to be heard.
- **closer, double × short.** From the flaw on, markers are read one by one, besides the large steps before it.
- **first parse.** Most of it is the decoder that msgspec makes of the types of a spec, and the regular expressions of
  the first nodes, which `re` compiles in Python.
- **Other packages** that are ahead on short texts do less: they find two markers, decode what is between, and check
  neither the rest of the text nor what is declared.
"""
_TIMES = "µs at once with tools declared, with times the floor; µs a chunk of four characters, with tools declared."
_COLUMNS = tuple((workload, way) for way in ("whole, tools", "by 4, tools") for workload in WORKLOADS)


def page() -> str:
    """The page of the runs that are kept."""
    parts = [_HEAD]
    for run in kept().runs.values():
        parts += [f"## toolect {run.version}\n", *_report(run)]
    return "\n".join([*parts, _MISSED])


def _report(run: Run) -> Iterator[str]:
    yield f"Measured {run.date} on Python {run.python}; `json.loads` of 140 characters took {run.loads:.2f} µs.\n"
    yield f"### Goals\n\n{_GOALS}\n"
    yield table(list(_kept(run))) + "\n"
    yield table([("a cold process", "ms", "limit"), *_started(run)]) + "\n"
    carried, cases = (sum(getattr(one, key) for one in run.dialects.values()) for key in ("carried", "cases"))
    yield f"{carried} of {cases} canonical cases with calls are read in large steps alone.\n"
    yield f"### By dialect\n\n{_TIMES}\n"
    yield table([("dialect", *(f"{workload} {way.split(',')[0]}" for workload, way in _COLUMNS)), *_rows(run)]) + "\n"
    yield "### Memory\n\nBytes held at most while a text is read, for a character of it.\n"
    yield table([("text", "median", "most"), *_memory(run)]) + "\n"


def _started(run: Run) -> Iterator[tuple[str, ...]]:
    for goal in started(run.start):
        yield goal.name.removesuffix(" (ms)"), f"{goal.value:.0f}", f"{goal.limit:.0f}"


def _rows(run: Run) -> Iterator[Sequence[str]]:
    for name, figures in run.dialects.items():
        yield [f"`{name}`", *(_figure(figures, workload, way) for workload, way in _COLUMNS)]


def _figure(figures: Dialect, workload: str, way: str) -> str:
    reading = figures.readings.get(workload)
    if reading is None:
        return "–"
    return f"{chunk(reading, way):.2f}" if chunk_size(way) else f"{reading.us[way]:,.0f} ({_ratio(reading, way):.1f})"


def _memory(run: Run) -> Iterator[tuple[str, ...]]:
    found: dict[str, dict[str, float]] = {}
    for name, figures in run.dialects.items():
        for text, reading in figures.readings.items():
            for way, amount in reading.bytes.items():
                found.setdefault(f"{text} {way.split(',')[0]}", {})[name] = amount
    for what, amounts in found.items():
        most = max(amounts, key=amounts.__getitem__)
        yield what, f"{median(amounts.values()):.1f}", f"{amounts[most]:.1f} (`{most}`)"
