"""Encoding of rendered text: markers are their ids, quoted ones are not, and no id joins an answer to other text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple, TypeAlias

from toolect._message import Span
from toolect._rendered import Rendered
from toolect._shown import alike
from toolect._tokens.adapting import adapted
from toolect._tokens.answer_parts import AnswerReader, AnswerSpan, answers, quoted_in
from toolect._tokens.encoded_text import Encoded, IdRun
from toolect._tokens.tokenizer_protocol import Tokenizer, controls, finder, texts_of
from toolect._transcript import Origin, OriginSpan, Transcript

Cut: TypeAlias = Literal["answer", "origin", "none"]
"""Cuts of a text before it is encoded: where an answer begins or ends, wherever the origin changes, nowhere."""


class _Job(NamedTuple):
    """Characters `start:end` to be encoded together, with every marker in them or with none."""

    start: int
    end: int
    plain: bool


def encode(
    rendered: Transcript | Rendered,
    tokenizer: object,
    *,
    sampled: Mapping[int, Sequence[int]] | None = None,
    cut: Cut = "answer",
    dialect: AnswerReader | None = None,
) -> Encoded:
    """A rendered conversation or answer as ids, each of which knows its characters, origin and segment.

    Markers that the tokenizer has as one id are that id where they are markup; where they are only quoted they are
    ordinary text. `sampled` has the ids of answers by the numbers of their turns (-1 for a rendered answer), which are
    kept. `dialect` is needed for the segments of an answer that does not know it. Raises TypeError for text that was
    not rendered and for what is no tokenizer, ValueError for sampled ids of another text.
    """
    if not isinstance(rendered, Transcript | Rendered):
        raise TypeError(
            f"expected what toolect rendered, got {type(rendered).__name__}: only that knows whose words it is of"
        )
    if cut not in ("answer", "origin", "none"):
        raise ValueError(f"expected cut 'answer', 'origin' or 'none', got {cut!r}")
    text = str(rendered)
    _check(text)
    own = adapted(tokenizer)
    if isinstance(rendered, Transcript):
        author = rendered.author
        dialect = dialect or (author.dialect if author else None)
        origins: Sequence[OriginSpan] = rendered.spans
        written = None if author is None else (*author.texts, *texts_of(author.dialect.spec))
    else:
        dialect = dialect or rendered.dialect
        origins = [OriginSpan(0, len(text), Origin.ANSWER, -1)] if text else []
        written = None if dialect is None else tuple(texts_of(dialect.spec))
    said = answers(rendered)
    words = controls(own, written)
    marks = list(finder(words).finditer(text))
    quoted = _quoted(text, marks, origins, said, dialect)
    stretches = _stretches(origins, cut, sampled or {})
    ids, runs = _Encoding(text, own, marks, {span[0] for span in quoted}).encode(stretches)
    return Encoded(text, own, ids, runs, origins, quoted, said, dialect)


class _Stretch(NamedTuple):
    """Characters `start:end`, which are cut off from what is around them; `sampled` are the ids they came as."""

    start: int
    end: int
    sampled: Sequence[int] | None


def _stretches(origins: Sequence[OriginSpan], cut: Cut, sampled: Mapping[int, Sequence[int]]) -> list[_Stretch]:
    found: list[_Stretch] = []
    kinds: list[object] = []
    known = set()
    for start, end, origin, turn in origins:
        answer = origin is Origin.ANSWER
        own = answer and (cut != "none" or turn in sampled)
        kind = (turn,) if own else origin if cut == "origin" else None
        if kinds and kinds[-1] == kind and (own or cut != "origin"):
            found[-1] = found[-1]._replace(end=end)
            continue
        kinds.append(kind)
        found.append(_Stretch(start, end, sampled.get(turn) if answer else None))
        known.add(turn if answer else None)
    for turn in sampled:
        if turn not in known:
            raise ValueError(f"expected sampled ids of answers, got some of turn {turn}, which is none in this text")
    return found


def _quoted(
    text: str,
    marks: Sequence[re.Match[str]],
    origins: Sequence[OriginSpan],
    said: Sequence[AnswerSpan],
    dialect: AnswerReader | None,
) -> list[Span]:
    """The markers that are no markup: not all their characters are the chat's, or the answer only quotes them."""
    found: list[Span] = []
    ends = [origin.end for origin in origins]
    own: dict[int, list[re.Match[str]]] = {}
    for match in marks:
        first, last = bisect_right(ends, match.start()), bisect_left(ends, match.end())
        kinds = {origin.origin for origin in origins[first : last + 1]}
        if kinds == {Origin.ANSWER} and first == last:
            own.setdefault(bisect_right([answer.start for answer in said], match.start()) - 1, []).append(match)
        elif kinds != {Origin.SCAFFOLD}:
            found.append(match.span())
    for at, inside in own.items():
        found += quoted_in(said[at], text, dialect, inside)
    return sorted(found)


