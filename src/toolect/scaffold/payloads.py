"""Finds the calls of a sample, whichever way they are written."""

from __future__ import annotations

from collections.abc import Sequence

from toolect.scaffold.code import code_calls
from toolect.scaffold.elements import elements, named_tags
from toolect.scaffold.json_calls import json_calls
from toolect.scaffold.pieces import Mark
from toolect.scaffold.sighting import Sighting


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
