"""A rendered text as ids: the provenance of each, and the differences from encoding the whole text at once."""

from __future__ import annotations

import codecs
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from toolect._message import Call, Span
from toolect._tokens.answer_parts import AnswerReader, AnswerSpan, Segment, segments_of
from toolect._tokens.tokenizer_protocol import Tokenizer
from toolect._transcript import Origin, OriginSpan


class IdRun(NamedTuple):
    """Ids `start:end`, of characters `begin:stop`, which were encoded together; `sampled` where they came as ids."""

    start: int
    end: int
    begin: int
    stop: int
    sampled: bool = False


class Token(NamedTuple):
    """One id: its characters `start:end`, their origin, the turn, and the segment of an answer."""

    id: int
    start: int
    end: int
    origin: Origin
    turn: int
    segment: Segment | None


class CallIds(NamedTuple):
    """The ids `start:end` of a call: number `number` of the answer in turn number `turn`."""

    start: int
    end: int
    turn: int
    number: int
    call: Call


class IdDifference(NamedTuple):
    """Characters `start:end`: the ids they have, and those they would have if all the text were encoded at once."""

    start: int
    end: int
    ids: tuple[int, ...]
    at_once: tuple[int, ...]


class Encoded:
    """The ids of a rendered text. `quoted` are the markers that are only quoted in it, and so are ordinary text."""

    def __init__(
        self,
        text: str,
        tokenizer: Tokenizer,
        ids: Sequence[int],
        runs: Sequence[IdRun],
        origins: Sequence[OriginSpan],
        quoted: Sequence[Span],
        answers: Sequence[AnswerSpan],
        dialect: AnswerReader | None,
    ) -> None:
        self.text, self.tokenizer, self.ids, self.runs = text, tokenizer, list(ids), tuple(runs)
        self.origins, self.quoted = tuple(origins), tuple(quoted)
        self._answers, self._dialect = tuple(answers), dialect

    @property
    def dialect(self) -> Any:
        """The dialect of the answers; None where it is not known."""
        return self._dialect

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Encoded {len(self.ids)} ids of {len(self.text)} characters>"

    @cached_property
    def spans(self) -> list[Span]:
        """The characters of each id."""
        piece, ids = self.tokenizer.piece, self.ids
        found = []
        for run in self.runs:
            inner = spans(self.text[run.begin : run.stop], [piece(number) for number in ids[run.start : run.end]])
            found += [(run.begin + start, run.begin + end) for start, end in inner]
        return found

    @cached_property
    def segments(self) -> list[Segment]:
        """The segments of the answers; none where the dialect is not known."""
        return [one for said in self._answers for one in segments_of(said, self.text, self._dialect, self.quoted)]

    @cached_property
    def tokens(self) -> list[Token]:
        """Each id with its characters, origin and segment. One of characters of two origins has the first of them."""
        return list(self._tokens())

    def _tokens(self) -> Iterator[Token]:
        origins, segments = self.origins, self.segments
        at = here = 0
        for number, (start, end) in zip(self.ids, self.spans, strict=True):
            while at + 1 < len(origins) and origins[at].end <= start:
                at += 1
            while here < len(segments) and segments[here].end <= start:
                here += 1
            inside = segments[here] if here < len(segments) and segments[here].start < end else None
            yield Token(number, start, end, origins[at].origin, origins[at].turn, inside)

    @property
    def calls(self) -> list[CallIds]:
        """The ids of each call in the answers."""
        found: list[CallIds] = []
        for one in self.segments:
            if one.call is not None:
                number = found[-1].number + 1 if found and found[-1].turn == one.turn else 0
                found.append(CallIds(*self.ids_of((one.start, one.end)), one.turn, number, one.call))
        return found

    def ids_of(self, span: Span) -> Span:
        """The ids that characters `span` are of: from the first to behind the last."""
        first = bisect_right([end for _, end in self.spans], span[0])
        return first, max(bisect_left([start for start, _ in self.spans], span[1]), first)

    @cached_property
    def straddling(self) -> list[int]:
        """The places of ids whose characters are of more than one origin; never of an answer and of something else."""
        ends = [origin.end for origin in self.origins[:-1]]
        found = []
        for at, (start, end) in enumerate(self.spans):
            edge = bisect_right(ends, start)
            if edge < len(ends) and ends[edge] < end:
                found.append(at)
        return found

    @cached_property
    def differences(self) -> list[IdDifference]:
        """Places where encoding the whole text at once would give other ids: at cuts, and at quoted markers."""
        (whole,) = self.tokenizer.encode([self.text])
        if whole == self.ids:
            return []
        piece = self.tokenizer.piece
        theirs = spans(self.text, [piece(number) for number in whole])
        matcher = SequenceMatcher(None, self.ids, whole, autojunk=False)
        found = []
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "equal":
                places = [*self.spans[a:b], *theirs[c:d]]
                start, end = min(one for one, _ in places), max(one for _, one in places)
                found.append(IdDifference(start, end, tuple(self.ids[a:b]), tuple(whole[c:d])))
        return found


