"""`toolect list`: the dialects there are."""

from __future__ import annotations

import click

from toolect import registry
from toolect.cli._shared import shared_options as shared
from toolect.cli._shared.drawing import KEY, NAME, PLAIN, QUIET, Pen
from toolect.cli._shared.io import emit_json


@click.command()
@shared.format_option("the list", "json", "text")
@shared.spec_option
def command(form: str | None) -> int:
    """List the dialects: name, description, aliases and the models that write them.

    The json format is one object a line.
    """
    specs = [registry.spec(name) for name in registry.dialects()]
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
