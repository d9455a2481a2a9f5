/** The audit survives a killed gateway, a store that cannot be written and a reader that follows it; old records go in time. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditLine } from '../../src/admin/admin.ts';
import { firstSweepMs, sweepEveryMs } from '../../src/audit/audit-log.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';

const text = { type: 'object', properties: { text: { type: 'string' } } };
const look = { name: 'look', description: 'Looks something up.', inputSchema: text, runAs: 'echo' } as const;
const plan = hostServers({ one: { tools: [look] } });
const hostile = '\u001b]52;c;aGk=\u0007\u001b[2J\r\n{"forged":true}\u202e';

async function withFolder(act: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-audit-'));
  try {
    await act(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function everyRecord({ gateway }: TestGateway): Promise<readonly AuditLine[]> {
  return (await gateway.admin.run('audit.export', { after: 0 })).records;
}

/** Looks for old records all the time. */
class HurriedClock extends ShiftedClock {
  override after: Clock['after'] = (ms, act) =>
    systemClock.after(ms === firstSweepMs || ms === sweepEveryMs ? 50 : ms, act);
}

const callLook = (agent: ModernAgent, value: string) =>
  agent.call('tool_execute', { toolKey: 'one:look', arguments: { text: value } });

test('[AUD-04] a gateway that is killed right after an answer has its record', async () => {
  await withFolder(async (dataDir) => {
    const asked = new Set<string>();
    for (const life of [1, 2]) {
      const process = await startGatewayProcess({ servers: plan.servers, dataDir });
      const agent = new ModernAgent(process, '/mcp?surface=search');
      await agent.tools();
      for (let number = 0; number < 20; number += 1) {
        const query = `life ${life} number ${number}`;
        await Promise.all([callLook(agent, query), agent.call('tool_discovery', { query })]);
        asked.add(query);
      }
      process.kill('SIGKILL');
      await process.exited;
    }
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir });
    const records = await everyRecord(gateway);
    const count = (action: string) => records.filter((record) => record.action === action).length;
    assert.deepEqual([count('tools.call'), count('tool_discovery')], [asked.size, asked.size]);
    const ids = records.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.map((_, at) => at + 1),
    );
  });
});

test('[AUD-05] while the store cannot be written calls go on, and their records follow', async () => {
  await withFolder(async (dataDir) => {
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir });
    const agent = new ModernAgent(gateway, '/mcp?surface=search');
    await agent.tools();
    const { upto } = await gateway.gateway.admin.run('audit.export', {});
    const lock = new DatabaseSync(join(dataDir, 'toolcrib.db'));
    lock.exec('begin immediate');
    for (let number = 0; number < 10; number += 1)
      assert.equal((await callLook(agent, String(number))).text, String(number));
    lock.exec('rollback');
    lock.close();
    const written = async () => (await gateway.gateway.admin.run('audit.export', { after: upto })).records;
    await eventually('ten records', async () => ((await written()).length === 10 ? true : undefined));
    const records = await written();
    assert.ok(records.every(({ tool, outcome }) => tool === 'look' && outcome === 'ok'));
    assert.equal(new Set(records.map(({ argumentsHash }) => argumentsHash)).size, 10);
  });
});

test('[AUD-07] records go when they are older than the config says, and no earlier', async () => {
  await withFolder(async (dataDir) => {
    const clock = new HurriedClock();
    const config = { audit: { retentionDays: 10 } };
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir, config, clock });
    const agent = new ModernAgent(gateway, '/mcp?surface=search');
    await callLook(agent, 'old');
    clock.shift(9 * 24 * 60 * 60 * 1_000);
    await callLook(agent, 'young');
    await pause(200);
    assert.equal((await everyRecord(gateway)).length, 2);
    clock.shift(2 * 24 * 60 * 60 * 1_000);
    const left = await eventually('one record', async () => {
      const records = await everyRecord(gateway);
      return records.length === 1 ? records : undefined;
    });
    assert.equal(left[0]?.id, 2);
  });
});

test('[AUD-08] a follower of the audit sees every record once, also while the gateway restarts', async () => {
  await using machine = await CliMachine.make();
  const first = await machine.start('--demo');
  const call = () => machine.run('call', 'clock:current_time', '{}');
  await call();
  const following = machine.launch(['audit', '--follow', '--json', '--kind', 'execution']);
  const seen = () => following.printed.stdout.split('\n').filter((line) => line !== '');
  await following.until(() => seen().length >= 1);
  await call();
  await following.until(() => seen().length >= 2);
  await first.stop();
  await following.until(({ stderr }) => stderr.includes('waiting'));
  // Nobody runs: the command opens the folder itself.
  await call();
  const second = await machine.start('--demo');
  await call();
  await following.until(() => seen().length >= 4);
  assert.equal((await following.stop()).code, 0);
  await second.stop();
  const ids = seen().map((line) => (JSON.parse(line) as AuditLine).id);
  const all = (await machine.run('audit', '--json', '--kind', 'execution')).stdout.trim().split('\n');
  assert.deepEqual(
    ids,
    all.map((line) => (JSON.parse(line) as AuditLine).id),
  );
});

test('[AUD-09] the export is one line of JSON a record, the table one line of plain text, whatever they hold', async () => {
  await withFolder(async (dataDir) => {
    // More than a page of the export.
    const count = 1_003;
    {
      await using gateway = await openTestGateway({ servers: plan.servers, dataDir });
      const agent = new ModernAgent(gateway, '/mcp?surface=search');
      for (let at = 0; at < count; at += 1)
        await agent.call('tool_execute', { toolKey: `one:${hostile}${at}`, arguments: { [hostile]: hostile } });
    }
    await using machine = await CliMachine.make();
    const exported = await machine.run('audit', '--json', '--data', dataDir);
    const lines = exported.stdout.trimEnd().split('\n');
    assert.equal(lines.length, count);
    assert.ok(lines.every((line) => (JSON.parse(line) as AuditLine).outcome === 'refused'));
    const shown = await machine.run('audit', '--limit', '20', '--outcome', 'refused', '--data', dataDir);
    assert.equal(shown.stdout.trimEnd().split('\n').length, 21);
    for (const output of [exported.stdout, shown.stdout])
      assert.doesNotMatch(output, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});
