/** A gateway with a day behind it: thirty servers, people and programs at work since yesterday, and decisions that wait. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import { createSqliteStore, type Store } from '../../src/store/store.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { bearer } from '../kit/tokens.ts';
import { evaluateDescriptions, improvedTool, proposeDescriptions } from './improved-tool.ts';
import { type DayWork, dayMs, seedDay, type Worker } from './seeded-day.ts';
import { openThirtyServers, type ThirtyServers } from './thirty-servers.ts';

/** A Thursday in the afternoon. */
export const lookedAt = Date.UTC(2026, 2, 12, 15, 20);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** What waits for approval waits until all who look are done. */
const access = { approvalTimeoutMs: 10 * hourMs };
/** How long before the end of the day the gateway was started again. */
const restartedMs = 3 * minuteMs;

const shop = {
  description: 'The web shop.',
  servers: ['billing', 'mail-support', 'database*', 'wiki'],
  search: 'hybrid',
};
const attic = { description: 'An old app that is not maintained.', servers: ['git', 'forge'] };

/** Servers that were in use since then. */
const connected = [
  'notes',
  'forge',
  'git',
  'filesystem',
  'mail-support',
  'database',
  'wiki',
  'browser',
  'toolbox',
  'printer',
];
const why = 'Agents asked for deadlines and took another tool.';

export interface DayGateway extends TestGateway {
  readonly clock: ShiftedClock;
  readonly servers: ThirtyServers;
}

/** `now`: the time that it is there, which goes on from then. */
export async function openDayGateway({ now = lookedAt }: { readonly now?: number } = {}): Promise<DayGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-day-'));
  const servers = await openThirtyServers();
  const clock = new ShiftedClock(now - dayMs - hourMs);
  const open = async (projects: JsonObject) =>
    openTestGateway({
      dataDir,
      clock,
      servers: servers.file,
      config: { optimize: { enabled: true }, projects, access },
    });
  const people = await (async () => {
    await using yesterday = await open({ shop, attic });
    return await settleIn(yesterday, servers);
  })();
  await workForADay(dataDir, clock, people, now, evaluateDescriptions);
  clock.shift(now - restartedMs - clock.now());
  await servers.upgradeNotes();
  // The project "attic" is gone from the config file: it is closed now.
  const gateway = await open({ shop });
  const { admin } = gateway.gateway;
  await Promise.all(connected.map((name) => admin.run('servers.refresh', { name })));
  await admin.run('optimize.promote', { ...improvedTool, candidateId: people.candidateId, force: true, why });
  clock.shift(now - minuteMs - clock.now());
  await askForApproval(gateway, people.token);
  clock.shift(now - clock.now());
  const close = async () => {
    await gateway.close();
    await servers[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...gateway, clock, servers, close, [Symbol.asyncDispose]: close };
}

/** Who works, with which tools, at what. */
export interface People {
  readonly workers: readonly Worker[];
  readonly toolKeys: readonly string[];
  readonly work?: DayWork;
}

interface Owned extends People {
  /** Of somebody who will ask for approvals. */
  readonly token: string;
  /** The description that will be promoted. */
  readonly candidateId: string;
}

/** The first hour: servers are added, tokens and a project made, a description improved. */
async function settleIn({ gateway: { admin } }: TestGateway, { stored }: ThirtyServers): Promise<Owned> {
  for (const [name, spec] of Object.entries(stored)) await admin.run('servers.add', { name, spec });
  const support = { description: 'People who answer customers.', servers: ['mail-*', 'wiki*', 'calendar-team', 'crm'] };
  await admin.run('projects.create', { name: 'support', ...support, surface: 'direct' });
  const ann = await admin.run('tokens.create', { name: 'ann', scopes: ['use'] });
  const ben = await admin.run('tokens.create', {
    name: 'ben',
    scopes: ['use'],
    servers: ['git*', 'forge*', 'filesystem'],
  });
  const bot = await admin.run('tokens.create', { name: 'support-bot', project: 'support', expiresInMs: 30 * dayMs });
  const nightly = await admin.run('tokens.create', { name: 'nightly', project: 'shop' });
  await admin.run('tokens.create', { name: 'old-laptop' });
  await admin.run('tokens.revoke', { name: 'old-laptop' });
  await admin.run('tokens.create', { name: 'attic-build', project: 'attic' });
  const tools = await admin.run('tools.list', {});
  const workers = [
    { principal: ann.id, name: 'ann', client: 'claude-code/2.1.0', project: null, share: 4 },
    { principal: ben.id, name: 'ben', client: 'cursor/1.9.2', project: null, share: 3 },
    { principal: bot.id, name: 'support-bot', client: 'support-bot/0.4.0', project: 'support', share: 2 },
    { principal: nightly.id, name: 'nightly', client: 'mcp-client/2.4.0', project: 'shop', share: 1, isTireless: true },
  ];
  return {
    workers,
    toolKeys: tools.map(({ toolKey }) => toolKey).sort(),
    token: ann.token,
    candidateId: await proposeDescriptions(admin),
  };
}

/** Writes what happened in the day, as the gateway would have, and `more` of it. */
export async function workForADay(
  dataDir: string,
  clock: ShiftedClock,
  people: People,
  now: number,
  more?: (store: Store, clock: ShiftedClock) => Promise<void>,
): Promise<void> {
  const store = createSqliteStore({ file: join(dataDir, 'toolcrib.db'), clock, log: silentLog });
  await store.open();
  const day = seedDay({ ...people, now: now - restartedMs });
  await store.appendRecords(day.calls, day.events);
  await store.addDisclosure(day.disclosure);
  const lastUses = day.calls.map(({ principal, at }) => [principal, at] as const);
  await store.saveTokenUses(new Map(lastUses));
  await more?.(store, clock);
  await store.close();
}

/** Calls that a person has to approve first. */
async function askForApproval(gateway: TestGateway, token: string): Promise<void> {
  const ann = new ModernAgent({ url: gateway.url, agentHeaders: bearer(token) });
  await ann.call('billing.create_refund', { payment_intent: 'pi_3Nq', amount: 4_900, reason: 'requested_by_customer' });
  await ann.call('billing.cancel_subscription', { subscription: 'sub_1Lx', invoice_now: true });
}
