"""Reports for people and for other programs: full, concise, JSON lines, SARIF, workflow commands of GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from msgspec import to_builtins
from msgspec.structs import asdict

from toolect._authoring.lint import catalogue
from toolect._diagnostic import Diagnostic, Place, Severity, concise, draw, shortened
from toolect._message import Json, dumps
from toolect._shown import counted


def full(found: Sequence[Diagnostic]) -> Iterator[str]:
    """Each finding with the lines that it is about and the texts that show it, and a count at the end."""
    for diagnostic in found:
        yield draw(diagnostic) + "\n\n"
    errors = sum(d.severity is Severity.ERROR for d in found)
    counts = {"error": errors, "warning": len(found) - errors}
    if found:
        yield " and ".join(counted(number, what) for what, number in counts.items() if number) + "\n"


def short(found: Sequence[Diagnostic]) -> Iterator[str]:
    """A line for each."""
    for diagnostic in found:
        yield concise(diagnostic) + "\n"


def json(found: Sequence[Diagnostic]) -> Iterator[str]:
    """A JSON object on a line for each: what the struct `Diagnostic` holds, without what is empty."""
    for d in found:
        related = [{"place": asdict(place), "label": label} for place, label in d.related]
        yield _line({key: value for key, value in (to_builtins(d) | {"related": related}).items() if value})


def sarif(found: Sequence[Diagnostic]) -> Iterator[str]:
    """One SARIF 2.1.0 log, as https://docs.oasis-open.org/sarif/sarif/v2.1.0/ has it."""
    checks = sorted({d.check for d in found} & catalogue.pages().keys())
    pages = {name: catalogue.pages()[name] for name in checks}
    rules = [
        {"id": name, "shortDescription": {"text": page.finds}, "help": {"text": str(page), "markdown": str(page)}}
        for name, page in pages.items()
    ]
    results = [_result(d) | ({"ruleIndex": checks.index(d.check)} if d.check in checks else {}) for d in found]
    driver = {"name": "toolect", "rules": rules}
    log = {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json"}
    yield _line(log | {"runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}]})


def _result(d: Diagnostic) -> dict[str, Json]:
    related = [_location(place) | {"message": {"text": label or "see also"}} for place, label in d.related]
    return {
        "ruleId": d.check,
        "level": str(d.severity),
        "message": {"text": _told(d)},
        "locations": [_location(d.place)],
    } | ({"relatedLocations": related} if related else {})


def github(found: Sequence[Diagnostic]) -> Iterator[str]:
    """A workflow command for each, which GitHub shows beside the line."""
    for d in found:
        at = {"file": d.place.path, "line": d.place.line, "col": d.place.column, "title": f"toolect: {d.check}"}
        properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in at.items())
        yield f"::{d.severity} {properties}::{_escaped(_told(d))}\n"


FORMATS: dict[str, Callable[[Sequence[Diagnostic]], Iterator[str]]] = {
    "text": full, "concise": short, "json": json, "sarif": sarif, "github": github,
}  # fmt: skip


def _told(d: Diagnostic) -> str:
    """The message with what else there is to say, in one paragraph."""
    texts = (f"{t.label}: {dumps(shortened(t.text)) if t.wire else shortened(t.text)}" for t in d.texts)
    return "; ".join(filter(None, [d.message, d.label, *texts, d.help and f"help: {d.help}"]))


def _location(place: Place) -> dict[str, Json]:
    line, column = max(place.line, 1), max(place.column, 1)
    region = {"startLine": line, "startColumn": column, "endColumn": column + place.length}
    uri = quote(place.path.replace("\\", "/").encode("utf-8", "surrogatepass"), safe="/")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _escaped(text: str, more: str = "") -> str:
    """`text` as a workflow command may hold it: on one line, without what would steer a terminal."""
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def _line(value: Json) -> str:
    return dumps(value).encode("utf-8", "backslashreplace").decode() + "\n"
