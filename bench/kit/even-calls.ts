/** Calls at an even pace, every answer checked: for what is measured beside them. */

import { callEcho, type Target } from './agent-requests.ts';
import { Connection } from './connection.ts';

const connections = 8;
/** Of a call. */
let lastId = 0;

/** Says how many were made. */
export async function callEvenly(target: Target, callsPerSecond: number, ms: number): Promise<number> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(target.url)));
  const everyMs = (1_000 * connections) / callsPerSecond;
  const start = performance.now();
  let calls = 0;
  const caller = async (connection: Connection, at: number) => {
    for (let due = start + (at * everyMs) / connections; due < start + ms; due += everyMs) {
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      lastId += 1;
      const { status, text } = await callEcho(connection, target, lastId, `nonce ${lastId}`);
      if (status !== 200 || text.includes('"isError":true'))
        throw new Error(`A call failed: ${status} ${text.slice(0, 300)}`);
      calls += 1;
    }
  };
  await Promise.all(open.map(caller));
  for (const connection of open) connection.close();
  return calls;
}
