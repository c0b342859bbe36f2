"""What is asked of a tokenizer: ids of texts, with or without its markers, and the bytes of an id."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

from toolect._errors import ToolectError


class TokenIdError(ToolectError, ValueError):
    """An id that the tokenizer does not have."""

    def __init__(self, number: object, size: int) -> None:
        kind = "" if isinstance(number, int) else f" ({type(number).__name__})"
        super().__init__(f"expected an id of the tokenizer, which has {size:,}, got {number!r}{kind}")
        self.number, self.size = number, size

    def __reduce__(self) -> tuple[type[TokenIdError], tuple[object, int]]:
        return TokenIdError, (self.number, self.size)


@runtime_checkable
class Tokenizer(Protocol):
    """A tokenizer. `added` are the texts that are one id wherever they stand, `special` those of them it calls so."""

    def __hash__(self) -> int: ...
    @property
    def added(self) -> Mapping[str, int]:
        """The ids of the tokens that were added to the vocabulary, by their texts."""

    @property
    def special(self) -> frozenset[str]:
        """The texts of those that are control tokens."""

    @property
    def size(self) -> int:
        """How many ids there are."""

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text; an added text is its id."""

    def encode_plain(self, texts: Sequence[str], controls: frozenset[str]) -> list[list[int]]:
        """The same, but these added texts are nothing but text."""

    def piece(self, number: int) -> bytes:
        """The bytes that an id stands for. Raises TokenIdError."""


@lru_cache(64)
def finder(texts: frozenset[str]) -> re.Pattern[str]:
    """Finds these texts, the longest of those that begin at one place."""
    ordered = sorted(filter(None, texts), key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, ordered)) or r"(?!)")


def encoded_around(
    texts: Sequence[str], added: Mapping[str, int], markers: frozenset[str], encode: Callable[[str], list[int]]
) -> list[list[int]]:
    """The ids of each text, where `markers` are their ids, and `encode` knows what stands between them."""
    found = []
    for text in texts:
        ids: list[int] = []
        at = 0
        for match in finder(markers).finditer(text):
            if match.start() > at:
                ids += encode(text[at : match.start()])
            ids.append(added[match[0]])
            at = match.end()
        found.append(ids + encode(text[at:]) if at < len(text) else ids)
    return found
