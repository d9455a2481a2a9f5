/** Servers are whole process trees: none of their processes outlives its server, however that ends. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, childrenOf, eventually, isAlive, openFiles, zombiesOf } from '../kit/processes.ts';
import { waitForEntry } from '../servers/launch.ts';

const stubborn = { ignoreSigterm: true, ignoreStdinEnd: true };

async function add(gateway: TestGateway, name: string, spec: Record<string, unknown>): Promise<void> {
  const { state, lastError } = await gateway.gateway.admin.run('servers.add', { name, spec });
  assert.equal(state, 'connected', lastError ?? '');
}

test('[PROC-01] a stubborn, forking server is gone with all its processes after remove, disable and close', async () => {
  const plan = planServers({
    removed: { toolCount: 1, modes: { ...stubborn, forkGrandchild: 'same-group' } },
    disabled: { toolCount: 1, modes: { ...stubborn, forkGrandchild: 'own-group' } },
    closed: { toolCount: 1, modes: { ...stubborn, forkGrandchild: 'own-group', grandchildHoldsPipes: true } },
  });
  const { removed, ...fromFile } = plan.servers;
  await using gateway = await openTestGateway({ servers: fromFile });
  await add(gateway, 'removed', removed ?? {});
  await new ModernAgent(gateway).tools();
  const pids = Object.fromEntries(['removed', 'disabled', 'closed'].map((name) => [name, plan.pidsOf(name)]));
  for (const own of Object.values(pids)) assert.ok(own.length === 2 && own.every(isAlive));
  await Promise.all([
    gateway.gateway.admin.run('servers.remove', { name: 'removed' }),
    gateway.gateway.admin.run('servers.disable', { name: 'disabled' }),
  ]);
  await allGone([...(pids.removed ?? []), ...(pids.disabled ?? [])], 0);
  assert.ok(pids.closed?.every(isAlive), 'the third is left alone');
  await gateway.close();
  await allGone(pids.closed ?? [], 0);
});

for (const group of ['same-group', 'own-group'] as const) {
  test(`[PROC-02] what a crashed server leaves behind is ended too (${group})`, async () => {
    const plan = planServers({ parent: { modes: { forkGrandchild: group, grandchildHoldsPipes: true } } });
    await using gateway = await openTestGateway({ servers: plan.servers });
    const agent = new ModernAgent(gateway);
    await agent.tools();
    const pids = plan.pidsOf('parent');
    assert.equal(pids.length, 2);
    const { errorType } = await agent.call('parent.crash');
    assert.equal(errorType, 'SERVER_DISCONNECTED', 'although the grandchild holds the pipe');
    await allGone(pids);
  });
}

test('[PROC-03] servers that are still starting end with the gateway, and closing twice waits for both', async () => {
  const plan = planServers({ late: { modes: { startDelayMs: 600_000, ...stubborn } } });
  await using gateway = await openTestGateway({ servers: plan.servers, isCold: true });
  await waitForEntry(plan.journalOf('late'), ({ event }) => event === 'started');
  const pids = plan.pidsOf('late');
  const first = gateway.gateway.close();
  await gateway.gateway.close();
  await allGone(pids, 0);
  await first;
});

test('[PROC-04] servers that come and go leave no zombie, no orphan and no open file', async () => {
  const cycles = process.env.TOOLCRIB_FULL === '1' ? 100 : 10;
  await using gateway = await openTestGateway({ servers: {} });
  const pids: number[] = [];
  const cycle = async (at: number) => {
    const modes = { forkGrandchild: at % 2 === 0 ? 'same-group' : 'own-group' } as const;
    const name = `cycle-${at}`;
    const plan = planServers({ [name]: { toolCount: 1, modes } });
    const { command = '', args = [] } = plan.servers[name] as { command?: string; args?: string[] };
    // As package runners do: a shell that stays, with the server below it.
    const wrapped = { command: '/bin/sh', args: ['-c', '"$0" "$@"; true', command, ...args] };
    await add(gateway, name, wrapped);
    const { pids: leaders } = await gateway.gateway.admin.run('servers.output', { name });
    pids.push(...leaders, ...plan.pidsOf(name));
    await gateway.gateway.admin.run('servers.remove', { name });
  };
  await cycle(-2);
  await cycle(-1);
  const [filesBefore, childrenBefore] = [openFiles(process.pid), childrenOf(process.pid).length];
  for (let at = 0; at < cycles; at += 1) await cycle(at);
  assert.equal(new Set(pids).size, (cycles + 2) * 3, 'a shell, a server and a grandchild each time');
  await allGone(pids, 0);
  assert.deepEqual(zombiesOf(process.pid), []);
  assert.equal(childrenOf(process.pid).length, childrenBefore);
  await eventually('files are closed', () => (openFiles(process.pid) <= filesBefore + 1 ? true : undefined));
});

test('[PROC-05] a command that does not exist leaves nothing behind and is told at once', async () => {
  await using gateway = await openTestGateway({ servers: {} });
  let filesBefore = 0;
  for (let at = 0; at < 6; at += 1) {
    // With the first comes the thread that would judge its tools, and stays for a while.
    if (at === 1) filesBefore = openFiles(process.pid);
    const spec = { command: `./no-such-program-${at}` };
    const { state, lastError } = await gateway.gateway.admin.run('servers.add', { name: `none-${at}`, spec });
    assert.equal(state, 'failed');
    assert.match(lastError ?? '', new RegExp(`no-such-program-${at}`));
    await gateway.gateway.admin.run('servers.remove', { name: `none-${at}` });
  }
  await eventually('files are closed', () => (openFiles(process.pid) <= filesBefore + 1 ? true : undefined));
});

test('[PROC-09] a server below a shell has the time it needs to tidy up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-tidy-'));
  const note = join(folder, 'note');
  const script = `
    process.on('SIGTERM', () => setTimeout(() => { require('fs').writeFileSync(process.argv[1], 'tidy'); process.exit(0); }, 400));
    setInterval(() => {}, 1e6);
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'tidy', version: '1' } };
      const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
  await using gateway = await openTestGateway({ servers: {} });
  await add(gateway, 'tidy', {
    command: '/bin/sh',
    args: ['-c', '"$0" "$@"; true', process.execPath, '-e', script, note],
  });
  await gateway.gateway.admin.run('servers.remove', { name: 'tidy' });
  assert.equal(await readFile(note, 'utf8'), 'tidy');
  await rm(folder, { recursive: true });
});
