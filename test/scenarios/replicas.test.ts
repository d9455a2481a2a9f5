/** Replicas: gateways on one PostgreSQL database that know each other. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { GatewayError } from '../../src/base/errors.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { MetricLines } from '../kit/metric-lines.ts';
import { freePort, postgresTest } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openSocket, readAnswer } from '../kit/raw-http.ts';
import { LastMoment, openReplica } from '../kit/replicas.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { makeToken } from '../kit/tokens.ts';
import { openServer } from '../servers/hosted.ts';

const listed = ({ gateway }: TestGateway) => gateway.admin.run('gateway.replicas', {});
const findings = async ({ gateway }: TestGateway) =>
  (await gateway.admin.run('gateway.doctor', {})).findings.filter(
    ({ subject, severity }) => subject === 'replicas' && severity !== 'ok',
  );
const praised = async ({ gateway }: TestGateway) => {
  const found = (await gateway.admin.run('gateway.doctor', {})).findings;
  return found.filter(({ subject, severity }) => subject === 'replicas' && severity === 'ok');
};

test('[REP-30] a gateway on SQLite is the only replica', async () => {
  await using gateway = await openTestGateway();
  const [only, ...others] = await listed(gateway);
  assert.deepEqual([only?.url, only?.isThis, others], [gateway.url, true, []]);
});

postgresTest('[REP-30] replicas list each other with address and version, and one that ends is gone', async (url) => {
  await using one = await openReplica(url);
  const other = await openReplica(url, { config: { listen: { advertise: 'http://other.example:3333' } } });
  const rows = await listed(one);
  assert.deepEqual(
    rows.map(({ url: at, isThis, hasSameKey, hasSameVersion }) => [at, isThis, hasSameKey, hasSameVersion]),
    [
      [one.url, true, true, true],
      ['http://other.example:3333', false, true, true],
    ],
  );
  const page = await eventually('both are counted', async () => {
    const answer = await fetch(`${one.url}/metrics`, { headers: one.ownerHeaders });
    const lines = new MetricLines(await answer.text());
    return lines.value('toolcrib_replicas') === 2 ? lines : undefined;
  });
  assert.ok(page);
  await other.close();
  assert.deepEqual(
    (await listed(one)).map(({ url: at }) => at),
    [one.url],
  );
});

postgresTest('[REP-31] doctor finds a replica with another config, and one with another key', async (url) => {
  await using one = await openReplica(url);
  await using same = await openReplica(url);
  assert.deepEqual(await findings(one), []);
  assert.match((await praised(one))[0]?.message ?? '', /PostgreSQL answers\. All 2 gateways .* same key and config/);
  await using other = await openReplica(url, { config: { metrics: { retentionDays: 3 } } });
  assert.deepEqual(await praised(one), []);
  assert.match(
    (await findings(one)).map(({ message }) => message).join(),
    new RegExp(`${other.url} has another config`),
  );
  const env = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
  await using stranger = await openReplica(url, { env });
  const keys = (await findings(same)).filter(({ message }) => message.includes('another key'));
  assert.deepEqual([keys.length, keys[0]?.severity, keys[0]?.message.includes(stranger.url)], [1, 'problem', true]);
});

postgresTest(
  '[REP-31] doctor finds a replica whose clock differs from the database, and says by how much',
  async (url) => {
    await using one = await openReplica(url);
    await using near = await openReplica(url, { clock: new ShiftedClock(Date.now() + 500) });
    assert.deepEqual(await findings(one), []);
    const tenMinutes = 10 * 60_000;
    await using ahead = await openReplica(url, { clock: new ShiftedClock(Date.now() + tenMinutes) });
    await using behind = await openReplica(url, { clock: new ShiftedClock(Date.now() - 5_000) });
    for (const gateway of [one, near, ahead]) {
      const found = await findings(gateway);
      assert.deepEqual(
        found.map(({ severity }) => severity),
        ['problem', 'problem'],
      );
      const [early, late] = [ahead, behind].map((at) => found.find(({ message }) => message.includes(at.url)));
      assert.match(early?.message ?? '', /is 10\.0 min ahead of the database: its tokens expire early/);
      assert.match(late?.message ?? '', /is [45]\.\d s behind the database/);
      assert.match(early?.hint ?? '', /with NTP/);
    }
    await using machine = await CliMachine.make();
    const { stdout } = await machine.launch(['status'], { env: { TOOLCRIB_DATA: one.dataDir } }).ended;
    assert.equal(stdout.match(/clock differs/g)?.length, 2, stdout);
  },
);

postgresTest('[EDGE-03] a replica with another key does not start once anything is sealed', async (url) => {
  await using one = await openReplica(url);
  await one.gateway.admin.run('secrets.set', { name: 'KEY', value: 'opensesame-91' });
  const env = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
  await assert.rejects(openReplica(url, { env }), {
    code: 'STORE_BROKEN',
    message: /^TOOLCRIB_SECRET_KEY does not match the key that sealed the secrets in the database: it holds /,
    hint: /the other gateways have it/,
  });
  await using _same = await openReplica(url);
});

postgresTest(
  'replicas that sealed with different keys start again, and setting the secrets again repairs them',
  async (url) => {
    const env = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
    {
      await using one = await openReplica(url);
      await using other = await openReplica(url, { env });
      await one.gateway.admin.run('secrets.set', { name: 'ONE', value: 'opensesame-91' });
      await other.gateway.admin.run('secrets.set', { name: 'OTHER', value: 'opensesame-92' });
    }
    await using again = await openReplica(url);
    const { admin } = again.gateway;
    const states = async () => (await admin.run('secrets.list', {})).map(({ name, state }) => [name, state]);
    assert.deepEqual(await states(), [
      ['ONE', 'set'],
      ['OTHER', 'unreadable'],
    ]);
    await admin.run('secrets.set', { name: 'OTHER', value: 'opensesame-92' });
    assert.deepEqual((await states()).at(-1), ['OTHER', 'set']);
  },
);

postgresTest('[REP-31] doctor finds a replica that nobody reaches, and the log tells of one request', async (url) => {
  await using one = await openReplica(url);
  // Nothing listens at this port.
  const nowhere = 'http://127.0.0.1:1';
  await using lost = await openReplica(url, { config: { listen: { advertise: nowhere } } });
  const [found, ...more] = await findings(one);
  assert.deepEqual(
    [found?.severity, found?.message.includes(`${nowhere} cannot be reached`), more],
    ['problem', true, []],
  );
  assert.match(`${found?.hint}`, /network and firewall/);
  const { headers } = await makeToken(lost, { name: 'ann' });
  const session = (await RawSession.open(`${lost.url}/mcp`, headers)).at(`${one.url}/mcp`);
  for (let count = 0; count < 2; count += 1) assert.equal((await session.request('tools/list')).status, 503);
  assert.equal(one.logged.filter((line) => line.includes(`"url":"${nowhere}`)).length, 1);
});

postgresTest('[REP-31] doctor finds replicas with one address: each would pass requests to itself', async (url) => {
  await using one = await openReplica(url);
  await using _other = await openReplica(url, { config: { listen: { advertise: `${one.url}/` } } });
  const [found, ...more] = await findings(one);
  assert.deepEqual(
    [found?.severity, found?.message.includes(`advertise the same address ${one.url}`), more],
    ['problem', true, []],
  );
});

postgresTest('[REP-31] a replica on every address needs listen.advertise: doctor and its log say so', async (url) => {
  await using far = await openReplica(url, { host: '0.0.0.0' });
  const [alone] = await findings(far);
  assert.deepEqual([alone?.severity, alone?.hint?.includes('listen.advertise')], ['note', true]);
  assert.equal(far.logged.filter((line) => line.includes('set \\"listen.advertise\\"')).length, 1);
  await using one = await openReplica(url);
  for (const gateway of [one, far]) {
    const [found, ...more] = await findings(gateway);
    assert.deepEqual(
      [found?.severity, found?.message.includes(`${far.url} does not say where`), more],
      ['problem', true, []],
    );
  }
  // Passed on, it would come back to the machine that asks.
  const { headers } = await makeToken(far, { name: 'ann' });
  const session = await RawSession.open(`${far.url}/mcp`, headers);
  assert.equal((await session.at(`${one.url}/mcp`).request('tools/list')).status, 404);
  assert.equal((await session.request('tools/list')).status, 200);
});

postgresTest('[REP-31] a replica on every address is reached where it says it is', async (url) => {
  const port = await freePort();
  const listen = { advertise: `http://127.0.0.1:${port}` };
  await using far = await openReplica(url, { host: '0.0.0.0', port, config: { listen } });
  await using one = await openReplica(url);
  assert.deepEqual([await findings(one), await findings(far)], [[], []]);
  assert.equal(far.logged.filter((line) => line.includes('listen.advertise')).length, 0);
  const { headers } = await makeToken(far, { name: 'ann' });
  const session = await RawSession.open(`${far.url}/mcp`, headers);
  assert.equal((await session.at(`${one.url}/mcp`).request('tools/list')).status, 200);
});

postgresTest('[REP-31] doctor and status find a replica that asks for no token while the others do', async (url) => {
  await using one = await openReplica(url);
  await using open = await openReplica(url, { isAuthOff: true });
  const told = (await findings(one)).map(({ message }) => message);
  assert.deepEqual([told.length, told[0]?.includes(`${open.url} has another config or other flags`)], [1, true]);
  await using machine = await CliMachine.make();
  const { stdout } = await machine.launch(['status'], { env: { TOOLCRIB_DATA: open.dataDir } }).ended;
  assert.match(stdout, /\(this one, no token needed\)/);
  assert.ok(stdout.includes('(another config or other flags)'));
});

postgresTest('[REP-31] an edit of the config is noticed by the others', async (url) => {
  await using one = await openReplica(url);
  await using other = await openReplica(url);
  assert.deepEqual(await findings(other), []);
  const config = { store: { url }, access: { keyring: 'off' }, mcpServers: {}, metrics: { retentionDays: 3 } };
  await writeFile(one.configFile, JSON.stringify(config));
  await eventually('the other finds it', async () => (await findings(other)).length === 1 || undefined);
});

postgresTest('[REP-32] a gateway on PostgreSQL starts only with its key in the environment', async (url) => {
  const opening = openReplica(url, { env: { TOOLCRIB_SECRET_KEY: undefined } });
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.code, 'CONFIG_INVALID');
    assert.match(error.message, /TOOLCRIB_SECRET_KEY/);
    return true;
  });
});

postgresTest(
  '[REP-37] of replicas that start together, one lists a remote server, and all know its tools',
  async (url) => {
    await using server = await openServer({ name: 'far' });
    const open = () => openReplica(url, { servers: { far: { url: server.url } } });
    const replicas = await Promise.all([open(), open(), open()]);
    try {
      for (const { gateway } of replicas)
        await eventually('its tools are known', async () => {
          const [row] = await gateway.admin.run('servers.list', {});
          return (row?.toolCount ?? 0) > 0 || undefined;
        });
      const lists = server.journal().filter(({ event, method }) => event === 'list' && method === 'tools/list');
      assert.equal(lists.length, 1, JSON.stringify(lists));
    } finally {
      await Promise.all(replicas.map((one) => one.close()));
    }
  },
);

postgresTest('[REP-44] a replica that stops refuses requests on connections that are kept open', async (url) => {
  const last = new LastMoment();
  const replica = await openReplica(url, { clock: last.clock });
  const kept = await openSocket(replica.url);
  const ask = (path: string, ...more: readonly string[]) => {
    kept.write([`GET ${path} HTTP/1.1`, 'host: localhost', ...more, '', ''].join('\r\n'));
    return readAnswer(kept);
  };
  assert.equal((await ask('/healthz')).status, 200);
  const closing = replica.close();
  const goOn = await last.begun;
  await assert.rejects(fetch(`${replica.url}/healthz`), 'a new connection goes to another one');
  const { status, head } = await ask('/metrics', `authorization: ${replica.ownerHeaders.authorization}`);
  assert.equal(status, 503);
  assert.match(head, /^retry-after: /im);
  assert.match(head, /^connection: close/im);
  await once(kept, 'close');
  goOn();
  await closing;
});
