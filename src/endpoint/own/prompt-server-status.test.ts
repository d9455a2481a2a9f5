/** The state of servers as a prompt: only what the principal may hear of, and of very many servers those that matter. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everybody, type Principal, type Scope } from '../../access/access.ts';
import { parseServer } from '../../config/config.ts';
import type { OwnPlace } from './own-view.ts';
import { serverStatusMessages } from './prompt-server-status.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set<Scope>(['use']) };

interface Status {
  readonly servers: readonly { readonly name: string; readonly calls: Record<string, unknown> }[];
  readonly moreServers?: number;
}

interface Scene {
  readonly servers: number;
  /** Keys of tools that were called; each server has a tool "t". */
  readonly measured?: readonly string[];
  readonly failing?: readonly string[];
}

/** What is asked of the metrics is noted in `asked`. */
function placeWith({ servers, measured = [], failing = [] }: Scene, asked: string[][]): OwnPlace {
  const names = Array.from({ length: servers }, (_, at) => `s${String(at).padStart(3, '0')}`);
  const specs = names.map((name) => parseServer(name, { command: 'serve' }, {}, 'file'));
  const toolOf = (server: string) => ({ key: `${server}:t`, server, name: 't', serverName: 't' });
  const entries = specs.map((spec) => {
    const offers = { tools: [toolOf(spec.name)], resources: [], templates: [], prompts: [] };
    return [spec.name, { spec, title: spec.name, ...offers }] as const;
  });
  const known = measured.map((toolKey) => {
    const [server = '', tool = ''] = toolKey.split(':');
    return { toolKey, server, tool };
  });
  const figures = { callCount: 4, successRate: 0.75, p50Ms: 12.3, p95Ms: 45.6 };
  // Only these members are used.
  const context = {
    catalog: {
      snapshot: { servers: new Map(entries), tools: new Map(names.map((name) => [`${name}:t`, toolOf(name)])) },
      failing: new Set(failing),
      trouble: () => undefined,
    },
    registry: { find: (name: string) => specs.find((spec) => spec.name === name) },
    downstream: { status: () => undefined },
    store: { listChanges: async () => [] },
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
  return { context } as unknown as OwnPlace;
}

async function statusFor(scene: Scene, principal = agent, name?: string) {
  const asked: string[][] = [];
  const place = placeWith(scene, asked);
  const [message] = (await serverStatusMessages({ place, principal }, name)) as { content: { text: string } }[];
  return { asked, status: JSON.parse(message?.content.text.split('\n').at(-1) ?? '') as Status };
}

test('figures are of the whole server where all of it may be heard of, else of the tools that may', async () => {
  const scene = { servers: 1, measured: ['s000:t', 's000:gone'] };
  const { asked, status } = await statusFor(scene);
  assert.deepEqual(asked, [['s000:t']]);
  assert.deepEqual(status.servers[0]?.calls, { count: 4, successRate: 0.75, p50Ms: 12, p95Ms: 46 });
  assert.deepEqual((await statusFor(scene, everybody)).asked, [['s000']]);
  assert.deepEqual((await statusFor({ servers: 1, measured: ['s000:t'] })).asked, [['s000']]);
  const { status: unheard } = await statusFor({ servers: 1, measured: ['s000:gone'] });
  assert.deepEqual(unheard.servers[0]?.calls, { count: 0 });
});

test('of very many servers those that fail and those that are used are told, and how many more there are', async () => {
  const scene = { servers: 120, measured: ['s099:t'], failing: ['s110', 's119'] };
  const { status } = await statusFor(scene);
  const names = status.servers.map(({ name }) => name);
  assert.deepEqual([names.length, status.moreServers], [50, 70]);
  assert.deepEqual(names.slice(0, 4), ['s110', 's119', 's099', 's000']);
  assert.equal((await statusFor({ servers: 50 })).status.moreServers, undefined);
});

test('a server that is not there is told as invalid parameters', async () => {
  await assert.rejects(statusFor({ servers: 1 }, agent, 's00'), (error: { code?: number; message: string }) => {
    assert.equal(error.code, -32602);
    assert.match(error.message, /There is no server "s00"\. Did you mean "s000"\?/);
    return true;
  });
});
