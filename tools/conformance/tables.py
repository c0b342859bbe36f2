"""The results of cases as tables, as plain data, and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from toolect._message import Json
from tools.conformance.running import COLUMNS, Result
from tools.conformance.summary import percent


def table(
    results: Sequence[Result], key: Callable[[Result], tuple[str, ...]], names: tuple[str, ...]
) -> list[list[str]]:
    """Pass rates of the results grouped by `key`, with a header and a total."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    rows = [[*names, "cases", *COLUMNS]]
    rows += [[*group, str(len(members)), *_rates(members)] for group, members in sorted(groups.items())]
    return [*rows, ["all", *[""] * (len(names) - 1), str(len(results)), *_rates(results)]]


def _rates(results: Sequence[Result]) -> Iterator[str]:
    for column in COLUMNS:
        values = [value for result in results if (value := result.column(column)) is not None]
        yield f"{percent(sum(values), len(values))} {sum(values)}/{len(values)}" if values else ""


def draw(rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """A table as text or as Markdown."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    if not markdown:
        return "\n".join("  ".join(cells).rstrip() for cells in lines)
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def show_failure(result: Result) -> str:
    """A failing case: its id, its text, what was expected and what we gave."""
    case = result.case
    head = f"{case.id}  [{case.dialect}, {case.kind}, {case.scope}]" + (
        f"  passes with {result.policy}" if result.policy else ""
    )
    return "\n".join(
        [head, f"  text  {shorten(repr(case.text))}", *(f"  {shorten(wrong, 700)}" for wrong in result.score.wrong)]
    )


def shorten(text: str, length: int = 300) -> str:
    """The text, or its beginning and its end."""
    return text if len(text) <= length else f"{text[: length * 2 // 3]} … {text[-length // 3 :]}"


def causes(results: Iterable[Result]) -> list[list[str]]:
    """The failing cases, counted by dialect and by what is wrong."""
    counted = Counter((str(r.case.dialect), r.case.source, _cause(r)) for r in results if not r.passed)
    return [["dialect", "source", "cause", "cases"], *([*group, str(n)] for group, n in sorted(counted.items()))]


def _cause(result: Result) -> str:
    if result.policy:
        return f"policy {result.policy}"
    if result.raised:
        return result.score.wrong[0][:80]
    return " and ".join(name for name in ("calls", "content") if result.column(name) is False)


def as_json(result: Result) -> dict[str, Json]:
    """A result as plain data."""
    case, view = result.case, result.score.view
    return {
        "id": case.id,
        "dialect": case.dialect,
        "source": case.source,
        "kind": case.kind,
        "scope": case.scope,
        "text": case.text,
        "expect": msgspec.to_builtins(case.expect),
        **{column: result.column(column) for column in COLUMNS},
        "policy": result.policy,
        "wrong": list(result.score.wrong),
        "got": view and {**view._asdict(), "calls": [msgspec.to_builtins(call) for call in view.calls]},
    }
