"""Finds dialects that differ in nothing but what they are called."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from toolect._spec.model import Spec
from toolect.authoring.lint.subject import Group
from toolect.diagnostic import Diagnostic, Place, warning

_NOWHERE = Place("", 1, 1)


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each dialect that is like one before it, unless it says so with `extends`."""
    meanings = {name: _meaning(spec) for name, spec in group.specs.items()}
    first: dict[bytes, str] = {}
    for name, meaning in meanings.items():
        extended = group.names[name].extends if name in group.names else ""
        if meanings.get(extended) == meaning:
            continue
        other = first.setdefault(meaning, name)
        if other != name and name in group.subjects:
            there = group.specs[other].place
            yield warning(
                "identical-dialects",
                f"the dialects `{other}` and `{name}` differ in nothing but what they are called",
                group.specs[name].place,
                related=((there, "the same"),) if other in group.names else (),
                help=f"make what `{name}` is called names of `{other}`, or write no more than `extends: {other}`",
            )


def _meaning(spec: Spec) -> bytes:
    """The spec without what it is called and where it is written."""
    rules = {name: replace(rule, place=_NOWHERE) for name, rule in spec.rules.items()}
    bare = replace(spec, name="", about="", source="", models=(), aliases=(), rules=rules, place=_NOWHERE)
    return msgspec.json.encode(bare)
