/** A gateway whose store is a PostgreSQL database: everything survives a restart, and calls go on while connections are cut. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliMachine } from '../kit/cli.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { cutLines, postgresTest, runSql } from '../kit/postgres.ts';
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

postgresTest('start says that the token of its data folder is good at this gateway alone', async (url) => {
  await using machine = await CliMachine.make();
  await writeFile(join(machine.home, 'toolcrib.json'), JSON.stringify({ store: { url } }));
  const running = machine.launch(['start', '--port', '0'], { env: sharedKey });
  await running.until(({ stdout }) => stdout.includes('No server is configured'));
  await running.stop();
  assert.match(running.printed.stdout, /^This token is good at this gateway alone\. .* token create NAME$/m);
});
