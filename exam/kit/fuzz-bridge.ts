/** Sends what a grammar makes through the stdio bridge, in bursts, and judges every line that comes back. */

import { setTimeout as pause } from 'node:timers/promises';
import { RawBridge, toolcribStdio } from '../../test/kit/stdio-agent.ts';
import { type Era, envelope } from './agent-requests.ts';
import { hangMs } from './fuzz-door.ts';
import { FuzzRequests, firstId } from './fuzz-requests.ts';
import type { Rig } from './rig.ts';
import { messageFault } from './rpc-faults.ts';
import type { Setup } from './setup.ts';

const burst = 40;

/** Each through a bridge of its own; `isEarly`: before anybody has introduced himself. */
export async function fuzzBridge(
  rig: Rig,
  setup: Setup,
  options: { readonly era: Era; readonly cases: number; readonly isEarly?: boolean },
): Promise<void> {
  const { era, cases, isEarly = false } = options;
  const where = `${isEarly ? 'early ' : ''}${era} bridge`;
  const requests = new FuzzRequests(rig.draw(`fuzz ${where}`), era);
  await using bridge = new RawBridge(toolcribStdio(setup.dataDir));
  if (era === 'legacy' && !isEarly) await bridge.open();
  // A program takes its time to start, which is no hang.
  else await bridge.request('ping', era === 'modern' ? { _meta: envelope() } : {});
  for (let done = 0; done < cases; done += burst) {
    const fault = await oneBurst(rig, bridge, requests, { era, where, mark: `end-${done}` });
    if (fault === undefined) continue;
    rig.fault(`${where}, ${fault}`);
    // Messages that are still being answered would be counted again.
    await pause(hangMs);
    bridge.messages.length = 0;
  }
  rig.expect(
    bridge.child.exitCode === null,
    () => `${where}: it ended with ${bridge.child.exitCode}: ${bridge.stderr}`,
  );
}

async function oneBurst(
  rig: Rig,
  bridge: RawBridge,
  requests: FuzzRequests,
  { era, where, mark }: { readonly era: Era; readonly where: string; readonly mark: string },
): Promise<string | undefined> {
  const cases = Array.from({ length: burst }, () => requests.next());
  const awaited = new Map<string | number, string>();
  for (const { body, id, isListening } of cases) {
    // A line that has breaks in it is several lines, whatever they say; readers of lines here take U+2028 for one as well.
    const text = body.toString('latin1').replaceAll(/\n|\xe2\x80[\xa8\xa9]/g, ' ');
    bridge.write(Buffer.from(`${text}\n`, 'latin1'));
    if (id !== undefined && !isListening) awaited.set(id, text);
  }
  const params = era === 'modern' ? { _meta: envelope() } : {};
  bridge.send({ id: mark, method: era === 'modern' ? 'tools/list' : 'ping', params });
  const startedAt = performance.now();
  const isAnswered = (id: unknown) => bridge.messages.some((one) => one.id === id && one.method === undefined);
  const missing = () => [mark, ...awaited.keys()].filter((id) => !isAnswered(id));
  while (missing().length > 0 && performance.now() - startedAt < hangMs) await pause(5);
  rig.figure('slowestBurstMs', performance.now() - startedAt);
  const [first] = missing();
  const faults = bridge.messages.map((message) => [messageFault(message), message] as const);
  const wrong = faults.find(([fault]) => fault !== undefined);
  const [stray] = bridge.strays.splice(0);
  const seen = bridge.messages.filter(({ method }) => method === undefined).map(({ id }) => id);
  // Other ids may have been drawn more than once.
  const twice = seen.find((id, at) => isOwn(id) && awaited.has(id) && seen.indexOf(id) !== at);
  bridge.messages.length = 0;
  if (first !== undefined) return `no answer after ${hangMs} ms to ${awaited.get(first) ?? mark}`.slice(0, 400);
  if (stray !== undefined) return `a line that is no message: ${stray.slice(0, 300)}`;
  if (wrong !== undefined) return `no JSON-RPC (${wrong[0]}): ${JSON.stringify(wrong[1]).slice(0, 300)}`;
  if (twice !== undefined) return `two answers to ${String(twice)} at ${where}`;
  return undefined;
}

/** True if it was given to one request alone. */
function isOwn(id: unknown): id is number {
  return typeof id === 'number' && id >= firstId && id < firstId + 10_000_000;
}
