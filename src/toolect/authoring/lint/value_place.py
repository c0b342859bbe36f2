"""Where a dialect says what argument values look like."""

from __future__ import annotations

from toolect._spec.model import Role
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Place


def value_place(subject: Subject) -> Place:
    """The codec of the values, else what says that something is one, else the entry."""
    spec, places = subject.spec, subject.places
    valued = [key for key, role in spec.roles.items() if role in (Role.VALUE, Role.ARGUMENTS)]
    for key in (*valued, *spec.codecs):
        if key in spec.codecs:
            return places.entry("values", key)
    for key in valued:
        return places.entry("map", key)
    return places.entry("map", *(key for key in list(spec.shapes)[:1]))
