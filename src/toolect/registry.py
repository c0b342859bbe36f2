"""Registry of dialects: the shipped ones, and those that users load."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolect import _files as files
from toolect._compiled import Dialect
from toolect._dialect_registry import Registry, State
from toolect._files import shipped as shipped
from toolect._names import AUTO as AUTO
from toolect._names import Match
from toolect._renamed import old_names
from toolect._spec.model import Spec

__all__ = [
    "State", "bases", "define", "dialect", "dialects", "file_of", "fingerprint", "load", "map_model", "match",
    "resolve", "restore", "spec", "state",
]  # fmt: skip

__getattr__ = old_names(__name__)


_registry = Registry(shipped, files.named, files.packaged)


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
    """Match of a name, an alias or a model id with its dialect. Raises `UnknownNameError`."""
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
    """Files loaded, texts given and models mapped here, for `restore` in another process."""
    return _registry.state()


def restore(state: State) -> None:
    """Take over the state of another process. Raises `SpecError`."""
    _registry.restore(state)


def fingerprint() -> str:
    """Fingerprint of the registered dialects: a hash of all that they are made from."""
    return _registry.fingerprint()


def dialects() -> list[str]:
    """The names of all dialects, in alphabetical order."""
    return _registry.dialects()
