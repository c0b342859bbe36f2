"""Ids for the calls that have none, in dialects that ask for one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from toolect._message import Call, Segment
from toolect._spec.model import IdForm
from toolect._values.ref import split_ref


def with_ids(ids: IdForm | None, segments: Sequence[Segment]) -> Sequence[Segment]:
    """The segments with an id on every call: a call's number in `form`, or the next number that no call has yet."""
    if ids is None:
        return segments
    taken = {segment.id for segment in segments if isinstance(segment, Call)}
    number, done = ids.first, list(segments)
    for i, segment in enumerate(segments):
        if not isinstance(segment, Call):
            continue
        if segment.id is None:
            while (text := ids.form.replace("{index}", str(number).zfill(ids.digits))) in taken:
                number += 1
            taken.add(text)
            done[i] = replace(segment, id=text)
        number += 1
    return done


def names_call(ref: str, text: str, name: str) -> bool:
    """True when an id is a composite one, as `ref` counts them, of a call with this name."""
    return "{index}" in ref and split_ref(ref, text)[0] == name
