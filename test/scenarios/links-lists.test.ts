/** Lists of servers: pages, endless pages, failures, change notices one by one and in storms. Known tools are never lost. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../src/config/config.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { mostChangesIn, mostListsIn, type PlannedServers, planServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { openServer } from '../servers/hosted.ts';
import { serverCommand, waitForEntry } from '../servers/launch.ts';
import type { Modes } from '../servers/spec.ts';

async function rowOf(gateway: TestGateway, server: string) {
  const rows = await gateway.gateway.admin.run('servers.list', {});
  const row = rows.find(({ name }) => name === server);
  assert.ok(row);
  return row;
}

async function refresh(gateway: TestGateway, name: string): Promise<string | null> {
  const [outcome] = await gateway.gateway.admin.run('servers.refresh', { name });
  assert.ok(outcome);
  return outcome.error;
}

/** Runs gateways one after the other on the same data, each with another way of the one server to list its 12 tools. */
async function throughLives(
  lives: readonly { modes: Modes; see(gateway: TestGateway): Promise<void> }[],
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-lives-'));
  try {
    // The command stays the same, as that of a server which was updated: another command would be another server.
    const program = join(dataDir, 'lister.mjs');
    const servers = { lister: { command: process.execPath, args: [program] } };
    for (const { modes, see } of lives) {
      const { command, args } = serverCommand({ name: 'lister', toolCount: 12, modes });
      await writeFile(
        program,
        `process.argv = ${JSON.stringify([command, ...args])};\nawait import(process.argv[1]);\n`,
      );
      await using gateway = await openTestGateway({ servers, dataDir });
      await see(gateway);
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function countTools(gateway: TestGateway): Promise<number> {
  return (await new ModernAgent(gateway).tools()).length;
}

const inGoodHealth = {
  modes: {},
  see: async (gateway: TestGateway) => {
    assert.equal(await countTools(gateway), 12);
    assert.equal((await rowOf(gateway, 'lister')).staleSince, null);
  },
};

test('[CAT-01] pages are walked to the end, past an empty cursor, and a repeated one adds nothing twice', async () => {
  const plan = planServers({
    pages: { toolCount: 30, pageSize: 7 },
    again: { toolCount: 5, modes: { repeatedCursor: true } },
    empty: { toolCount: 20, pageSize: 7, modes: { emptyCursor: true } },
  });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const names = await new ModernAgent(gateway).tools();
  assert.equal(names.filter((name) => name.startsWith('pages.')).length, 30);
  assert.equal(names.filter((name) => name.startsWith('again.')).length, 5);
  assert.equal(names.filter((name) => name.startsWith('empty.')).length, 20);
  assert.equal(new Set(names).size, names.length);
  assert.equal(plan.noted('pages', 'list').filter(({ method }) => method === 'tools/list').length, 5);
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
  assert.ok(findings.some(({ subject, message }) => subject === 'again' && /the same cursor twice/.test(message)));
});

test('[CAT-21] a definition that is nested too deep costs only itself, over stdio and HTTP, in short and long lists', async () => {
  const deep = { toolCount: 3, modes: { deepSchema: 300 } };
  // A list of over a megabyte, which is read from the disk.
  const long = { toolCount: 3, modes: { deepSchema: 40_000 } };
  await using remote = await openServer({ name: 'remote', transport: 'http', era: 'modern', ...long });
  const plan = planServers({ deep, long });
  await using gateway = await openTestGateway({ servers: { ...plan.servers, remote: { url: remote.url } } });
  const names = await new ModernAgent(gateway).tools();
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
  for (const server of ['deep', 'long', 'remote']) {
    assert.equal(names.filter((name) => name.startsWith(`${server}.`)).length, 3, server);
    assert.ok(
      findings.some(({ subject, message }) => subject === server && /^deep is left out/.test(message)),
      server,
    );
  }
});

test('[CAT-02] a list without end is refused, and what was known stays, marked as stale', async () => {
  await throughLives([
    inGoodHealth,
    {
      modes: { endlessPages: true },
      see: async (gateway) => {
        assert.match((await refresh(gateway, 'lister')) ?? '', /"lister" has no end to its tools\/list/);
        assert.equal(await countTools(gateway), 12);
        const row = await rowOf(gateway, 'lister');
        assert.ok(row.staleSince !== null);
        assert.match(row.lastError ?? '', /no end/);
      },
    },
    {
      modes: {},
      see: async (gateway) => {
        assert.equal(await refresh(gateway, 'lister'), null);
        await inGoodHealth.see(gateway);
      },
    },
  ]);
});

test('[CAT-03] a server that fails to list keeps its last good entries, and an empty list after that is not believed', async () => {
  await throughLives([
    inGoodHealth,
    {
      modes: { failList: true },
      see: async (gateway) => {
        assert.match((await refresh(gateway, 'lister')) ?? '', /The tool list is broken/);
        assert.equal(await countTools(gateway), 12);
        assert.ok((await rowOf(gateway, 'lister')).staleSince !== null);
      },
    },
    {
      modes: { emptyListAfter: 0 },
      see: async (gateway) => {
        assert.ok((await rowOf(gateway, 'lister')).staleSince !== null, 'that it is stale is remembered');
        assert.match((await refresh(gateway, 'lister')) ?? '', /lists no tools at all right after it failed/);
        assert.equal(await countTools(gateway), 12);
        assert.equal(await refresh(gateway, 'lister'), null);
        assert.equal(await countTools(gateway), 0, 'said twice, it is true');
      },
    },
  ]);
});

test('[CAT-04] a server that cannot be listed the first time is shown as such, and the others are not held up', async () => {
  const plan = planServers({ broken: { modes: { failList: true } }, good: { toolCount: 1 } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  assert.equal(await countTools(gateway), 1);
  const row = await rowOf(gateway, 'broken');
  assert.deepEqual([row.state, row.toolCount], ['connected', 0]);
  assert.match(row.lastError ?? '', /The tool list is broken/);
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
  assert.ok(findings.some(({ subject, severity }) => subject === 'broken' && severity === 'problem'));
});

test('[CAT-19] a server that fails to list its resources offers its tools, and the resources known before stay', async () => {
  const countResources = async (gateway: TestGateway) => {
    const { resources } = await new ModernAgent(gateway).request('resources/list');
    return (resources as { uri: string }[]).filter(({ uri }) => uri.startsWith('test:')).length;
  };
  await throughLives([
    inGoodHealth,
    {
      modes: { failResources: true },
      see: async (gateway) => {
        assert.equal(await countResources(gateway), 3);
        assert.equal(await refresh(gateway, 'lister'), null);
        assert.deepEqual([await countTools(gateway), await countResources(gateway)], [12, 3]);
        const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
        assert.match(JSON.stringify(findings), /resources\/list failed \(The database is down\.\)/);
      },
    },
  ]);
  const plan = planServers({ down: { toolCount: 3, modes: { failResources: true } } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  assert.equal(await countTools(gateway), 3, 'also at first sight');
});

test('[CAT-05] one change notice is followed and passed on', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const plan = planServers({ moving: { era } });
    await using gateway = await openTestGateway({ servers: plan.servers });
    const agent = new ModernAgent(gateway);
    await agent.tools();
    await using listener = await agent.listen();
    await agent.say('moving.mutate', { add: 'brand_new' });
    await listener.atLeast(1);
    assert.equal(await agent.say('moving.brand_new'), 'brand_new ran');
  }
});

test('[CAT-06] ten thousand change notices cost few lists, and tell no agent of nothing', async () => {
  const plan = planServers({
    storm: { tools: 'default', modes: { listChangedStorm: { count: 10_000, overMs: 2_000 } } },
  });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  await using listener = await agent.listen();
  assert.equal(await agent.say('storm.echo', { text: 'in the storm' }), 'in the storm');
  await waitForEntry(plan.journalOf('storm'), ({ event }) => event === 'storm-done');
  await eventually('the notices are followed', () => (listsOf(plan, 'storm') >= 2 ? true : undefined));
  // The last notices of the storm may be followed once more; that nothing else comes can only be waited for.
  await pause(1_200);
  const most = 1 + mostListsIn(plan.noted('storm'));
  assert.ok(listsOf(plan, 'storm') <= most, `it was listed ${listsOf(plan, 'storm')} times`);
  assert.equal(listener.changes, 0);
});

test('[CAT-07] in a storm of true changes the last one is seen, at the price of few lists', async () => {
  const modes = { listChangedStorm: { count: 2_000, overMs: 2_000, changing: true } };
  const plan = planServers({ storm: { toolCount: 1, modes } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  await waitForEntry(plan.journalOf('storm'), ({ event }) => event === 'storm-done');
  await eventually('the last revision is listed', async () =>
    JSON.stringify(await agent.request('tools/list')).includes('Revision 1999.') ? true : undefined,
  );
  const most = 1 + mostChangesIn(plan.noted('storm'));
  assert.ok(listsOf(plan, 'storm') <= most, `it was listed ${listsOf(plan, 'storm')} times`);
});

test('[CAT-08] a server that tells of a change whenever it is listed is not listed for ever', async () => {
  const plan = planServers({ echo: { toolCount: 1, modes: { listChangedOnList: true } } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  await new ModernAgent(gateway).tools();
  await eventually('the notice is followed', () => (plan.noted('echo', 'list').length > 4 ? true : undefined));
  // Silence can only be waited for; each further turn of a loop would take 0.9 s.
  await pause(2_500);
  assert.ok(listsOf(plan, 'echo') <= 3, `it was listed ${listsOf(plan, 'echo')} times`);
});

test('[CAT-18] the door of one server waits for its first listing', async () => {
  await using gate = await gatedCommand('runner');
  const slow = gate.behind({ ...serverCommand({ name: 'slow', toolCount: 3 }) });
  // Time stands still, so that the wait lasts as long as the machine needs.
  const clock = new ManualClock();
  await using gateway = await openTestGateway({ servers: { slow }, clock, isCold: true });
  const tools = new ModernAgent(gateway, '/servers/slow/mcp').tools();
  await clock.awaited(limits.firstListWaitMs);
  await gate.open();
  assert.equal((await tools).length, 3);
});

function listsOf(plan: PlannedServers, server: string): number {
  return plan.noted(server, 'list').filter(({ method }) => method === 'tools/list').length;
}
