"""`toolect show`: all there is to know about one dialect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolect.cli._draw import KEY, LABEL, PLAIN, QUIET, Pen, Piece, block
from toolect.cli._options import find, spec_option
from toolect.cli._template import template
from toolect.ir import Call, Content, Message, Reasoning
from toolect.spec.model import Spec

if TYPE_CHECKING:
    from toolect.compiled import Dialect

WEATHER = Call("get_weather", {"city": "Zürich", "days": 3})
VALUES = {
    "flag": True,
    "ratio": 0.5,
    "note": None,
    "tags": ["a", "b"],
    "limits": {"min": 1},
    "code": "if a < b:\n    go()",
}
SAMPLES = {
    "content": Message([Content("It is 18 °C in Zürich.")]),
    "reasoning, then content": Message([Reasoning("They ask for the weather."), Content("It is 18 °C in Zürich.")]),
    "a call": Message([WEATHER]),
    "content, then a call": Message([Content("Let me look."), WEATHER]),
    "two calls": Message([WEATHER, Call("get_time", {"place": "Paris"})]),
    "a call without arguments": Message([Call("list_files", {})]),
    "values of every type": Message([Call("configure", VALUES)]),
}


@click.command()
@click.argument("dialect")
@spec_option
def command(dialect: str) -> int:
    """Show a dialect: its spec, its grammar, the template derived from it, and a sample of each construct.

    In the template, ↵ ends a line, ⟦…⟧ is filled with data, and «…» stands for another rule.
    """
    found = find(dialect)
    Pen().write(_pieces(found))
    return 0


def _pieces(dialect: Dialect) -> Iterator[Piece]:
    spec = dialect.spec
    yield LABEL, f"{spec.name}\n"
    yield PLAIN, block(spec.about)
    fields = {"source": (spec.source,), "models": spec.models, "aliases": spec.aliases, "end": map(repr, spec.end)}
    for key, values in fields.items():
        yield KEY, f"  {key}: "
        yield PLAIN, (", ".join(values) or "none") + "\n"
    yield LABEL, "\ngrammar\n"
    yield PLAIN, block(_grammar(spec))
    yield LABEL, "\ntemplate\n"
    for title, text in template(spec):
        yield KEY, f"  {title}\n"
        yield PLAIN, block(text.removesuffix("\n"), "    ")
    yield LABEL, "\nsamples\n"
    for title, message in SAMPLES.items():
        yield KEY, f"  {title}\n"
        yield from _sample(dialect, message)


def _grammar(spec: Spec) -> str:
    """The grammar file's text; a rule knows the file it stands in."""
    path = next((rule.place.path for rule in spec.rules.values() if not rule.value and rule.place.path), None)
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\n") if path else "(not kept)"
    except OSError as error:
        return f"({path}: {error.strerror})"


def _sample(dialect: Dialect, message: Message) -> Iterator[Piece]:
    import toolect

    try:
        yield PLAIN, block(str(dialect.render(message)), "    ")
    except toolect.Unrepresentable as error:
        yield QUIET, block(f"cannot be written: {error}", "    ")
