"""Reads prose and source code that holds no call, as every dialect and as none, and lists what was taken for one.

    python -m tools.conformance.no_calls [--share N] [--dialect NAME]

The texts are those that come with Python and the packages beside it: sources, changelogs, manuals, pages, data. Each is
read without tools, and with tools of which no text speaks. A runnable call is one too many; an attempt, malformed or
truncated, is counted beside it, since a manual of tool calling quotes broken calls. Then each dialect's calls
are quoted in prose that explains them, with their tools declared: `quotations` has the frames.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import toolect
from toolect._detection.guess import reader as reader_of
from toolect._message import Json
from tools.conformance.quotations import TOOLS as QUOTED
from tools.conformance.quotations import quotations
from tools.conformance.tables import draw

SHARE = 400_000
"""Characters of each kind of file. Beyond it: the files that come later in the alphabet are left out."""
MANY = 40
"""Runnable calls that are shown. Beyond it: only counted."""
LONGEST = 200_000
"""Characters of one file. Beyond it: its beginning stands for it."""
KINDS = ("py", "md", "rst", "txt", "js", "html", "json", "yaml", "xml", "pyi", "c", "h")
OWN = "toolect"
"""The package whose data speak of calls because they are about them."""
TOOLS: list[Json] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
        },
    }
    for name in ("get_weather", "search_ferries", "book_table")
]


@dataclass(frozen=True, slots=True)
class Passage:
    """What a text without calls was taken for: where, and whether an agent would run it."""

    path: Path
    tools: bool
    runnable: bool
    raw: str


def texts(share: int = SHARE, roots: Sequence[Path] | None = None) -> Iterator[tuple[Path, str]]:
    """Text files of Python and of its packages: up to `share` characters of each kind from each place."""
    for root in roots or [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")]:
        for kind in KINDS:
            left = share
            for path in sorted(root.rglob(f"*.{kind}")):
                if left <= 0:
                    break
                if OWN not in path.parts and path.is_file():
                    text = path.read_bytes().decode("utf-8", "replace")[:LONGEST]
                    left -= len(text)
                    yield path, text


def taken_for_calls(name: str, path: Path, text: str) -> Iterator[Passage]:
    """What a dialect takes for a call in a text, without tools and with some."""
    dialect = reader_of(name)
    for tools in (None, TOOLS):
        message = dialect.parse(text, tools=tools)
        runnable = {call.span for call in message.runnable}
        for call in message.calls:
            yield Passage(path, tools is not None, call.span in runnable, call.raw)


def main(argv: Sequence[str] | None = None) -> int:
    """Print what each dialect took for calls, and show those that would be run."""
    parser = argparse.ArgumentParser(prog="no_calls", description=__doc__.split("\n\n")[0])
    parser.add_argument("--share", type=int, default=SHARE, metavar="N", help="characters of each kind of file")
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect; may be repeated")
    options = parser.parse_args(argv)
    read = list(texts(options.share))
    rows = [["dialect", "runnable", "with tools", "attempts", "with tools"]]
    shown: list[str] = []
    for name in options.dialect or [*toolect.dialects(), "auto"]:
        found = [passage for path, text in read for passage in taken_for_calls(name, path, text)]
        counts = [
            str(sum(p.runnable is runnable and p.tools is tools for p in found))
            for runnable in (True, False)
            for tools in (False, True)
        ]
        if found:
            rows.append([name, *counts])
        shown += [f"{name}: {p.path.name}: {p.raw!r}" for p in found if p.runnable]
    print(f"{len(read)} files, {sum(len(text) for _, text in read)} characters")
    print(draw(rows, markdown=True))
    print(*shown[:MANY], sep="\n")
    quoted = list(quotations(options.dialect))
    run = [
        f"{name}: {frame}: {text!r}"
        for dialect, frame, text in quoted
        for name in (dialect, "auto")
        if reader_of(name).parse(text, QUOTED).runnable
    ]
    print(f"{len(quoted)} quotations, {len(run)} of which would be run")
    print(*run[:MANY], sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