# The characters of each id, found by the bytes that the ids stand for


MAX_CHANGE = 12
"""Characters that a tokenizer may have changed in one place. Beyond it: what follows counts as changed, too."""
_SURE = 3
"""Characters that have to be the same after a change."""


def spans(text: str, pieces: Sequence[bytes]) -> list[Span]:
    """The characters of `text` that each piece is of; pieces that share a character both have it.

    Where a tokenizer normalizes, what its ids bring back is laid beside the text.
    """
    if b"".join(pieces) == text.encode("utf-8", "surrogatepass"):
        return list(_exact(pieces))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    found, back = [], []
    count = 0
    for piece in pieces:
        said = decoder.decode(piece)
        open_sign = bool(decoder.getstate()[0])
        found.append((count, count + len(said) + open_sign))
        count += len(said)
        back.append(said)
    back.append(decoder.decode(b"", True))
    places = _beside(text, "".join(back))
    last = len(places) - 1
    return [(places[min(start, last)], places[min(end, last)]) for start, end in found]


def _exact(pieces: Sequence[bytes]) -> Iterator[Span]:
    """Spans of pieces that join to a text: characters begin at bytes that go on with none."""
    if b"".join(pieces).isascii():
        yield from pairwise(accumulate(map(len, pieces), initial=0))
        return
    count = 0
    for piece in pieces:
        if piece.isascii():
            yield count, count + len(piece)
            count += len(piece)
            continue
        begun = sum(byte & 0xC0 != 0x80 for byte in piece)
        yield count - (piece[0] & 0xC0 == 0x80), count + begun
        count += begun


def _beside(text: str, back: str) -> list[int]:
    """For each character of `back`, and for its end, the place in `text`."""
    places = []
    at = here = 0
    while here < len(back):
        if text[at : at + 1] == back[here]:
            places.append(at)
            at, here = at + 1, here + 1
            continue
        took, gave = _change(text[at : at + MAX_CHANGE + _SURE], back[here : here + MAX_CHANGE + _SURE])
        places += [at] * gave
        at, here = at + took, here + gave
    return [*places, at if back[-1:] == text[-1:] else len(text)]


def _change(text: str, back: str) -> tuple[int, int]:
    """Number of characters of `text` that were changed, and of those in `back` that they became."""
    sizes = sorted(
        ((took, gave) for took in range(MAX_CHANGE) for gave in range(MAX_CHANGE) if took or gave),
        key=lambda one: (sum(one), one),
    )
    for took, gave in sizes:
        fits = 0 < took <= len(text) and 0 < gave <= len(back)
        if fits and normalize("NFKC", text[:took]).casefold() == normalize("NFKC", back[:gave]).casefold():
            return took, gave
    for took, gave in sizes:
        sure = text[took : took + _SURE]
        if took <= len(text) and gave <= len(back) and sure == back[gave : gave + _SURE]:
            return took, gave
    return min(len(text), MAX_CHANGE), min(len(back), MAX_CHANGE)
