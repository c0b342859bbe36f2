"""Files with entries: one shelf for each, and which of several shelves a name leads to."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from toolect import _cache as cache
from toolect import _files as files
from toolect._diagnostic import Diagnostic, SpecError
from toolect._message import check_type, kind_of
from toolect._names import Match, Names, explain, near_misses

S = TypeVar("S")
T = TypeVar("T")


class Shelf(ABC, Generic[S]):
    """The entries of one file, read when they are asked for. They may extend entries of the files `bases`."""

    index: ClassVar[str]
    """The name under which the cache keeps the names of the entries."""
    grammars: ClassVar[str]
    """The folder of the grammars, beside the file."""

    def __init__(self, path: Path, *bases: Path) -> None:
        self.path = path
        self.bases = bases
        self._text = _bytes(path)
        self._key = cache.key([str(path).encode("utf-8", "surrogateescape"), self._text])
        self._specs: dict[str, S] = {}
        names = cache.load(self.index, self._key, dict[str, Names])
        self.names: dict[str, Names] = names or self._index()

    @abstractmethod
    def kind(self) -> type[S]:
        """Type of the specs."""

    @abstractmethod
    def load(self, name: str) -> S:
        """The spec of an entry, out of its file. Raises `SpecError`."""

    @abstractmethod
    def load_all(self) -> tuple[dict[str, S], list[Diagnostic]]:
        """The specs of all sound entries, and the problems of any entries."""

    @abstractmethod
    def read_names(self) -> tuple[dict[str, Names], list[Diagnostic]]:
        """Names that lead to the entries, and the problems of the file."""

    def stems(self, name: str) -> Iterator[str]:
        """The names of the grammars that the spec of an entry may be made from."""
        yield from filter(None, (name, self.names[name].extends))

    def cached(self, name: str) -> str:
        """The name under which the cache keeps the spec of an entry."""
        return name

    def spec(self, name: str) -> S:
        """The spec of an entry: from memory, from the cache, or compiled. Raises `SpecError`."""
        spec = self._kept(name)
        if spec is None:
            spec = self.load(name)
            self._keep(name, spec)
        return spec

    def check(self) -> None:
        """Load every spec. Raises one `SpecError` with the errors of all."""
        missing = [name for name in self.names if self._kept(name) is None]
        if not missing and cache.load(self.index, self._key, dict[str, Names]) is not None:
            return
        specs, problems = self.load_all()
        if errors := [one for one in problems if one.severity == "error"]:
            raise SpecError(errors)
        for name in missing:
            self._keep(name, specs[name])

    def _kept(self, name: str) -> S | None:
        """The spec of an entry that is in memory or in the cache."""
        if name not in self._specs:
            spec = cache.load(self.cached(name), self._spec_key(name), self.kind())
            if spec is None:
                return None
            self._specs[name] = spec
        return self._specs[name]

    def _keep(self, name: str, spec: S) -> None:
        """Keep the spec of an entry in memory and in the cache."""
        self._specs[name] = spec
        cache.store(self.cached(name), self._spec_key(name), spec)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """The hashes of all that the specs are made from."""
        return tuple(self._spec_key(name) for name in self.names)

    def _index(self) -> dict[str, Names]:
        names, problems = self.read_names()
        if not names:
            raise SpecError(problems)
        if not problems:
            cache.store(self.index, self._key, names)
        return names

    def _spec_key(self, name: str) -> str:
        """The hash of all that the spec is made from."""
        parts = [self._key.encode(), name.encode()]
        for stem in self.stems(name):
            parts += cache.grammar_parts(self.path.parent / self.grammars / f"{stem}.lark")
            for base in self.bases:
                parts += [_bytes(base), *cache.grammar_parts(base.parent / self.grammars / f"{stem}.lark")]
        return cache.key(parts)


class Shelves(ABC, Generic[S, T]):
    """The shelves of one kind of spec, and the object of each spec, made once.

    `named` are files that win over the `shipped` one, `packaged` files that do not: they are looked for where a name is
    unknown otherwise, or where all specs are asked for.
    """

    what: ClassVar[str]
    """Noun for the kind of spec in messages, such as `dialect`."""

    def __init__(
        self,
        shipped: Callable[[], Path],
        named: Callable[[], list[Path]] = list,
        packaged: Callable[[], list[Path]] = list,
    ) -> None:
        self._shipped, self._named, self._packaged = shipped, named, packaged
        self._below: list[Shelf[S]] | None = None  # those of packages
        self._shelves: list[Shelf[S]] = []
        self._models: dict[str, Names] = {}
        """The patterns of model ids that were mapped, by name."""
        self._ready: dict[str, T] = {}
        self._lock = threading.RLock()

    @abstractmethod
    def shelf(self, path: Path, *bases: Path) -> Shelf[S]:
        """The shelf of a file. Raises `SpecError`."""

    @abstractmethod
    def unknown(self, name: str, near: tuple[str, ...]) -> LookupError:
        """Error for a name that leads to nothing."""

    @abstractmethod
    def make(self, spec: S) -> T:
        """The object of a spec, such as a `Dialect`."""

    def ready(self, name: str) -> T:
        """The object of the spec with this name, alias or model id, made once. Raises LookupError."""
        ready = self._ready.get(name) if isinstance(name, str) else None
        if ready is not None:
            return ready
        with self._lock:
            found = self.resolve(name)
            ready = self._ready.get(found)
            if ready is None:
                ready = self._ready[found] = self.make(self.spec(found))
            return ready

    def spec(self, name: str) -> S:
        """The spec with this name, alias or model id. Raises LookupError."""
        with self._lock:
            found = self.resolve(name)
            return self._shelf(found).spec(found)

    def file_of(self, name: str) -> Path:
        """The file that declares the spec with this name, alias or model id. Raises LookupError."""
        with self._lock:
            return self._shelf(self.resolve(name)).path

    def files(self) -> list[Path]:
        """All files; of two that declare one name, the last counts."""
        with self._lock:
            return [shelf.path for shelf in self._every()]

    def loaded(self) -> list[Path]:
        """The files that were named or loaded so far, beside the shipped one."""
        with self._lock:
            return [shelf.path for shelf in self._shelves[1:]]

    def bases(self, path: Path) -> tuple[Path, ...]:
        """The files whose entries those of the file at `path` may extend; the shipped one stands alone."""
        here = path.resolve()
        if here == self._shipped().resolve():
            return ()
        return tuple(file for file in self.files() if file.resolve() != here)

    def names(self) -> list[str]:
        """The names of all specs, in alphabetical order."""
        with self._lock:
            return sorted({name for shelf in self._every() for name in shelf.names})

    def resolve(self, name: str) -> str:
        """The name that a name, an alias or a model id leads to. Raises LookupError."""
        return self.explain(name).dialect

    def explain(self, name: str) -> Match:
        """Match of a name, an alias or a model id with its spec. Raises LookupError."""
        with self._lock:
            names = [shelf.names for shelf in self._all()]
            mapped = self._models
        check_type(name, str, f"the name of a {self.what}")
        found = explain(name, names)
        if found is None:
            names = [shelf.names for shelf in self._every()]
            found = explain(name, names)
        if mapped and (found is None or found.by == "model"):
            found = explain(name, [mapped]) or found
        if found is None:
            raise self.unknown(name, tuple(near_misses(name, names)))
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
            shelf = self.shelf(file, *(path for path in self.files() if path != file))
            shelf.check()
            self._shelves = [*others, shelf]
            for name in shelf.names:
                self._ready.pop(name, None)
            return list(shelf.names)

    def _all(self) -> list[Shelf[S]]:
        if not self._shelves:
            self._shelves.append(self.shelf(self._shipped()))
            if paths := self._named():
                self._every()  # whose entries they may extend
                self._shelves += self._sound(paths)
        return self._shelves

    def _every(self) -> list[Shelf[S]]:
        """All shelves, those of packages first."""
        shelves = self._all()
        if self._below is None:
            self._below = self._sound(self._packaged())
        return [*self._below, *shelves]

    def _shelf(self, name: str) -> Shelf[S]:
        """The shelf that the spec `name` is taken from."""
        known = next((shelf for shelf in reversed(self._all()) if name in shelf.names), None)
        return known or next(shelf for shelf in reversed(self._every()) if name in shelf.names)

    def _sound(self, paths: list[Path]) -> list[Shelf[S]]:
        """Shelves of the files at `paths`, not named by the caller: one with errors is left out, with a warning."""
        found: list[Shelf[S]] = []
        for path in paths:
            try:
                shelf = self.shelf(path, *(other.path for other in (*(self._below or ()), *self._shelves, *found)))
                shelf.check()
            except SpecError as error:
                files.left_out(f"the {self.what}s of `{path}`", str(error).split("\n", 1)[0])
            else:
                found.append(shelf)
        return found


def _bytes(path: Path) -> bytes:
    try:
        return files.read(path)
    except (OSError, ValueError):
        return b""
