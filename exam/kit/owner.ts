/** The owner of a gateway under examination: operations by their names, tokens, and a print of the state. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { InputOf, OperationName, OutputOf } from '../../src/admin/admin.ts';
import type { Setup } from './setup.ts';

export interface OperationReply {
  readonly status: number;
  readonly text: string;
}

/** An operation as somebody with a token asks for it. */
export async function operate(
  { gateway }: Setup,
  token: string,
  name: string,
  input: unknown = {},
): Promise<OperationReply> {
  const request = http.request(`${gateway.url}/api/${name.replaceAll('.', '/')}`, {
    // A connection that is kept for later would count among the open files of the gateway.
    ...{ method: 'POST', agent: false },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  request.end(JSON.stringify(input));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const text = await readText(response);
  return { status: response.statusCode ?? 0, text };
}

/** The same by the owner, where it has to work. */
export async function order<N extends OperationName>(setup: Setup, name: N, input: InputOf<N>): Promise<OutputOf<N>> {
  const { status, text } = await operate(setup, setup.gateway.ownerToken, name, input);
  if (status !== 200) throw new Error(`${name} was answered with ${status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as OutputOf<N>;
}

/** The text of a new token. */
export async function makeToken(
  setup: Setup,
  name: string,
  wish: Omit<InputOf<'tokens.create'>, 'name'> = {},
): Promise<string> {
  return (await order(setup, 'tokens.create', { name, ...wish })).token;
}

/** A digest of what the owner can see and change, and of the calls that servers were given: equal where nothing was done. */
export async function statePrint(setup: Setup, servers: readonly string[]): Promise<string> {
  const seen = [
    await order(setup, 'servers.list', {}),
    await order(setup, 'tokens.list', { ended: true }),
    await order(setup, 'projects.list', {}),
    await order(setup, 'approvals.list', {}),
    await order(setup, 'approvals.lasting', {}),
    await order(setup, 'changes.list', {}),
    readFileSync(join(setup.dataDir, 'toolcrib.json'), 'utf8'),
    servers.map((name) => setup.server(name).noted('tool').length),
  ];
  const text = JSON.stringify(seen, (key, value: unknown) => (volatile.has(key) ? undefined : value));
  return createHash('sha256').update(text).digest('hex');
}

/** Members that change by themselves, by a call under way (the prober's, say), or by being read. */
const volatile: ReadonlySet<string> = new Set([
  ...['lastUsedAt', 'state', 'era', 'lastError', 'hint', 'reason', 'nextRetryAt', 'connectedAt', 'listedAt'],
  ...['staleSince', 'callsInFlight'],
]);
