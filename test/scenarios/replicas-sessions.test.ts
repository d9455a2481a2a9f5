/** A balancer may send any request to any gateway on one database: sessions and waiting calls go on, wherever they live. */

import assert from 'node:assert/strict';
import { ELICITED } from '../kit/agents.ts';
import { allowOnce } from '../kit/approvals.ts';
import { askModern, post, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { postgresTest } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openSocket, readAnswer } from '../kit/raw-http.ts';
import { LastMoment, openReplica, Replica, replicaTest } from '../kit/replicas.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';
import { makeToken } from '../kit/tokens.ts';
import { openServer } from '../servers/hosted.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';

type Dict = Record<string, unknown>;

const able = { capabilities: { elicitation: {} } };
const doorOf = ({ gateway }: Pick<Replica, 'gateway'>) => `${gateway.url}/mcp?surface=direct`;

/** The files of each data folder hold tokens for that gateway alone; those that were made are good at all. */
async function tokenFor({ gateway }: Pick<Replica, 'gateway'>): Promise<Record<string, string>> {
  const { headers } = await makeToken(gateway, { name: 'ann' });
  return headers;
}

function contentOf({ message }: RawAnswer): unknown {
  return (message.result as { content?: unknown } | undefined)?.content;
}

replicaTest(
  '[REP-40] a session that was opened at one gateway is good at the others, streams included, until it is ended at any',
  { servers: hostServers({ shop: { era: 'legacy' } }).servers },
  async ([one, other]) => {
    const headers = await tokenFor(one);
    const session = await RawSession.open(doorOf(one), headers, able);
    const there = session.at(doorOf(other));
    const said = await there.request('tools/call', { name: 'shop.echo', arguments: { text: 'one session' } });
    assert.deepEqual(contentOf(said), [{ type: 'text', text: 'one session' }]);
    using standing = await there.listen();
    assert.equal(standing.status, 200);
    const { servers } = hostServers({ more: {} });
    await other.admin.run('servers.add', { name: 'more', spec: servers.more ?? {} });
    assert.equal((await standing.message()).method, 'notifications/tools/list_changed');
    // A question of the server reaches the agent on its stream, and the answer finds the server.
    using asking = await there.stream('tools/call', { name: 'shop.elicit', arguments: {} });
    const question = await asking.message();
    assert.equal(question.method, 'elicitation/create');
    await there.send({ jsonrpc: '2.0', id: question.id, result: ELICITED });
    assert.deepEqual((await asking.message()).result, { content: [{ type: 'text', text: JSON.stringify(ELICITED) }] });
    const ended = await fetch(there.url, { method: 'DELETE', headers: there.headers });
    assert.equal(ended.status, 200);
    assert.equal((await session.request('tools/list')).status, 404);
  },
);

postgresTest('[REP-40] a front end speaks for others at any gateway, also in sessions elsewhere', async (url) => {
  const access = { trustedFrontEnds: ['127.0.0.1'] };
  await using one = await openReplica(url);
  await using other = await openReplica(url, { config: { access } });
  const { token, headers } = await makeToken(one, { name: 'ann' });
  const session = await RawSession.open(`${one.url}/mcp`, headers);
  const { authorization: _, ...named } = session.headers;
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { token } } };
  assert.equal((await post(`${other.url}/mcp`, named, list)).status, 200);
  assert.equal((await post(`${one.url}/mcp`, named, list)).status, 401, 'this one trusts nobody');
});

postgresTest('[REP-44] a gateway that ends waits for the answer of a call that it passed on', async (url) => {
  const { servers } = hostServers({ shop: { era: 'legacy' } });
  const underWay: number[] = [];
  const one = await openReplica(url, { servers });
  const other = await openReplica(url, { servers, onAgents: (count) => underWay.push(count) });
  try {
    const headers = await tokenFor({ gateway: one });
    const session = (await RawSession.open(doorOf({ gateway: one }), headers, able)).at(doorOf({ gateway: other }));
    using asking = await session.stream('tools/call', { name: 'shop.elicit', arguments: {} });
    const question = await asking.message();
    assert.equal(underWay.at(-1), 1);
    const closing = other.close();
    // It passes on nothing new, but the answer that the running call waits for.
    assert.equal((await session.request('tools/list')).status, 503);
    assert.equal((await session.send({ jsonrpc: '2.0', id: question.id, result: ELICITED })).status, 202);
    assert.deepEqual((await asking.message()).result, { content: [{ type: 'text', text: JSON.stringify(ELICITED) }] });
    await closing;
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

postgresTest('[REP-44] a call that is taken up in the last moment of a gateway is finished', async (url) => {
  await using server = await openServer({ name: 'shop' });
  await using wire = await TcpProxy.to(server.url);
  const last = new LastMoment();
  const underWay: number[] = [];
  const shop = { url: `${wire.url}/mcp`, permissions: { echo: 'ask' } };
  const onAgents = (count: number) => void underWay.push(count);
  const gateway = await openReplica(url, { servers: { shop }, clock: last.clock, onAgents });
  const kept = await openSocket(gateway.url);
  const ask = async (more: Dict): Promise<Dict> => {
    const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: able.capabilities };
    const params = { name: 'shop.echo', arguments: { text: 'finished' }, ...more, _meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    kept.write(
      [
        'POST /mcp?surface=direct HTTP/1.1',
        `host: localhost\r\nauthorization: ${gateway.agentHeaders.authorization}`,
        `content-type: application/json\r\naccept: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`,
        `mcp-protocol-version: ${MODERN_VERSION}\r\nmcp-method: tools/call\r\nmcp-name: shop.echo\r\n\r\n${body}`,
      ].join('\r\n'),
    );
    return JSON.parse((await readAnswer(kept)).body).result;
  };
  const { requestState, inputRequests } = await ask({});
  const [key = ''] = Object.keys(inputRequests as Dict);
  const closing = gateway.close();
  const end = await last.begun;
  wire.hold();
  wire.cut();
  const answering = ask({ requestState, inputResponses: { [key]: allowOnce } });
  await eventually('it is under way', () => underWay.at(-1) === 1 || undefined);
  end();
  wire.release();
  assert.deepEqual((await answering).content, [{ type: 'text', text: 'finished' }]);
  await closing;
});

replicaTest(
  '[REP-41] a session whose gateway is gone is unknown, and the agent opens another one',
  { servers: hostServers({ shop: {} }).servers },
  async ([one, other]) => {
    const headers = await tokenFor(one);
    const session = await RawSession.open(doorOf(one), headers);
    await one.gateway.close();
    const answer = await session.at(doorOf(other)).request('tools/list');
    assert.deepEqual(
      [answer.status, answer.message.error?.message],
      [404, 'The session is not known: send "initialize" again.'],
    );
    await RawSession.open(doorOf(other), headers);
  },
);

/** Calls a tool that asks something; gives what the agent sends with its answer. */
async function park(replica: Replica, headers: Record<string, string>, name: string): Promise<Dict> {
  const params = { name, arguments: {} };
  const { message } = await askModern(doorOf(replica), headers, 'tools/call', params, able);
  const asked = message.result as { resultType: string; requestState: string; inputRequests: Dict };
  assert.equal(asked?.resultType, 'input_required', JSON.stringify(message));
  const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, ELICITED]));
  return { ...params, requestState: asked.requestState, inputResponses };
}

