"""Where in a spec a corpus case and the dialect part ways: what a failing case points to besides itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from toolect._rendering.differences import IDS, MEANING, differences
from toolect._rendering.roundtrip import tools_of, write
from toolect._shown import alike
from toolect._spec.model import Role
from toolect.authoring.corpus import Case, message_of
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Place
from toolect.message import Call, Content, Message, Segment
from toolect.rendered import Part, Rendered, Unrepresentable

Related = tuple[tuple[Place, str], ...]

MAX_PLACES = 3
"""Places that one case points to."""
_ROLES = {
    Part.NAME: (Role.NAME, Role.REF), Part.ID: (Role.ID, Role.REF), Part.KEY: (Role.KEY,), Part.VALUE: (Role.VALUE,),
    Part.ARGUMENTS: (Role.ARGUMENTS,),
}  # fmt: skip


def unlike(subject: Subject, case: Case, expected: Sequence[str], message: Message) -> Related:
    """What reads a case otherwise than it says: a marker that it is not written with, or what means its segment."""
    meant = message_of(expected)
    found = [*_written(subject, case, meant)] if case.canonical else []
    if not found:
        odd = next((one.old or one.new for one in differences(meant, message, MEANING | IDS)), None)
        found = [] if odd is None else [*_meanings(subject, odd)]
    return tuple(dict.fromkeys(found))[:MAX_PLACES]


def uneven(subject: Subject, case: Case, message: Message) -> Related:
    """What a case is written otherwise with, or what would write its first segment."""
    found = [*_written(subject, case, message)]
    found = found or [place for segment in message.segments[:1] for place in _meanings(subject, segment)]
    return tuple(dict.fromkeys(found))[:MAX_PLACES]


def _written(subject: Subject, case: Case, message: Message) -> Iterator[tuple[Place, str]]:
    """What is written where the text of a case and that of its message differ first."""
    tools = case.options.get("tools")
    try:
        text = write(subject.dialect, message, tools_of(message) if tools is None else tools)
    except Unrepresentable:
        return
    if "prefix" in case.options or text == case.text:
        return
    at = alike(text, case.text)
    span = next((span for span in text.spans if span.start <= at < span.end), text.spans[-1] if text.spans else None)
    if span is None:
        return
    if span.part in _ROLES:
        yield from islice(_given(subject, _ROLES[span.part]), 1)
    yield from _markers(subject, text, at)
    if text[at : at + 1].isspace() or case.text[at : at + 1].isspace():
        yield subject.places.entry("gaps"), "where the gaps between segments are, or would be"


def _markers(subject: Subject, text: Rendered, at: int) -> Iterator[tuple[Place, str]]:
    """The markers that `text` has at an offset, those first that begin before it, of these the longest first."""
    met: list[tuple[int, int, Place]] = []
    for word in subject.places.words:
        start = text.rfind(word.text, 0, at + len(word.text)) if word.marker and word.text else -1
        if 0 <= start <= at <= start + len(word.text) and _is_markup(text, start):
            met.append((start, -len(word.text), word.place))
    best = min((start for start, _, _ in met), default=0)
    for start, length, place in sorted(met, key=lambda found: found[:2]):
        if not any(first < start and start - length <= first - most for first, most, _ in met):
            yield place, "written here" if start == best else "or here"


def _is_markup(text: Rendered, at: int) -> bool:
    return any(span.part is Part.MARKUP and span.start <= at < span.end for span in text.spans)


def _meanings(subject: Subject, segment: Segment) -> Iterator[tuple[Place, str]]:
    """The rule for a segment, what gives its parts their meaning, and what decides the types of its values."""
    yield subject.places.segment(segment), "read here"
    spec, places = subject.spec, subject.places
    if not isinstance(segment, Call):
        role = Role.CONTENT if isinstance(segment, Content) else Role.REASONING
        yield from islice(_given(subject, (role,)), 1)
        return
    for key in spec.shapes:
        yield places.entry("map", key), "with this shape"
    for key in spec.codecs:
        yield places.entry("values", key), "with this codec"
    yield from _given(subject, (Role.CALL, Role.NAME))


def _given(subject: Subject, roles: Sequence[Role]) -> Iterator[tuple[Place, str]]:
    """Where the entry gives out some roles."""
    for key, role in subject.spec.roles.items():
        if role in roles:
            yield subject.places.entry("map", key), "with this meaning"
