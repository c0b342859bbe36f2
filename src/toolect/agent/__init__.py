"""Agents: tools, their validation and execution, and models of servers that call them.

The modules `pydantic_ai`, `openai_agents` and `openai_client` have the same models for other frameworks.
"""

from toolect._message import Violation
from toolect._renamed import old_names as _old_names
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.agent.chat import Chat
from toolect.agent.completions_client import RefusedError
from toolect.agent.errors import (
    AbortedError,
    AgentError,
    MaxIterationsError,
    ModelError,
    RetryError,
    RetryLimitError,
    ToolDefinitionError,
    ToolError,
    ToolsRefusedError,
    UnparsedCallsError,
    UnreadableCallsError,
)
from toolect.agent.loop import Model
from toolect.agent.mcp_server import McpServer
from toolect.agent.models import NativeModel, RawModel, TextModel
from toolect.agent.outcome import (
    AgentEvent,
    Answered,
    Done,
    Ended,
    ModelStep,
    Result,
    RunStep,
    Step,
    ToolFinished,
    ToolStarted,
    ToolStep,
    Usage,
)  # fmt: skip
from toolect.agent.tool import Context, Tool
from toolect.agent.tool_agent import Agent
from toolect.agent.tool_registry import ToolRegistry

__all__ = [
    "AbortedError", "Agent", "AgentError", "AgentEvent", "Answered", "Assistant", "Chat", "Context", "Done",
    "Ended", "MaxIterationsError", "McpServer", "Model", "ModelError", "ModelStep", "NativeModel", "RawModel",
    "RefusedError", "Result", "Results", "RetryError", "RetryLimitError", "RunStep", "Step", "System", "TextModel",
    "Tool", "ToolDefinitionError", "ToolError", "ToolFinished", "ToolRegistry", "ToolResult", "ToolStarted", "ToolStep",
    "ToolsRefusedError", "Turn", "UnparsedCallsError", "UnreadableCallsError", "Usage", "User", "Violation",
]  # fmt: skip

__getattr__ = _old_names(__name__)
