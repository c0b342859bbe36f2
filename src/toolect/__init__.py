"""Tool-call dialects: declare one once, and get its parser, its streaming parser and its renderer.

Public is what is listed here, and what the modules `agent`, `anthropic`, `chat_template`, `conversation`, `data`,
`openai`, `registry`, `responses`, `testing`, `tinker`, `tokens` and `training` list or document. Everything else may
change from one version to the next. Modules are imported when they are first asked for.
"""

from __future__ import annotations

import importlib as _importlib
from types import ModuleType as _Module

# What reads canonical texts is imported here; what reads others, streams or grammars comes with the first of them.
from toolect._chats.chat_registry import chat, chats, load
from toolect._compiled import Dialect, Stream
from toolect._conversion import convert
from toolect._detection.guess import detect, dialect, parse
from toolect._diagnostic import SpecError
from toolect._errors import ToolectError
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, ReasoningDelta
from toolect._explanation import Explanation
from toolect._extras import MissingExtraError
from toolect._message import Call, Content, Message, MessageError, Reasoning, Repair, RepairKind, Status
from toolect._names import UnknownNameError
from toolect._rendered import Rendered, RenderError
from toolect._version import __version__ as __version__
from toolect.conversation import Conversation
from toolect.registry import define, dialects, map_model

__all__ = [
    "ArgumentsDelta",
    "Call",
    "CallEnd",
    "CallStart",
    "Content",
    "ContentDelta",
    "Conversation",
    "Dialect",
    "Explanation",
    "Message",
    "MessageError",
    "MissingExtraError",
    "Reasoning",
    "ReasoningDelta",
    "RenderError",
    "Rendered",
    "Repair",
    "RepairKind",
    "SpecError",
    "Status",
    "Stream",
    "ToolectError",
    "UnknownNameError",
    "chat",
    "chats",
    "convert",
    "define",
    "detect",
    "dialect",
    "dialects",
    "load",
    "map_model",
    "parse",
]

_MODULES = frozenset(
    ("agent", "anthropic", "chat_template", "conversation", "data", "openai", "registry", "responses", "testing",
     "tinker", "tokens", "training")
)  # fmt: skip


def __getattr__(name: str) -> _Module:
    """Import a public module when it is first asked for. Raises `AttributeError` for any other name."""
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public, with the modules that are not imported yet."""
    return sorted({*globals(), *_MODULES})
