"""Finds grammar files that no entry uses and no used grammar imports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolect._cache import grammar_parts
from toolect._spec.problems import near
from toolect.authoring.lint.subject import Group
from toolect.diagnostic import Diagnostic, Place, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each file in the folder of grammars that is not reached from an entry."""
    folder = group.path.parent / "grammars"
    known = group.beside
    reached: set[Path] = set()
    for name, names in known.items():
        own = folder / f"{name}.lark"
        for _ in grammar_parts(own if own.exists() else folder / f"{names.extends}.lark", reached):
            pass
    for file in sorted(folder.rglob("*.lark")) if known else ():
        if file not in reached:
            message = f"no entry uses `{file.relative_to(folder)}`, and no grammar imports it"
            advice = near(file.stem, known) or "rename the file, or delete it"
            yield warning("stray-grammar", message, Place(str(file), 1, 1), help=advice)
