/** A gateway with a day behind it, in front of the servers of a config file: for a look at real ones. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputOf } from '../../src/admin/admin.ts';
import { isObject } from '../../src/base/json.ts';
import { readJsonc } from '../../src/config/config.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { type DayGateway, type People, workForADay } from './day-gateway.ts';
import { type DayWork, dayMs } from './seeded-day.ts';

const hourMs = 60 * 60_000;
/** Tools of a server that its job calls, and servers that stay connected, at most. */
const stepCount = 5;
const connectedCount = 12;

/** Everything in the file counts; its servers are started here, as it says. `now`: the time that it is there. */
export async function openOwnDay(file: string, now: number): Promise<Omit<DayGateway, 'servers'>> {
  const { value } = readJsonc(file, await readFile(file));
  if (!isObject(value) || !isObject(value.mcpServers)) throw new Error(`${file} has no "mcpServers".`);
  const { mcpServers: servers, ...config } = value;
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-own-day-'));
  const clock = new ShiftedClock(now - dayMs - hourMs);
  const open = () => openTestGateway({ dataDir, clock, servers, config, isCold: true });
  const people = await (async () => {
    await using yesterday = await open();
    return await settleIn(yesterday);
  })();
  await workForADay(dataDir, clock, people, now);
  clock.shift(now - clock.now());
  const gateway = await open();
  const { admin } = gateway.gateway;
  const named = Object.keys(servers).slice(0, connectedCount);
  // One that fails is worth a look too.
  await Promise.allSettled(named.map((name) => admin.run('servers.refresh', { name })));
  clock.shift(now - clock.now());
  const close = async () => {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...gateway, clock, close, [Symbol.asyncDispose]: close };
}

/** Every server is listed, and two people and a program get tokens. */
async function settleIn({ gateway: { admin } }: TestGateway): Promise<People> {
  await admin.run('servers.refresh', {});
  const tools = await admin.run('tools.list', {});
  if (tools.length === 0) throw new Error('No server of the config file has a tool.');
  const makeToken = async (name: string) => (await admin.run('tokens.create', { name, scopes: ['use'] })).id;
  const workers = [
    { principal: await makeToken('ann'), name: 'ann', client: 'claude-code/2.1.0', project: null, share: 4 },
    { principal: await makeToken('ben'), name: 'ben', client: 'cursor/1.9.2', project: null, share: 3 },
    { principal: await makeToken('nightly'), name: 'nightly', client: 'mcp-client/2.4.0', project: null, share: 1 },
  ];
  return { workers, toolKeys: tools.map(({ toolKey }) => toolKey).sort(), work: workWith(tools) };
}

/** One job for each server, in search of its first tool; each third one goes on at the next server. */
function workWith(tools: OutputOf<'tools.list'>): DayWork {
  const servers = [...Map.groupBy(tools, ({ server }) => server).values()];
  const jobs = servers.map((own, at): DayWork['jobs'][number] => {
    const next = at % 3 === 0 ? (servers[at + 1] ?? []) : [];
    const [first] = own;
    const query = first?.description.split(/[.\n]/)[0] || (first?.name ?? '');
    const steps = [...own.slice(0, stepCount), ...next.slice(0, 2)];
    return [query, ...steps.map(({ toolKey }) => toolKey)];
  });
  const [, slow, broken] = servers.map(([first]) => first);
  return { jobs, slowServer: slow?.server ?? '', brokenTool: broken?.toolKey ?? '' };
}
