"""Speed of reading: the same texts read by this checkout, and by others beside it, in turn, each in its own process.

    python -m tools.bench.speed [--before COMMIT] [--peers] [--peer NAME]... [--compiled] [--dialect NAME]... [--quick]
                                [--json FILE] [--write]

A text is what a dialect writes for a message of workloads.py, with and without a flaw, or read without the name of its
dialect (auto): whole, and in chunks of four characters, with the tools declared. A figure is the shortest time of some
rounds. Beside it stands an earlier commit, the compiled wheel, or the packages of `peers.yaml`. With packages, a
marker's tags are never split, and probes count what is read right of texts that are harder than the ones timed. What is
read must be the calls and the content that were written (spaces around content do not count): a wrong answer is marked,
and wins nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any, NamedTuple

import msgspec

from toolect import registry
from toolect._compiled import Dialect
from toolect._message import Call, Content, Message
from toolect._version import __version__, build
from tools.bench.workloads import (
    ARGUMENTS,
    SENTENCES,
    TOOLS,
    WORKLOADS,
    Wire,
    best,
    flawed,
    markers,
    message,
    pieces,
    tags,
    wire,
)
from tools.markdown_text import code, table
from tools.peers.environments import ROOT, Worker, compiled_wheel, environment, peers, unpacked
from tools.reports import keep

US, COMPILED, BEFORE = "toolect", "toolect compiled", "before"
WHOLE, STREAMED = WAYS = ("whole", "streamed")
ROUNDS = 3
SLOWER = 1.1
"""Times what another takes that count as slower: less is the machine's."""
FLAWED = ("short", "code20")
"""Texts that are read with flaws, too; and without the name of the dialect, as is prose."""
COMPARED = ("short", "parallel", "code20")
"""Texts that other packages read."""


class Reading(msgspec.Struct):
    """The figures of one text read in one way: µs by who reads it, and what is wrong with its answer, if anything."""

    dialect: str
    text: str
    way: str
    chunks: int
    us: dict[str, float]
    wrong: dict[str, str]

    @property
    def what(self) -> str:
        """The text and the way."""
        return f"{self.text} {self.way}"

    def right(self, who: str) -> bool:
        """True when this package has a time for a right answer."""
        return bool(self.us.get(who)) and who not in self.wrong


class Report(msgspec.Struct):
    """All figures of a run; `loads` is what `json.loads` of 140 characters took, in µs."""

    date: str
    python: str
    versions: dict[str, str]
    loads: float
    readings: list[Reading]
    probes: dict[str, tuple[int, int]]
    """Number of probes that each package reads right, and of those that it was asked."""


class Subject(NamedTuple):
    """Package under measurement: its process, its names of dialects, and whether its streams wait for whole calls."""

    worker: Worker
    formats: Mapping[str, str] | None = None
    waits: bool = False

    def format(self, dialect: str) -> str | None:
        """Its name of a dialect; None where it does not read it."""
        return dialect if self.formats is None else self.formats.get(dialect)


# Texts


def texts(dialect: Dialect, compared: bool) -> Iterator[tuple[str, str, Wire, Message | None]]:
    """Texts of a dialect: what each is, as which it is read, and the message that it says, if it has no flaw."""
    for workload in COMPARED if compared else WORKLOADS:
        if (made := wire(dialect, workload)) is None:
            continue
        said = Message(made.calls) if made.alone else message(workload)
        yield workload, dialect.name, made, said
        if not compared and workload in (*FLAWED, "prose20"):
            for flaw, text in flawed(dialect, made) if workload in FLAWED else ():
                yield f"{workload} {flaw}", dialect.name, made._replace(text=text), None
            yield f"{workload} auto", registry.AUTO, made, said


