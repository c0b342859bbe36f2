"""What is fuzzed: the shipped dialects and `auto`, by name."""

from __future__ import annotations

from toolect import registry
from toolect._detection.auto import Auto
from toolect.compiled import Dialect


def names() -> list[str]:
    """Every name."""
    return [*registry.dialects(), registry.AUTO]


def subject(name: str) -> Dialect | Auto:
    """What the name stands for."""
    return Auto() if name == registry.AUTO else registry.dialect(name)
