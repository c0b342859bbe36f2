"""Broken JSON made whole, and the calls that are in it then."""

from __future__ import annotations

from toolect._reading.draft import Draft
from toolect._shapes.mend import Effort, mended
from toolect._shapes.whole import Found, Said
from toolect._spec.model import HoleKind, Role
from toolect._values.text_values import read_json
from toolect._values.trees import is_finite
from toolect.message import Json


def repair(raw: str, closed: bool, effort: Effort) -> Json | None:
    """Broken JSON made whole. Unless a marker closed it, it must at least end in its own bracket.

    None when it cannot be repaired.
    """
    text = raw.strip()
    pair = {"{": "}", "[": "]"}.get(text[:1])
    if pair is None or not closed and not text.endswith(pair):
        return None
    try:
        value = mended(text, effort)
    except ValueError:
        return None
    kind = dict if pair == "}" else list
    return value if isinstance(value, kind) and value and is_finite(value) else None


def plain_text(raw: str) -> str | None:
    """The text that stands where JSON should, perhaps in quotes; None where it was to be a list or an object."""
    text = raw.strip()
    if text[:1] == '"':
        said = read_json(text)
        text = said.strip() if isinstance(said, str) else ""
    return text if text and text[0] not in '{["' else None


def repair_units(draft: Draft, found: list[Found], start: int, end: int, at: int, why: str) -> None:
    """The calls and texts of a broken JSON value, read after a repair; none when it could not be repaired."""
    called = False
    if draft.call is not None and not draft.ruled and found and isinstance(found[0], Said):
        draft.call.fail(f"{why} - at {at}")  # what comes next is not this call: it did not fit
        draft.end_call(end)
        called = True
    for unit in found:
        if isinstance(unit, Said):
            if not draft.ruled:
                _say(draft, unit, end if called or draft.call is not None else start, end)
            continue
        call = draft.call
        if call is None or called:
            draft.end_call(end)
            call = draft.begin_call(draft.last_end if called else start)
        called = True
        if call.index >= 0 and call.name != unit.name or call.index < 0 and not unit.argued:
            call.name = call.name or unit.name
            call.fail(f"{why} - at {at}")
        else:
            call.name, call.id = unit.name, call.id or unit.id
            draft.start_call(call)
            call.whole = False
            draft.repair(call, unit.arguments, at, why)
        if not draft.ruled:
            draft.end_call(end)
    if called:
        return
    if draft.call is None:
        draft.attempt(start, end, why)
    else:
        draft.call.fail(f"{why} - at {at}")
        if not draft.ruled:
            draft.end_call(end)


def _say(draft: Draft, said: Said, at: int, end: int) -> None:
    """A text of the value: it has no characters of its own."""
    draft.end_call(end)
    role = Role.CONTENT if said.kind is HoleKind.CONTENT else Role.REASONING
    draft.add(role, said.text, (at, at))
    draft.say(role, said.text)
