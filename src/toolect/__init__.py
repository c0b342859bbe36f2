"""Tool-call dialects: declare one once, and get its parser, its streaming parser and its renderer."""

from __future__ import annotations

# All that parsing needs is imported here, so that the first text does not pay for it. What reads grammars is not.
from toolect.conversion import convert
from toolect.guess import detect, parse
from toolect.ir import Call, Content, Message, Reasoning
from toolect.registry import UnknownDialect, dialect, dialects, load
from toolect.rendered import Unrepresentable

__version__ = "0.1.0"

__all__ = [
    "Call",
    "Content",
    "Message",
    "Reasoning",
    "UnknownDialect",
    "Unrepresentable",
    "convert",
    "detect",
    "dialect",
    "dialects",
    "load",
    "parse",
]
