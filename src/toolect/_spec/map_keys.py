"""Values that an entry has for parts of a grammar, found by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def said_of(table: Mapping[str, T], rule: str, name: str) -> T | None:
    """The value in `table` of a part where `rule` has it, else that of the part wherever it stands."""
    return table.get(f"{rule}/{name}") or table.get(name)
