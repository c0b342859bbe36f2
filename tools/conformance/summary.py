"""The figures of a conformance run in a small file, so that pages can be written from it without the corpus.

The file is JSON, one dialect a line: each figure is how many cases hold, and of how many.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

import msgspec

Figures: TypeAlias = dict[str, dict[str, tuple[int, int]]]
"""Dialect → figure → how many cases hold, of how many."""


def read(path: Path) -> Figures:
    """The figures of a file; none when there is no file."""
    return msgspec.json.decode(path.read_bytes(), type=Figures) if path.exists() else {}


def write(path: Path, figures: Figures) -> None:
    """Write the figures; those of a run that the file has and this one did not measure stay."""
    whole = read(path)
    for dialect, measured in figures.items():
        whole[dialect] = {**whole.get(dialect, {}), **measured}
    lines = [f"{json.dumps(dialect)}: {json.dumps(whole[dialect])}" for dialect in sorted(whole)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def percent(part: int, whole: int) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{100 * part // whole}%"


def note(figures: Figures, dialect: str, figure: str, held: bool | None) -> None:
    """Count one case; None when it asserts nothing there."""
    if held is not None:
        of_dialect = figures.setdefault(dialect, {})
        good, all_ = of_dialect.get(figure, (0, 0))
        of_dialect[figure] = (good + held, all_ + 1)
