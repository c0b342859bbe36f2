"""How calls are spelled around their arguments: a spelling that was read once is a few regular expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from toolect._shapes.shape_events import Arguments, CallBegins, CallEnds, Filled, Rest, ShapeEvent
from toolect._spec.shape_model import TEXTS, HoleKind
from toolect._values.json_lexemes import complete, members, unquote
from toolect.message import Call, Content, Json, Reasoning, Segment

_LONGEST = 512
"""Characters of what stands before or after the arguments; more is hardly written twice."""
_BLANK = r"[ \t\n\r]*"
_TOKEN = re.compile(rf'{_BLANK}("(?:[^"\\]|\\.)*"|[{{}}\[\],:]|[^\s{{}}\[\],:"]+)')
_NAME = r'"([^"\\\x00-\x1f\s]+)"'
_ID = r'"([^"\\\x00-\x1f]*)"'
_STRING = r'"([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)"'


One: TypeAlias = tuple[int, int, str, Json, str | None, str | None]
"""What a value says of the one call in it.

Where the call's own object begins; where the value ends; the name, empty when the shape has none; the arguments; the
id; and the arguments' JSON text, where it is the model's own.
"""


class Spelling:
    """What stands before, around and after the calls of a value: keys and constants as they are, holes, any blanks."""

    __slots__ = (
        "_after",
        "_encoded",
        "_head",
        "_id_group",
        "_id_in_head",
        "_more",
        "_name_group",
        "_name_in_head",
        "_start",
        "_tail",
        "first",
        "texts",
    )

    def __init__(self, before: Part, head: Part, tail: Part, after: Part, encoded: bool) -> None:
        self.texts = before.texts
        """The kinds of the texts that stand before the calls, each in the group of its place."""
        first = f"(){head.regex}{_BLANK}"
        self.first = re.compile(f"{before.regex}{_BLANK}{first}" if before.regex else first).match
        """Matches what stands before the arguments of the first call, at a value's beginning."""
        self._head = re.compile("()" * len(self.texts) + first).match
        self._tail = re.compile(_BLANK + tail.regex).match
        listed = before.regex.endswith((r"\[", ","))  # it is an item of a list, be it after texts
        self._more = re.compile(f"{_BLANK},{_BLANK}").match if listed else None
        self._after = re.compile(_BLANK + after.regex).match if after.regex else None
        self._name_in_head, self._id_in_head = bool(head.name), bool(head.id)
        self._start = 1 + len(self.texts)  # the group where the call begins
        self._name_group = self._start + head.name if head.name else tail.name
        self._id_group = self._start + head.id if head.id else tail.id
        self._encoded = encoded

    def take(self, text: str, pos: int, segments: list[Segment]) -> int:
        """Append the calls of the value at `text[pos]`, whose end is returned; -1 when it is spelled otherwise."""
        found: list[Segment] = []
        head = self.first(text, pos)
        if head is not None and self.texts and not self._take_texts(head, found):
            return -1
        while head is not None:
            one = self.call(text, head)
            if one is None:
                return -1
            start, end, name, value, identity, spelling = one
            found.append(Call(name, value, identity, spelling, text[start:end], (start, end)))
            more = self._more(text, end) if self._more is not None else None
            if more is None:
                end = self._end(text, end)
                if end >= 0:
                    segments += found
                return end
            head = self._head(text, more.end())
        return -1

    def _take_texts(self, head: re.Match[str], found: list[Segment]) -> bool:
        """Append the texts before the calls; False where one is no string of JSON."""
        for group, kind in enumerate(self.texts, 1):
            said = head[group]
            if "\\" in said:
                try:
                    said = unquote(said)
                except ValueError:
                    return False
            if said:
                segment = Content if kind is HoleKind.CONTENT else Reasoning
                found.append(segment(said, (head.start(group) - 1, head.end(group) + 1)))
        return True

    def _end(self, text: str, pos: int) -> int:
        """Where the value ends whose last call ends at `pos`, or -1."""
        if self._after is None:
            return pos
        after = self._after(text, pos)
        return -1 if after is None else after.end()

    def call(self, text: str, head: re.Match[str], alone: bool = False) -> One | None:
        """The call whose `head` has been read; it ends where its object does, or, if it is `alone`, the value.

        None where it is spelled otherwise.
        """
        at = head.end()
        if self._encoded:
            outer = complete(text, at, False)
            if outer is None or type(spelling := outer[0]) is not str:
                return None
            inner, end = members(spelling, 0), outer[1]
            if inner is None or inner[1] < len(spelling):
                return None
            value = inner[0]
        else:
            found = members(text, at)
            if found is None:
                return None
            value, end = found
            spelling = text[at:end]
        tail = self._tail(text, end)
        if tail is None:
            return None
        name = (head if self._name_in_head else tail)[self._name_group]
        identity = (head if self._id_in_head else tail)[self._id_group] if self._id_group else None
        end = self._end(text, tail.end()) if alone and self._after is not None else tail.end()
        return None if end < 0 else (head.end(self._start), end, name, value, identity, spelling)


