// An agent of the AI SDK with a browser: node ai_sdk_agent.mjs PROMPT
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { openai } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

const options = ["--headless", "--image-responses", "inline"];
const transport = new StdioTransport({ command: "patchright-mcp", args: options });
const client = await createMCPClient({ transport });
try {
  const { text } = await generateText({
    model: openai(process.env.MODEL ?? "gpt-5"),
    tools: await client.tools(),
    stopWhen: stepCountIs(50),
    prompt: process.argv[2],
  });
  console.log(text);
} finally {
  await client.close();
}
