"""Measures the house: lines by package, circles of imports, imports that go up, and the calls that an answer takes.

    python -m tools.house.figures [CHECKOUT] [--write before|now]

CHECKOUT is another checkout of the repository, to compare with. --write keeps the figures in docs/reports/house.json,
from which `python -m tools.pages.docs` writes the page.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from tools.house.imports import ORDER, circles, imports, modules, part, upward
from tools.pages.markdown_text import table

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "reports" / "house.json"
LARGEST = 10
"""Files that are listed by their size."""


class Figures(msgspec.Struct, frozen=True):
    """The figures of one checkout; `upward` is None where the packages are not those of the order.

    `calls` has for each answer the calls, and the distinct functions and files they are of.
    """

    commit: str
    lines: dict[str, int]
    files: dict[str, int]
    circles: list[list[str]]
    upward: list[str] | None
    largest: dict[str, int]
    calls: dict[str, tuple[int, int, int]]


def measure(checkout: Path) -> Figures:
    """The figures of a checkout."""
    known = modules(checkout / "src")
    found = list(imports(known))
    sizes = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in known.items()}
    lines: Counter[str] = Counter()
    for module, size in sizes.items():
        lines[part(module)] += size
    order = " ".join(ORDER).split()
    arrows = [f"{one.module} imports {one.target}" for one in upward(found)]
    return Figures(
        _run(["git", "rev-parse", "--short", "HEAD"], checkout).strip(),
        {name: lines[name] for name in sorted(lines, key=lambda name: (-lines[name], name))},
        dict(Counter(map(part, sizes))),
        circles(found),
        sorted(set(arrows)) if set(lines) <= set(order) else None,
        {module: sizes[module] for module in sorted(sizes, key=lambda name: (-sizes[name], name))[:LARGEST]},
        msgspec.json.decode(_run([sys.executable, "-m", "tools.house.call_counts"], ROOT, checkout / "src")),
    )


def _run(command: list[str], folder: Path, source: Path = ROOT / "src") -> str:
    """What a command prints, run in a folder with the toolect of `source`."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def read() -> dict[str, Figures]:
    """The figures that are kept, by when they were measured."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Figures]) if FILE.exists() else {}


# The page


def page() -> str:
    """The page of the figures that are kept."""
    return _PAGE.format(report=report(read()))


_PAGE = """# The house

Written by `tools/pages/docs.py` from `docs/reports/house.json`. `make house` prints the same of the code as it stands,
`make house ARGS="--write now"` keeps it. Lines are those of all Python files, empty ones and docstrings included.

{report}
"""
_ANSWER = """\
Calls of functions of toolect, distinct functions and files, from `Dialect.parse` or `stream` to the message. The
dialect is warm. The answer is content and a call as hermes writes it, then that without the newline before
`</tool_call>`, then the first one in chunks of 7 characters."""


def report(kept: dict[str, Figures]) -> str:
    """Figures beside one another, as Markdown."""
    figures = list(kept.values())
    answers = [(name, *(_calls(one, name) for one in figures)) for name in figures[0].calls]
    parts = [
        table([("", *kept), *((name, *map(total, figures)) for name, total in _TOTALS.items())]),
        "## An answer",
        _ANSWER,
        table([("answer", *kept), *answers]),
    ]
    for when, one in kept.items():
        sizes = [(f"`{name}`", f"{lines:,}", str(one.files[name])) for name, lines in one.lines.items()]
        parts += [f"## By package, {when}", table([("package", "lines", "files"), *sizes])]
        largest = [(f"`{name}`", f"{lines:,}") for name, lines in one.largest.items()]
        parts += [f"## Largest files, {when}", table([("file", "lines"), *largest])]
        if one.circles:
            parts += [f"## Circles of files, {when}", _listed(", ".join(group) for group in one.circles)]
        if one.upward:
            parts += [f"## Imports that go up, {when}", _listed(one.upward)]
    return "\n\n".join(parts)


_TOTALS: dict[str, Callable[[Figures], str]] = {
    "commit": lambda one: f"`{one.commit}`",
    "lines": lambda one: f"{sum(one.lines.values()):,}",
    "files": lambda one: str(sum(one.files.values())),
    "packages and modules at the top": lambda one: str(len(one.lines)),
    "circles of files": lambda one: str(len(one.circles)),
    "files in the largest circle": lambda one: str(max(map(len, one.circles), default=0)),
    "imports that go up": lambda one: "no order" if one.upward is None else str(len(one.upward)),
}


def _calls(one: Figures, answer: str) -> str:
    calls, functions, files = one.calls[answer]
    return f"{calls} calls of {functions} functions in {files} files"


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures beside those of before, and keep them where --write says so."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT, help="what is measured, this one if left out")
    parser.add_argument("--write", choices=("before", "now"), help=f"keep the figures in {FILE.relative_to(ROOT)}")
    options = parser.parse_args(argv)
    kept = {**read(), options.write or "now": measure(options.checkout.resolve())}
    print(report(kept))
    if options.write:
        text = msgspec.json.format(msgspec.json.encode({when: kept[when] for when in sorted(kept)}), indent=1)
        FILE.write_bytes(text + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
