"""The tokenizers of tiktoken and mistral-common, whose markers are special and never come from text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolect._tokens.tokenizer_protocol import TokenIdError, encoded_around


class TiktokenTokenizer:
    """A `tiktoken.Encoding`."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self.special = frozenset(encoding.special_tokens_set)
        self.added: dict[str, int] = {text: encoding.encode_single_token(text) for text in self.special}
        self.size: int = encoding.n_vocab

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text; an added text is its id."""
        return self.encode_plain(texts, frozenset())

    def encode_plain(self, texts: Sequence[str], controls: frozenset[str]) -> list[list[int]]:
        """The same, but these added texts are nothing but text."""
        allowed = self.special - controls
        return [self._encoding.encode(text, allowed_special=allowed, disallowed_special=()) for text in texts]

    def piece(self, number: int) -> bytes:
        """The bytes that an id stands for. Raises TokenIdError."""
        try:
            found: bytes = self._encoding.decode_single_token_bytes(number)
        except (KeyError, OverflowError):
            raise TokenIdError(number, self.size) from None
        return found


class MistralTokenizer:
    """A tokenizer of mistral-common: Tekken, or SentencePiece."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._tekken = hasattr(tokenizer, "id_to_byte_piece")
        self.size: int = tokenizer.n_words
        count = tokenizer.num_special_tokens if self._tekken else self.size
        self.added: dict[str, int] = {
            tokenizer.id_to_piece(number): number for number in range(count) if tokenizer.is_special(number)
        }
        self.special = frozenset(self.added)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text; an added text is its id."""
        return self.encode_plain(texts, frozenset())

    def encode_plain(self, texts: Sequence[str], controls: frozenset[str]) -> list[list[int]]:
        """The same, but these added texts are nothing but text."""
        return encoded_around(texts, self.added, self.special - controls, self._encode)

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, bos=False, eos=False)
        return ids

    def piece(self, number: int) -> bytes:
        """The bytes that an id stands for. Raises TokenIdError."""
        if not 0 <= number < self.size:
            raise TokenIdError(number, self.size)
        if self._tekken and not self._tokenizer.is_special(number):
            found: bytes = self._tokenizer.id_to_byte_piece(number)
            return found
        token: str = self._tokenizer.id_to_piece(number)
        if len(token) == 6 and token.startswith("<0x"):
            return bytes([int(token[3:5], 16)])
        return token.replace("▁", " ").encode()