class Part(NamedTuple):
    """What stands on one side of the arguments, and the groups of the holes in it, 0 for none."""

    regex: str
    name: int
    id: int
    texts: tuple[HoleKind, ...] = ()


def learned(text: str, pos: int, end: int, events: Sequence[ShapeEvent]) -> Spelling | None:
    """The spelling of the value `text[pos:end]`, in which `events` were found; None when it is not a simple one."""
    starts = [event.at for event in events if isinstance(event, CallBegins)]
    ends = [event.at for event in events if isinstance(event, CallEnds)]
    holes = [event for event in events if isinstance(event, Filled)]
    arguments = next((event for event in events if isinstance(event, Arguments)), None)
    if arguments is None or not starts or any(isinstance(event, Rest) for event in events):
        return None
    if any(hole.kind in TEXTS and hole.start > starts[0] and hole.value for hole in holes):
        return None
    whole = complete(text, arguments.start, False)
    if whole is None or not starts[0] <= arguments.start < ends[0]:
        return None
    if any(hole.start == starts[0] and hole.kind is HoleKind.ID for hole in holes):
        return None  # it came before it was known that this is a call
    marked = {hole.start: hole.kind for hole in holes if hole.kind not in TEXTS and hole.value is not None}
    texts = {hole.start: hole.kind for hole in holes if hole.kind in TEXTS and hole.value is not None}
    before, after = _part(text, pos, starts[0], texts), _part(text, ends[-1], end, {})
    head, tail = _part(text, starts[0], arguments.start, marked), _part(text, whole[1], ends[0], marked)
    if before is None or after is None or head is None or tail is None or not (head.name or tail.name):
        return None
    return Spelling(before, head, tail, after, encoded=text[arguments.start] == '"')


def _part(text: str, start: int, end: int, holes: dict[int, HoleKind]) -> Part | None:
    """The expression of `text[start:end]`, with a group for each of the `holes` that begins in it."""
    if end - start > _LONGEST:
        return None
    regex, groups, found = [], 0, {HoleKind.NAME: 0, HoleKind.ID: 0}
    texts: list[HoleKind] = []
    at = start
    while (match := _TOKEN.match(text, at, end)) is not None:
        kind, at = holes.get(match.start(1)), match.end()
        if kind is None:
            regex.append(re.escape(match[1]))
            continue
        if match[1][0] != '"' or found.get(kind):
            return None
        if kind in TEXTS:
            texts.append(kind)
            regex.append(_STRING)
            continue
        groups += 1
        found[kind] = groups
        regex.append(_NAME if kind is HoleKind.NAME else _ID)
    return Part(_BLANK.join(regex), found[HoleKind.NAME], found[HoleKind.ID], tuple(texts))
