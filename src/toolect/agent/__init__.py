"""From calls to actions: tools, their validation and execution, and agents that use them."""

from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.agent.chat import Chat
from toolect.agent.errors import (
    Aborted,
    AgentError,
    Failed,
    MaxIterations,
    ModelError,
    Retry,
    SentBack,
    ToolsRefused,
    Unreadable,
    UnreadCalls,
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
    "Aborted", "Agent", "AgentError", "AgentEvent", "Answered", "Assistant", "BadTool", "Chat", "Context",
    "Done", "Ended", "Failed", "MaxIterations", "McpServer", "Model", "ModelError", "ModelStep", "NativeModel",
    "RawModel", "Result", "Results", "Retry", "RunStep", "SentBack", "Step", "System", "TextModel", "Tool",
    "ToolFinished", "ToolRegistry", "ToolResult", "ToolStarted", "ToolStep", "ToolsRefused", "Turn",
    "UnreadCalls", "Unreadable", "Usage", "User", "Violation",
]  # fmt: skip
