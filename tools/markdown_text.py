"""Pieces of Markdown: tables, code within a line, fenced blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table; the first row is its head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The same, with columns as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def cell(text: str) -> str:
    """Plain text for a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(text: str) -> str:
    """Code within a line, also in a cell of a table: `↵` stands for a newline."""
    text = text.replace("\n", "↵").replace("\t", "⇥").replace("|", "\\|")
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str, info: str = "text") -> str:
    """A fenced block; a fence is longer than any in the text."""
    ticks = "`" * max(_longest_run(text) + 1, 3)
    return f"{ticks}{info}\n{text.removesuffix(chr(10))}\n{ticks}"


def _longest_run(text: str) -> int:
    """Length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
