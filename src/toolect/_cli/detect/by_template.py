"""Which dialect a chat template writes: `toolect detect --template`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolect._cli._shared.drawing import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Pen, Styled, bar, entries
from toolect._cli._shared.io import emit_json, note, read, shown
from toolect._shown import counted, one_line

if TYPE_CHECKING:
    from toolect.chat_template import Difference, Verdict

AROUND = 28
"""Characters shown on either side of the place where two texts part."""
SHOWN = 3
"""Differences that are shown of one dialect, and things that a template leaves out."""


def held(file: str, limit: int, as_json: bool, max_bytes: int) -> int:
    """Say which dialects read and write the turns of the template in `file`; 0 when one reads them all."""
    from toolect.chat_template import TemplateError, marked, template_of, turns, verdicts

    source = read(file, max_bytes)
    try:
        styles = turns(template_of(source, file.endswith(".json")))
    except TemplateError as error:
        note(f"{error} - in {shown(file)}")
        return 1
    found = verdicts(marked(styles), styles)
    if not found:
        note(f"expected a template of a known dialect, got turns that none reads - in {shown(file)}")
        return 1
    if as_json:
        for verdict in found[:limit]:
            emit_json(_form(verdict))
    else:
        Pen().write(_drawn(found, limit))
    return int(found[0].read < found[0].turns)


def _form(verdict: Verdict) -> dict[str, object]:
    """The verdict as JSON."""
    return {
        **verdict._asdict(),
        "differences": [difference._asdict() for difference in verdict.differences],
        "missing": [*verdict.missing],
    }


def _drawn(found: list[Verdict], limit: int) -> Iterator[Styled]:
    """The verdicts, and what is not certain about them."""
    for i, verdict in enumerate(found[:limit]):
        yield PLAIN, "\n" if i else ""
        yield from _verdict(verdict)
    first = found[0]
    if first.read < first.turns:
        yield QUIET, "\nNo dialect reads every turn of this template.\n"
    for verdict in found[1:2]:
        if (verdict.read, verdict.written) == (first.read, first.written):
            yield QUIET, f"\n{verdict.dialect} does as well as {first.dialect}: this is a guess.\n"


def _verdict(verdict: Verdict) -> Iterator[Styled]:
    yield NAME, f"{verdict.dialect}\n"
    for title, count in (("reads", verdict.read), ("writes", verdict.written)):
        yield KEY, f"  {title:9}"
        yield from bar(count / verdict.turns)
        yield PLAIN, f" {count} of {verdict.turns} turns"
        if title == "writes" and verdict.spaced:
            yield QUIET, f", {verdict.spaced} more but for whitespace"
        yield PLAIN, "\n"
    yield from entries("missing", verdict.missing, SHOWN)
    for difference in verdict.differences[:SHOWN]:
        yield from _difference(difference)
    more = len(verdict.differences) - SHOWN
    if more > 0:
        yield QUIET, f"{'':11}and {counted(more, 'more difference')}\n"


def _difference(difference: Difference) -> Iterator[Styled]:
    """What differs, and if the texts do, both around the place."""
    yield LABEL, "  differs  "
    yield STATUS["repaired"], one_line(f"{difference.probe}: {difference.what}") + "\n"
    if not (difference.template or difference.dialect):
        return
    for title, text in (("template", difference.template), ("dialect", difference.dialect)):
        before = text[max(0, difference.at - AROUND) : difference.at]
        yield QUIET, f"{'':11}{title:9} {one_line(before)}"
        yield PLAIN, one_line(text[difference.at : difference.at + AROUND]) + "\n"
