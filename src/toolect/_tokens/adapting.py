"""Takes tokenizers as they are: what each package calls by its own names is one protocol here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolect._extras import MissingExtraError
from toolect._message import check_type
from toolect._tokens.tokenizer_protocol import TokenIdError, Tokenizer, encoded_around

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
    if not isinstance(path, Path):
        check_type(path, str, "the path of a tokenizer")
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
    """Number of ids; 0 where tokens cannot be added. That takes long: all tokens are counted."""
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


# tiktoken and mistral-common, whose markers are special and never come from text


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


# Hugging Face's fast tokenizers: `tokenizers.Tokenizer`, and what `transformers` has around one


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
        self._pieces: dict[int, bytes] = {}
        """Pieces that were asked for, by their ids."""

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
        found = self._pieces.get(number)
        if found is None:
            found = self._pieces[number] = self._piece(number)
        return found

    def _piece(self, number: int) -> bytes:
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
