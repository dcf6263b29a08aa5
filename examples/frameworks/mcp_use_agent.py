"""An agent of mcp-use with a browser: python mcp_use_agent.py PROMPT."""

import asyncio
import os
import sys

from langchain_openai import ChatOpenAI
from mcp_use import MCPAgent, MCPClient

SERVER = {"command": "patchright-mcp", "args": ["--headless", "--image-responses", "inline"]}


async def main(prompt: str) -> None:
    """Runs the agent and prints its answer."""
    client = MCPClient.from_dict({"mcpServers": {"browser": SERVER}})
    # Of OpenAI's two APIs, only Responses takes the picture of a screenshot as a tool's result.
    model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-5"), use_responses_api=True)
    agent = MCPAgent(llm=model, client=client, max_steps=50)
    try:
        print(await agent.run(prompt))
    finally:
        await client.close_all_sessions()


asyncio.run(main(sys.argv[1]))
