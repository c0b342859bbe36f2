"""Tool-call dialects: declare one once, and get its parser, its streaming parser and its renderer.

Public is what is listed here, and what the modules `agent`, `chat_template`, `conversation`, `data`,
`explanation`, `openai`, `registry`, `testing`, `tinker`, `tokens` and `training` list or document. Everything else may
change from one version to the next, above all what begins with an underscore.
"""

from __future__ import annotations

# What reads canonical texts is imported here; what reads others, streams or grammars comes with the first of them.
from toolect._chats.chat_registry import UnknownChat, chat, chats, load
from toolect._conversion import convert
from toolect._detection.guess import detect, dialect, parse
from toolect._version import __version__ as __version__
from toolect.compiled import Dialect, Stream
from toolect.conversation import Conversation
from toolect.diagnostic import SpecError
from toolect.events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, ReasoningDelta
from toolect.message import BadMessage, Call, Content, Message, Reasoning, Repair, RepairKind, Status
from toolect.registry import UnknownDialect, define, dialects, map_model
from toolect.rendered import Rendered, Unrepresentable

__all__ = [
    "ArgumentsDelta",
    "BadMessage",
    "Call",
    "CallEnd",
    "CallStart",
    "Content",
    "ContentDelta",
    "Conversation",
    "Dialect",
    "Message",
    "Reasoning",
    "ReasoningDelta",
    "Rendered",
    "Repair",
    "RepairKind",
    "SpecError",
    "Status",
    "Stream",
    "UnknownChat",
    "UnknownDialect",
    "Unrepresentable",
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
