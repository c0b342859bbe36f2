"""The characters of each id, found by the bytes that the ids stand for."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from toolect._message import Span

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
    """How many characters of `text` were changed, and how many they became."""
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
