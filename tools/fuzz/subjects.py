"""What is fuzzed, by name: the shipped dialects, `auto`, and dialects that are drawn."""

from __future__ import annotations

from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.auto import Auto, auto
from tools.fuzz.drawn_specs import DRAWN, drawn_dialect


def names() -> list[str]:
    """Every name; `drawn` stands for another dialect every time."""
    return [*registry.dialects(), registry.AUTO, DRAWN]


def subject(name: str) -> Dialect | Auto:
    """What the name stands for, made anew: its graphs for all the policies go when it does."""
    if name == registry.AUTO:
        return auto
    return drawn_dialect(name) if name.startswith(DRAWN) else Dialect(registry.spec(name))
