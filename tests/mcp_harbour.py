"""A server of the Model Context Protocol for tests: tools of a harbour, in this process or over standard streams."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("harbour", log_level="ERROR")


@server.tool()
def tide(port: str, day: int = 0) -> str:
    """Tells the tide."""
    return f"low in {port} on day {day}"


@server.tool(name="ships/list")
def ships() -> list[str]:
    """Lists the ships."""
    return ["Vasa", "Mary Rose"]


@server.tool()
def sink(ship: str) -> str:
    """Sinks a ship."""
    raise ToolError(f"{ship} does not sink")


if __name__ == "__main__":
    server.run()
