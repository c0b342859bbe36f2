"""Prose and source code that holds no call: files that come with Python and the packages beside it."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolect._message import Json

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


def texts(share: int, roots: Sequence[Path] | None = None) -> Iterator[tuple[Path, str]]:
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
