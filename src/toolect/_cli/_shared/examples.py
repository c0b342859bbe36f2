"""An example or two of each command, for its help: lines of `examples.txt`, each after the command that it shows."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def examples() -> dict[str, tuple[str, ...]]:
    """Command lines by the command that they show."""
    found: dict[str, tuple[str, ...]] = {}
    for line in files(__package__).joinpath("examples.txt").read_text("utf-8").splitlines():
        name, _, shown = line.partition(": ")
        found[name] = (*found.get(name, ()), shown)
    return found


def shown(name: str) -> str:
    """The examples of a command, as its help ends; empty for what is no command."""
    lines = examples().get(name, ())
    return "\b\n" + "\n".join([f"Example{'s' * (len(lines) > 1)}:", *(f"  {line}" for line in lines)]) if lines else ""
