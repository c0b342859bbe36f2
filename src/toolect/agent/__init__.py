"""From calls to actions: tools, their validation and execution, and agents that use them."""

from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.agent.chat import Chat
from toolect.agent.errors import (
    AbortedError,
    AgentError,
    MaxIterationsError,
    ModelError,
    RetryError,
    RetryLimitError,
    ToolError,
    ToolsRefusedError,
    UnparsedCallsError,
    UnreadableCallsError,
)
from toolect.agent.loop import Model
from toolect.agent.mcp_server import McpServer
from toolect.agent.models import NativeModel, TextModel
from toolect.agent.outcome import AgentEvent, Answered, Done, Ended, Result, ToolFinished, ToolStarted, Usage
from toolect.agent.raw_model import RawModel
from toolect.agent.signature import Context
from toolect.agent.steps import ModelStep, RunStep, Step, ToolStep
from toolect.agent.tool import Tool
from toolect.agent.tool_agent import Agent
from toolect.agent.tool_registry import ToolRegistry
from toolect.agent.validation import BadTool, Violation

__all__ = [
    "AbortedError",
    "Agent",
    "AgentError",
    "AgentEvent",
    "Answered",
    "Assistant",
    "BadTool",
    "Chat",
    "Context",
    "Done",
    "Ended",
    "MaxIterationsError",
    "McpServer",
    "Model",
    "ModelError",
    "ModelStep",
    "NativeModel",
    "RawModel",
    "Result",
    "Results",
    "RetryError",
    "RetryLimitError",
    "RunStep",
    "Step",
    "System",
    "TextModel",
    "Tool",
    "ToolError",
    "ToolFinished",
    "ToolRegistry",
    "ToolResult",
    "ToolStarted",
    "ToolStep",
    "ToolsRefusedError",
    "Turn",
    "UnparsedCallsError",
    "UnreadableCallsError",
    "Usage",
    "User",
    "Violation",
]  # fmt: skip

_RENAMED = {
    "Aborted": "AbortedError", "Failed": "ToolError", "MaxIterations": "MaxIterationsError", "Retry": "RetryError",
    "SentBack": "RetryLimitError", "ToolsRefused": "ToolsRefusedError", "UnreadCalls": "UnparsedCallsError",
    "Unreadable": "UnreadableCallsError",
}  # fmt: skip


def __getattr__(name: str) -> None:
    """Raises `AttributeError`; for a name of before it says the one of now."""
    now = f": it is called {_RENAMED[name]} now" if name in _RENAMED else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{now}")
