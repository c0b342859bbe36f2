"""Finds keys of JSON shapes that are called like something else than they hold: `arguments` for a tool's name."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.holes import members
from toolect._spec.shape_model import Hole, HoleKind
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

_NAMES = frozenset({"name", "tool_name", "toolname", "function_name"})
_ARGUMENTS = frozenset({"arguments", "parameters", "args", "params", "kwargs", "input"})
_IDS = frozenset({"id", "call_id", "tool_call_id"})
_OTHERS = {
    HoleKind.NAME: _ARGUMENTS | _IDS,
    HoleKind.ARGUMENTS: _NAMES | _IDS,
    HoleKind.ARGUMENTS_TEXT: _NAMES | _IDS,
    HoleKind.ID: _NAMES | _ARGUMENTS,
}
"""What a key is not called that holds this."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such key."""
    for slot, shape in subject.spec.shapes.items():
        for key, held in members(shape):
            if isinstance(held, Hole) and key.casefold() in _OTHERS.get(held.kind, ()):
                yield warning(
                    "unlike-key",
                    f"the key `{key}` of `{slot}` holds `{held.kind}`",
                    subject.places.entry("map", slot, key),
                    label="says something else",
                    help="is it in the wrong place? if the model does write so, allow it with a reason",
                )
