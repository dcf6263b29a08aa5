"""An agent of the OpenAI Agents SDK with a browser: python openai_agent.py PROMPT."""

import asyncio
import os
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStdio

SERVER = {"command": "patchright-mcp", "args": ["--headless", "--image-responses", "inline"]}


async def main(prompt: str) -> None:
    """Runs the agent and prints its answer."""
    async with MCPServerStdio(params=SERVER, client_session_timeout_seconds=120) as server:
        agent = Agent(name="Browser", model=os.environ.get("MODEL", "gpt-5"), mcp_servers=[server])
        answer = await Runner.run(agent, prompt, max_turns=50)
        print(answer.final_output)


asyncio.run(main(sys.argv[1]))
