"""Tools out of a Python module: what its author registered, or else its public functions."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from toolect.agent.errors import ToolDefinitionError
from toolect.agent.tool import Tool
from toolect.agent.tool_registry import ToolRegistry


def collect(source: str) -> ToolRegistry:
    """The tools of a module, given by its dotted name or by its file. The module is run, as any import is.

    They are a `ToolRegistry` in it, or else the `Tool`s, or else its own public functions with a docstring. Raises
    `ToolDefinitionError` when there is no such module, when it fails, or when it has no tools.
    """
    module = _module(source)
    values = [value for name, value in vars(module).items() if not name.startswith("_")]
    for value in values:
        if isinstance(value, ToolRegistry):
            return value
    tools = [value for value in values if isinstance(value, Tool)]
    found = ToolRegistry(tools or (Tool.from_function(function) for function in _functions(module, values)))
    if not len(found):
        raise ToolDefinitionError(
            f"expected tools in `{source}`, got none: write functions with type hints and docstrings"
        )
    return found


def _functions(module: ModuleType, values: list[Any]) -> Iterator[Any]:
    """The functions that the module itself defines and describes."""
    for value in values:
        if inspect.isfunction(value) and value.__module__ == module.__name__ and inspect.getdoc(value):
            yield value


def _module(source: str) -> ModuleType:
    try:
        if not (source.endswith(".py") or "/" in source):
            sys.path.insert(0, "")
            try:
                return importlib.import_module(source)
            finally:
                sys.path.remove("")
        path = Path(source)
        if not path.is_file():
            raise ToolDefinitionError(f"expected a Python file, got nothing at `{source}`: check the path")
        name = f"toolect_tools_{path.stem}"  # a name that no other module has
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ToolDefinitionError(f"expected a Python file, got `{source}`: its name should end in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # type hints are looked up there
        spec.loader.exec_module(module)
        return module
    except ToolDefinitionError:
        raise
    except ModuleNotFoundError as error:
        why = f"there is no module `{error.name}`"
        raise ToolDefinitionError(f"expected a module with tools, got `{source}`: {why}") from None
    except (Exception, SystemExit) as error:  # whatever the module raises
        why = f"{type(error).__name__}: {error}"
        raise ToolDefinitionError(f"expected a module with tools, got `{source}`, which fails: {why}") from None
