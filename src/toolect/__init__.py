"""Tool-call dialects: declare one once, and get its parser, its streaming parser and its renderer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolect.ir import Call, Content, Message, Reasoning, Status

if TYPE_CHECKING:
    from toolect.conversion import Conversion, convert
    from toolect.registry import UnknownDialect, dialect, dialects, load
    from toolect.render import Unrepresentable

__version__ = "0.1.0"

__all__ = [
    "Call",
    "Content",
    "Conversion",
    "Message",
    "Reasoning",
    "Status",
    "UnknownDialect",
    "Unrepresentable",
    "convert",
    "dialect",
    "dialects",
    "load",
]

_HOMES = {
    "Conversion": "toolect.conversion",
    "UnknownDialect": "toolect.registry",
    "Unrepresentable": "toolect.render",
    "convert": "toolect.conversion",
    "dialect": "toolect.registry",
    "dialects": "toolect.registry",
    "load": "toolect.registry",
}


def __getattr__(name: str) -> Any:
    """The public names that need more than plain data are imported when first used."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'toolect' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
