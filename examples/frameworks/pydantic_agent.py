"""An agent of Pydantic AI with a browser: python pydantic_agent.py PROMPT."""

import asyncio
import os
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

SERVER = StdioTransport("patchright-mcp", ["--headless", "--image-responses", "inline"])


async def main(prompt: str) -> None:
    """Runs the agent and prints its answer."""
    agent = Agent(os.environ.get("MODEL", "openai:gpt-5"), toolsets=[MCPToolset(SERVER, read_timeout=120)])
    async with agent:
        print((await agent.run(prompt)).output)


asyncio.run(main(sys.argv[1]))
