/** A gateway whose store is a PostgreSQL database: everything survives a restart, and calls go on while connections are cut. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliMachine } from '../kit/cli.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { cutLines, postgresTest, queryRows, runSql } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openReplica, sharedKey } from '../kit/replicas.ts';

postgresTest('[REP-01] servers, tokens, calls and the audit are in the database', async (url) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-postgres-gateway-'));
  const options = { dataDir, servers: planServers({ one: {} }).servers };
  try {
    const made = await (async () => {
      await using gateway = await openReplica(url, options);
      const { admin } = gateway.gateway;
      assert.equal(await new ModernAgent(gateway).say('one.echo', { text: 'now' }), 'now');
      return admin.run('tokens.create', { name: 'ann' });
    })();
    assert.ok(!(await readdir(dataDir)).includes('toolcrib.db'));
    await using gateway = await openReplica(url, options);
    const { admin } = gateway.gateway;
    assert.ok((await admin.run('tokens.list', {})).some(({ id }) => id === made.id));
    const { tools } = await admin.run('metrics.tools', {});
    assert.deepEqual(
      tools.map(({ toolKey, callCount }) => [toolKey, callCount]),
      [['one:echo', 1]],
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

postgresTest(
  '[REP-02] calls are answered while connections to the database are cut, and all are counted',
  async (url) => {
    await using gateway = await openReplica(url, { servers: planServers({ one: {} }).servers });
    const agent = new ModernAgent(gateway);
    for (let call = 0; call < 20; call += 1) {
      await runSql(url, cutLines);
      assert.equal(await agent.say('one.echo', { text: `call ${call}` }), `call ${call}`);
    }
    await eventually('every call is counted', async () => {
      const { tools } = await gateway.gateway.admin.run('metrics.tools', {});
      return tools[0]?.callCount === 20 ? true : undefined;
    });
  },
);

postgresTest(
  '[REP-19] while PostgreSQL is read-only, calls are answered and doctor says that their rows wait; later each is counted once',
  async (url) => {
    await using gateway = await openReplica(url, { servers: planServers({ one: {} }).servers });
    const agent = new ModernAgent(gateway);
    const say = async (text: string) => assert.equal(await agent.say('one.echo', { text }), text);
    const problems = async () =>
      (await gateway.gateway.admin.run('gateway.doctor', {})).findings.filter(({ subject }) => subject === 'store');
    const ready = async () => (await fetch(`${gateway.url}/readyz`)).status;
    await say('before');
    assert.deepEqual(await problems(), []);
    // The setting counts for sessions that begin after it, so for this one it is said otherwise.
    const writable = `${url}${encodeURIComponent(' -c default_transaction_read_only=off')}`;
    const makeReadOnly = async (state: 'on' | 'off') => {
      await runSql(writable, `alter database postgres set default_transaction_read_only = ${state}`);
      await runSql(writable, cutLines);
    };
    try {
      await makeReadOnly('on');
      for (const text of ['first', 'second']) await say(text);
      const [found, ...more] = await problems();
      assert.deepEqual([found?.severity, more, await ready()], ['problem', [], 200]);
      assert.match(`${found?.message}`, /wait in memory: The store .* cannot be written: it is read-only\./);
      const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
      assert.ok(!findings.some(({ message }) => message.includes('PostgreSQL answers')));
      await using machine = await CliMachine.make();
      const status = await machine.launch(['status'], { env: { TOOLCRIB_DATA: gateway.dataDir } }).ended;
      assert.match(status.stderr, /Records of calls and of the audit wait in memory/);
    } finally {
      await makeReadOnly('off');
    }
    await eventually('the rows are written', async () => (await problems()).length === 0 || undefined);
    await say('after');
    const { tools } = await gateway.gateway.admin.run('metrics.tools', {});
    assert.deepEqual(
      tools.map(({ toolKey, callCount }) => [toolKey, callCount]),
      [['one:echo', 4]],
    );
    const rows = await queryRows(url, "select count(*)::int as count from audit where kind = 'execution'");
    assert.deepEqual(rows, [{ count: 4 }]);
  },
);

postgresTest('start says that other gateways refuse the token of its data folder', async (url) => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ store: { url } }));
  const running = machine.launch(['start', '--port', '0'], { env: sharedKey });
  await running.until(({ stdout }) => stdout.includes('No server is configured'));
  await running.stop();
  assert.match(
    running.printed.stdout,
    /^This token is in this data folder: other gateways refuse it unless .* token create NAME$/m,
  );
});
