"""Induces a dialect from samples: which markers surround its calls, what repeats, and what divides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from toolect._shown import alike
from toolect.authoring.scaffold.code_calls import code_calls
from toolect.authoring.scaffold.element_calls import elements, named_tags
from toolect.authoring.scaffold.json_calls import json_calls
from toolect.authoring.scaffold.pieces import PAYLOADS, Hole, Mark, Token, is_space, pieces, runs, trimmed
from toolect.authoring.scaffold.sighting import Sighting
from toolect.authoring.scaffold.thoughts import Thought, stem, thoughts
from toolect.message import Json

_END = re.compile(r"(?:</s>|<[|｜][^<>\n]{1,60}[|｜]>|<end_of_turn>)\Z")
MAX_DRAFTS = 8
"""Drafts that are tried on the samples."""
MAX_ENDS = 3
"""Tokens after an answer."""
_MANY = re.compile(r"calls|section|requests|functions|tools\b|begin_tool_requests", re.IGNORECASE)


class Draft(NamedTuple):
    """What the samples show of a dialect; each part as the grammar is to have it."""

    opener: tuple[Token, ...] = ()
    """What stands before all calls, where they share a wrapper."""
    call: tuple[Token, ...] = ()
    """One call, with holes."""
    divider: tuple[Token, ...] = ()
    """What stands between two calls inside the wrapper."""
    closer: tuple[Token, ...] = ()
    arguments: tuple[tuple[Token, ...], ...] = ()
    shape: Json = None
    listed: bool = False
    python: bool = False
    thought: Thought | None = None
    before_call: str = ""
    between_calls: str = ""
    end: tuple[str, ...] = ()

    @property
    def bare(self) -> bool:
        """True when calls begin with their JSON: no marker tells where content ends."""
        return (*self.opener, *self.call)[:1] == (Hole.JSON,)

    @property
    def wrapped(self) -> bool:
        """True when calls stand in a wrapper."""
        return bool(self.opener or self.closer)


class _Seen(NamedTuple):
    """A stretch of calls in a sample, with what it was found from."""

    lead: str
    run: list[Token]
    after_content: bool
    sighting: Sighting


def induce(samples: Sequence[str]) -> list[Draft]:
    """The dialects that the samples may show, the likeliest first; none when no call is found in any of them."""
    seen: list[_Seen] = []
    thought: Thought | None = None
    ends: dict[str, None] = {}
    for sample in samples:
        text = sample
        for _ in range(MAX_ENDS):
            match = _END.search(text.rstrip()[-64:])
            if match is None or not _ends(text, match[0]):
                break
            ends[match[0]] = None
            text = text.rstrip().removesuffix(match[0])
        hidden, form = thoughts(text)
        if form is not None:
            thought = Thought(*(thought or form)[:2], prompted=form.prompted or bool(thought and thought.prompted))
        sighting = _sighted(text, hidden)
        marks: list[Mark] = sorted([*sighting.marks, *_outside(hidden, sighting.marks)])
        seen += [_Seen(*run, sighting) for run in runs(pieces(text, marks))]
    leads = Counter(one.lead for one in seen if one.after_content)
    seen.sort(key=lambda one: (sum(token in PAYLOADS for token in one.run), len(one.sighting.marks)), reverse=True)
    drafts = [
        _split(one.run)._replace(
            arguments=one.sighting.arguments,
            shape=one.sighting.shape,
            listed=one.sighting.listed,
            python=any(other.sighting.python for other in seen),
            thought=thought,
            before_call=leads.most_common(1)[0][0] if leads else "",
            end=tuple(ends),
        )
        for one in seen
    ]
    drafts = [
        draft._replace(before_call="" if draft.bare else draft.before_call) for draft in drafts if not _data(draft)
    ]
    unique = {repr(draft): draft for draft in drafts}
    return list(unique.values())[:MAX_DRAFTS]


def _sighted(text: str, reasoning: Sequence[Mark]) -> Sighting:
    """The calls of a sample outside of its reasoning, as the first way of writing them that it has; perhaps none."""
    hidden = text
    for mark in reasoning:
        hidden = hidden[: mark.start] + " " * (mark.end - mark.start) + hidden[mark.end :]
    for look in (elements, json_calls, named_tags, code_calls):
        found = look(hidden)
        if found.marks:
            return found
    return Sighting(())


def _data(draft: Draft) -> bool:
    """True when what surrounds the calls, or divides them, has data in it: they are not alike."""
    return any(isinstance(token, Hole) for token in (*draft.opener, *draft.closer, *draft.divider))


def _ends(text: str, token: str) -> bool:
    """True when the token at the end of a sample comes once, and closes nothing that was opened in it."""
    others = re.findall(r"<[|｜][^<>\n]{1,60}[|｜]>", text)
    opened = any(other != token and stem(other) == stem(token) for other in others)
    return text.count(token) == 1 and not (stem(token) and opened)


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
