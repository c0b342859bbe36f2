"""Names of dialects as users give them: names, aliases, model ids, and the dialects that they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from toolect._errors import ToolectError
from toolect._model_ids import IdPattern, best, specificity

AUTO = "auto"
"""Reserved name, for the reader of all dialects."""


class UnknownNameError(ToolectError, LookupError):
    """No `what`, a dialect or a chat, has this name, alias or model id; `near` are names that look like it."""

    __module__ = "toolect"

    def __init__(self, name: str, near: tuple[str, ...] = (), what: str = "dialect") -> None:
        super().__init__(name, near, what)
        self.name, self.near, self.what = name, near, what

    def __str__(self) -> str:
        if self.name == AUTO:
            return "expected the name of a dialect, got 'auto': what reads any dialect is toolect.auto"
        near = " or ".join(map(repr, self.near))
        if self.what != "dialect":
            hint = f"did you mean {near}?" if near else "toolect.chats() and `toolect chat list` name them all"
            return f"no chat, alias or model is named {self.name!r}: {hint}"
        if is_model(self.name):
            known = f"the nearest model patterns are {near}; " if near else ""
            add = "give the dialect's own name, read with toolect.auto, or load an entry with a pattern under `models`"
            return f"no dialect is known to be written by the model {self.name!r}: {known}{add}"
        hint = f"did you mean {near}?" if near else "see toolect.dialects(); toolect.auto reads any"
        return f"no dialect, alias or model is named {self.name!r}: {hint}"


class Names(msgspec.Struct, frozen=True):
    """Aliases and model patterns of a dialect, and the entry that it extends."""

    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    extends: str = ""


def fold(name: str) -> str:
    """A name as it is compared: case, `_` and `-` make no difference."""
    return name.casefold().replace("_", "-")


class Match(msgspec.Struct, frozen=True):
    """Match of a name with a dialect: `by` the dialect's name, an alias or a model pattern, which is `pattern`."""

    dialect: str
    by: Literal["name", "alias", "model"]
    pattern: str
    read: str
    """The part of the name that was compared: a model id may lose its organisation and suffixes of quantised copies."""


def resolve(name: str, shelves: Sequence[Mapping[str, Names]]) -> str | None:
    """The dialect that a name, an alias or a model id leads to; of several shelves the last one wins."""
    match = explain(name, shelves)
    return None if match is None else match.dialect


def explain(name: str, shelves: Sequence[Mapping[str, Names]]) -> Match | None:
    """Match of a name, an alias or a model id with a dialect, if any; of several shelves the last one wins.

    An alias may be qualified by the project whose word it is, `vllm:minimax`. A qualified name is looked for as it
    stands, then without its project; an unqualified one that exists only in qualified form counts if all agree.
    """
    name = name.removesuffix(":latest")
    bare = "" if is_model(name) else name.partition(":")[2]
    words = "" if bare.isdigit() else bare  # a tag, as of `llama3:8`, is nobody's word
    if named := _named(name, shelves) or words and _named(words, shelves):
        return named
    parts = (name, *name.split(":")) if ":" in name else (name,)  # ft:model:owner, model:provider
    return next(filter(None, (_modelled(part, shelves) for part in parts)), None)


def near_misses(name: str, shelves: Sequence[Mapping[str, Names]]) -> list[str]:
    """At most three names, aliases or model patterns that look like `name`."""
    import difflib

    if qualified := sorted(_qualified(name, shelves)):
        return qualified[:3]
    words, models = dict[str, str](), dict[str, str]()
    for shelf in shelves:
        for dialect, names in shelf.items():
            words |= {fold(alias): alias for alias in names.aliases if "*" not in alias} | {fold(dialect): dialect}
            models |= {p.casefold() if is_model(name) else fold(p.rpartition("/")[2]): p for p in names.models}
    asked = name.casefold() if is_model(name) else fold(name)
    for known in (models,) if is_model(name) else (words, models):
        if near := difflib.get_close_matches(asked, known, 3, 0.6):
            return [known[match] for match in near]
    return []


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
    patterns = [IdPattern(m, d) for shelf in shelves for d, names in shelf.items() for m in names.models]
    if found := best(name, patterns):
        return Match(found.pattern.dialect, "model", found.pattern.written, found.read)
    folded = fold(name)
    globs = [(a, d) for shelf in shelves for d, names in shelf.items() for a in names.aliases if "*" in a]
    for alias, dialect in sorted(globs, key=lambda glob: specificity(glob[0]), reverse=True):
        if fnmatchcase(folded, fold(alias)):
            return Match(dialect, "alias", alias, name)
    return None