def probes(dialect: Dialect) -> Iterator[tuple[str, Message]]:
    """Texts that are harder than the ones timed, each with what it says."""
    for segments in (
        [Call("list_files", {})],
        [Call("write_file", {"path": 'a"b\\c.txt', "content": "tab\there\nline \\n two\n'x' <b>&amp;</b>"})],
        [Call("get_weather", {"city": "東京 🗼", "days": -1})],
        [Call("write_file", {"path": "x", "content": "}}]]))"})],
        [Call("write_file", {"path": "x", "content": " ".join(markers(dialect.spec)[:3])})],
        [Call("get_weather", {"city": "Paris"}), Call("list_files", {})],
        [Call("write_file", {"path": "x", "content": ""})],
    ):
        for said in (Message([Content(SENTENCES), *segments]), Message(segments)):
            try:
                yield str(dialect.render(said, tools=TOOLS)), said
                break
            except ValueError:
                continue
    if made := wire(dialect, "short"):  # cut off in the middle of its arguments: there is no call to run
        yield made.text[: made.text.rindex("rains")], Message([] if made.alone else [Content(SENTENCES)])


# Measuring


def wrong(answer: Mapping[str, Any], said: Message | None) -> str:
    """The error in an answer; empty if there is none."""
    if "error" in answer:
        return str(answer["error"])
    if said is None:
        return ""
    if answer["calls"] != [[call.name, call.arguments] for call in said.calls]:
        return f"calls {json.dumps(answer['calls'], ensure_ascii=False)[:120]}"
    if answer["content"] is not None and answer["content"].strip() != said.content.strip():
        return f"content {answer['content'][:80]!r}"
    return ""


def measure(name: str, subjects: Mapping[str, Subject], seconds: float, compared: bool) -> Iterator[Reading]:
    """The readings of one dialect: everybody in turn, some rounds."""
    dialect = registry.dialect(name)
    known = tags(dialect) if compared else []
    for what, read_as, made, said in texts(dialect, compared):
        for way in WAYS:
            chunks = pieces(made.text, known) if way == STREAMED else []
            about = {"tools": TOOLS, "markers": known, **({"chunks": chunks} if chunks else {"text": made.text})}
            reads = {who: (one.worker, format_) for who, one in subjects.items() if (format_ := one.format(read_as))}
            faults = {who: wrong(worker.ask(format=f, say=way, **about), said) for who, (worker, f) in reads.items()}
            found = Reading(name, what, way, len(chunks), {}, {who: fault for who, fault in faults.items() if fault})
            for _ in range(ROUNDS):
                took: dict[str, float] = {}
                for who, (worker, format_) in reads.items():
                    if "TooLongError" not in faults[who] and not _absent(faults[who]):
                        asked = worker.ask(format=format_, time=way, seconds=seconds / ROUNDS, **about)
                        took |= {who: asked["us"]} if "us" in asked else {}
                found.us |= {who: min(us, found.us.get(who, us)) for who, us in took.items()}
            yield found


def _absent(fault: str) -> bool:
    """True when a package has no such reading at all."""
    return fault.startswith("NotImplementedError")


def probed(name: str, subjects: Mapping[str, Subject]) -> Iterator[tuple[str, bool]]:
    """Packages that read a probe of a dialect, whole or streamed, each with whether it read it right."""
    dialect = registry.dialect(name)
    known = tags(dialect)
    for text, said in probes(dialect):
        for way, given in ((WHOLE, {"text": text}), (STREAMED, {"chunks": pieces(text, known)})):
            for who, one in subjects.items():
                if format_ := one.format(name):
                    fault = wrong(one.worker.ask(format=format_, say=way, tools=TOOLS, markers=known, **given), said)
                    if not _absent(fault):
                        yield who, not fault


def machine() -> float:
    """Time in µs of `json.loads` of 140 characters on this machine."""
    text = json.dumps({**ARGUMENTS, "padding": ""}, ensure_ascii=False)
    text = text.replace('"padding": ""', f'"padding": "{"x" * (140 - len(text))}"')
    return best(lambda: json.loads(text), 0.2)


# Goals, and what is beside


