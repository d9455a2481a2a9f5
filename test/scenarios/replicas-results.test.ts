/** Large results on one database: kept at one gateway, read at every other, also when the first one is gone. */

import assert from 'node:assert/strict';
import { resultOf } from '../kit/chains.ts';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { MetricLines } from '../kit/metric-lines.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { postgresTest, queryRows, runSql } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openReplica, type Replica, replicaTest, sharedKey, withReplicas } from '../kit/replicas.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';

type Dict = Record<string, unknown>;

const counted = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
const tools = ['rows', 'lines'].map((name) => ({ name, description: 'Large.', inputSchema: counted }));
const { servers } = hostServers({ data: { tools } });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const agentAt = (url: string, token: string) =>
  new ModernAgent({ url, agentHeaders: bearer(token) }, '/mcp?surface=search');

/** One agent, as each gateway knows it. */
async function agentsOf(replicas: readonly Replica[], name: string): Promise<ModernAgent[]> {
  const { token } = (await replicas[0]?.admin.run('tokens.create', { name })) ?? assert.fail();
  return replicas.map(({ gateway }) => agentAt(gateway.url, token));
}

async function keep(agent: ModernAgent, tool: string, count: number): Promise<string> {
  const args = { toolKey: `data:${tool}`, arguments: { count } };
  const result = await agent.request('tools/call', { name: 'tool_execute', arguments: args });
  const kept = (result._meta as Dict | undefined)?.['toolcrib/result'] as { uri: string } | undefined;
  return kept?.uri ?? assert.fail(JSON.stringify(result).slice(0, 500));
}

async function read(agent: ModernAgent, uri: string): Promise<string> {
  const { contents } = await agent.request('resources/read', { uri });
  return (contents as { text: string }[])[0]?.text ?? '';
}

/** The error of a read that is refused, without the address that it names. */
async function refusal(agent: ModernAgent, uri: string): Promise<string> {
  const { error } = await agent.ask('resources/read', { uri });
  return JSON.stringify(error ?? assert.fail('it can be read')).replaceAll(uri, 'URI');
}

const never = 'toolcrib://result/AAAAAAAAAAAAAAAAAAAAAA';

const isGone = async (agent: ModernAgent, uri: string) =>
  assert.equal(await refusal(agent, uri), await refusal(agent, never));

async function idsOf(agent: ModernAgent): Promise<string[]> {
  const ref = { type: 'ref/resource', uri: 'toolcrib://result/{id}{?part,page,lines,find,path}' };
  const { completion } = await agent.request('completion/complete', { ref, argument: { name: 'id', value: '' } });
  return (completion as { values: string[] }).values;
}

const idOf = (uri: string) => uri.replace('toolcrib://result/', '');

replicaTest(
  '[REP-50] a result that one gateway kept is paged, searched, listed and loaded by programs at the other',
  { servers },
  async (replicas) => {
    const [one, other] = (await agentsOf(replicas, 'ann')) as [ModernAgent, ModernAgent];
    const rows = await keep(one, 'rows', 5_000);
    assert.equal(await read(other, `${rows}?page=2`), await read(one, `${rows}?page=2`));
    assert.match(await other.say('read_result', { uri: `${rows}?path=$.rows[4998].name` }), /4999/);
    const lines = await keep(other, 'lines', 20_000);
    assert.match(await read(one, `${lines}?find=${encodeURIComponent('19999')}`), /Matches 1-1 of 1/);
    const later = await keep(one, 'rows', 3_000);
    assert.equal(await resultOf(other, `return (await load('${later}')).rows.length`), 3_000);
    const ids = [later, lines, rows].map(idOf);
    for (const agent of [one, other]) assert.deepEqual(await idsOf(agent), ids);
  },
);

postgresTest('[REP-51] a result outlives the gateway that kept it, also one that was killed', async (url) => {
  const env = { ...process.env, ...sharedKey };
  await using first = await startGatewayProcess({ servers, config: { store: { url } }, env });
  await using second = await openReplica(url, { servers });
  const { token } = await second.gateway.admin.run('tokens.create', { name: 'ann' });
  const uri = await keep(agentAt(first.url, token), 'rows', 5_000);
  first.kill('SIGKILL');
  await first.exited;
  const other = agentAt(second.url, token);
  assert.match(await read(other, `${uri}?path=$.rows[-1:].name`), /5000/);
  assert.equal(await resultOf(other, `return (await load('${uri}')).rows.length`), 5_000);
});

