// What the TypeScript SDK of MCP can do over HTTP: node typescript_sdk.mjs PAGE, with SERVER and KEY in the environment.
// Prints one JSON object: for each subject `true`, or what went wrong.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const page = process.argv[2];
const outcomes = {};

async function connect() {
  const headers = { Authorization: `Bearer ${process.env.KEY}` };
  const transport = new StreamableHTTPClientTransport(new URL(process.env.SERVER), { requestInit: { headers } });
  const client = new Client({ name: "typescript-sdk", version: "1" });
  await client.connect(transport);
  return { client, transport };
}

async function check(subject, work) {
  try {
    await work();
    outcomes[subject] = true;
  } catch (error) {
    outcomes[subject] = String(error.message ?? error).slice(0, 300);
  }
}

function expect(holds, found) {
  if (!holds) throw new Error(`found ${JSON.stringify(found).slice(0, 250)}`);
}

const text = (result) => result.content.map((part) => part.text ?? "").join("\n");

const { client, transport } = await connect();
const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options);

async function read(answer, begins) {
  const uri = text(answer).match(/patchright:\/\/\S+/)?.[0]
    ?? answer.content.find((part) => part.type === "resource_link")?.uri
    ?? (await client.listResources()).resources.at(-1)?.uri;
  expect(uri, text(answer));
  const { contents } = await client.readResource({ uri });
  const bytes = contents[0].blob ? Buffer.from(contents[0].blob, "base64").toString("latin1") : contents[0].text;
  expect(bytes.startsWith(begins), bytes.slice(0, 40));
}

await check("list", async () => {
  const { tools } = await client.listTools();
  expect(tools.some((tool) => tool.name === "browser_navigate"), tools.length);
});
await check("navigate", async () => {
  const answer = await call("browser_navigate", { url: page });
  expect(text(answer).includes("Greetings"), text(answer));
});
await check("snapshot", async () => {
  const answer = await call("browser_snapshot");
  expect(text(answer).includes("button \"Greet\""), text(answer));
});
await check("fill, click", async () => {
  await call("browser_type", { ref: "label=Name", text: "Ada" });
  const answer = await call("browser_click", { ref: "role=button[name=Greet]" });
  expect(text(answer).includes("Hello Ada"), text(answer));
});
await check("screenshot", async () => {
  const answer = await call("browser_take_screenshot");
  expect(answer.content.some((part) => part.type === "image"), answer.content.map((part) => part.type));
});
await check("PDF", async () => read(await call("browser_pdf_save"), "%PDF"));
await check("download", async () => read(await call("browser_click", { ref: "text=Report" }), "name,amount"));
await check("upload", async () => {
  await call("browser_click", { ref: "label=File" });
  const answer = await call("browser_file_upload", { paths: [process.env.UPLOAD] });
  expect(text(answer).includes("Got upload.txt, 12 bytes"), text(answer));
});
await check("error", async () => {
  const answer = await call("browser_click", { ref: "#nothing" });
  expect(answer.isError && text(answer).includes("matches nothing"), text(answer));
});
await check("cancel", async () => {
  const stop = new AbortController();
  const waiting = call("browser_wait_for", { text: "never" }, { signal: stop.signal });
  setTimeout(() => stop.abort(), 500);
  const cancelled = await waiting.then(() => false, () => true);
  expect(cancelled, "the call was not cancelled");
  expect(text(await call("browser_snapshot")).includes("Greetings"), "no snapshot after a cancelled call");
});
await check("two clients", async () => {
  const other = await connect();
  await other.client.callTool({ name: "browser_navigate", arguments: { url: `${page}?other` } });
  const mine = text(await call("browser_tabs", { action: "list" }));
  expect(!mine.includes("?other"), mine);
  const theirs = text(await other.client.callTool({ name: "browser_tabs", arguments: { action: "list" } }));
  expect(theirs.includes("?other"), theirs);
  await other.transport.terminateSession();
  await other.client.close();
});
await transport.terminateSession();
await client.close();
await check("reconnect", async () => {
  const again = await connect();
  const answer = await again.client.callTool({ name: "browser_navigate", arguments: { url: page } });
  expect(text(answer).includes("Greetings"), text(answer));
  await again.transport.terminateSession();
  await again.client.close();
});
console.log(JSON.stringify(outcomes));
