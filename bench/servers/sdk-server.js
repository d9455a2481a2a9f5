/** A server like most real ones: plain JavaScript on the official SDK, with a given number of tools. */

import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const { name, toolCount, journal } = JSON.parse(process.argv[2] ?? '{}');
if (journal) appendFileSync(journal, `${JSON.stringify({ event: 'started', pid: process.pid })}\n`);

const server = new McpServer({ name, version: '1.0.0' });
for (let at = 1; at <= toolCount; at += 1) {
  const inputSchema = { text: z.string().describe('What to say.'), times: z.number().optional() };
  const description = `Says the text back, as the tool number ${at} of ${name}.`;
  server.registerTool(`say_${at}`, { description, inputSchema }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
}
await server.connect(new StdioServerTransport());
