"""Tool-call dialects: declare one once, and get its parser, its streaming parser and its renderer.

Public is what is listed here, and what the modules `agent`, `anthropic`, `chat_template`, `conversation`, `data`,
`openai`, `registry`, `responses`, `score`, `serve`, `testing`, `tinker`, `tokens`, `training` and `types` list.
Everything else may change from one version to the next. Modules are imported when they are first asked for.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

# Only the reader of canonical texts is imported here; those of other texts, streams and grammars come when needed.
from toolect._chats.chat_registry import chat, chats, load
from toolect._compiled import Dialect, Stream
from toolect._conversion import convert
from toolect._detection.guess import detect, parse
from toolect._diagnostic import SpecError
from toolect._errors import ToolectError
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, ReasoningDelta
from toolect._explanation import Explanation
from toolect._extras import MissingExtraError
from toolect._message import Call, Content, Message, MessageError, Reasoning, Repair, RepairKind, Status
from toolect._names import UnknownNameError
from toolect._renamed import RenamedError
from toolect._renamed import old_names as _renamed_names
from toolect._rendered import BreakOutError, Rendered, RenderError
from toolect._version import __version__ as __version__
from toolect.conversation import Conversation
from toolect.registry import define, dialect, dialects, map_model

if _TYPE_CHECKING:
    from toolect._detection.auto import auto

__all__ = [
    "ArgumentsDelta",
    "BreakOutError",
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
    "RenamedError",
    "RenderError",
    "Rendered",
    "Repair",
    "RepairKind",
    "SpecError",
    "Status",
    "Stream",
    "ToolectError",
    "UnknownNameError",
    "auto",
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

_old_names = _renamed_names(__name__)
_MODULES = frozenset(
    ("agent", "anthropic", "chat_template", "conversation", "data", "openai", "registry", "responses", "score",
     "serve", "testing", "tinker", "tokens", "training", "types")
)  # fmt: skip


def __getattr__(name: str) -> _Any:
    """Import a public module, or `auto`, when it is first asked for. Old names raise `RenamedError`."""
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "auto":
        return _importlib.import_module(f"{__name__}._detection.auto").auto
    return _old_names(name)


def __dir__() -> list[str]:
    """Names of the package, with the public ones that are not imported yet."""
    return sorted({*globals(), *__all__, *_MODULES})
