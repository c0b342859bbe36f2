"""Ids in, ids out: conversations and answers as a tokenizer's ids, and what each of these is.

`encode` takes what toolect rendered. An answer that arrives as ids is read by `Dialect.token_stream`. Tokenizers are
taken as they are: those of `tokenizers`, `transformers`, `tiktoken` and `mistral-common`, or anything with the methods
of `Tokenizer`.
"""

from __future__ import annotations

from toolect._compiled import Dialect
from toolect._renamed import old_names
from toolect._tokens.adapting import adapted, load
from toolect._tokens.encoded_text import CallIds, Encoded, IdDifference, Token
from toolect._tokens.encoding import Cut, encode
from toolect._tokens.token_stream import TokenStream
from toolect._tokens.tokenizer_protocol import MarkerIds, TokenIdError, Tokenizer
from toolect._tokens.tokenizer_protocol import markers as _markers

__all__ = [
    "CallIds",
    "Cut",
    "Encoded",
    "IdDifference",
    "MarkerIds",
    "Token",
    "TokenIdError",
    "TokenStream",
    "Tokenizer",
    "adapted",
    "encode",
    "load",
    "markers",
]  # fmt: skip

__getattr__ = old_names(__name__)


def markers(dialect: Dialect, tokenizer: object) -> list[MarkerIds]:
    """The markers of a dialect as ids of a tokenizer; one of several ids can be spelled by any text."""
    return _markers(dialect.spec, adapted(tokenizer))
