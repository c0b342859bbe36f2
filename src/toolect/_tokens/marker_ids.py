"""Which added texts of a tokenizer are markers of a dialect or a chat: their ids say that something begins or ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._spec.model import Spec
from toolect._tokens.tokenizer_protocol import Tokenizer


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
