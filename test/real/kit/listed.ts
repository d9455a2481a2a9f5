/** Waits until every server of a gateway has been listed or has failed. */

import { setTimeout as pause } from 'node:timers/promises';
import type { OutputOf } from '../../../src/admin/admin.ts';
import type { GatewayProcess } from './gateway-process.ts';

export type ServerRow = OutputOf<'servers.list'>[number];

export interface Listed {
  readonly rows: readonly ServerRow[];
  /** When each server's tools were first seen, counted from the call. */
  readonly msByServer: ReadonlyMap<string, number>;
  readonly ms: number;
}

/** Ends with what there is when the time is over. */
export async function whenListed(gateway: GatewayProcess, limitMs = 10 * 60_000): Promise<Listed> {
  const since = performance.now();
  const msByServer = new Map<string, number>();
  for (;;) {
    const rows = await gateway.admin.run('servers.list', {});
    const ms = performance.now() - since;
    for (const row of rows) if (row.listedAt !== null && !msByServer.has(row.name)) msByServer.set(row.name, ms);
    const isDone = rows.every((row) => row.listedAt !== null || row.state === 'failed' || row.state === 'disabled');
    if (isDone || ms > limitMs) return { rows, msByServer, ms };
    await pause(25);
  }
}
