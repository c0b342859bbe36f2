"""Finds the calls of a sample, whichever way they are written."""

from __future__ import annotations

from collections.abc import Sequence

from toolect.authoring.scaffold.code_calls import code_calls
from toolect.authoring.scaffold.element_calls import elements, named_tags
from toolect.authoring.scaffold.json_calls import json_calls
from toolect.authoring.scaffold.pieces import Mark
from toolect.authoring.scaffold.sighting import Sighting


def sight(text: str, reasoning: Sequence[Mark]) -> Sighting:
    """The calls of a sample outside of its reasoning, as the first way of writing them that it has; perhaps none."""
    hidden = text
    for mark in reasoning:
        hidden = hidden[: mark.start] + " " * (mark.end - mark.start) + hidden[mark.end :]
    for look in (elements, json_calls, named_tags, code_calls):
        found = look(hidden)
        if found.marks:
            return found
    return Sighting(())
