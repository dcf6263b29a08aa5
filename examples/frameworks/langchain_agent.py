"""An agent of LangChain with a browser: python langchain_agent.py PROMPT."""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

MODEL = os.environ.get("MODEL", "openai:gpt-5")
OPTIONS = ["--headless", "--image-responses", "inline"]


async def main(prompt: str) -> None:
    """Runs the agent and prints its answer."""
    client = MultiServerMCPClient(
        {"browser": {"transport": "stdio", "command": "patchright-mcp", "args": OPTIONS}}
    )
    # One session keeps one browser; `client.get_tools()` would start a server for each call.
    async with client.session("browser") as session:
        # Of OpenAI's two APIs, only Responses takes the picture of a screenshot as a tool's result.
        options = {"use_responses_api": True} if MODEL.startswith("openai:") else {}
        agent = create_agent(init_chat_model(MODEL, **options), await load_mcp_tools(session))
        answer = await agent.ainvoke({"messages": prompt}, {"recursion_limit": 100})
        print(answer["messages"][-1].text)


asyncio.run(main(sys.argv[1]))
