/** The state of servers as a prompt: only what the principal may hear of, and of very many servers those that matter. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everybody, type Principal, type Scope } from '../../access/access.ts';
import { parseServer } from '../../config/config.ts';
import { serverStatusMessages } from './own-prompts.ts';
import type { DoorView } from './own-view.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set<Scope>(['use']), mark: '' };

interface Status {
  readonly servers: readonly ({ readonly name: string; readonly calls: Record<string, unknown> } & Report)[];
  readonly states: Record<string, string>;
  readonly moreServers?: number;
}

interface Report {
  readonly state?: string;
  readonly isFailing?: boolean;
  readonly reason?: string;
  readonly nextTryAt?: string;
  readonly lastError?: string;
  readonly lastChange?: string | null;
}

interface Setup {
  /** Changes, the newest first. */
  readonly changes?: readonly {
    readonly id: number;
    readonly kind: string;
    readonly name: string;
    readonly at: number;
  }[];
  /** How each server is, as its links know it. */
  readonly status?: Readonly<Record<string, unknown>>;
  readonly servers: number;
  /** Keys of tools that were called; each server has a tool "t". */
  readonly measured?: readonly string[];
  readonly failing?: readonly string[];
}

/** `asked` notes every query of the metrics. */
function placeWith({ servers, measured = [], failing = [], status, changes = [] }: Setup, asked: string[][]): DoorView {
  const names = Array.from({ length: servers }, (_, at) => `s${String(at).padStart(3, '0')}`);
  const specs = names.map((name) =>
    parseServer(name, { command: 'serve', permissions: { denied: 'deny' } }, {}, 'file'),
  );
  const toolOf = (server: string) => ({ key: `${server}:t`, server, name: 't', serverName: 't' });
  const entries = specs.map((spec) => {
    const offers = { tools: [toolOf(spec.name)], resources: [], templates: [], prompts: [] };
    return [spec.name, { spec, title: spec.name, description: '', instructions: '', ...offers }] as const;
  });
  const known = measured.map((toolKey) => {
    const [server = '', tool = ''] = toolKey.split(':');
    return { toolKey, server, tool };
  });
  const figures = { callCount: 4, successRate: 0.75, p50Ms: 12.3, p95Ms: 45.6 };
  // Only these members are used.
  const layers = {
    catalog: {
      pins: { countWaiting: () => ({ heldCount: 0, changedCount: 0 }), isWaiting: () => false },
      snapshot: { servers: new Map(entries), tools: new Map(names.map((name) => [`${name}:t`, toolOf(name)])) },
      failing: new Set(failing),
      trouble: () => undefined,
    },
    registry: { find: (name: string) => specs.find((spec) => spec.name === name) },
    downstream: { status: () => status },
    store: {
      listChangeMarks: async ({ before = 1_000, limit = 1 }) => changes.filter(({ id }) => id < before).slice(0, limit),
      countLastChange: async () => changes[0] && { at: changes[0].at, added: 0, updated: 1, removed: 0 },
    },
    clock: { now: () => 0 },
    metrics: {
      query: ({ server }: { server: string }) => known.filter((item) => item.server === server),
      callCountOf: (key: string) => known.filter((item) => item.toolKey === key).length,
      recent: async (targets: string[]) => {
        asked.push(targets);
        return targets.length === 0 ? { ...figures, callCount: 0 } : figures;
      },
    },
  };
  return { layers } as unknown as DoorView;
}

async function statusFor(setup: Setup, principal = agent, name?: string) {
  const asked: string[][] = [];
  const door = placeWith(setup, asked);
  const [message] = (await serverStatusMessages({ door, principal }, name)) as { content: { text: string } }[];
  return { asked, status: JSON.parse(message?.content.text.split('\n').at(-1) ?? '') as Status };
}

test('figures are of the whole server where all of it may be heard of, else of the tools that may', async () => {
  const setup = { servers: 1, measured: ['s000:t', 's000:gone'] };
  const { asked, status } = await statusFor(setup);
  assert.deepEqual(asked, [['s000:t']]);
  assert.deepEqual(status.servers[0]?.calls, { count: 4, successRate: 0.75, p50Ms: 12, p95Ms: 46 });
  assert.deepEqual((await statusFor(setup, everybody)).asked, [['s000']]);
  assert.deepEqual((await statusFor({ servers: 1, measured: ['s000:t'] })).asked, [['s000']]);
  const { status: unheard } = await statusFor({ servers: 1, measured: ['s000:gone'] });
  assert.deepEqual(unheard.servers[0]?.calls, { count: 0 });
});

test('of very many servers those that fail and those that are used are told, and how many more there are', async () => {
  const setup = { servers: 120, measured: ['s099:t'], failing: ['s110', 's119'] };
  const { status } = await statusFor(setup);
  const names = status.servers.map(({ name }) => name);
  assert.deepEqual([names.length, status.moreServers], [50, 70]);
  assert.deepEqual(names.slice(0, 4), ['s110', 's119', 's099', 's000']);
  assert.equal((await statusFor({ servers: 50 })).status.moreServers, undefined);
});

test('a server that fails is told as failing, also while it is tried again; what it said is for the owner', async () => {
  const status = { state: 'connecting', lastError: 'It printed: key=1', reason: 'exited', nextRetryAt: 60_000 };
  const setup = { servers: 1, status };
  const { status: told } = await statusFor(setup);
  const { state, isFailing, reason, nextTryAt, lastError } = told.servers[0] ?? assert.fail();
  assert.deepEqual([state, isFailing, reason, nextTryAt], ['connecting', true, 'exited', '1970-01-01T00:01:00.000Z']);
  assert.equal(lastError, undefined);
  assert.equal((await statusFor(setup, everybody)).status.servers[0]?.lastError, 'It printed: key=1');
});

test('only the owner hears of changes in a forbidden tool', async () => {
  const of = (name: string, id: number, kind = 'tool') => ({ id, kind, name, change: 'updated', at: id * 1_000 });
  const denied = Array.from({ length: 15 }, (_, at) => of('denied', 99 - at));
  const lastOf = async (changes: Setup['changes'], principal = agent) =>
    (await statusFor({ servers: 1, changes: changes ?? [] }, principal)).status.servers[0]?.lastChange;
  assert.equal(await lastOf([...denied, of('t', 30)]), '1970-01-01T00:00:30.000Z');
  assert.equal(await lastOf([...denied, of('denied', 30, 'prompt')]), '1970-01-01T00:00:30.000Z');
  assert.equal(await lastOf(denied), null);
  assert.equal(await lastOf(denied, everybody), '1970-01-01T00:01:39.000Z');
});

test('a state that needs no worry says so', async () => {
  const { status } = await statusFor({ servers: 2 });
  assert.equal(status.servers[0]?.isFailing, undefined);
  assert.deepEqual(status.states, { configured: 'not running; Toolcrib starts it when needed' });
});

test('a server that is not there is told as invalid parameters', async () => {
  await assert.rejects(statusFor({ servers: 1 }, agent, 's00'), (error: { code?: number; message: string }) => {
    assert.equal(error.code, -32602);
    assert.match(error.message, /There is no server "s00"\. Did you mean "s000"\?/);
    return true;
  });
});
