"""Finds corpus files that belong to no dialect.

## Why is this bad?

Nothing reads their cases. Most likely the dialect has another name by now, and lost them on the way.

## Example

`corpus/my-modle.txt`, beside a `my.yaml` that declares `my-model`.

## Use instead

The file under the name of the dialect: `corpus/my-model.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.problems import near
from toolect.authoring.lint.subject import Group, corpus_folder
from toolect.diagnostic import Diagnostic, Place, warning


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each file of the folder that no entry of a YAML file beside it has the name of."""
    folder = corpus_folder(group.path)
    known = group.beside
    if folder is None or not known:
        return
    for file in sorted(folder.glob("*.txt")):
        if file.stem not in known:
            message = f"no dialect is named `{file.stem}`"
            advice = near(file.stem, known) or "rename the file, or delete it"
            yield warning("stray-corpus", message, Place(str(file), 1, 1), help=advice)
