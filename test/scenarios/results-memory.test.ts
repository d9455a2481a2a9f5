/** Very large results through a gateway in a process of its own: its memory stays within a bound, and other calls go on. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../src/config/config.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { startServer } from '../servers/launch.ts';

/** Only there can the memory of another process be asked for, and its peak be set back. */
const skip = process.platform !== 'linux';
/** The memory that the gateway may need at its peak beyond what it had before, for results of any size. */
const boundKib = (4 * limits.wholeMessageBytes) / 1_024;

function memoryOf(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}

const parts = new AsyncDisposableStack();
let gateway: GatewayProcess;
let agent: ModernAgent;
/** The memory of the gateway before anything very large came. */
let atRestKib: number;

/** Often enough to see that others go on; without a pause these calls would be most of the work. */
const besideEveryMs = 10;

interface Observed {
  /** How far the memory rose, at its peak, above that at rest. */
  readonly riseKib: number;
  /** Calls of another server that were answered meanwhile. */
  readonly beside: number;
}

async function observe(act: () => Promise<unknown>): Promise<Observed> {
  // Sets the peak back to what is in use now.
  writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5');
  let isOver = false;
  let beside = 0;
  const acting = act().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    assert.equal(await agent.say('beside.echo', { text: 'here' }), 'here');
    if (!isOver) beside += 1;
    await pause(besideEveryMs);
  }
  await acting;
  return { riseKib: memoryOf(gateway.pid, 'VmHWM') - atRestKib, beside };
}

/** Garbage of some hundred small calls is not measured here. */
async function warmUp(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await Promise.all(Array.from({ length: 20 }, () => agent.say('beside.echo', { text: 'here' })));
  }
}

/** The part of a large result that an agent gets: little, with the size of the whole. */
async function callForLarge(name: string, bytes: number): Promise<void> {
  const { result, isError, text } = await agent.call(name, { bytes });
  assert.ok(!isError, text.slice(0, 500));
  assert.ok(JSON.stringify(result).length < 20_000, 'the agent gets little');
  const kept = (result._meta as Record<string, Record<string, unknown>>)['toolcrib/result'];
  assert.ok(Number(kept?.bytes) >= bytes, `${JSON.stringify(kept)} of ${bytes}`);
}

async function open(): Promise<void> {
  const plan = planServers({ near: { era: 'modern' }, beside: { era: 'modern' } });
  const json = parts.use(await startServer({ era: 'modern' }));
  const stream = parts.use(await startServer({ era: 'modern', responses: 'sse' }));
  const servers = { ...plan.servers, json: { url: json.url }, stream: { url: stream.url } };
  gateway = parts.use(await startGatewayProcess({ servers }));
  agent = new ModernAgent(gateway);
  await agent.tools();
  for (const name of Object.keys(servers)) await callForLarge(`${name}.big`, 2_000_000);
  await warmUp();
  atRestKib = memoryOf(gateway.pid, 'VmRSS');
}

describe('very large results', { skip }, () => {
  before(open);
  after(() => parts.disposeAsync());

  test('[CALL-20] a result of 100 MB, and ten of 9 MB at once, stay within the bound, and other calls go on', async (t) => {
    const ten = (name: string) => () =>
      Promise.all(Array.from({ length: 10 }, () => callForLarge(`${name}.big`, 9_000_000)));
    const one = (name: string) => () => callForLarge(`${name}.big`, 100_000_000);
    // From a local server S05 of the examination takes both in every run.
    const cases = { 'json, one': one('json'), 'stream, ten': ten('stream') };
    for (const [what, act] of Object.entries(cases)) {
      const { riseKib, beside } = await observe(act);
      t.diagnostic(`${what}: ${Math.round(riseKib / 1_024)} MiB, ${beside} calls beside`);
      assert.ok(riseKib <= boundKib, `${what}: the memory rose by ${riseKib} KiB`);
      assert.ok(beside >= 10, `${what}: ${beside} other calls were answered meanwhile`);
    }
  });

  test('[CALL-20] a result beyond every limit fails its own call alone, by name, and the link lives on', async () => {
    const pid = await agent.pidOf('near');
    const { beside, riseKib } = await observe(async () => {
      const answer = await agent.call('near.big', { bytes: limits.maxMessageBytes + 1_000_000 });
      assert.equal(answer.errorType, 'TOO_LARGE', answer.text.slice(0, 300));
      assert.match(answer.text, new RegExp(`larger than ${limits.maxMessageBytes} bytes`));
    });
    assert.ok(riseKib <= boundKib, `the memory rose by ${riseKib} KiB`);
    assert.ok(beside >= 10, `${beside} other calls were answered meanwhile`);
    assert.equal(await agent.pidOf('near'), pid);
  });
});
