/** A short slice of load: a number of calls at once for some time, every answer checked. */

import { callEcho, type Target } from './agent-requests.ts';
import { Connection } from './connection.ts';
import { cpuMs } from './process-figures.ts';
import type { Reply } from './read-reply.ts';

export interface SliceOptions {
  readonly atOnce: number;
  readonly ms: number;
  /** Processes whose processor time is counted. */
  readonly pids: readonly number[];
}

export interface Slice {
  readonly calls: number;
  readonly errors: number;
  /** One of the errors, for the reader of a failure. */
  readonly sample: string | undefined;
  readonly cpuMsPerCall: number;
  readonly callsPerSecond: number;
  readonly latenciesMs: readonly number[];
}

let lastId = 0;

/** Ends when the last call has been answered, so that nothing of it falls into the next slice. */
export async function runSlice(target: Target, options: SliceOptions): Promise<Slice> {
  const opening = Array.from({ length: options.atOnce }, () => Connection.open(target.url));
  const connections = await Promise.all(opening);
  const latenciesMs: number[] = [];
  const faults: string[] = [];
  const spent = () => options.pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const cpuBefore = spent();
  const start = performance.now();
  const caller = async (connection: Connection) => {
    for (let now = performance.now(); now - start < options.ms; now = performance.now()) {
      lastId += 1;
      const fault = await callOnce(connection, target, lastId);
      if (fault === undefined) latenciesMs.push(performance.now() - now);
      else faults.push(fault);
      if (connection.isClosed) return;
    }
  };
  await Promise.all(connections.map(caller));
  const tookMs = performance.now() - start;
  const cpuMsSpent = spent() - cpuBefore;
  for (const connection of connections) connection.close();
  const calls = latenciesMs.length;
  return {
    calls,
    errors: faults.length,
    sample: faults[0],
    cpuMsPerCall: cpuMsSpent / (calls + faults.length),
    callsPerSecond: (1000 * calls) / tookMs,
    latenciesMs,
  };
}

/** undefined when the answer is the right one. */
async function callOnce(connection: Connection, target: Target, id: number): Promise<string | undefined> {
  const text = `nonce ${id} ${Math.random()}`;
  try {
    const reply = await callEcho(connection, target, id, text);
    return isEcho(reply, id, text) ? undefined : `${reply.status} ${reply.text.slice(0, 300)}`;
  } catch (error) {
    return String(error);
  }
}

function isEcho(reply: Reply, id: number, text: string): boolean {
  if (reply.status !== 200) return false;
  const message = JSON.parse(reply.text);
  return message.id === id && message.result?.isError !== true && message.result?.content?.[0]?.text === text;
}
