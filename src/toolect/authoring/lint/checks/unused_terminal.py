"""Finds terminals, slots and imports that a grammar defines, declares or asks for, and no rule of it uses."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.lint.places import files
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Place, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each name that is not used."""
    sources = list(files(subject.source))
    asked = {
        (other.path, name)
        for source in sources
        for imported, other in source.imports
        if other is not None
        for name in imported.names
    }
    for source in sources:
        used = {name for name, _ in source.used}
        words = source.path.parent.name == "code"  # of a language, of which each dialect takes what it needs
        kinds = [("defined", {} if words else source.defined), ("declared", source.declared)]
        for how, places in kinds:
            for name, place in places.items():
                if name.isupper() and name not in used and (source.path, name) not in asked:
                    yield _unused(f"`{name}` is {how} and not used", place, name)
        for imported, other in source.imports:
            if other is not None:  # an import may also just keep the name of what another one uses
                used |= {name for below in files(other) for name, _ in below.used}
            for name in imported.names.values():
                if name not in used and (source.path, name) not in asked:
                    yield _unused(f"`{name}` is imported and not used", imported.place, name)


def _unused(message: str, place: Place, name: str) -> Diagnostic:
    return warning("unused-terminal", message, place, help=f"delete `{name}`, or use it in a rule")
