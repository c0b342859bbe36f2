"""From what a user calls a model to the dialect it speaks: names, aliases, model ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec


class Names(msgspec.Struct, frozen=True):
    """What a dialect answers to besides its name, and the entry that it extends."""

    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    extends: str = ""


def fold(name: str) -> str:
    """A name as it is compared: case, `_` and `-` make no difference."""
    return name.casefold().replace("_", "-")


class Match(msgspec.Struct, frozen=True):
    """How a name leads to a dialect: `by` its name, an alias or a model pattern, which is `pattern`."""

    dialect: str
    by: Literal["name", "alias", "model"]
    pattern: str
    read: str
    """What of the name was compared: a model id may lose its organisation and the suffixes of quantised copies."""


def resolve(name: str, shelves: Sequence[Mapping[str, Names]]) -> str | None:
    """The dialect that a name, an alias or a model id leads to; of several shelves the last one wins."""
    match = explain(name, shelves)
    return None if match is None else match.dialect


def explain(name: str, shelves: Sequence[Mapping[str, Names]]) -> Match | None:
    """How a name, an alias or a model id leads to a dialect; of several shelves the last one wins.

    An alias may be qualified by the project whose word it is, `vllm:minimax`. A qualified name is looked for as it
    stands, then without its project; an unqualified one that exists only in qualified form counts if all agree.
    """
    bare = "" if is_model(name) else name.partition(":")[2]
    named = _named(name, shelves) or bare and _named(bare, shelves)
    return named or _modelled(name, shelves) or bare and _modelled(bare, shelves) or None


def near_misses(name: str, shelves: Sequence[Mapping[str, Names]]) -> list[str]:
    """At most three names, aliases or model patterns that look like `name`."""
    import difflib

    if words := sorted(_qualified(name, shelves)):
        return words[:3]
    known: dict[str, str] = {}
    for shelf in shelves:
        for dialect, names in shelf.items():
            if is_model(name):
                known |= {pattern.casefold(): pattern for pattern in names.models}
            else:
                known |= {fold(alias): alias for alias in names.aliases if "*" not in alias}
                known[fold(dialect)] = dialect
    asked = name.casefold() if is_model(name) else fold(name)
    return [known[match] for match in difflib.get_close_matches(asked, known, 3, 0.6)]


def is_model(name: str) -> bool:
    """True when `name` is written like a model id, `organisation/model`."""
    return "/" in name


def _named(name: str, shelves: Sequence[Mapping[str, Names]]) -> Match | None:
    for shelf in reversed(shelves):
        if name in shelf:
            return Match(name, "name", name, name)
    folded = fold(name)
    for shelf in reversed(shelves):
        for dialect, names in shelf.items():
            if folded == fold(dialect):
                return Match(dialect, "name", dialect, name)
            for alias in names.aliases:
                if folded == fold(alias):
                    return Match(dialect, "alias", alias, name)
    qualified = _qualified(name, shelves)
    if len(set(qualified.values())) != 1:
        return None
    alias, dialect = next(iter(qualified.items()))
    return Match(dialect, "alias", alias, name)


def _qualified(name: str, shelves: Sequence[Mapping[str, Names]]) -> dict[str, str]:
    """The aliases that are `name` in the words of some project, with their dialects."""
    end = ":" + fold(name)
    return {a: d for shelf in shelves for d, names in shelf.items() for a in names.aliases if fold(a).endswith(end)}


def _modelled(name: str, shelves: Sequence[Mapping[str, Names]]) -> Match | None:
    globs = [(fold(a), a, d) for shelf in shelves for d, names in shelf.items() for a in names.aliases if "*" in a]
    models = [(m.casefold(), m, d) for shelf in shelves for d, names in shelf.items() for m in names.models]
    tails = [(tail, m, d) for p, m, d in models if weight(tail := p.rpartition("/")[2]) >= SPECIFIC]
    for form in _forms(name.strip().strip("/").casefold()):
        if found := _best(form, models):
            return Match(found[2], "model", found[1], form)
    if found := _best(fold(name), globs):
        return Match(found[2], "alias", found[1], name)
    for form in _forms(name.strip().strip("/").casefold()):
        if found := _best(form.rpartition("/")[2], tails):
            return Match(found[2], "model", found[1], form.rpartition("/")[2])
    return None


SPECIFIC = 3
"""A pattern without its organisation needs this many literal characters: `*` must not match everything."""

_SUFFIX = (
    r"(?:[-_.](?:gguf|ggml|awq|gptq|exl[23]|mlx|onnx|fp8|fp4|nvfp4|mxfp4|bf16|fp16|f16|int[248]|[248]-?bits?|bnb"
    r"|w\d+a\d+|i?q\d(?:_[a-z0-9]+)*|imatrix|quantized|quants?|dynamic|block|unsloth|autoround|hqq)|:[\w.-]+)$"
)


def _forms(model: str) -> Iterator[str]:
    """A model id, then the same with one suffix of a quantised copy less at a time."""
    yield model
    while (shorter := re.sub(_SUFFIX, "", model)) != model:
        model = shorter
        yield model


def _best(text: str, patterns: Sequence[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    """The most specific pattern that matches, as written, and its dialect; among equals the last."""
    found = [(specificity(pattern), n) for n, (pattern, *_) in enumerate(patterns) if _regex(pattern).fullmatch(text)]
    return patterns[max(found)[1]] if found else None


def specificity(pattern: str) -> tuple[int, bool]:
    """How much a pattern says: how many characters it fixes, then whether the first one is among them."""
    return weight(pattern), pattern[:1] not in ("*", "?")


def weight(pattern: str) -> int:
    """How many characters a pattern fixes."""
    return len(pattern) - pattern.count("*") - pattern.count("?")


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    import fnmatch

    return re.compile(fnmatch.translate(pattern))
