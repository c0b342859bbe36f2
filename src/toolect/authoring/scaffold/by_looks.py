"""Induces a dialect by what markers and calls usually look like: from few calls that tells more than where words stand.

Guesses at names and keys need several calls to compare. Of one call there is nothing to compare, and of what is written
in code no key stands before its value as others do: without these looks one sample of 81 of the 94 shipped dialects is
enough, with them of 88.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from toolect._shown import alike
from toolect.authoring.scaffold.code_calls import code_calls
from toolect.authoring.scaffold.dialect_draft import Draft, Stripped
from toolect.authoring.scaffold.element_calls import elements, named_tags
from toolect.authoring.scaffold.json_calls import json_calls
from toolect.authoring.scaffold.pieces import PAYLOADS, Hole, Mark, Token, is_space, pieces, runs, trimmed
from toolect.authoring.scaffold.seen import Arguments
from toolect.authoring.scaffold.sighting import Sighting
from toolect.authoring.scaffold.thoughts import stem

MAX_DRAFTS = 8
"""Drafts that are tried on the samples."""
_MANY = re.compile(r"calls|section|requests|functions|tools\b|begin_tool_requests", re.IGNORECASE)


class _Seen(NamedTuple):
    """A stretch of calls in a sample, with what it was found from."""

    lead: str
    run: list[Token]
    after_content: bool
    sighting: Sighting


def drafts_by_looks(samples: Sequence[Stripped]) -> list[Draft]:
    """The dialects that the samples may show, the likeliest first; none when no call is found in any of them."""
    seen: list[_Seen] = []
    for sample in samples:
        sighting = _sighted(sample.hidden)
        marks: list[Mark] = sorted([*sighting.marks, *_outside(sample.thoughts, sighting.marks)])
        seen += [_Seen(*run, sighting) for run in runs(pieces(sample.text, marks))]
    leads = Counter(one.lead for one in seen if one.after_content)
    python = any(one.sighting.python for one in seen)
    seen.sort(key=lambda one: (sum(token in PAYLOADS for token in one.run), len(one.sighting.marks)), reverse=True)
    drafts = [
        _split(one.run)._replace(
            arguments=Arguments(one.sighting.arguments, codec=_JINJA if python else "schema")
            if one.sighting.arguments
            else None,
            shape=one.sighting.shape,
            listed=one.sighting.listed,
            before_call=leads.most_common(1)[0][0] if leads else "",
        )
        for one in seen
    ]
    drafts = [
        draft._replace(before_call="" if draft.bare else draft.before_call) for draft in drafts if not _data(draft)
    ]
    unique = {repr(draft): draft for draft in drafts}
    return list(unique.values())[:MAX_DRAFTS]


_JINJA = "{codec: schema, spelling: jinja}"


def _sighted(hidden: str) -> Sighting:
    """The calls of a sample outside of its reasoning, as the first way of writing them that it has; perhaps none."""
    for look in (elements, json_calls, named_tags, code_calls):
        found = look(hidden)
        if found.marks:
            return found
    return Sighting(())


def _data(draft: Draft) -> bool:
    """True when what surrounds the calls, or divides them, has data in it: they are not alike."""
    return any(isinstance(token, Hole) for token in (*draft.opener, *draft.closer, *draft.divider))


def _outside(hidden: Sequence[Mark], marks: Sequence[Mark]) -> list[Mark]:
    return [mark for mark in hidden if not any(mark.start < m.end and m.start < mark.end for m in marks)]


def _split(run: list[Token]) -> Draft:
    """A stretch of calls, taken apart: the wrapper, one call, and what divides two of them."""
    places = [i for i, token in enumerate(run) if token in PAYLOADS]
    first, last = places[0], places[-1]
    before, after = run[:first], run[last + 1 :]
    payload = run[first]
    if len(places) == 1:
        return _alone(before, payload, after)
    between = run[first + 1 : places[1]]
    head = alike(before[::-1], between[::-1])
    inner_before, rest = between[len(between) - head :], between[: len(between) - head]
    tail = alike(rest, after)
    inner_after, divider = rest[:tail], rest[tail:]
    opener, closer = before[: len(before) - head], after[tail:]
    call = [*inner_before, payload, *inner_after]
    if not trimmed(opener) and not trimmed(closer) and all(map(is_space, divider)):
        return Draft(call=tuple(call), between_calls="".join(divider))
    if opener and closer and call[0] == closer[0] and is_space(call[0]) and not divider:  # lines end, not begin
        space = call[0]
        opener, call, closer = [*opener, space], [*call[1:], space], closer[1:]
    return Draft(tuple(opener), tuple(call), tuple(divider), tuple(closer))


def _alone(before: list[Token], payload: Token, after: list[Token]) -> Draft:
    """A lone call: the wrapper shows in the names of the markers only."""
    outer = _wrapper(before, after)
    opener, inner_before = _taking(before[:outer], before[outer:])
    closer, inner_after = (after[-1:], after[:-1]) if outer else ([], after)
    while inner_after and is_space(inner_after[-1]) and closer:
        closer = [inner_after[-1], *closer]
        inner_after = inner_after[:-1]
    return Draft(tuple(opener), (*inner_before, payload, *inner_after), (), tuple(closer))


def _taking(opener: list[Token], inner: list[Token]) -> tuple[list[Token], list[Token]]:
    """Whitespace at the beginning of what is inside goes to the opener, if there is one."""
    while opener and inner and is_space(inner[0]):
        opener, inner = [*opener, inner[0]], inner[1:]
    return opener, inner


def _wrapper(before: list[Token], after: list[Token]) -> int:
    """1 when the first marker of a lone call speaks of several, and the last one closes it; else 0."""
    if len([t for t in before if not is_space(t)]) < 2 or not after or isinstance(after[-1], Hole):
        return 0
    opener, closer = str(before[0]), str(after[-1])
    return int(bool(_MANY.search(opener)) and stem(opener) == stem(closer))
