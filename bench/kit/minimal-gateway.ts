/**
 * The floor: a gateway that passes calls on and checks nothing, neither token nor header nor argument; what a call costs
 * at the least. `/stdio` leads to a server that it starts, `/http` to the one whose URL is its argument.
 */

import { spawn } from 'node:child_process';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const target = new URL(process.argv[2] ?? '');
const headers = { 'content-type': 'application/json' };
const agent = new Agent({ keepAlive: true });
const child = spawn(process.execPath, [join(import.meta.dirname, '../servers/stdio-echo.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const waiting = new Map<number, { readonly id: unknown; readonly response: ServerResponse }>();
let lastId = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, response) => {
  const body = await read(incoming);
  if (incoming.url === '/http') {
    const sent = request(target, { method: 'POST', agent, headers }, async (answer) => {
      finish(response, await read(answer));
    });
    sent.end(body);
  } else {
    const message = JSON.parse(body);
    lastId += 1;
    waiting.set(lastId, { id: message.id, response });
    child.stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
  }
});

createInterface(child.stdout).on('line', (line) => {
  const message = JSON.parse(line);
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  if (asked) finish(asked.response, JSON.stringify({ ...message, id: asked.id }));
});

function finish(response: ServerResponse, body: string): void {
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function read(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.info(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.stdin.resume().once('end', () => {
  child.kill();
  process.exit();
});
