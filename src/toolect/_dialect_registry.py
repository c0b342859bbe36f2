"""Registry of dialects: the files that declare them, and which of their entries a name leads to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from toolect import _cache as cache
from toolect import _files as files
from toolect import _shelves as shelves
from toolect._compiled import Dialect
from toolect._diagnostic import Diagnostic
from toolect._names import Names, UnknownNameError
from toolect._spec.model import Spec


class DialectShelf(shelves.Shelf[Spec]):
    """The dialects of one file, read when they are asked for."""

    index = "index"
    grammars = "grammars"

    def kind(self) -> type[Spec]:
        """Type of the specs."""
        return Spec

    def load(self, name: str) -> Spec:
        """The spec of an entry, out of its file. Raises `SpecError`."""
        from toolect._spec.load import load_spec

        return load_spec(self.path, name, *self.bases)

    def load_all(self) -> tuple[dict[str, Spec], list[Diagnostic]]:
        """All specs, and the problems of any entries."""
        from toolect._spec.load import load_specs

        return load_specs(self.path, *self.bases)

    def read_names(self) -> tuple[dict[str, Names], list[Diagnostic]]:
        """Names that lead to the entries, and the problems of the file."""
        from toolect._spec.load import read_names

        return read_names(self.path)


class State(NamedTuple):
    """State of a registry beyond the shipped dialects, as it is sent to another process."""

    given: dict[Path, bytes]
    loaded: list[Path]
    models: dict[str, Names]
    beside: tuple[list[Path], ...] = ()
    """Files of other specs than dialects, in the order in which `beside` was called."""


class Registry(shelves.Shelves[Spec, Dialect]):
    """The specs of dialects, and one `Dialect` per name, made once."""

    what = "dialect"

    _print: tuple[list[shelves.Shelf[Spec]], str] | None = None  # the fingerprint of these shelves

    def shelf(self, path: Path, *bases: Path) -> DialectShelf:
        """The shelf of a file. Raises `SpecError`."""
        return DialectShelf(path, *bases)

    def unknown(self, name: str, near: tuple[str, ...]) -> UnknownNameError:
        """Error for a name that leads to nothing."""
        return UnknownNameError(name, near, "dialect")

    def make(self, spec: Spec) -> Dialect:
        """The dialect of a spec."""
        return Dialect(spec)

    def dialect(self, name: str) -> Dialect:
        """The dialect with this name, alias or model id. Raises `UnknownNameError`."""
        return self.ready(name)

    def dialects(self) -> list[str]:
        """The names of all dialects, in alphabetical order."""
        return self.names()

    def map_model(self, pattern: str, dialect: str) -> None:
        """Let model ids that match `pattern` lead to `dialect`, whatever they led to. Raises `UnknownNameError`.

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
        """Files loaded, texts given and models mapped here, for `restore` in another process."""
        with self._lock:
            return State(files.given(), self.loaded(), self._models, tuple(other().loaded() for other in _beside))

    def restore(self, state: State) -> None:
        """Take over the state of another process. Raises `SpecError`."""
        files.take(state.given)
        for path in state.loaded:
            self.load(path)
        self._models = state.models
        for other, paths in zip(_beside, state.beside, strict=True):
            for path in paths:
                other().load(path)

    def fingerprint(self) -> str:
        """Fingerprint of this set of dialects: a hash of all that they are made from."""
        with self._lock:
            shelves = self._every()
            if self._print is None or self._print[0] != shelves:
                self._print = [*shelves], cache.key(key.encode() for shelf in shelves for key in shelf.hashes)
            return self._print[1]


_beside: list[Callable[[], shelves.Shelves[Any, Any]]] = []


def beside(others: Callable[[], shelves.Shelves[Any, Any]]) -> None:
    """Add other shelves to `state`: those of layers above dialects, such as chats."""
    _beside.append(others)
