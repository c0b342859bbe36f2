"""The report on a corpus as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from toolect import registry
from toolect.coverage import drawn
from toolect.coverage.page import (
    Html,
    Section,
    Share,
    columns,
    figure,
    fold,
    join,
    legend,
    page,
    percent,
    stacked,
    table,
    tag,
)
from toolect.coverage.report import DialectReport, Figures, Report, Shown
from toolect.coverage.stats import MISSED, SAMPLES, Stats
from toolect.derivation import derive

NO_DIALECT = "no dialect"
STATUSES = ("ok", "repaired", "truncated", "malformed")
SHOWN_TOOLS = 40
_COLUMNS = ("messages", "calls", "", *STATUSES, "runnable")


def html_report(report: Report, stats: Stats) -> str:
    """The page: everything in the report, and samples with their parse in colour."""
    return page("Coverage", _lead(report), _facts(report), [s for s in _sections(report, stats) if s.body])


def _sections(report: Report, stats: Stats) -> Iterator[Section]:
    yield Section("Dialects", _dialects(report), "Every attempt to call a tool, by how it ended.")
    yield Section("Sources", _sources(report), "The same for each source and each dialect in it.")
    yield Section("Repairs", _repairs(report), "What had to be relaxed to read the messages.")
    yield Section("What failed", _unparsed(report), "Attempts that could not be read; those whose text is alike but "
                  "for words, strings and numbers are one line. None of them may be run.")  # fmt: skip
    yield Section("Leaks", _leaks(report), "Markers of any dialect left in content, reasoning or arguments.")
    yield Section("Grammar", _grammars(report), "The parts of each grammar that some message took: rules, "
                  "alternatives, and what is optional or repeated.")  # fmt: skip
    yield Section("Tools", _tools(report), "How often each tool was called, and the JSON types of its arguments.")
    yield Section("Samples", _samples(stats), "The first messages of each outcome as the dialect reads them. "
                  "A flag stands where something was repaired; pointing at a part says more.")  # fmt: skip
    yield Section("Not read", _troubles(report), "Parts of the corpus that could not be used.")


def _lead(report: Report) -> str:
    files = f"{report.files} file{'s' * (report.files != 1)}"
    names = [d.name for d in report.dialects if d.name]
    lead = f"{report.lines:,} lines in {files}; {len(names)} dialect{'s' * (len(names) != 1)} found."
    if report.structured:
        lead += f" Calls that are given as such: {report.structured_calls:,}, in {report.structured:,} of the messages."
    return lead


def _facts(report: Report) -> list[tuple[str, object, str]]:
    total = _total(report)
    runnable, failed = total["ok"] + total["repaired"], total["truncated"] + total["malformed"]
    leaks = sum(leak.count for d in report.dialects for leak in d.leaks) + sum(d.more.leaks for d in report.dialects)
    bad = sum(trouble.count for trouble in report.troubles)
    return [
        ("messages", figure(report.messages), ""),
        ("calls", figure(total["calls"]), ""),
        ("runnable", percent(runnable, total["calls"]) if total["calls"] else "–", "good" if runnable else ""),
        ("repaired", figure(total["repaired"]), "warn" * bool(total["repaired"])),
        ("failed", figure(failed), "bad" * bool(failed)),
        ("leaked markers", figure(leaks), "warn" * bool(leaks)),
        ("not read", figure(bad), "bad" * bool(bad)),
    ]


def _total(report: Report) -> Counter[str]:
    total: Counter[str] = Counter()
    for dialect in report.dialects:
        for name in ("calls", *STATUSES):
            total[name] += getattr(dialect.figures, name)
    return total


# Figures


def _dialects(report: Report) -> Html:
    compared = any(d.best for d in report.dialects)
    head = ["dialect", *_COLUMNS, *(["read best by it"] if compared else [])]
    rows = [[_name(d.name), *_cells(d.figures), *([d.best] if compared else [])] for d in report.dialects]
    return join([table(head, rows), legend([(status, status) for status in STATUSES])]) if rows else Html()


def _sources(report: Report) -> Html:
    if len({s.source for s in report.sources}) < 2:
        return Html()
    return table(
        ["source", "dialect", *_COLUMNS], [[s.source, _name(s.dialect), *_cells(s.figures)] for s in report.sources], 2
    )


def _name(name: str | None) -> Html:
    return tag("b", name, class_="solid") if name else tag("span", NO_DIALECT, class_="quiet")


def _cells(figures: Figures) -> list[object]:
    counts = [getattr(figures, status) for status in STATUSES]
    bar = stacked([Share(status, count, status) for status, count in zip(STATUSES, counts, strict=True)])
    runnable = percent(figures.ok + figures.repaired, figures.calls) if figures.calls else "–"
    return [figures.messages, figures.calls, bar, *counts, runnable]


def _repairs(report: Report) -> Html:
    total: Counter[str] = Counter()
    for dialect in report.dialects:
        total.update(dialect.figures.repairs)
    if not total:
        return Html()
    kinds = [kind for kind, _ in total.most_common()]
    rows = [
        [_name(d.name), *(d.figures.repairs.get(kind, 0) for kind in kinds)]
        for d in report.dialects
        if d.figures.repairs
    ]
    return join([columns(total.most_common(), "repaired"), fold("By dialect", table(["dialect", *kinds], rows))])


# What did not go well


def _unparsed(report: Report) -> Html:
    parts: list[Html] = []
    for dialect in report.dialects:
        if not dialect.unparsed:
            continue
        failed = dialect.figures.truncated + dialect.figures.malformed
        parts.append(tag("h3", dialect.name or NO_DIALECT, tag("small", f"{failed:,} failed")))
        rows = [
            [
                fold(join([tag("code", u.skeleton or "(nothing)"), tag("span", u.status, class_=f"badge {u.status}"),
                          tag("small", u.examples[0].detail if u.examples else "")]),
                     _examples(u.examples)),
                u.count,
            ]
            for u in dialect.unparsed
        ]  # fmt: skip
        parts.append(table(["text without its data", "calls"], rows))
        parts.append(_more(dialect.more.unparsed))
        if dialect.others.tried:
            read = ", ".join(f"{name} {count}" for name, count in dialect.others.read_by.items()) or "none"
            tried = f"{dialect.others.tried:,} failed messages, the first, were tried in other dialects. Read well by: "
            parts.append(tag("p", tried, tag("b", read), ".", class_="note"))
    return join(parts)


def _leaks(report: Report) -> Html:
    rows = [
        [
            _name(d.name),
            tag("code", leak.marker, class_="solid"),
            leak.within,
            _few(leak.dialects),
            _examples(leak.examples[:1]),
            leak.count,
        ]
        for d in report.dialects
        for leak in d.leaks
    ]
    more = sum(d.more.leaks for d in report.dialects)
    head = ["read as", "marker", "left in", "a marker of", "for example", "times"]
    return join([table(head, rows, left=5), _more(more)]) if rows else Html()


def _troubles(report: Report) -> Html:
    rows = [[trouble.trouble, _examples(trouble.examples), trouble.count] for trouble in report.troubles]
    return table(["what is wrong", "for example", "times"], rows, left=2) if rows else Html()


def _examples(examples: Iterable[Shown]) -> Html:
    return join(
        tag("div", tag("span", e.where, class_="quiet"), tag("div", tag("code", e.text)),
            tag("div", e.detail, class_="quiet") if e.detail else "", class_="example")
        for e in examples
    )  # fmt: skip


def _few(names: tuple[str, ...], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _more(count: int) -> Html:
    return tag("p", f"and {count:,} more", class_="note") if count else Html()


# What there was


def _grammars(report: Report) -> Html:
    rows: list[list[object]] = []
    for dialect in report.dialects:
        grammar = dialect.grammar
        if grammar is None:
            continue
        bar = stacked([Share("taken", grammar.taken, "hue"), Share("never", grammar.parts - grammar.taken, "empty")])
        never = table(
            ["part", "", "what it says", "where"],
            [[tag("code", n.name), n.kind, tag("code", n.text), n.place] for n in grammar.never],
            left=4,
        )
        shown = fold(f"{len(grammar.never)} never taken", never) if grammar.never else tag("span", "all", class_="fine")
        rows.append([_name(dialect.name), bar, f"{grammar.taken} of {grammar.parts}", shown])
    return table(["dialect", "", "taken", ""], rows, left=4) if rows else Html()


def _tools(report: Report) -> Html:
    return join(
        fold(join([dialect.name or NO_DIALECT, tag("small", f"{len(dialect.tools)} tools")]), _of(dialect), i == 0)
        for i, dialect in enumerate(d for d in report.dialects if d.tools)
    )


def _of(dialect: DialectReport) -> Html:
    rows = [
        [tag("b", tool.name), tool.calls, join((_argument(*argument) for argument in tool.arguments.items()), " ")]
        for tool in dialect.tools[:SHOWN_TOOLS]
    ]
    more = sum(tool.calls for tool in dialect.tools[SHOWN_TOOLS:]) + dialect.more.calls
    return join([table(["tool", "calls", "arguments"], rows, left=("tool", "arguments")), _more(more)])


def _argument(name: str, types: dict[str, int]) -> Html:
    """An argument with the types it had; one that had several stands out."""
    told = join((join([kind, " ", figure(count)]) for kind, count in types.items()), ", ")
    return tag("span", tag("b", name), " ", told, class_="chip mixed" if len(types) > 1 else "chip")


def _samples(stats: Stats) -> Html:
    parts: list[Html] = []
    for name in sorted(filter(None, stats.details), key=lambda name: (-stats.dialect(name).calls, name)):
        samples = stats.details[name].samples
        shown = [
            fold(join([sample.example.where, tag("span", status, class_=f"badge {status}")]),
                 drawn.drawn(derive(registry.dialect(name), sample.example.text, sample.tools or None)),
                 open_=i == 0)
            for status in (*STATUSES, MISSED)
            for i, sample in enumerate(samples.get(status, ())[:SAMPLES])
        ]  # fmt: skip
        if shown:
            parts += [tag("h3", name), *shown]
    return join([drawn.legend(), *parts]) if parts else Html()