class _Encoding:
    """Encodes the stretches of one text. `marks` are all markers in it, `quoted` is where those begin that are text."""

    def __init__(
        self,
        text: str,
        tokenizer: Tokenizer,
        marks: Sequence[re.Match[str]],
        quoted: frozenset[int] | set[int],
    ) -> None:
        self.text, self.tokenizer, self.marks, self.quoted = text, tokenizer, marks, quoted
        self.every = controls(tokenizer, None)
        """All added texts: none of them is an id where it is quoted, whatever its use."""
        self.every_id = {tokenizer.added[word] for word in self.every}
        self.begins = [match.start() for match in marks]

    def encode(self, stretches: Sequence[_Stretch]) -> tuple[list[int], list[IdRun]]:
        """All ids, and the run of ids that each stretch is."""
        jobs = [self.jobs(one) for one in stretches]
        found = self.done([job for some in jobs for job in some])
        ids: list[int] = []
        runs = []
        at = 0
        for stretch, some in zip(stretches, jobs, strict=True):
            start = len(ids)
            ids += stretch.sampled or ()
            for part in found[at : at + len(some)]:
                ids += part
            at += len(some)
            runs.append(IdRun(start, len(ids), stretch.start, stretch.end, stretch.sampled is not None))
        return ids, runs

    def jobs(self, stretch: _Stretch) -> list[_Job]:
        """Jobs of a stretch: all of it, or the rest behind sampled ids. Raises ValueError for ids of another text."""
        start, end, sampled = stretch
        if sampled is None:
            return [*self.cut(start, end)]
        own = self.text[start:end].encode()
        said = b"".join(map(self.tokenizer.piece, sampled))
        if not own.startswith(said):
            at = alike(own, said)
            raise ValueError(
                f"expected sampled ids of the answer at character {start}, got those of another text: "
                f"{own[at : at + 20]!r} there is {said[at : at + 20]!r} in them, from byte {at} on"
            )
        rest = start + len(said.decode("utf-8", "replace"))
        return [*self.cut(rest, end)] if rest < end else []

    def cut(self, start: int, end: int) -> Iterator[_Job]:
        """A stretch in as few pieces as may be: one in which markers are quoted reaches from markup to markup."""
        marks = self.within(start, end)
        at = start
        since, quotes = start, False
        for match in [*marks, None]:
            if match is not None and match.start() in self.quoted:
                quotes = True
                continue
            edge = end if match is None else match.start()
            if quotes:
                if at < since:
                    yield _Job(at, since, False)
                yield _Job(since, edge, True)
                at = edge
            since, quotes = end if match is None else match.end(), False
        if at < end:
            yield _Job(at, end, False)

    def done(self, jobs: Sequence[_Job]) -> list[list[int]]:
        """The ids of each job."""
        texts = [self.text[job.start : job.end] for job in jobs]
        found = iter(self.tokenizer.encode([text for text, job in zip(texts, jobs, strict=True) if not job.plain]))
        quoted = [text for text, job in zip(texts, jobs, strict=True) if job.plain]
        plain = iter(self.tokenizer.encode_plain(quoted, self.every) if quoted else ())
        ids = [next(plain) if job.plain else next(found) for job in jobs]
        return [self.between(job) if self.has_stray(job, some) else some for job, some in zip(jobs, ids, strict=True)]

    def has_stray(self, job: _Job, ids: Sequence[int]) -> bool:
        """True when an id of an added text stands for no marker: a normalizer may make one of any text."""
        if job.plain or self.every_id.isdisjoint(ids):
            return False
        meant = Counter(self.tokenizer.added[match[0]] for match in self.within(job.start, job.end))
        return bool(Counter(number for number in ids if number in self.every_id) - meant)

    def between(self, job: _Job) -> list[int]:
        """The ids of a job whose markers are encoded each alone, and what stands between them as nothing but text."""
        marks = self.within(job.start, job.end)
        edges = [job.start, *(edge for match in marks for edge in match.span()), job.end]
        parts = [self.text[start:end] for start, end in pairwise(edges)]
        plain, own = self.tokenizer.encode_plain(parts[::2], self.every), self.tokenizer.encode(parts[1::2])
        return [number for one, marker in zip_longest(plain, own, fillvalue=list[int]()) for number in (*one, *marker)]

    def within(self, start: int, end: int) -> Sequence[re.Match[str]]:
        """The markers that begin among these characters."""
        return self.marks[bisect_left(self.begins, start) : bisect_left(self.begins, end)]


def _check(text: str) -> None:
    """Raise ValueError for text that no tokenizer takes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"expected text that can be written as UTF-8, got the lone surrogate {error.object[error.start]!r} - at "
            f"character {error.start}: replace it first"
        ) from None
