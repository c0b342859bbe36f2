"""Small tokenizers that tests train themselves, and the real ones where they were fetched."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FETCHED = Path(os.environ.get("TOOLECT_TOKENIZERS") or Path.home() / ".cache" / "toolect-tokenizers")
SPECIAL = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|call|>",
    "[TOOL_CALLS]", "</s>", "<|eot_id|>",
)  # fmt: skip
ADDED = ("<tool_call>", "</tool_call>", "<think>", "</think>", "<tool_response>", "</tool_response>", "<｜tool▁sep｜>")
TEXTS = (
    'Sure. The tide in "Brest" is at 5, café 天气 🌊 {"name": "tide", "arguments": {"port": "Brest"}}',
    "<function=tide>\n<parameter=port>\nBrest\n</parameter>\n</function>\n\n# Tools\nuser assistant system",
)


@cache
def byte_level(normalizer: str = "") -> Any:
    """A byte-level vocabulary as most families have, with markers of which some are not called special."""
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers here: the extra `dev` brings it")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    if normalizer:
        made.normalizer = getattr(tokenizers.normalizers, normalizer)()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(TEXTS, trainer)
    return _marked(tokenizers, made)


@cache
def byte_fallback() -> Any:
    """A vocabulary of characters with spaces as `▁`, where bytes stand for what it has not."""
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers here: the extra `dev` brings it")
    signs = [f"<0x{byte:02X}>" for byte in range(256)] + sorted(
        {*"▁", *"".join(TEXTS).replace(" ", "▁")} - {"🌊", "天"}
    )
    vocabulary = {sign: at for at, sign in enumerate(signs)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [], byte_fallback=True, fuse_unk=True))
    made.normalizer = tokenizers.normalizers.Replace(" ", "▁")
    kinds = tokenizers.decoders
    made.decoder = kinds.Sequence([kinds.Replace("▁", " "), kinds.ByteFallback(), kinds.Fuse()])
    return _marked(tokenizers, made)


def _marked(tokenizers: Any, made: Any) -> Any:
    made.add_special_tokens([tokenizers.AddedToken(text, special=True, normalized=False) for text in SPECIAL])
    made.add_tokens([tokenizers.AddedToken(text, special=False, normalized=False) for text in ADDED])
    return made


@cache
def ranks() -> Any:
    """A tiktoken encoding of single bytes and a few pairs."""
    tiktoken = pytest.importorskip("tiktoken", reason="no tiktoken here: the extra `dev` brings it")
    pairs = dict.fromkeys(a + b for text in TEXTS for a, b in zip(_bytes(text), _bytes(text)[1:], strict=False))
    known = [bytes([byte]) for byte in range(256)] + [*pairs]
    return tiktoken.Encoding(
        "small",
        pat_str=r"\s+|\S+",
        mergeable_ranks={piece: at for at, piece in enumerate(known)},
        special_tokens={text: len(known) + at for at, text in enumerate((*SPECIAL, *ADDED))},
    )


def _bytes(text: str) -> list[bytes]:
    return [bytes([byte]) for byte in text.encode()]


SMALL = {
    "bytes": byte_level,
    "composed": lambda: byte_level("NFC"),
    "fallback": byte_fallback,
    "ranks": ranks,
}


@cache
def fetched(name: str) -> Any:
    """A real tokenizer, if `make tokens` has fetched it."""
    folder = FETCHED / name
    if not (folder / "tokenizer.json").is_file():
        pytest.skip(f"no {folder}: `make tokens` fetches it")
    return pytest.importorskip("toolect.tokens").load(folder)
