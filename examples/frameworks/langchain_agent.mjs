// An agent of LangChain.js with a browser: node langchain_agent.mjs PROMPT
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const options = ["--headless", "--image-responses", "inline"];
const client = new MultiServerMCPClient({
  mcpServers: { browser: { command: "patchright-mcp", args: options } },
  useStandardContentBlocks: true,
});
try {
  // Of OpenAI's two APIs, only Responses takes the picture of a screenshot as a tool's result.
  const model = new ChatOpenAI({ model: process.env.MODEL ?? "gpt-5", useResponsesApi: true });
  const agent = createAgent({ model, tools: await client.getTools() });
  const prompt = { messages: [{ role: "user", content: process.argv[2] }] };
  const { messages } = await agent.invoke(prompt, { recursionLimit: 100 });
  console.log(messages.at(-1).text);
} finally {
  await client.close();
}
