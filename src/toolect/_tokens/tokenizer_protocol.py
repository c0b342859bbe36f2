"""Tokenizer protocol: ids of texts, with or without markers, and bytes of an id; a dialect's markers as ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

from toolect._errors import ToolectError
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._spec.model import Spec


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
        """Number of ids."""

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


# Markers: added texts of a tokenizer whose ids say that something of a dialect or a chat begins or ends


class MarkerIds(NamedTuple):
    """A marker as ids: `tokens` are the added texts in it, and `whole` is true when there is nothing besides."""

    marker: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    whole: bool


def texts_of(spec: Spec) -> Iterator[str]:
    """The markers of a dialect, each as its grammar has it, and its end tokens."""
    parts = (part for rule in spec.rules.values() for part in leaves(rule.expr))
    yield from (text for part in parts if isinstance(part, Literal) for text in part.texts)
    yield from spec.end


def markers(spec: Spec, tokenizer: Tokenizer) -> list[MarkerIds]:
    """The markers of a dialect as a tokenizer has them; those of several ids can be spelled by any text."""
    found = []
    for text in dict.fromkeys(texts_of(spec)):
        if len(text.strip()) > 1:
            (ids,) = tokenizer.encode([text])
            names = {number: name for name, number in tokenizer.added.items()}
            tokens = tuple(names[number] for number in ids if number in names)
            found.append(MarkerIds(text, tuple(ids), tokens, "".join(tokens).split() == text.split()))
    return found


def controls(tokenizer: Tokenizer, texts: Iterable[str] | None) -> frozenset[str]:
    """The added texts that no text in a slot may become.

    They are the special ones and those that stand in `texts`, which chat and dialect write; all of them where these
    are not known. White space is never one: some vocabularies have runs of it as added texts.
    """
    return _controls(tokenizer, None if texts is None else tuple(texts))


@lru_cache(32)
def _controls(tokenizer: Tokenizer, texts: tuple[str, ...] | None) -> frozenset[str]:
    written = None if texts is None else "\0".join(texts)
    return frozenset(
        text
        for text in tokenizer.added
        if text.strip() and (written is None or text in tokenizer.special or text in written)
    )


def guarded(tokenizer: Tokenizer, spec: Spec) -> frozenset[str]:
    """The added texts that stand in the markers of a dialect."""
    written = "\0".join(texts_of(spec))
    return frozenset(text for text in tokenizer.added if len(text.strip()) > 1 and text in written)
