"""What is around calls, put together over all samples: the wrapper, the marks of one call, and what divides two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from toolect.authoring.scaffold.around import (
    after_calls,
    before_calls,
    gap_before,
    lone_call,
    taken_apart,
)
from toolect.authoring.scaffold.dialect_draft import Draft, Expected, Stripped
from toolect.authoring.scaffold.pieces import Hole, Mark, Token
from toolect.authoring.scaffold.references import referring
from toolect.authoring.scaffold.sections import Said, Stretch, said
from toolect.authoring.scaffold.seen import Seen, SeenCall, common_end, common_start, tokens


class _Around(NamedTuple):
    """What is around the calls of one sample."""

    thought: bool
    """Reasoning stands before it."""
    before: str
    between: tuple[str, ...]
    after: str


def assemble(samples: Sequence[Stripped], seen: Seen) -> Iterator[tuple[Draft, list[Expected]]]:
    """The drafts of what was seen, without end tokens, and what each has to read in the samples, likeliest first."""
    seen = _led_by_names_and_ids(samples, seen)
    around: list[_Around] = []
    inner: list[list[str]] = []
    numbers: list[int] = []
    holes: list[tuple[Hole, ...]] = []
    for sample, calls in zip(samples, seen.calls, strict=True):
        units = [call.marks for call in calls if call.marks]
        if not units:
            continue
        at = max((mark.end for mark in sample.thoughts if mark.end <= units[0][0].start), default=0)
        later = [mark.start for mark in sample.thoughts if mark.start >= units[-1][-1].end]
        until = min(later, default=len(sample.text))
        between = tuple(sample.text[one[-1].end : other[0].start] for one, other in pairwise(units))
        around.append(
            _Around(at > 0, sample.text[at : units[0][0].start], between, sample.text[units[-1][-1].end : until])
        )
        for number, marks in enumerate(units, 1):
            what = tuple(mark.what for mark in marks if isinstance(mark.what, Hole))
            if marks[-1].start != marks[0].end or len(marks) == 1 or what not in holes:
                inner.append([sample.text[one.end : other.start] for one, other in pairwise(marks)])
                holes.append(what)
                numbers.append(number)
    if not around:
        return
    kind = Counter(holes).most_common(1)[0][0]
    alike_ones = [(texts, at) for texts, what, at in zip(inner, holes, numbers, strict=True) if what == kind]
    call = _inside(kind, [texts for texts, _ in alike_ones], [at for _, at in alike_ones])
    before, after = (
        before_calls([one.before for one in around]),
        after_calls([one.after for one in around], _ends_raw(kind, seen)),
    )
    thought = [one.before.removesuffix("".join(before)) for one in around if one.thought]
    thought += [
        sample.hidden
        for sample, calls in zip(samples, seen.calls, strict=True)
        if sample.thoughts and not any(call.marks for call in calls)
    ]
    before = before[_dividing(before, thought) :]
    betweens = Counter(text for one in around for text in one.between)
    draft = (
        taken_apart(before, call, after, tokens(betweens.most_common(1)[0][0]))
        if betweens
        else lone_call(before, call, after)
    )
    quoted = any("'" in word for calls in seen.calls for call in calls for word in (call.name, *(call.keys or ())))
    draft = referring(draft)._replace(arguments=seen.arguments, shape=seen.shape, layout=seen.layout, quoted=quoted)
    stretches = [list(_stretches(one, "".join(before), "".join(after), betweens)) for one in around]
    rest = iter(stretches)
    told = [
        next(rest)
        if any(call.marks for call in calls)
        else [Stretch(sample.hidden, False, False, bool(sample.thoughts))]
        for sample, calls in zip(samples, seen.calls, strict=True)
    ]
    divider = "".join(map(str, draft.divider)) if not draft.opener and not draft.closer else ""
    flat = [stretch for here in told for stretch in here]
    for found in (said(flat, divider), Said(tuple(stretch.text.strip() for stretch in flat))):
        contents = iter(found.contents)
        texts = ["\n".join(next(contents) for _ in here) for here in told]
        expected = [
            Expected(
                calls,
                "\n".join((text.strip(), *(call.said for call in calls))) if sample.content is None else sample.content,
            )
            for sample, calls, text in zip(samples, seen.calls, texts, strict=True)
        ]
        leads = Counter(gap_before(stretch.text) for stretch in flat if stretch.before and stretch.text.strip())
        gap = leads.most_common(1)[0][0] if leads and not draft.bare and not found.marked else ""
        yield (
            draft._replace(
                before_call=gap,
                thought=found.thought,
                wrap=found.wrap,
                divider=() if found.divided else draft.divider,
                following=divider if found.divided else "",
                divided_thought=found.divided_thought,
            ),
            expected,
        )
        if not found.marked:
            return


def _ends_raw(holes: Sequence[Hole], seen: Seen) -> bool:
    """True where the last thing of a call is a raw value."""
    last = seen.arguments.forms[0][-1] if seen.arguments is not None else None
    return holes[-1] is Hole.ARGUMENTS and last is Hole.TEXT


def _dividing(before: Sequence[str], texts: Sequence[str]) -> int:
    """How many tokens before a call are before content, too, where reasoning stands before that."""
    told = [text.strip() for text in texts if text.strip()]
    for count in range(len(before) - 1, 0, -1):
        start = "".join(before[:count])
        if told and start.strip() and all(text.startswith(start.strip()) for text in told):
            return count
    return 0


def _stretches(around: _Around, before: str, after: str, betweens: Mapping[str, int]) -> Iterator[Stretch]:
    """What stands around the calls of a sample, without what belongs to calls."""
    yield Stretch(around.before.removesuffix(before), False, True, around.thought)
    usual = max(betweens, key=lambda text: betweens[text], default="")
    for text in around.between:
        if text != usual and text.strip() != usual.strip():
            yield Stretch(text.removeprefix(after).removesuffix(before), True, True)
    yield Stretch(around.after.removeprefix(after), True, False)


def _led_by_names_and_ids(samples: Sequence[Stripped], seen: Seen) -> Seen:
    """The calls with marks for their name and their id, where all of them have one before what was found."""
    leads: list[tuple[int, int, str, SeenCall]] = []
    for i, (sample, calls) in enumerate(zip(samples, seen.calls, strict=True)):
        at = 0
        for call in (call for call in calls if call.marks):
            first = call.marks[0].start
            at = max([at, *(mark.end for mark in sample.thoughts if at <= mark.end <= first)])
            leads.append((i, at, sample.text[at:first], call))
            at = call.marks[-1].end
    marks: dict[int, Mark] = {}
    if leads and all(call.name and re.search(_NAMED.format(re.escape(call.name)), lead) for *_, lead, call in leads):
        for k, (_, at, lead, call) in enumerate(leads):
            *_, match = re.finditer(_NAMED.format(re.escape(call.name)), lead)
            marks[k] = Mark(at + match.start(), at + match.end(), Hole.NAME)
    elif len(leads) > 1:
        lists = [tokens(lead) for _, _, lead, _ in leads]
        shared = len(common_end(lists))
        before = ["".join(one[: len(one) - shared]) for one in lists]
        found = [_ID.search(text) for text in before]
        ids = [match for match in found if match is not None]
        if len(ids) == len(leads) and len({one[1] for one in ids}) == 1 and _tell_apart([one[2] for one in ids], leads):
            for k, (one, (_, at, _, _)) in enumerate(zip(ids, leads, strict=True)):
                marks[k] = Mark(at + one.start(2), at + one.end(2), Hole.ID)
        rows = [_ROW.search(text) for text in before]
        order = [k - [sample for sample, *_ in leads].index(lead[0]) for k, lead in enumerate(leads, 1)]
        if not marks and max(order) > 1 and [row and row[0] for row in rows] == [*map(str, order)]:
            for k, ((_, at, _, _), text, number) in enumerate(zip(leads, before, order, strict=True)):
                marks[k] = Mark(at + len(text) - len(str(number)), at + len(text), Hole.INDEX)
    if not marks:
        return seen
    led: list[list[SeenCall]] = [[] for _ in samples]
    k = 0
    for i, calls in enumerate(seen.calls):
        for call in calls:
            led[i].append(call._replace(marks=(marks[k], *call.marks)) if call.marks else call)
            k += bool(call.marks)
    return seen._replace(calls=tuple(map(tuple, led)))


def _tell_apart(words: Sequence[str], leads: Sequence[tuple[int, int, str, SeenCall]]) -> bool:
    """True for ids; what only tells the first call of a sample from the others is of the wrapper, and the divider."""
    samples = [sample for sample, *_ in leads]
    told = {(sample not in samples[:k], word) for k, (sample, word) in enumerate(zip(samples, words, strict=True))}
    return len({*words}) > 1 and (len(told) > 2 or any(map(str.isdigit, "".join(words))))


_ID = re.compile(r"([\"'=:#>\]])([\w-]{1,64})\Z")
"""An id before its call, and the sign that stands before it."""
_ROW = re.compile(r"(?<![\w.-])\d+\Z")
"""The number of a call, before it."""
_NAMED = r"(?<![\w.-]){}(?![\w.-])(?=[^\w\s]|\n)"
"""A name before its call that markup follows."""


def _inside(holes: Sequence[Hole], inner: Sequence[Sequence[str]], numbers: Sequence[int]) -> list[Token]:
    """A call from its first hole to its last: what is between two is the same in all calls, or there is an id in it."""
    call: list[Token] = [holes[0]]
    for i, hole in enumerate(holes[1:]):
        texts = [one[i] for one in inner]
        call += _with_id(texts, numbers) if len(set(texts)) > 1 else tokens(texts[0])
        call.append(hole)
    return call


_IDENTIFIER = re.compile(r"[\w.:-]{1,64}")


def _with_id(texts: Sequence[str], numbers: Sequence[int]) -> list[Token]:
    """What several texts have in common, with a hole for an id where they differ; or the commonest of them."""
    lists = [tokens(text) for text in texts]
    start = common_start(lists)
    while start and re.fullmatch(r"[\w-]+", start[-1]):
        start.pop()
    end = common_end([one[len(start) :] for one in lists])
    while end and re.fullmatch(r"[\w-]+", end[0]):
        end.pop(0)
    inner = ["".join(one[len(start) : len(one) - len(end)]) for one in lists]
    if inner == [str(number) for number in numbers]:
        return [*start, Hole.INDEX, *end]
    if inner == [str(number - 1) for number in numbers]:
        return [*start, Hole.COUNT, *end]
    if all(map(_IDENTIFIER.fullmatch, inner)):
        return [*start, Hole.ID, *end]
    return list(tokens(Counter(texts).most_common(1)[0][0]))
