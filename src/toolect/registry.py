"""Which dialects there are: the shipped ones, and those that users load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from toolect import _cache as cache
from toolect import _files as files
from toolect import _shelves as shelves
from toolect._compiled import Dialect
from toolect._diagnostic import Diagnostic
from toolect._files import shipped as shipped
from toolect._names import AUTO as AUTO
from toolect._names import Match, Names, UnknownNameError
from toolect._renamed import old_names
from toolect._spec.model import Spec

__all__ = [
    "State", "bases", "define", "dialect", "dialects", "file_of", "fingerprint", "load", "map_model", "match",
    "resolve", "restore", "spec", "state",
]  # fmt: skip

__getattr__ = old_names(__name__)


class Shelf(shelves.Shelf[Spec]):
    """The dialects of one file, read when they are asked for."""

    index = "index"
    grammars = "grammars"

    def kind(self) -> type[Spec]:
        """What a spec is."""
        return Spec

    def load(self, name: str) -> Spec:
        """The spec of an entry, out of its file. Raises `SpecError`."""
        from toolect._spec.load import load_spec

        return load_spec(self.path, name, *self.bases)

    def problems(self) -> list[Diagnostic]:
        """What is wrong with any of the entries."""
        from toolect._spec.load import load_specs

        return load_specs(self.path, *self.bases)[1]

    def read_names(self) -> tuple[dict[str, Names], list[Diagnostic]]:
        """What the entries answer to, and the problems of the file."""
        from toolect._spec.load import read_names

        return read_names(self.path)


class State(NamedTuple):
    """What a registry knows beside the shipped dialects, as another process can be told."""

    given: dict[Path, bytes]
    loaded: list[Path]
    models: dict[str, Names]
    beside: tuple[list[Path], ...] = ()
    """The files of other things than dialects, in the order in which `beside` was told of them."""


class Registry(shelves.Shelves[Spec, Dialect]):
    """The specs of dialects, and one `Dialect` per name, made once."""

    what = "dialect"

    _print: tuple[list[shelves.Shelf[Spec]], str] | None = None  # the fingerprint of these shelves

    def shelf(self, path: Path, *bases: Path) -> Shelf:
        """The shelf of a file. Raises `SpecError`."""
        return Shelf(path, *bases)

    def unknown(self, name: str, near: tuple[str, ...]) -> UnknownNameError:
        """What to raise for a name that leads to nothing."""
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
        """What was loaded, given and mapped here, for `restore` in another process."""
        with self._lock:
            return State(files.given(), self.loaded(), self._models, tuple(other().loaded() for other in _beside))

    def restore(self, state: State) -> None:
        """Know what another process knows. Raises `SpecError`."""
        files.take(state.given)
        for path in state.loaded:
            self.load(path)
        self._models = state.models
        for other, paths in zip(_beside, state.beside, strict=True):
            for path in paths:
                other().load(path)

    def fingerprint(self) -> str:
        """What tells this set of dialects from others, by all that they are made from."""
        with self._lock:
            shelves = self._every()
            if self._print is None or self._print[0] != shelves:
                self._print = [*shelves], cache.key(key.encode() for shelf in shelves for key in shelf.hashes)
            return self._print[1]


_registry = Registry(shipped, files.named, files.packaged)
_beside: list[Callable[[], shelves.Shelves[Any, Any]]] = []


def beside(others: Callable[[], shelves.Shelves[Any, Any]]) -> None:
    """Let `state` tell of other shelves too: of what stands above dialects, such as chats."""
    _beside.append(others)


def dialect(name: str) -> Dialect:
    """The dialect with this name, alias or model id. Raises `UnknownNameError`."""
    return _registry.dialect(name)


def resolve(name: str) -> str:
    """The name of the dialect that a name, an alias or a model id leads to. Raises `UnknownNameError`."""
    return _registry.resolve(name)


def spec(name: str) -> Spec:
    """The spec with this name, alias or model id. Raises `UnknownNameError`."""
    return _registry.spec(name)


def match(name: str) -> Match:
    """How a name, an alias or a model id leads to its dialect. Raises `UnknownNameError`."""
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
    """The file that declares the dialect with this name, alias or model id. Raises `UnknownNameError`."""
    return _registry.file_of(name)


def bases(path: Path) -> tuple[Path, ...]:
    """The files whose entries those of the file at `path` may extend; the shipped one stands alone."""
    return _registry.bases(path)


def map_model(pattern: str, dialect: str) -> None:
    """Let model ids that match `pattern` lead to `dialect`, whatever they led to. Raises `UnknownNameError`."""
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