class Goal(NamedTuple):
    """A limit: of the time of a text, or of a chunk of it, in µs; or over the time of another text of the dialect."""

    what: str
    limit: float
    over: str = ""


LOADS = 1.5
"""µs that `json.loads` of 140 characters takes on the machine for which limits in µs are given."""
GOALS = (
    Goal("short whole", 7.5),
    *(Goal(f"{text} streamed", 2.5) for text in ("short", "code20", "prose20")),
    *(Goal(f"code200 {way}", 11, f"code20 {way}") for way in WAYS),
    *(
        Goal(f"{text} {flaw} whole", 2.5, f"{text} whole")
        for text in FLAWED
        for flaw in ("blank", "keys", "closer", "double")
    ),
    Goal("short auto whole", 5, "short whole"),
    Goal("code20 auto whole", 5, "code20 whole"),
    Goal("prose20 auto whole", 20, "prose20 whole"),
)


def held(report: Report) -> Iterator[tuple[str, ...]]:
    """Of each goal: how many dialects keep it, the median, and the one that is furthest from it."""
    yield "goal", "limit", "kept", "median", "furthest"
    found = {(one.dialect, one.what): one.us.get(US) for one in report.readings}
    for goal in GOALS:
        values = []
        for one in report.readings:
            of = found.get((one.dialect, goal.over)) if goal.over else (one.chunks or 1) * report.loads / LOADS
            if one.what == goal.what and US in one.us and of:
                values.append((one.us[US] / of, one.dialect))
        if values:
            what = f"{goal.what} × {goal.over}" if goal.over else f"{goal.what}, µs"
            kept = f"{sum(value <= goal.limit for value, _ in values)} of {len(values)}"
            far, name = max(values)
            yield what, f"{goal.limit:g}", kept, f"{median(value for value, _ in values):.2f}", f"{far:.2f} ({name})"


