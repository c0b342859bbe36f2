"""What each id of a tokenizer stands for, looked up once."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from toolect._tokens.tokenizer_protocol import TokenIdError, Tokenizer


class IdPiece(NamedTuple):
    """The bytes of an id; their text, or None where characters are cut in two; whether it is an added text."""

    data: bytes
    text: str | None
    added: bool


class Pieces(dict[int, IdPiece]):
    """The pieces of one tokenizer by id, made when they are first needed."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._added = frozenset(tokenizer.added.values())

    def __missing__(self, number: int) -> IdPiece:
        if type(number) is not int:
            if not hasattr(number, "__index__") or isinstance(number, bool):
                raise TokenIdError(number, self._tokenizer.size)
            return self[number.__index__()]  # one of numpy or torch
        data = self._tokenizer.piece(number)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
        found = self[number] = IdPiece(data, text, number in self._added)
        return found


@lru_cache(8)
def pieces_of(tokenizer: Tokenizer) -> Pieces:
    """The pieces of a tokenizer."""
    return Pieces(tokenizer)
