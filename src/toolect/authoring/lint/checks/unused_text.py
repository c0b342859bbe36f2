"""Finds fields of `tools` and `results` that no hole stands for, so that they are never written."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.document import Table
from toolect._spec.model import Spec
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each field of the entry itself whose hole is missing."""
    for path, hole, text in _needs(subject.spec):
        node = subject.loaded.entry.table.get(path[0])
        for key in path[1:]:
            node = node.get(key) if isinstance(node, Table) else None
        if node is not None and hole not in text:
            field = path[-1]
            yield warning(
                "unused-text",
                f"`{field}` is what `{hole}` stands for, and there is no such hole",
                subject.places.entry(*path),
                help=f"write `{hole}` where it belongs, or leave out `{field}`",
            )


def _needs(spec: Spec) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Fields with the holes that write them, and the texts that may have those."""
    if tools := spec.tools:
        each = tools.each + "".join(one.each for one in tools.lists.values())
        yield ("tools", "tool"), "{tool}", each
        yield ("tools", "parameter"), "{fields}", each
        yield ("tools", "head"), "{fields}", each
        yield ("tools", "other"), "{others}", each + tools.parameter
        yield ("tools", "required"), "{required}", tools.parameter
        for name in tools.lists:
            yield ("tools", "lists", name), f"{{{name}}}", tools.text
    if results := spec.results:
        yield ("results", "result"), "{result}", results.each
