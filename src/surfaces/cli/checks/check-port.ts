/** Looks whether the usual port is free, and if not, who has it. */

import { createServer } from 'node:net';
import type { Finding } from '../../../admin/admin.ts';
import { systemCodeOf } from '../../../base/errors.ts';
import { findPortOwner } from './port-owner.ts';

const subject = 'port';
const answerLimitMs = 2_000;

export async function checkPort(host: string, port: number, env: NodeJS.ProcessEnv): Promise<Finding> {
  const code = await tryToListen(host, port);
  if (code === null) return { severity: 'ok', subject, message: `Port ${port} is free.` };
  if (code !== 'EADDRINUSE') {
    return { severity: 'note', subject, message: `Port ${port} cannot be used (${code}).`, hint: hintFor(port) };
  }
  const owner = await findPortOwner(port, env);
  const what = (await isGateway(host, port)) ? 'a Toolcrib gateway with another data folder' : 'another program';
  const who = owner === null ? what : `${what}: ${owner}`;
  return { severity: 'note', subject, message: `Port ${port} is in use by ${who}.`, hint: hintFor(port) };
}

function hintFor(port: number): string {
  return `Start with another one: toolcrib start --port ${port + 1}`;
}

/** null: it worked. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(systemCodeOf(error) ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/** Only a gateway asks for a token in this way. */
async function isGateway(host: string, port: number): Promise<boolean> {
  try {
    const url = `http://${host}:${port}/api/gateway.status`;
    const response = await fetch(url, { signal: AbortSignal.timeout(answerLimitMs), redirect: 'manual' });
    await response.body?.cancel();
    return response.headers.get('www-authenticate')?.includes('toolcrib') === true;
  } catch {
    return false;
  }
}
