"""Lets the readers of inference servers be imported without a graphics card, torch and kernels: something stands in."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class Nothing(type):
    """The class of classes that take anything and have any attribute."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent(name)


def _absent(name: str) -> Any:
    return Nothing(name, (), {"__init__": _take, "__call__": _take_and_give, "__getattr__": _attribute, **_PYDANTIC})


def _take(self: object, *args: Any, **kwargs: Any) -> None:
    """Stands in for what is not there."""


def _take_and_give(self: object, *args: Any, **kwargs: Any) -> Any:
    return args[0] if args else self


def _attribute(self: object, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _absent(name)


def _any_schema(cls: type, source: Any, handler: Any) -> Any:
    return importlib.import_module("pydantic_core.core_schema").any_schema()


_PYDANTIC: dict[str, Any] = {"__get_pydantic_core_schema__": classmethod(_any_schema)}


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _absent(name)
        setattr(self, name, found)
        return found


class _Finder:
    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if any(name == known or name.startswith(known + ".") for known in self._names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = _Module(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


def stand_in(package: str, *absent: str) -> None:
    """Make a package importable without running its `__init__`, and these modules without having them."""
    sys.meta_path.insert(0, _Finder(absent))
    found = importlib.util.find_spec(package)
    assert found and found.origin
    module = ModuleType(package)
    module.__path__ = [str(Path(found.origin).parent)]
    sys.modules[package] = module
    version = importlib.metadata.version
    importlib.metadata.version = lambda distribution_name: (
        "2.14.0" if distribution_name == "torch" else version(distribution_name)
    )
