// A client made with one of the TypeScript SDKs. It does what every client of
// these tests does, and prints what it saw.
//
// Usage: node client.mjs sdk1|client2 MODE URL
//        node client.mjs sdk1|client2 MODE -- COMMAND [ARGUMENT...]
//
// MODE is legacy, auto, or a protocol version to pin; sdk1 knows legacy only.
// The packages come from the node_modules directory MCP_NODE_MODULES.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';

const modules = process.env.MCP_NODE_MODULES;
const require = createRequire(join(modules, 'any.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const [kind, mode, ...target] = process.argv.slice(2);
const info = { name: kind, version: '1.0.0' };
let client, http, stdio;
if (kind === 'sdk1') {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  client = new Client(info);
  http = (await load('@modelcontextprotocol/sdk/client/streamableHttp.js')).StreamableHTTPClientTransport;
  stdio = (await load('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport;
} else {
  const sdk = await load('@modelcontextprotocol/client');
  const versionNegotiation = { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } };
  client = new sdk.Client(info, { versionNegotiation });
  http = sdk.StreamableHTTPClientTransport;
  stdio = (await load('@modelcontextprotocol/client/stdio')).StdioClientTransport;
}

const transport = target[0] === '--'
  ? new stdio({ command: target[1], args: target.slice(2), env: process.env, stderr: 'inherit' })
  : new http(new URL(target[0]));
await client.connect(transport);

const report = { protocol: '', tools: [], calls: {}, progress: 0 };
report.protocol = transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? '';
for (let cursor; ;) {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  report.tools.push(...page.tools.map((t) => t.name));
  cursor = page.nextCursor;
  if (!cursor) break;
}
const args = { echo: { id: 'a b/c', n: 7 } };
for (const name of ['echo', 'fail', 'image', 'steps']) {
  const params = { name, arguments: args[name] ?? {} };
  const options = name === 'steps' ? { onprogress: () => { report.progress++; } } : undefined;
  const result = kind === 'sdk1'
    ? await client.callTool(params, undefined, options)
    : await client.callTool(params, options);
  const call = { isError: result.isError ?? false, text: '' };
  for (const c of result.content) {
    if (c.type === 'text') call.text += c.text;
    if (c.type === 'image') Object.assign(call, { image: c.data, mimeType: c.mimeType });
  }
  if (result.structuredContent !== undefined) call.structured = result.structuredContent;
  report.calls[name] = call;
}
console.log(JSON.stringify(report));
await client.close();
