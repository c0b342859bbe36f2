"""Takes tokenizers as they are: what each package calls by its own names is one protocol here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolect._extras import MissingExtraError
from toolect._tokens.fast_tokenizer import FastTokenizer
from toolect._tokens.other_tokenizers import MistralTokenizer, TiktokenTokenizer
from toolect._tokens.tokenizer_protocol import Tokenizer

_KEPT = 8
"""Tokenizers that are remembered with their adapters."""
_known: list[tuple[object, int, Tokenizer]] = []


def adapted(tokenizer: object) -> Tokenizer:
    """`tokenizer` by the one protocol: of tokenizers, transformers (fast), tiktoken or mistral-common, or one's own.

    Raises TypeError for anything else.
    """
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    for given, size, adapter in _known:
        if given is tokenizer and not _has_grown(tokenizer, size):
            return adapter
    adapter = _adapter(tokenizer)
    _known.append((tokenizer, _size(tokenizer), adapter))
    del _known[:-_KEPT]
    return adapter


def load(path: Path | str) -> Tokenizer:
    """The tokenizer in a folder or file as models are shipped with it: `tokenizer.json`, or Mistral's.

    Raises FileNotFoundError, MissingExtraError (an ImportError) where the package that reads it is not there,
    ValueError for what is none.
    """
    path = Path(path)
    file = next((path / name for name in _FILES if (path / name).is_file()), path)
    if not file.is_file():
        raise FileNotFoundError(f"expected {' or '.join(_FILES)} in {path}, got none of them")
    mistral = "tekken" in file.name or ".model" in file.name
    try:
        if mistral:
            from mistral_common.tokens.tokenizers.mistral import MistralTokenizer as Mistral  # type: ignore[import-not-found,unused-ignore]

            return adapted(Mistral.from_file(str(file)))
        from tokenizers import Tokenizer as Fast  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:
        if mistral:
            raise MissingExtraError("mistral-common", "tokens") from None
        raise MissingExtraError("tokenizers", "tokens") from None
    try:
        return adapted(Fast.from_file(str(file)))
    except Exception as error:  # whatever the package makes of a broken file
        raise ValueError(f"expected a tokenizer in {file}, got: {error}") from error


_FILES = ("tokenizer.json", "tekken.json")


def _size(tokenizer: Any) -> int:
    """How many ids there are; 0 where tokens cannot be added. That takes long: all tokens are counted."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    return int(backend.get_vocab_size()) if hasattr(backend, "get_vocab_size") else 0


def _has_grown(tokenizer: Any, size: int) -> bool:
    """True when tokens were added to those `size`: the first of them has the next id."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    return size > 0 and backend.id_to_token(size) is not None


def _adapter(tokenizer: Any) -> Tokenizer:
    inner = getattr(tokenizer, "instruct_tokenizer", None)
    if inner is not None:
        return MistralTokenizer(inner.tokenizer)
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "get_added_tokens_decoder") and hasattr(backend, "encode_batch"):
        return FastTokenizer(backend)
    if hasattr(tokenizer, "special_tokens_set") and hasattr(tokenizer, "decode_single_token_bytes"):
        return TiktokenTokenizer(tokenizer)
    if hasattr(tokenizer, "id_to_piece") and hasattr(tokenizer, "is_special"):
        return MistralTokenizer(tokenizer)
    slow = ", a slow one: load it with use_fast=True" if hasattr(tokenizer, "convert_tokens_to_ids") else ""
    raise TypeError(
        "expected a tokenizer of tokenizers, transformers (fast), tiktoken or mistral-common, or one with the methods "
        f"of toolect.tokens.Tokenizer, got {type(tokenizer).__module__}.{type(tokenizer).__qualname__}{slow}"
    )
