/** The owner looks at what waits of a server, and approves it. */

import type { Gateway } from '../../src/gateway.ts';

/** Gives what was approved, as `server:name`. */
export async function approveWaiting(
  { gateway: { admin } }: { readonly gateway: Pick<Gateway, 'admin'> },
  server: string,
): Promise<string[]> {
  const { changes } = await admin.run('changes.list', { server });
  const waiting = changes.filter(({ state }) => state === 'held' || state === 'changed');
  const fingerprints = changes.map(({ fingerprint }) => fingerprint);
  if (waiting.length > 0) await admin.run('changes.approve', { server, fingerprints });
  return waiting.map(({ key }) => key);
}
