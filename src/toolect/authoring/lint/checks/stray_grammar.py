"""Finds grammar files that no entry uses and no used grammar imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from toolect._cache import grammar_parts
from toolect._files import shipped
from toolect._names import Names
from toolect._spec.problems import near
from toolect.authoring.lint.subject import Group
from toolect.diagnostic import Diagnostic, Place, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each file in the folder of grammars that is reached from no dialect and from no chat.

    Those that come with toolect may be imported by specs anywhere: there, value languages and the like are no strays.
    """
    folder = group.path.parent / "grammars"
    dialects, chats = group.beside, group.chats_beside
    reached = _reached(folder, dialects or {}) | _reached(folder / "chats", chats or {})
    own = [*folder.glob("*.lark"), *folder.glob("chats/*.lark")]
    for file in sorted(own if group.path == shipped() else folder.rglob("*.lark")):
        known = chats if file.is_relative_to(folder / "chats") else dialects
        if known is not None and file not in reached:
            message = f"no entry uses `{file.relative_to(folder)}`, and no grammar imports it"
            advice = near(file.stem, known) or "rename the file, or delete it"
            yield warning("stray-grammar", message, Place(str(file), 1, 1), help=advice)


def _reached(folder: Path, known: Mapping[str, Names]) -> set[Path]:
    """The grammars of these entries, and those that they import."""
    reached: set[Path] = set()
    for name, names in known.items():
        own = folder / f"{name}.lark"
        for _ in grammar_parts(own if own.exists() else folder / f"{names.extends}.lark", reached):
            pass
    return reached
