"""Which dialects there are: the shipped ones, and those that users load."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from toolect import _cache as cache
from toolect import _files as files
from toolect._files import shipped as shipped
from toolect._names import Match, Names, explain, is_model, near_misses
from toolect._spec.model import Spec
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError
from toolect.message import kind_of

AUTO = "auto"
"""The name of no dialect: `toolect.dialect` takes it for whatever fits the text."""


class UnknownDialect(LookupError):  # what it is, not what it does to the program
    """No dialect has this name, alias or model id; `near` are names that look like it."""

    def __init__(self, name: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(name, near)
        self.name = name
        self.near = near

    def __str__(self) -> str:
        near = " or ".join(map(repr, self.near))
        if is_model(self.name):
            known = f"the nearest model patterns are {near}; " if near else ""
            add = "give the dialect's own name or `auto`, or load an entry with a pattern for it under `models`"
            return f"no dialect is known to be written by the model {self.name!r}: {known}{add}"
        hint = f"did you mean {near}, or `auto`?" if near else "see toolect.dialects(), or say `auto`"
        return f"no dialect, alias or model is named {self.name!r}: {hint}"


class Shelf:
    """The entries of one file, read when they are asked for. They may extend entries of the files `bases`."""

    def __init__(self, path: Path, *bases: Path) -> None:
        self.path = path
        self.bases = bases
        self._text = _bytes(path)
        self._key = cache.key([str(path).encode("utf-8", "surrogateescape"), self._text])
        self._specs: dict[str, Spec] = {}
        names = cache.load("index", self._key, dict[str, Names])
        self.names: dict[str, Names] = names or self._index()

    def spec(self, name: str) -> Spec:
        """The spec of an entry: from memory, from the cache, or compiled. Raises `SpecError`."""
        spec = self._specs.get(name)
        if spec is None:
            key = self._spec_key(name)
            spec = cache.load(name, key, Spec)
            if spec is None:
                from toolect._spec.load import load_spec

                spec = load_spec(self.path, name, *self.bases)
                cache.store(name, key, spec)
            self._specs[name] = spec
        return spec

    def check(self) -> None:
        """Load every spec; all that is wrong with any of them is one `SpecError`."""
        try:
            for name in self.names:
                self.spec(name)
            sound = cache.load("index", self._key, dict[str, Names]) is not None
        except SpecError:
            sound = False
        if not sound:
            from toolect._spec.load import load_specs

            _, found = load_specs(self.path, *self.bases)
            if errors := [d for d in found if d.severity == "error"]:
                raise SpecError(errors)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """The hashes of all that the specs are made from."""
        return tuple(self._spec_key(name) for name in self.names)

    def _index(self) -> dict[str, Names]:
        from toolect._spec.load import read_names

        names, problems = read_names(self.path)
        if not names:
            raise SpecError(problems)
        if not problems:
            cache.store("index", self._key, names)
        return names

    def _spec_key(self, name: str) -> str:
        """The hash of all that the spec is made from."""
        parts = [self._key.encode(), name.encode()]
        for stem in filter(None, (name, self.names[name].extends)):
            parts += cache.grammar_parts(self.path.parent / "grammars" / f"{stem}.lark")
            for base in self.bases:
                parts += [_bytes(base), *cache.grammar_parts(base.parent / "grammars" / f"{stem}.lark")]
        return cache.key(parts)


class State(NamedTuple):
    """What a registry knows beside the shipped dialects, as another process can be told."""

    given: dict[Path, bytes]
    loaded: list[Path]
    models: dict[str, Names]


class Registry:
    """Shelves of specs, and one `Dialect` per name, made once.

    `named` are files that win over the `shipped` one, `packaged` files that do not: they are looked for where a name is
    unknown otherwise, or where all dialects are asked for.
    """

    def __init__(
        self,
        shipped: Callable[[], Path],
        named: Callable[[], list[Path]] = list,
        packaged: Callable[[], list[Path]] = list,
    ) -> None:
        self._shipped, self._named, self._packaged = shipped, named, packaged
        self._below: list[Shelf] | None = None  # those of packages
        self._shelves: list[Shelf] = []
        self._ready: dict[str, Dialect] = {}
        self._models: dict[str, Names] = {}
        """The patterns of model ids that were mapped, by dialect."""
        self._print: tuple[list[Shelf], str] | None = None  # the fingerprint of these shelves
        self._lock = threading.RLock()

    def dialect(self, name: str) -> Dialect:
        """The dialect with this name, alias or model id. Raises `UnknownDialect`."""
        ready = self._ready.get(name)
        if ready is not None:
            return ready
        with self._lock:
            found = self.resolve(name)
            ready = self._ready.get(found)
            if ready is None:
                ready = self._ready[found] = Dialect(self.spec(found))
            return ready

    def spec(self, name: str) -> Spec:
        """The spec with this name, alias or model id. Raises `UnknownDialect`."""
        with self._lock:
            found = self.resolve(name)
            return self._shelf(found).spec(found)

    def file_of(self, name: str) -> Path:
        """The file that declares the dialect with this name, alias or model id. Raises `UnknownDialect`."""
        with self._lock:
            return self._shelf(self.resolve(name)).path

    def files(self) -> list[Path]:
        """All files with dialects; of two that declare one, the last counts."""
        with self._lock:
            return [shelf.path for shelf in self._every()]

    def resolve(self, name: str) -> str:
        """The name of the dialect that a name, an alias or a model id leads to. Raises `UnknownDialect`."""
        return self.explain(name).dialect

    def explain(self, name: str) -> Match:
        """How a name, an alias or a model id leads to its dialect. Raises `UnknownDialect`."""
        with self._lock:
            names = [shelf.names for shelf in self._all()]
            mapped = self._models
        if not isinstance(name, str):
            raise TypeError(f"expected the name of a dialect as str, got {kind_of(name)}")
        found = explain(name, names)
        if found is None:
            names = [shelf.names for shelf in self._every()]
            found = explain(name, names)
        if mapped and (found is None or found.by == "model"):
            found = explain(name, [mapped]) or found
        if found is None:
            raise UnknownDialect(name, tuple(near_misses(name, names)))
        return found

    def load(self, path: str | Path) -> list[str]:
        """Register the specs of a file; they win over those of the same name. Raises `SpecError`."""
        if not isinstance(path, str | Path):
            raise TypeError(f"expected the path of a YAML file, got {kind_of(path)}")
        if "\n" in str(path):
            raise ValueError("expected the path of a YAML file, got its text: give that to define(entry=…)")
        with self._lock:
            file = Path(path)
            others = [shelf for shelf in self._all() if shelf.path != file]
            shelf = Shelf(file, *(path for path in self.files() if path != file))
            shelf.check()
            self._shelves = [*others, shelf]
            for name in shelf.names:
                self._ready.pop(name, None)
            return list(shelf.names)

    def map_model(self, pattern: str, dialect: str) -> None:
        """Let model ids that match `pattern` lead to `dialect`, whatever they led to. Raises `UnknownDialect`.

        A `*` stands for any characters. A name or an alias of a dialect still is one.
        """
        if not isinstance(pattern, str) or not pattern.strip("*?/ "):
            raise ValueError(f"expected a pattern of model ids like `my-*`, got {pattern!r}")
        found = self.resolve(dialect)
        with self._lock:
            others = {
                name: Names(models=tuple(one for one in names.models if one != pattern))
                for name, names in self._models.items()
            }
            mapped = others.get(found, Names()).models
            self._models = {**others, found: Names(models=(*mapped, pattern))}

    def state(self) -> State:
        """What was loaded, given and mapped here, for `restore` in another process."""
        with self._lock:
            return State(files.given(), [shelf.path for shelf in self._all()[1:]], self._models)

    def restore(self, state: State) -> None:
        """Know what another process knows. Raises `SpecError`."""
        files.take(state.given)
        for path in state.loaded:
            self.load(path)
        self._models = state.models

    def dialects(self) -> list[str]:
        """The names of all dialects, in alphabetical order."""
        with self._lock:
            return sorted({name for shelf in self._every() for name in shelf.names})

    def fingerprint(self) -> str:
        """What tells this set of dialects from others, by all that they are made from."""
        with self._lock:
            shelves = self._every()
            if self._print is None or self._print[0] != shelves:
                self._print = [*shelves], cache.key(key.encode() for shelf in shelves for key in shelf.hashes)
            return self._print[1]

    def _all(self) -> list[Shelf]:
        if not self._shelves:
            self._shelves.append(Shelf(self._shipped()))
            if paths := self._named():
                self._every()  # whose entries they may extend
                self._shelves += self._sound(paths)
        return self._shelves

    def _every(self) -> list[Shelf]:
        """All shelves, those of packages first."""
        shelves = self._all()
        if self._below is None:
            self._below = self._sound(self._packaged())
        return [*self._below, *shelves]

    def _shelf(self, name: str) -> Shelf:
        """The shelf that the dialect `name` is taken from."""
        known = next((shelf for shelf in reversed(self._all()) if name in shelf.names), None)
        return known or next(shelf for shelf in reversed(self._every()) if name in shelf.names)

    def _sound(self, paths: list[Path]) -> list[Shelf]:
        """Shelves of the files at `paths`, which nobody here has asked for: one with mistakes is left out, and said."""
        found: list[Shelf] = []
        for path in paths:
            try:
                shelf = Shelf(path, *(other.path for other in (*(self._below or ()), *self._shelves, *found)))
                shelf.check()
            except SpecError as error:
                files.left_out(f"`{path}`", str(error).split("\n", 1)[0])
            else:
                found.append(shelf)
        return found


def _bytes(path: Path) -> bytes:
    try:
        return files.read(path)
    except (OSError, ValueError):
        return b""


_registry = Registry(shipped, files.named, files.packaged)


def dialect(name: str) -> Dialect:
    """The dialect with this name, alias or model id. Raises `UnknownDialect`."""
    return _registry.dialect(name)


def resolve(name: str) -> str:
    """The name of the dialect that a name, an alias or a model id leads to. Raises `UnknownDialect`."""
    return _registry.resolve(name)


def spec(name: str) -> Spec:
    """The spec with this name, alias or model id. Raises `UnknownDialect`."""
    return _registry.spec(name)


def match(name: str) -> Match:
    """How a name, an alias or a model id leads to its dialect. Raises `UnknownDialect`."""
    return _registry.explain(name)


def load(path: str | Path) -> list[str]:
    """Register the specs of a file; they win over those of the same name. Raises `SpecError`."""
    return _registry.load(path)


def define(entry: str | Mapping[str, Any], grammar: str = "", name: str = "") -> Dialect:
    """The dialect that an entry and a Lark grammar declare, registered as `load` does. Raises `SpecError`.

    `entry` is what a YAML file would hold, as its text or as a mapping: the dialect's name and its fields, or with
    `name` the fields alone. An entry that `extends` another needs no grammar.
    """
    from toolect._spec.given import give

    return _registry.dialect(_registry.load(give(entry, grammar, name))[0])


def file_of(name: str) -> Path:
    """The file that declares the dialect with this name, alias or model id. Raises `UnknownDialect`."""
    return _registry.file_of(name)


def bases(path: Path) -> tuple[Path, ...]:
    """The files whose entries those of the file at `path` may extend; the shipped one stands alone."""
    here = path.resolve()
    return () if here == shipped().resolve() else tuple(file for file in _registry.files() if file.resolve() != here)


def map_model(pattern: str, dialect: str) -> None:
    """Let model ids that match `pattern` lead to `dialect`, whatever they led to. Raises `UnknownDialect`."""
    _registry.map_model(pattern, dialect)


def state() -> State:
    """What was loaded, given and mapped here, for `restore` in another process."""
    return _registry.state()


def restore(state: State) -> None:
    """Know what another process knows. Raises `SpecError`."""
    _registry.restore(state)


def fingerprint() -> str:
    """What tells the registered dialects from any others, by all that they are made from."""
    return _registry.fingerprint()


def dialects() -> list[str]:
    """The names of all dialects, in alphabetical order."""
    return _registry.dialects()
