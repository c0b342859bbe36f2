"""Hugging Face's fast tokenizers: `tokenizers.Tokenizer`, and what `transformers` has around one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from toolect._tokens.tokenizer_protocol import TokenIdError


class FastTokenizer:
    """A `tokenizers.Tokenizer`; nothing is changed in it."""

    def __init__(self, backend: Any) -> None:
        if backend.truncation or backend.padding or backend.encode_special_tokens:
            backend = type(backend).from_str(backend.to_str())
            backend.no_truncation()
            backend.no_padding()
            backend.encode_special_tokens = False
        self._backend = backend
        known = backend.get_added_tokens_decoder()
        self._bytes = _Decoder(backend.decoder)
        self._names = {number: self._said(token) for number, token in known.items()}
        self.added: dict[str, int] = {text: number for number, text in self._names.items()}
        self.special = frozenset(self._names[number] for number, token in known.items() if token.special)
        self.size: int = backend.get_vocab_size()
        self._batch = getattr(backend, "encode_batch_fast", backend.encode_batch)
        self._plain: dict[frozenset[str], Any] = {}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text; an added text is its id."""
        return [encoding.ids for encoding in self._batch(texts, add_special_tokens=False)]

    def encode_plain(self, texts: Sequence[str], controls: frozenset[str]) -> list[list[int]]:
        """The same, but these added texts are nothing but text.

        Not all that a family uses as markers is called special, so a copy of the tokenizer without them is made.
        """
        backend = self._plain.get(controls)
        if backend is None:
            spec = json.loads(self._backend.to_str())
            spec["added_tokens"] = [token for token in spec["added_tokens"] if self._names[token["id"]] not in controls]
            backend = self._plain[controls] = type(self._backend).from_str(json.dumps(spec))
        return [encoding.ids for encoding in backend.encode_batch(texts, add_special_tokens=False)]

    def _said(self, token: Any) -> str:
        """The text of an added token; what is looked for in normalized text is spelled as that is."""
        content: str = token.content
        return self._bytes.spaced(content) if token.normalized else content

    def piece(self, number: int) -> bytes:
        """The bytes that an id stands for. Raises TokenIdError."""
        added = self._names.get(number)
        if added is not None:
            return self._bytes.spaced(added).encode()
        token = self._backend.id_to_token(number) if 0 <= number < 1 << 32 else None
        if token is None:
            raise TokenIdError(number, self.size)
        return self._bytes(token)


class _Decoder:
    """The bytes of a token's spelling."""

    def __init__(self, decoder: Any) -> None:
        steps = list(_steps(json.loads(decoder.__getstate__()))) if decoder is not None else []
        kinds = {step["type"] for step in steps}
        self._level = "ByteLevel" in kinds
        self._fallback = "ByteFallback" in kinds
        self._spaces = [step["pattern"]["String"] for step in steps if step["type"] == "Replace"]
        self._spaces += [step["replacement"] for step in steps if step["type"] == "Metaspace"]
        odd = kinds - {"ByteLevel", "ByteFallback", "Replace", "Metaspace", "Fuse", "Strip"}
        if odd:
            raise TypeError(
                f"expected a tokenizer whose decoder joins bytes (ByteLevel, ByteFallback, Metaspace), got "
                f"{', '.join(sorted(odd))}: texts cannot be known from its ids"
            )

    def __call__(self, token: str) -> bytes:
        if self._level:
            try:
                return bytes(map(_BYTES.__getitem__, token))
            except KeyError:
                return token.encode()  # a token that was put into the vocabulary by hand
        if self._fallback and len(token) == 6 and token.startswith("<0x"):
            return bytes([int(token[3:5], 16)])
        return self.spaced(token).encode()

    def spaced(self, token: str) -> str:
        """A token with its spaces as spaces."""
        for sign in self._spaces:
            token = token.replace(sign, " ")
        return token


def _steps(decoder: dict[str, Any]) -> list[dict[str, Any]]:
    if decoder["type"] != "Sequence":
        return [decoder]
    return [step for part in decoder["decoders"] for step in _steps(part)]


def _byte_signs() -> dict[str, int]:
    """The sign that stands for each byte where a vocabulary is of bytes: itself, or one beyond 255 if it is unseen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(unseen)}


_BYTES = _byte_signs()