for (const era of ['legacy', 'modern'] as const)
  replicaTest(
    `[REP-42] a call of a ${era} server that asks its agent goes on with the answer that comes to another gateway`,
    { servers: hostServers({ shop: { era } }).servers },
    async ([one, other]) => {
      const headers = await tokenFor(one);
      const answer = await park(one, headers, 'shop.elicit');
      const ended = await askModern(doorOf(other), headers, 'tools/call', answer, able);
      assert.deepEqual(contentOf(ended), [{ type: 'text', text: JSON.stringify(ELICITED) }]);
    },
  );

replicaTest(
  '[REP-42] a call that waits for approval at one gateway is made when the agent answers at another',
  { servers: hostServers({ shop: { entry: { permissions: { echo: 'ask' } } } }).servers },
  async ([one, other]) => {
    const headers = await tokenFor(one);
    const params = { name: 'shop.echo', arguments: { text: 'approved' } };
    const { message } = await askModern(doorOf(one), headers, 'tools/call', params, able);
    const { requestState, inputRequests } = message.result as { requestState: string; inputRequests: Dict };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, allowOnce]));
    const answer = { ...params, requestState, inputResponses };
    const ended = await askModern(doorOf(other), headers, 'tools/call', answer, able);
    assert.deepEqual(contentOf(ended), [{ type: 'text', text: 'approved' }]);
  },
);

replicaTest(
  '[REP-43] a call that waited at a gateway that is gone ends with SERVER_DISCONNECTED and what to do',
  { servers: hostServers({ shop: { era: 'legacy' } }).servers },
  async ([one, other]) => {
    const headers = await tokenFor(one);
    const answer = await park(one, headers, 'shop.elicit');
    const changed = { ...answer, requestState: `${answer.requestState}A` };
    const refused = await askModern(doorOf(other), headers, 'tools/call', changed, able);
    assert.match(refused.message.error?.message ?? '', /unknown or has expired/, 'nobody made that one');
    await one.gateway.close();
    const { message } = await askModern(doorOf(other), headers, 'tools/call', answer, able);
    const { isError, structuredContent } = message.result as { isError: boolean; structuredContent: Dict };
    assert.deepEqual([isError, structuredContent.errorType], [true, 'SERVER_DISCONNECTED']);
    assert.match(String(structuredContent.hint), /Start the call again without requestState/);
  },
);

postgresTest('[REP-43] a call whose gateway is lost after the answer reached it ends in the same way', async (url) => {
  const tools = [{ name: 'wait', runAs: 'elicit_then_wait' }];
  const { servers } = hostServers({ shop: { era: 'legacy', tools } });
  await using wire = new TcpProxy(0);
  await wire.open();
  const underWay: number[] = [];
  const onAgents = (count: number) => void underWay.push(count);
  await using one = await openReplica(url, { servers, onAgents, config: { listen: { advertise: wire.url } } });
  await using other = await openReplica(url, { servers });
  wire.target = Number(new URL(one.url).port);
  const headers = await tokenFor({ gateway: one });
  const answer = await park(new Replica(one), headers, 'shop.wait');
  const answering = askModern(doorOf({ gateway: other }), headers, 'tools/call', answer, able);
  await eventually('it goes on', () => underWay.at(-1) === 1 || undefined);
  wire.cut();
  const { structuredContent } = (await answering).message.result as { structuredContent: Dict };
  assert.equal(structuredContent.errorType, 'SERVER_DISCONNECTED');
});
