/** A server like most real ones: plain JavaScript on the official SDK, with the tools that it is given. */

import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { name, tools, journal } = JSON.parse(process.argv[2] ?? '{}');
if (journal) appendFileSync(journal, `${JSON.stringify({ event: 'started', pid: process.pid })}\n`);

const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: 'text', text: `${params.name} is done.` }],
}));
await server.connect(new StdioServerTransport());
