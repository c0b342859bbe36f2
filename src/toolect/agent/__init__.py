"""From calls to actions: tools, their validation and execution, and the loop of a tool-using agent."""

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
from toolect.agent.tool import Tool
from toolect.agent.tool_registry import ToolRegistry
from toolect.agent.validation import BadTool, Violation
from toolect.turns import Assistant, Results, System, ToolResult, Turn, User

__all__ = [
    "Aborted", "AgentError", "AgentEvent", "Answered", "Assistant", "BadTool", "MaxIterations", "Model", "Results",
    "System", "Tool", "ToolFinished", "ToolRegistry", "ToolResult", "ToolStarted", "ToolUseAgent", "Turn", "Unreadable",
    "User", "Violation",
]  # fmt: skip
