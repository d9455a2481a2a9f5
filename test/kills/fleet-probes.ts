/** Questions to the gateways of a fleet, each asked directly: who is let in where, and how soon. */

import assert from 'node:assert/strict';
import { askModern } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { eventually } from '../kit/processes.ts';
import { bearer } from '../kit/tokens.ts';
import type { GatewayProcess } from '../real/kit/gateway-process.ts';

let made = 0;

const nextName = () => {
  made += 1;
  return `probe-${made}`;
};

interface MadeToken {
  readonly name: string;
  readonly token: string;
}

export async function makeToken({ admin }: GatewayProcess): Promise<MadeToken> {
  const name = nextName();
  const { token } = await admin.run('tokens.create', { name });
  return { name, token };
}

export async function statusAt({ url }: GatewayProcess, token: string): Promise<number> {
  return (await askModern(`${url}/mcp`, bearer(token), 'tools/list')).status;
}

/** Revokes a token at one gateway; gives how long after that any of them still let it in. */
export async function revokeAt(
  at: GatewayProcess,
  { name, token }: MadeToken,
  everywhere: readonly GatewayProcess[],
): Promise<number> {
  await at.admin.run('tokens.revoke', { name });
  const revokedAt = performance.now();
  const lastMs = await Promise.all(
    everywhere.map(async (replica) => {
      let letInMs = 0;
      await eventually('the token is refused', async () => {
        const sentMs = performance.now() - revokedAt;
        const status = await statusAt(replica, token);
        if (status === 200) letInMs = sentMs;
        return status === 401 || undefined;
      });
      return letInMs;
    }),
  );
  return Math.max(...lastMs);
}

export interface TokenProbe {
  /** The statuses with which the gateways answered right after it was made. */
  readonly statuses: readonly number[];
  /** How long after it was revoked any of them still let it in. */
  readonly revokedMs: number;
}

/** Makes a token and revokes it. */
export async function probeToken(at: GatewayProcess, everywhere: readonly GatewayProcess[]): Promise<TokenProbe> {
  const made = await makeToken(at);
  const statuses = await Promise.all(everywhere.map((replica) => statusAt(replica, made.token)));
  return { statuses, revokedMs: await revokeAt(at, made, everywhere) };
}

/** Has a call approved at one gateway; false if another one still asks. */
export async function probeApproval(at: GatewayProcess, other: GatewayProcess): Promise<boolean> {
  const { name, token } = await makeToken(at);
  const call = ({ url }: GatewayProcess) =>
    new ModernAgent({ url, agentHeaders: bearer(token) }).call('desk.guarded', { value: name });
  assert.equal((await call(at)).errorType, 'APPROVAL_NEEDED');
  const waiting = (await at.admin.run('approvals.list', {})).find(({ principal }) => principal === name);
  await at.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'always' });
  return !(await call(other)).isError;
}
