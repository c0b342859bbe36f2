"""From calls to actions: tools, their validation and execution, and the loop of a tool-using agent."""

from toolect.agent.conversation import Assistant, Results, System, Turn, User
from toolect.agent.loop import (
    Aborted,
    AgentError,
    AgentEvent,
    Answered,
    MaxIterations,
    Model,
    ToolFinished,
    ToolStarted,
    ToolUseAgent,
    Unreadable,
)
from toolect.agent.tool import Tool, ToolResult
from toolect.agent.tool_registry import ToolRegistry
from toolect.agent.validation import BadTool, Violation

__all__ = [
    "Aborted", "AgentError", "AgentEvent", "Answered", "Assistant", "BadTool", "MaxIterations", "Model", "Results",
    "System", "Tool", "ToolFinished", "ToolRegistry", "ToolResult", "ToolStarted", "ToolUseAgent", "Turn", "Unreadable",
    "User", "Violation",
]  # fmt: skip
