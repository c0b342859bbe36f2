"""From what a user calls a model to the dialect it speaks: names, aliases, model ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec


class Names(msgspec.Struct, frozen=True):
    """What a dialect answers to besides its name, and the entry that it extends."""

    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    extends: str = ""


def fold(name: str) -> str:
    """A name as it is compared: case, `_` and `-` make no difference."""
    return name.casefold().replace("_", "-")


def resolve(name: str, shelves: Sequence[Mapping[str, Names]]) -> str | None:
    """The dialect that a name, an alias or a model id leads to; of several shelves the last one wins."""
    for shelf in reversed(shelves):
        if name in shelf:
            return name
    folded = fold(name)
    for shelf in reversed(shelves):
        for dialect, names in shelf.items():
            if folded == fold(dialect) or any(folded == fold(alias) for alias in names.aliases):
                return dialect
    globs = [(fold(a), d) for shelf in shelves for d, names in shelf.items() for a in names.aliases if "*" in a]
    models = [(m.casefold(), d) for shelf in shelves for d, names in shelf.items() for m in names.models]
    tails = [(pattern.rpartition("/")[2], dialect) for pattern, dialect in models]
    for model in _forms(name.strip().strip("/").casefold()):
        if found := _best(model, models):
            return found
    if found := _best(folded, globs):
        return found
    for model in _forms(name.strip().strip("/").casefold()):
        if found := _best(model.rpartition("/")[2], [t for t in tails if _weight(t[0]) >= _SPECIFIC]):
            return found
    return None


def near_misses(name: str, shelves: Sequence[Mapping[str, Names]]) -> list[str]:
    """At most three names or aliases that look like `name`."""
    import difflib

    known: dict[str, str] = {}
    for shelf in shelves:
        for dialect, names in shelf.items():
            known |= {fold(alias): alias for alias in names.aliases if "*" not in alias}
            known[fold(dialect)] = dialect
    return [known[match] for match in difflib.get_close_matches(fold(name), known, 3, 0.6)]


_SPECIFIC = 3
"""A pattern without its organisation needs this many literal characters: `*` must not match everything."""

_SUFFIX = re.compile(
    r"(?:[-_.](?:gguf|ggml|awq|gptq|exl[23]|mlx|onnx|fp8|fp4|nvfp4|mxfp4|bf16|fp16|f16|int[248]|[248]-?bits?|bnb"
    r"|w\d+a\d+|i?q\d(?:_[a-z0-9]+)*|imatrix|quantized|quants?|dynamic|block|unsloth|autoround|hqq)|:[\w.-]+)$"
)


def _forms(model: str) -> Iterator[str]:
    """A model id, then the same with one suffix of a quantised copy less at a time."""
    yield model
    while (shorter := _SUFFIX.sub("", model)) != model:
        model = shorter
        yield model


def _best(text: str, patterns: Sequence[tuple[str, str]]) -> str | None:
    """The dialect of the most specific pattern that matches; among equals the last."""
    found = [(_weight(pattern), n) for n, (pattern, _) in enumerate(patterns) if _regex(pattern).fullmatch(text)]
    return patterns[max(found)[1]][1] if found else None


def _weight(pattern: str) -> int:
    """How many characters a pattern fixes."""
    return len(pattern) - pattern.count("*") - pattern.count("?")


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    import fnmatch

    return re.compile(fnmatch.translate(pattern))
