"""Finds corpus files that belong to no dialect."""

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