def beside(report: Report, us: str, waits: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Of each text: how many times as long an earlier commit takes, or the fastest package that reads it rightly."""
    yield "what", f"{us} is ahead", "median", "least"
    for what in dict.fromkeys(one.what for one in report.readings):
        ratios = []
        for one in report.readings:
            others = [
                (time, who)
                for who, time in one.us.items()
                if who not in (US, COMPILED) and one.right(who) and not (one.way == STREAMED and who in waits)
            ]
            if one.what == what and us in one.us and others:
                ratios.append((min(others)[0] / one.us[us], one.dialect, min(others)[1]))
        if ratios:
            least, name, who = min(ratios)
            ahead = sum(ratio >= (1 / SLOWER if who == BEFORE else 1) for ratio, *_ in ratios)
            middle = median(ratio for ratio, *_ in ratios)
            yield what, f"{ahead} of {len(ratios)}", f"{middle:.2f}", f"{least:.2f} ({name}, {who})"


# Telling

_HEAD = """\
# {title}

The texts stand in `tools/bench/workloads.py`. All read the same texts in turn, in processes of their own, with the
tools declared; a time in brackets is that of a wrong answer. Limits in µs, a chunk's where a text is streamed, are for
a machine where `json.loads` of 140 characters takes 1.5 µs. Beside others stands how many times as long they take:
below 1 they are faster. A package that hands a streamed call over when it is whole does another job: its streams do not
count.

Measured {date} on Python {python}; `json.loads` took {loads:.2f} µs. {versions}.
"""


def sections(report: Report) -> Iterator[str]:
    """The tables that sum a report up."""
    waits = [name for name, peer in peers().items() if peer.waits]
    if len(rows := list(held(report))) > 1:
        yield table(rows)
    for us in (US, COMPILED):
        if len(rows := list(beside(report, us, waits))) > 1:
            yield table(rows)
    if report.probes:
        rows = [(who, f"{right} of {tried}") for who, (right, tried) in report.probes.items()]
        yield table([("probes", "read right"), *rows])


def times(report: Report) -> Iterator[list[str]]:
    """All times in µs."""
    names = list(dict.fromkeys(who for one in report.readings for who in one.us))
    yield ["dialect", "text", *names]
    for one in report.readings:
        shown = {who: f"({us:,.0f})" if who in one.wrong else f"{us:,.1f}" for who, us in one.us.items()}
        yield [code(one.dialect), one.what, *(shown.get(who, "") for who in names)]


def page(report: Report, title: str) -> str:
    """The report as a page."""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    head = _HEAD.format(title=title, date=report.date, python=report.python, loads=report.loads, versions=versions)
    return "\n\n".join([head.rstrip(), *sections(report), "## Times in µs", table(list(times(report)))]) + "\n"


def line(one: Reading) -> str:
    """A reading in a line: our time, and for each other how many times that it is; a wrong answer's in brackets."""
    ours = one.us.get(US, 0)
    others = "   ".join(
        f"({who}: {one.wrong[who]})" if who in one.wrong else f"{who} {us:.1f} µs ({us / max(ours, 1e-9):.2f})"
        for who, us in one.us.items()
        if who != US
    )
    fault = f" WRONG: {one.wrong[US]}" if US in one.wrong else ""
    return f"{one.dialect:16} {one.what:24} {ours:10.1f} µs{fault}   {others}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what the arguments say."""
    options = _arguments().parse_args(argv)
    chosen = {name: one for name, one in peers().items() if one.formats and name in options.peer}
    known = sorted({name for one in chosen.values() for name in one.formats}) or list(registry.dialects())
    if strange := sorted({*(options.dialect or ())} - {*known}):
        print(f"speed: nobody here reads {strange[0]!r}, expected one of {', '.join(known)}", file=sys.stderr)
        return 2
    versions = {US: f"{__version__} ({build()})"} | ({COMPILED: __version__} if options.compiled else {})
    versions |= {BEFORE: options.before} if options.before else {}
    versions |= {name: one.package.partition("==")[2] for name, one in chosen.items()}
    report = Report(datetime.now(UTC).date().isoformat(), python_version(), versions, machine(), [], {})
    right, tried = Counter[str](), Counter[str]()
    with ExitStack() as opened:
        subjects = {US: Subject(opened.enter_context(Worker.of_reader(US, sys.executable, ROOT)))}
        if options.compiled:
            subjects[COMPILED] = Subject(opened.enter_context(Worker.of_reader(US, compiled_wheel())))
        if options.before:
            folder = opened.enter_context(unpacked(options.before))
            subjects[BEFORE] = Subject(opened.enter_context(Worker.of_reader(US, sys.executable, folder)))
        for name, one in chosen.items():
            worker = opened.enter_context(Worker.of_reader(name, environment(name)))
            subjects[name] = Subject(worker, one.formats, one.waits)
        for name in options.dialect or known:
            for reading in measure(name, subjects, 0.06 if options.quick else 0.3, bool(chosen)):
                report.readings.append(reading)
                print(line(reading), flush=True)
            for who, good in probed(name, subjects) if chosen else ():
                right[who] += good
                tried[who] += 1
    report.probes = {who: (right[who], count) for who, count in tried.items()}
    print("", *sections(report), sep="\n\n")
    if options.write:
        keep(*(("peers.md", page(report, "Beside other packages")) if chosen else ("speed.md", page(report, "Speed"))))
    if options.json:
        Path(options.json).write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return 0


def _arguments() -> argparse.ArgumentParser:
    packages = [name for name, one in peers().items() if one.formats]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--before", metavar="COMMIT", help="an earlier commit, beside this one")
    parser.add_argument("--peer", action="append", choices=packages, default=[], help="a package; may be repeated")
    parser.add_argument("--peers", action="store_const", dest="peer", const=packages, help="all packages")
    parser.add_argument("--compiled", action="store_true", help="the wheel that `make compiled` built, too")
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    parser.add_argument("--write", action="store_true", help="write the page into .reports")
    return parser


if __name__ == "__main__":
    sys.exit(main())
