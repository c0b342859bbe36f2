"""Problems as data, and the one function that draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from toolect import _files as files
from toolect._errors import ToolectError
from toolect._message import dumps


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


class Text(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that shows a problem, and what it is: `given`, `written`, `read as` or the like."""

    label: str
    text: str
    at: int = -1
    """The character that it is about, or at which it differs from the text beside it; -1 for none."""
    note: str = ""
    """Note on that character."""
    wire: bool = True
    """It is text of a model, or a value, and is drawn between quotes; else words about one."""


class Diagnostic(msgspec.Struct, frozen=True):
    """One problem: the check's kebab-case name, a message that stands alone, and where it is."""

    check: str
    message: str
    place: Place
    severity: Severity = Severity.ERROR
    label: str = ""
    help: str = ""
    texts: tuple[Text, ...] = ()
    related: tuple[tuple[Place, str], ...] = ()


class SpecError(ToolectError, ValueError):
    """A spec that cannot be used; `diagnostics` say why, and the text draws them."""

    __module__ = "toolect"

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(tuple(diagnostics))
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        return "\n\n".join(map(draw, self.diagnostics))


def warning(check: str, message: str, place: Place, **more: Any) -> Diagnostic:
    """A diagnostic that does not keep a spec from compiling; `more` are the other fields."""
    return Diagnostic(check, message, place, Severity.WARNING, **more)


def shown(given: str = "", read: str = "", written: str = "") -> tuple[Text, ...]:
    """The text that was given, the one that is written, and in words what is read; those that there are."""
    texts = Text("given", given), Text("written", written), Text("read as", read, wire=False)
    return tuple(text for text in texts if text.text)


def concise(diagnostic: Diagnostic) -> str:
    """The diagnostic on one line: `path:line:column: error[check]: message`."""
    place = diagnostic.place
    return _plain(f"{place.path}:{place.line}:{place.column}: {_headline(diagnostic)}")


def draw(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None) -> str:
    """The diagnostic with the lines it is about; `sources` are texts by path, other files are read."""
    related, more = diagnostic.related[:_MOST], len(diagnostic.related) - _MOST
    places = [diagnostic.place, *(place for place, _ in related)]
    margin = " " * max(len(str(place.line)) for place in places)
    place = diagnostic.place
    lines = [_plain(_headline(diagnostic)), _plain(f"{margin}--> {place.path}:{place.line}:{place.column}")]
    lines += _excerpt(place, "^", diagnostic.label, margin, sources or {})
    for other, label in related:
        if other.path != place.path:
            lines.append(_plain(f"{margin}::: {other.path}:{other.line}:{other.column}"))
        lines += _excerpt(other, "-", label, margin, sources or {})
    lines += [f"{margin} = and {more} more places"] if more > 0 else []
    lines += (f"{margin} = {line}" for line in _beside(diagnostic.texts))
    lines += [_plain(f"{margin} = help: {diagnostic.help}")] if diagnostic.help else []
    return "\n".join(lines)


def _beside(texts: Sequence[Text]) -> Iterator[str]:
    """The texts below each other, and below the last of those that differ a caret where they do."""
    width = max((len(text.label) for text in texts), default=0) + 1
    apart = [text for text in texts if text.at >= 0]
    for text in texts:
        head, tail = text.text, ""
        if text.at >= 0:  # as far as both are alike, and then on
            start = max(text.at - _AROUND, 0)
            head = "…" * (start > 0) + text.text[start : text.at]
            tail = text.text[text.at : text.at + _AROUND] + "…" * (len(text.text) > text.at + _AROUND)
        drawn = [_plain(dumps(part)[1:-1]) if text.wire else _plain(part) for part in (shortened(head), tail)]
        quote = '"' * text.wire
        yield f"{text.label + ':':{width}} {quote}{''.join(drawn)}{quote}"
        if text.note and text.at >= 0:
            signs = [one.text[one.at : one.at + 1] for one in apart]
            odd = "" if all(map(str.isascii, signs)) else f": {' and '.join(f'U+{ord(s):04X}' for s in signs if s)}"
            at = width + 1 + len(quote) + _cells(drawn[0])
            yield f"{' ' * at}^ {_plain(text.note)}{odd}"


def shortened(text: str) -> str:
    """`text` as people want to see it: of a long one the beginning and the end."""
    return text if len(text) <= _LONG else f"{text[: _LONG * 2 // 3]} … {text[-_LONG // 4 :]}"


_WIDTH = 120
_LONG = 800
_MOST = 12
"""Places besides the first that are drawn."""
_AROUND = 60


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
    """Number of terminal cells that `text` takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
