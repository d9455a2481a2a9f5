/** An echo server over streamable HTTP, of both eras and without sessions; prints its URL and ends with its stdin. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf } from './echo.ts';

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = answerOf(JSON.parse(Buffer.concat(chunks).toString()), 'both');
    if (answer === undefined) return void response.writeHead(202).end();
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
    response.writeHead(200, head).end(answer);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.info(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }));
});
process.stdin.resume().once('end', () => process.exit());
