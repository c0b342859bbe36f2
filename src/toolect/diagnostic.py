"""Problems as data, and the one function that draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from toolect import _files as files
from toolect.message import dumps


class Severity(StrEnum):
    """An error stops the spec from compiling; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Place(msgspec.Struct, frozen=True):
    """A stretch of a file: `line` and `column` count from 1 in characters, `length` is characters on that line."""

    path: str
    line: int
    column: int
    length: int = 1


class Diagnostic(msgspec.Struct, frozen=True):
    """One problem: the check's kebab-case name, a message that stands alone, and where it is."""

    check: str
    message: str
    place: Place
    severity: Severity = Severity.ERROR
    label: str = ""
    help: str = ""
    witness: str = ""
    """The wire text, or the value, that shows the problem."""
    reading: str = ""
    """What the witness is read as."""
    related: tuple[tuple[Place, str], ...] = ()
    follows: tuple[Diagnostic, ...] = ()
    """What goes away with this problem, as far as can be told: lint folds it under the cause."""


class SpecError(ValueError):
    """A spec that cannot be used; `diagnostics` say why, and the text draws them."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(tuple(diagnostics))
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        return "\n\n".join(map(draw, self.diagnostics))


def warning(check: str, message: str, place: Place, **more: Any) -> Diagnostic:
    """A diagnostic that does not keep a spec from compiling; `more` are the other fields."""
    return Diagnostic(check, message, place, Severity.WARNING, **more)


def concise(diagnostic: Diagnostic) -> str:
    """The diagnostic on one line: `path:line:column: error[check]: message`."""
    place = diagnostic.place
    more = f" (and {counted(len(diagnostic.follows))})" if diagnostic.follows else ""
    return _plain(f"{place.path}:{place.line}:{place.column}: {_headline(diagnostic)}{more}")


def draw(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None) -> str:
    """The diagnostic with the lines it is about; `sources` are texts by path, other files are read."""
    places = [diagnostic.place, *(place for place, _ in diagnostic.related)]
    margin = " " * max(len(str(place.line)) for place in places)
    place = diagnostic.place
    lines = [_plain(_headline(diagnostic)), _plain(f"{margin}--> {place.path}:{place.line}:{place.column}")]
    lines += _excerpt(place, "^", diagnostic.label, margin, sources or {})
    for other, label in diagnostic.related:
        if other.path != place.path:
            lines.append(_plain(f"{margin}::: {other.path}:{other.line}:{other.column}"))
        lines += _excerpt(other, "-", label, margin, sources or {})
    witness = dumps(shortened(diagnostic.witness)) if diagnostic.witness else ""
    for what, text in {"witness": witness, "reads as": shortened(diagnostic.reading), "help": diagnostic.help}.items():
        lines += [_plain(f"{margin} = {what}: {text}")] if text else []
    if diagnostic.follows:
        lines.append(f"{margin} = follows: {counted(len(diagnostic.follows))}, as far as can be told")
        lines += (f"{margin}   {line}" for line in _following(diagnostic.follows))
    return "\n".join(lines)


_SHOWN = 2
"""Of the findings of one check that follow from another one, so many are shown."""


def counted(number: int) -> str:
    """So many findings besides the one that is told."""
    return f"{number} more finding{'s' * (number > 1)}"


def _following(found: Sequence[Diagnostic]) -> Iterator[str]:
    """The findings that follow, one a line, the first ones of each check."""
    by_check: dict[str, list[Diagnostic]] = {}
    for diagnostic in found:
        by_check.setdefault(diagnostic.check, []).append(diagnostic)
    for check, same in by_check.items():
        shown = same if len(same) == _SHOWN + 1 else same[:_SHOWN]
        yield from map(concise, shown)
        if len(same) > len(shown):
            yield f"and {len(same) - len(shown)} more of `{check}`"


def shortened(text: str) -> str:
    """`text` as people want to see it: of a long one the beginning and the end."""
    return text if len(text) <= _LONG else f"{text[: _LONG * 2 // 3]} … {text[-_LONG // 4 :]}"


_WIDTH = 120
_LONG = 800


def _headline(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.severity}[{diagnostic.check}]: {diagnostic.message}"


def _excerpt(place: Place, caret: str, label: str, margin: str, sources: Mapping[str, str]) -> Iterator[str]:
    """The line of a place, with carets below it; nothing when the line cannot be read."""
    line = _line(place, sources)
    if line is None:
        return
    start = min(place.column - 1, len(line))
    end = min(start + place.length, max(len(line), start + 1))
    before, marked, after = _plain(line[:start]), _plain(line[start:end]), _plain(line[end:])
    if len(before) > _WIDTH // 2 and len(before + marked + after) > _WIDTH:
        before = "…" + before[-_WIDTH // 2 :]
    marked = marked if len(marked) <= _WIDTH else marked[: _WIDTH - 1] + "…"
    room = max(_WIDTH - len(before) - len(marked), 10)
    after = after if len(after) <= room else after[: room - 1] + "…"
    yield f"{margin} |"
    yield f"{place.line:>{len(margin)}} | {before}{marked}{after}".rstrip()
    yield f"{margin} | {' ' * _cells(before)}{caret * max(_cells(marked), 1)} {_plain(label)}".rstrip()


def _line(place: Place, sources: Mapping[str, str]) -> str | None:
    text = sources.get(place.path)
    if text is None:
        try:
            text = files.read(Path(place.path)).decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            return None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[place.line - 1] if 0 < place.line <= len(lines) and text else None


def _plain(text: str) -> str:
    """`text` without characters that would move the cursor or change colours."""
    text = text.replace("\t", "    ")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _cells(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
