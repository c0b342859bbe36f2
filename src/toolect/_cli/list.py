"""`toolect list`: the dialects there are."""

from __future__ import annotations

from fnmatch import fnmatchcase

import click

import toolect
from toolect import registry
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import KEY, NAME, PLAIN, QUIET, Pen
from toolect._cli._shared.io import emit_json, note
from toolect._spec.model import Spec


@click.command()
@click.argument("pattern", required=False, shell_complete=shared.dialect_names)
@shared.format_option("the list", "json", "text")
@shared.spec_option
def command(pattern: str | None, form: str | None) -> int:
    """List the dialects: name, description, aliases and the models that write them.

    With PATTERN, those that have it in their name, an alias, a model pattern or the description; `*` and `?` stand for
    any characters. Where none has it, the dialect that it leads to as the id of a model. The json format is one object
    a line.
    """
    specs = [registry.spec(name) for name in registry.dialects()]
    if pattern is not None:
        specs = [spec for spec in specs if _has(spec, pattern)] or _modelled(pattern)
    if not specs:
        note(f"expected a part of what some dialect is called, got `{pattern}`: `toolect list` shows them all")
        return 1
    if shared.form_for(form) == "json":
        for spec in specs:
            about = {"name": spec.name, "about": spec.about, "source": spec.source}
            emit_json({**about, "models": spec.models, "aliases": spec.aliases})
        return 0
    pen, width = Pen(), max(len(spec.name) for spec in specs)
    for spec in specs:
        pen.write([(NAME, f"{spec.name:{width}}"), (PLAIN, f"  {spec.about}\n")])
        for key, values in {"aliases": spec.aliases, "models": spec.models}.items():
            if values:
                pen.write([(KEY, f"{'':{width}}  {key}: "), (QUIET, ", ".join(values) + "\n")])
    return 0


def _has(spec: Spec, pattern: str) -> bool:
    """True when a part of what the dialect is called is like the pattern."""
    wanted = f"*{_folded(pattern).replace('[', '[[]')}*"
    return any(fnmatchcase(_folded(text), wanted) for text in (spec.name, spec.about, *spec.aliases, *spec.models))


def _folded(text: str) -> str:
    return text.casefold().replace("_", "-")


def _modelled(model: str) -> list[Spec]:
    try:
        return [registry.spec(registry.match(model).dialect)]
    except toolect.UnknownNameError:
        return []
