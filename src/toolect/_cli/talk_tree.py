"""How a transcript is read, as styled pieces: the rules that it goes through, one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._chats.transcript_reader import Held
from toolect._chats.verbs import Chat
from toolect._cli._shared.drawing import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Styled
from toolect._message import Repair
from toolect._shown import cut, one_line

WIDTH = 60
"""Characters of the text that are shown of a place, or between two."""


def draw_course(chat: Chat, text: str) -> Iterator[Styled]:
    """Each rule with its role and guard, below it its texts and what its slots hold, and what was relaxed there."""
    course, spec = chat.course(text), chat.spec
    repairs = sorted(course.repairs, key=lambda repair: repair.at)
    at = depth = 0
    for part in course.parts:
        if not isinstance(part, Held):
            if part.enters:
                role, guard = spec.roles.get(part.rule), spec.when.get(part.rule)
                yield LABEL, "  " * depth + part.rule
                yield NAME, f"  → {role}" if role is not None else ""
                yield QUIET, f"  when {guard}\n" if guard else "\n"
            depth += 1 if part.enters else -1
            continue
        yield from _scaffold(text[at : part.start], depth)
        yield KEY, "  " * depth + part.slot
        yield QUIET, f"  {part.start}–{part.end}"
        yield PLAIN, f"  {one_line(cut(text[part.start : part.end], WIDTH))}\n"
        while repairs and repairs[0].at <= part.end:
            yield from _repair(repairs.pop(0), depth)
        at = part.end
    yield from _scaffold(text[at:], depth)
    for repair in repairs:
        yield from _repair(repair, depth)


def _scaffold(text: str, depth: int) -> Iterator[Styled]:
    if text:
        yield QUIET, "  " * depth + one_line(cut(text, WIDTH)) + "\n"


def _repair(repair: Repair, depth: int) -> Iterator[Styled]:
    detail = f": {one_line(cut(repair.detail, WIDTH))}" if repair.detail else ""
    yield STATUS["repaired"], f"{'  ' * depth}({repair.kind} at character {repair.at}{detail})\n"
