"""What is around calls, put together over all samples: the wrapper, the marks of one call, and what divides two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from toolect._shown import alike
from toolect.authoring.scaffold.pieces import Hole, Mark, Prose, Token, is_space, pieces
from toolect.authoring.scaffold.seen import Arguments, Seen, SeenCall, common_end, common_start, tokens
from toolect.authoring.scaffold.thoughts import Thought, Wrap, stem
from toolect.message import Json


class Draft(NamedTuple):
    """What the samples show of a dialect; each part as the grammar is to have it."""

    opener: tuple[Token, ...] = ()
    """What stands before all calls, where they share a wrapper."""
    call: tuple[Token, ...] = ()
    """One call, with holes."""
    divider: tuple[Token, ...] = ()
    """What stands between two calls inside the wrapper."""
    closer: tuple[Token, ...] = ()
    arguments: Arguments | None = None
    shape: Json = None
    layout: str = ""
    listed: bool = False
    thought: Thought | None = None
    wrap: Wrap | None = None
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
        return bool(self.opener or self.closer or "".join(self.divider).strip())


class Stripped(NamedTuple):
    """A sample without its end tokens, and where its reasoning is."""

    text: str
    thoughts: tuple[Mark, ...] = ()
    """Where there is reasoning, or content, if that is known."""
    content: str | None = None
    """The content, if it is known."""

    @property
    def hidden(self) -> str:
        """The text with blanks in place of the reasoning."""
        text = self.text
        for mark in self.thoughts:
            text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
        return text


class Prepared(NamedTuple):
    """Samples without what is around calls: their end tokens, and how reasoning and content are written."""

    samples: list[Stripped]
    thought: Thought | None = None
    ends: tuple[str, ...] = ()
    wrap: Wrap | None = None
    gap: str = ""
    """Whitespace between content and a call, if it is known."""


class Expected(NamedTuple):
    """What a sample was seen to say."""

    calls: tuple[SeenCall, ...]
    content: str


class _Around(NamedTuple):
    """What is around the calls of one sample."""

    before: str
    between: tuple[str, ...]
    after: str


def assemble(samples: Sequence[Stripped], seen: Seen) -> tuple[Draft, list[Expected]] | None:
    """The draft of what was seen, without reasoning and end tokens, and what it has to read in each sample."""
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
        around.append(_Around(sample.text[at : units[0][0].start], between, sample.text[units[-1][-1].end : until]))
        for number, marks in enumerate(units, 1):
            what = tuple(mark.what for mark in marks if isinstance(mark.what, Hole))
            if marks[-1].start != marks[0].end or len(marks) == 1 or what not in holes:
                inner.append([sample.text[one.end : other.start] for one, other in pairwise(marks)])
                holes.append(what)
                numbers.append(number)
    if not around:
        return None
    kind = Counter(holes).most_common(1)[0][0]
    alike_ones = [(texts, at) for texts, what, at in zip(inner, holes, numbers, strict=True) if what == kind]
    call = _inside(kind, [texts for texts, _ in alike_ones], [at for _, at in alike_ones])
    before, after = _before([one.before for one in around]), _after([one.after for one in around])
    betweens = Counter(text for one in around for text in one.between)
    draft = (
        _split(before, call, after, tokens(betweens.most_common(1)[0][0])) if betweens else _alone(before, call, after)
    )
    leads = Counter(_gap(one.before, "".join(before)) for one in around if _prose(one.before, "".join(before)))
    draft = draft._replace(
        arguments=seen.arguments,
        shape=seen.shape,
        layout=seen.layout,
        before_call=leads.most_common(1)[0][0] if leads and not draft.bare else "",
    )
    expected = []
    rest = iter(around)
    for sample, calls in zip(samples, seen.calls, strict=True):
        if any(call.marks for call in calls):
            one = next(rest)
            text = _prose(one.before, "".join(before)) + "\n" + one.after.removeprefix("".join(after))
        else:
            text = sample.hidden
        expected.append(Expected(calls, text.strip() if sample.content is None else sample.content))
    return draft, expected


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
        found = [one[: len(one) - shared] for one in lists]
        ids = {one[-1] for one in found if one}
        if (
            len(ids) > 1
            and all(len(one) > 1 and re.fullmatch(r"[\w-]+", one[-1]) for one in found)
            and len({one[-2] for one in found}) == 1
            and (found[0][-2] in "\"'=:#" or found[0][-2][-1] in ">]")
        ):
            for k, (one, (_, at, _, _)) in enumerate(zip(found, leads, strict=True)):
                start = at + len("".join(one[:-1]))
                marks[k] = Mark(start, start + len(one[-1]), Hole.ID)
    if not marks:
        return seen
    led: list[list[SeenCall]] = [[] for _ in samples]
    k = 0
    for i, calls in enumerate(seen.calls):
        for call in calls:
            led[i].append(call._replace(marks=(marks[k], *call.marks)) if call.marks else call)
            k += bool(call.marks)
    return seen._replace(calls=tuple(map(tuple, led)))


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
    if all(map(_IDENTIFIER.fullmatch, inner)):
        return [*start, Hole.ID, *end]
    return list(tokens(Counter(texts).most_common(1)[0][0]))


def _before(texts: Sequence[str]) -> list[str]:
    """What stands before the first call of every sample, without the content before that."""
    shared = common_end(map(tokens, texts))
    if any("".join(shared) == text for text in texts) and (len(texts) > 1 or not _spoken(texts[0])):
        return _led(shared)
    if len(set(texts)) == 1 or _spoken("".join(shared)):
        found = pieces("".join(shared), [])
        at = max((i for i, piece in enumerate(found) if isinstance(piece, Prose)), default=-1)
        shared = tokens("".join(str(piece) for piece in found[at + 1 :]))
    while shared and (shared[0].isspace() or shared[0] in _SENTENCE):
        shared = shared[1:]
    return shared


_SENTENCE = (".", "!", "?", ",", ":", ";", "…", ")")


def _led(shared: list[str]) -> list[str]:
    """Without the whitespace that it begins with."""
    at = 0
    while at < len(shared) and shared[at].isspace():
        at += 1
    return shared[at:]


def _spoken(text: str) -> bool:
    """True where two words follow each other: that is prose, behind a special token only if it is a sentence."""
    words = _WORDS if not text.startswith(("<|", "<｜")) else _SAID
    return words.search(re.sub(r"<[^<>\n]*(?:>|\Z)", "<>", text)) is not None


_WORDS = re.compile(r"[^\W\d_]{2,}[,.!?:]?\s+[^\W\d_]+(?![\w=(\[{])")
_SAID = re.compile(r"[^\W\d_]{2,},?\s+[^\W\d_]+(?![\w=(\[{]).*[.!?…:](?:\s|<|\Z)")


def _after(texts: Sequence[str]) -> list[str]:
    """What stands behind the last call of every sample, without content after that."""
    shared = common_start(map(tokens, texts))
    if not any("".join(shared) == text for text in texts) or _spoken("".join(shared)):
        found = pieces("".join(shared), [])
        at = next((i for i, piece in enumerate(found) if isinstance(piece, Prose)), len(found))
        shared = tokens("".join(str(piece) for piece in found[:at]))
    while shared and shared[-1].isspace():
        shared = shared[:-1]
    return shared


def _prose(text: str, before: str) -> str:
    """The content before a call."""
    return text.removesuffix(before).strip()


def _gap(text: str, before: str) -> str:
    """The whitespace between content and a call."""
    text = text.removesuffix(before)
    return text[len(text.rstrip()) :]


_MANY = re.compile(r"calls|section|requests|functions|actions|tools\b|begin_tool_requests", re.IGNORECASE)


def _split(before: list[str], call: list[Token], after: list[str], between: list[str]) -> Draft:
    """What is around two calls, taken apart: what each of them has, what is around both, and what divides them."""
    head = alike(before[::-1], between[::-1])
    inner_before, rest = before[len(before) - head :], between[: len(between) - head]
    tail = alike(rest, after)
    inner_after, divider = rest[:tail], rest[tail:]
    opener, closer = before[: len(before) - head], after[tail:]
    one: list[Token] = [*inner_before, *call, *inner_after]
    if not "".join(opener).strip() and not "".join(closer).strip() and not "".join(divider).strip():
        return Draft(call=tuple(one), between_calls="".join(divider))
    if opener and closer and is_space(one[0]) and one[0] == closer[0] and not divider:  # lines end, not begin
        opener, one, closer = [*opener, str(one[0])], [*one[1:], one[0]], closer[1:]
    elif not closer and opener and divider and not "".join(divider).strip():
        return Draft(tuple(opener), tuple(one), tuple(divider), ())
    return Draft(tuple(opener), tuple(one), tuple(divider), tuple(closer))


def _alone(before: list[str], call: list[Token], after: list[str]) -> Draft:
    """Calls that come alone: only the names of markers tell that there is a wrapper."""
    solid = [token for token in before if not token.isspace()]
    if len(solid) > 1 and after and _MANY.search(before[0]) and stem(before[0]) == stem(after[-1]):
        opener, inner = before[:1], before[1:]
        closer, rest = after[-1:], after[:-1]
        while inner and inner[0].isspace():
            opener, inner = [*opener, inner[0]], inner[1:]
        while rest and rest[-1].isspace():
            closer, rest = [rest[-1], *closer], rest[:-1]
        return Draft(tuple(opener), (*inner, *call, *rest), (), tuple(closer))
    return Draft(call=(*before, *call, *after))
