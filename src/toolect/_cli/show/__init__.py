"""`toolect show`: all there is to know about one dialect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import toolect
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import KEY, LABEL, PLAIN, QUIET, Pen, Styled, block
from toolect._cli._shared.io import emit_json, read
from toolect._cli.show.grammar_template import template
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning
from toolect._spec.model import Spec

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
@click.argument("dialect", shell_complete=shared.dialect_names)
@shared.file_argument
@click.option("--tree", is_flag=True, help="Show how the dialect reads FILE instead: rule by rule.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What --tree writes.",
)
@click.option("--strict", is_flag=True, help="With --tree: accept only what the dialect writes.")
@shared.tools_option
@shared.prefix_option
@shared.spec_option
@shared.max_bytes_option
def command(
    dialect: str, file: str, tree: bool, form: str, strict: bool, tools: list[Json] | None, prefix: str, max_bytes: int
) -> int:  # fmt: skip
    """Show a dialect: its spec, its grammar, the template derived from it, and a sample of each construct.

    In the template, ↵ ends a line, ⟦…⟧ is filled with data, and «…» stands for another rule.

    With --tree, show how the dialect reads the text of FILE: each rule with the characters it read and the alternatives
    it took (rule#2 is its second), what each slot and terminal fills, every repair, and what was expected where the
    text could not be read.
    """
    found = shared.find(dialect)
    if tree:
        return _tree(found, read(file, max_bytes), form, {"tools": tools, "prefix": prefix}, strict)
    if file != "-" or form != "text" or strict or tools or prefix:
        raise click.UsageError("expected --tree, got only what goes with it")
    Pen().write(_pieces(found))
    return 0


def _tree(dialect: Dialect, text: str, form: str, options: dict[str, Any], strict: bool) -> int:
    """Shows how the text is read; the status is that of `parse`."""
    from toolect._authoring.derivation import derive
    from toolect._cli.show.tree_text import draw_tree, tree_form

    derivation = derive(dialect, text, mode="strict" if strict else "lenient", **options)
    if form == "json":
        emit_json(tree_form(derivation), indent=True)
    else:
        Pen().write(draw_tree(derivation))
    message = derivation.message
    return int(not all(call.runnable for call in message.calls) or strict and not message.clean)


def _pieces(dialect: Dialect) -> Iterator[Styled]:
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


def _sample(dialect: Dialect, message: Message) -> Iterator[Styled]:
    try:
        yield PLAIN, block(str(dialect.render(message)), "    ")
    except toolect.RenderError as error:
        yield QUIET, block(f"cannot be written: {error}", "    ")
