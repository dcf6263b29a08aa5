// An agent of Mastra with a browser: node mastra_agent.mjs PROMPT
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const options = ["--headless", "--image-responses", "inline"];
const client = new MCPClient({ servers: { browser: { command: "patchright-mcp", args: options } } });
try {
  const agent = new Agent({
    id: "browser",
    name: "Browser",
    instructions: "Use the browser.",
    model: openai(process.env.MODEL ?? "gpt-5"),
    tools: await client.listTools(),
  });
  const { text } = await agent.generate(process.argv[2], { maxSteps: 50 });
  console.log(text);
} finally {
  await client.disconnect();
}
