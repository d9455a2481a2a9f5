/** The baseline of `start.ts`: starts every server at once, without a gateway, and lists each one's tools. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/** The milliseconds from the first start to the last list. The servers have ended when it resolves. */
export async function startDirectly(servers: readonly ServerCommand[], toolsOfEach: number): Promise<number> {
  const start = performance.now();
  const listed = servers.map((server) => listOne(server, toolsOfEach));
  const ends = await Promise.all(listed);
  const tookMs = performance.now() - start;
  await Promise.all(ends.map((end) => end()));
  return tookMs;
}

/** Resolves with what ends the server, once it has listed its tools. */
async function listOne({ command, args }: ServerCommand, toolCount: number): Promise<() => Promise<unknown>> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const found = new Promise<number>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 2) return resolve(result.tools.length);
      if (id !== 1) return;
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list', params: {} });
    });
  });
  send({ id: 1, method: 'initialize', params: hello });
  const count = await Promise.race([found, exited.then(() => 'it ended')]);
  if (count !== toolCount) throw new Error(`A server should list ${toolCount} tools, but: ${count}.`);
  return () => {
    child.kill();
    return exited;
  };
}
