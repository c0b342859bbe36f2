"""Collecting diagnostics while a spec is read: every mistake is noted, none is raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolect._diagnostic import Diagnostic, Place, Severity, Text, shown


class Problems:
    """A growing list of diagnostics."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def error(
        self,
        check: str,
        message: str,
        place: Place,
        *,
        label: str = "",
        hint: str = "",
        witness: str = "",
        related: tuple[tuple[Place, str], ...] = (),
    ) -> None:
        """Note an error."""
        found = Diagnostic(check, message, place, label=label, help=hint, texts=shown(witness), related=related)
        self.found.append(found)

    def warning(
        self,
        check: str,
        message: str,
        place: Place,
        *,
        hint: str = "",
        texts: tuple[Text, ...] = (),
        related: tuple[tuple[Place, str], ...] = (),
    ) -> None:
        """Note a warning."""
        found = Diagnostic(check, message, place, Severity.WARNING, help=hint, texts=texts, related=related)
        self.found.append(found)

    @property
    def failed(self) -> bool:
        """True when there is an error among them."""
        return any(d.severity is Severity.ERROR for d in self.found)


def near(name: str, known: Iterable[str]) -> str:
    """A question naming the known name nearest to `name`, or nothing."""
    match = _nearest(name, known)
    return "" if match is None else f"did you mean `{match}`?"


def beside(name: str, known: Mapping[str, Place]) -> tuple[tuple[Place, str], ...]:
    """The place of the name in a grammar nearest to `name`, else of the first one, as a diagnostic's `related`."""
    match = _nearest(name, known) if name not in known else name
    place = next(iter(known.values()), None) if match is None else known[match]
    return () if place is None else ((place, "in this grammar"),)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), 1, 0.6)), None)


def one_of(names: Iterable[str]) -> str:
    """The names, quoted, as a choice: `a`, `b` or `c`."""
    return either(f"`{name}`" for name in names)


def either(things: Iterable[str]) -> str:
    """The things as a choice: a, b or c."""
    *most, last = things
    return f"{', '.join(most)} or {last}" if most else last


def in_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics by file, then by place."""
    return sorted(found, key=lambda d: (d.place.path, d.place.line, d.place.column))