replicaTest('[REP-52] a result is of one principal at every gateway', { servers }, async (replicas) => {
  const [one, other] = (await agentsOf(replicas, 'ann')) as [ModernAgent, ModernAgent];
  const strangers = await agentsOf(replicas, 'ben');
  const uri = await keep(one, 'rows', 5_000);
  for (const stranger of strangers) {
    await isGone(stranger, uri);
    assert.deepEqual(await idsOf(stranger), []);
  }
  await read(other, uri);
  // Now its files are at both.
  for (const stranger of strangers) await isGone(stranger, uri);
});

const clock = new ShiftedClock();
replicaTest('[REP-53] a result expires at every gateway', { servers, clock, count: 3 }, async (replicas, url) => {
  const agents = await agentsOf(replicas, 'ann');
  const [one, other, third] = agents as [ModernAgent, ModernAgent, ModernAgent];
  const uri = await keep(one, 'rows', 5_000);
  await read(other, uri);
  const hour = 60 * 60_000;
  await runSql(url, `update result set made_at = made_at - ${hour}, expires_at = expires_at - ${hour}`);
  await isGone(third, uri);
  assert.match(await read(other, uri), /5,?000 rows/, 'its own clock decides about files that it has');
  clock.shift(hour);
  for (const agent of agents) {
    await isGone(agent, uri);
    assert.deepEqual(await idsOf(agent), []);
  }
  await keep(one, 'rows', 5_000);
  const left = await queryRows(url, `select result from result_chunk where result = '${idOf(uri)}'`);
  assert.deepEqual(left, [], 'the next one has removed it');
});

replicaTest(
  '[REP-53] results in the database keep within calls.resultStoreBytes; those of who stores most go first',
  { servers, config: { calls: { resultStoreBytes: 1_000_000 } } },
  async (replicas, url) => {
    const anns = await agentsOf(replicas, 'ann');
    const bens = await agentsOf(replicas, 'ben');
    const bensOwn = await keep(bens[0] as ModernAgent, 'rows', 2_000);
    const uris: string[] = [];
    // In turns, so that neither gateway stores too much by itself.
    for (let turn = 0; turn < 6; turn += 1) {
      uris.push(await keep(anns[turn % 2] as ModernAgent, 'rows', 6_000));
      const [{ bytes } = { bytes: 0 }] = await queryRows(url, 'select sum(length(bytes)) as bytes from result_chunk');
      assert.ok(Number(bytes) > 0 && Number(bytes) <= 1_000_000, `${bytes} bytes are stored`);
    }
    const stored = (await queryRows(url, 'select id from result')).map(({ id }) => String(id));
    assert.ok(!stored.includes(idOf(uris[0] ?? '')) && stored.includes(idOf(bensOwn)), stored.join());
    for (const agent of anns) assert.match(await read(agent, `${uris.at(-1)}?path=$.rows[5999].name`), /6000/);
    assert.match(await read(bens[1] as ModernAgent, `${bensOwn}?path=$.rows[1999].name`), /2000/);
  },
);

postgresTest(
  '[REP-54] without the database a result is kept and read here, and everywhere once it is back',
  async (url) => {
    await using wire = await TcpProxy.to(url);
    const through = new URL(url);
    through.port = new URL(wire.url).port;
    await withReplicas(
      url,
      { urls: [through.href, url], servers, config: { access: { cacheMs: 600_000 } } },
      async (replicas) => {
        const [away] = replicas;
        const [one, other] = (await agentsOf(replicas, 'ann')) as [ModernAgent, ModernAgent];
        const elsewhere = await keep(other, 'rows', 4_000);
        const before = await keep(one, 'rows', 2_000);
        await wire.close();
        const uri = await keep(one, 'rows', 5_000);
        assert.match(await read(one, `${uri}?path=$.rows[4999].name`), /5000/);
        assert.match(await read(one, `${before}?path=$.rows[1999].name`), /2000/);
        assert.match(await refusal(one, elsewhere), /store .* cannot be reached/, 'nobody knows whether it is there');
        await isGone(other, uri);
        const headers = away.gateway.ownerHeaders;
        const page = async () =>
          new MetricLines(await (await fetch(`${away.gateway.url}/metrics`, { headers })).text());
        assert.equal((await page()).value('toolcrib_results_waiting'), 1);
        assert.ok(away.gateway.logged.some((line) => line.includes('Only this gateway can read')));
        await wire.open();
        await eventually(
          'it is copied',
          async () => (await page()).value('toolcrib_results_waiting') === 0 || undefined,
        );
        assert.match(await read(other, `${uri}?path=$.rows[4999].name`), /5000/);
        assert.match(await read(one, `${elsewhere}?path=$.rows[3999].name`), /4000/);
      },
    );
  },
);
