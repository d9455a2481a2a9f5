/** On whose behalf and in which project a request is made: what path, header, envelope and token say, and who is believed. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, EventReader, post, RawSession } from '../kit/hand-made.ts';
import { RawBridge, toolcribStdio } from '../kit/stdio-agent.ts';
import { makeToken, type TestToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';
import { newJournal, readJournal, waitForEntry } from '../servers/launch.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';
import { ELICITED } from '../servers/sdk-clients.ts';

let gateway: TestGateway;
let bound: TestToken;
let boundOwner: TestToken;
let narrow: TestToken;
const journal = newJournal();

before(async () => {
  gateway = await openTestGateway({
    servers: {
      till: { ...hostedServer({ name: 'till', journal }), projects: ['shop'] },
      desk: { ...hostedServer({ name: 'desk' }), projects: ['office'] },
      free: hostedServer({ name: 'free' }),
    },
  });
  await gateway.gateway.admin.run('servers.refresh', {});
  bound = await makeToken(gateway, { project: 'shop' });
  boundOwner = await makeToken(gateway, { project: 'shop', scopes: ['use', 'admin'] });
  narrow = await makeToken(gateway, { servers: ['desk'] });
});
after(() => gateway.close());

interface Wish {
  readonly path?: string;
  readonly header?: string;
  readonly meta?: string;
}

function place({ path, header }: Wish, who: Record<string, string>) {
  const door = path === undefined ? '/mcp' : `/projects/${path}/mcp`;
  const named: Record<string, string> = header === undefined ? {} : { 'x-toolcrib-project': header };
  return { url: `${gateway.url}${door}?surface=direct`, headers: { ...who, ...named } };
}

/** The servers whose tools are listed, or the status or message of the refusal. */
async function modernView(wish: Wish, who: Record<string, string>): Promise<unknown> {
  const { url, headers } = place(wish, who);
  const meta = wish.meta === undefined ? {} : { projectId: wish.meta };
  return viewOf(await askModern(url, headers, 'tools/list', {}, { meta }));
}

async function legacyView(wish: Wish, who: Record<string, string>): Promise<unknown> {
  const { url, headers } = place(wish, who);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const _meta = wish.meta === undefined ? {} : { projectId: wish.meta };
  const opened = await post(url, headers, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { ...params, _meta },
  });
  const session = opened.headers.get('mcp-session-id');
  if (session === null) return viewOf(opened);
  const inSession = { ...headers, 'mcp-session-id': session };
  return viewOf(await post(url, inSession, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }));
}

function viewOf({ status, message }: Awaited<ReturnType<typeof post>>): unknown {
  if (status !== 200) return status;
  if (message.error) return message.error.message;
  const { tools } = message.result as { tools: { name: string }[] };
  return [...new Set(tools.map(({ name }) => name.split('.')[0]))].sort();
}

const all = ['desk', 'free', 'till'];
const none = 'There is no project "nowhere".';
const hidden = 'There is no project "office".';
const other = 'This token belongs to another project than "office".';

test('[ACC-18] the project is that of the path, else the header, else the envelope, else the token', async () => {
  const agent = gateway.agentHeaders;
  const rows: [Wish, Record<string, string>, unknown][] = [
    [{}, agent, all],
    [{ path: 'shop' }, agent, ['till']],
    [{ header: 'shop' }, agent, ['till']],
    [{ meta: 'shop' }, agent, ['till']],
    [{ path: 'shop', header: 'office', meta: 'office' }, agent, ['till']],
    [{ header: 'shop', meta: 'office' }, agent, ['till']],
    [{ header: '' }, agent, all],
    [{ header: 'UNASSIGNED' }, agent, all],
    [{ meta: 'UNASSIGNED' }, agent, all],
    [{ meta: '' }, agent, all],
    [{ path: 'nowhere' }, agent, 404],
    [{ header: 'nowhere' }, agent, 404],
    [{ meta: 'nowhere' }, agent, none],
    [{}, bound.headers, ['till']],
    [{ header: 'UNASSIGNED' }, bound.headers, ['till']],
    [{ meta: '' }, bound.headers, ['till']],
    [{ path: 'shop' }, bound.headers, ['till']],
    // To a token that is bound to another project, one that is there reads like one that is not.
    [{ path: 'office' }, bound.headers, 404],
    [{ header: 'office' }, bound.headers, 404],
    [{ meta: 'office' }, bound.headers, hidden],
    [{ path: 'office' }, boundOwner.headers, 403],
    [{ header: 'office' }, boundOwner.headers, 403],
    [{ meta: 'office' }, boundOwner.headers, other],
    [{ path: 'nowhere' }, boundOwner.headers, 404],
    [{}, narrow.headers, ['desk']],
    [{ path: 'shop' }, narrow.headers, []],
  ];
  for (const [wish, who, expected] of rows) {
    assert.deepEqual(await modernView(wish, who), expected, `modern ${JSON.stringify(wish)}`);
    assert.deepEqual(await legacyView(wish, who), expected, `legacy ${JSON.stringify(wish)}`);
  }
});

test('[ACC-18] the project holds at the doors of servers, for searches and for the API', async () => {
  const { url } = gateway;
  const onServer = (server: string, headers: Record<string, string>) =>
    askModern(`${url}/servers/${server}/mcp`, headers, 'tools/list').then(({ status }) => status);
  assert.deepEqual([await onServer('till', bound.headers), await onServer('desk', bound.headers)], [200, 404]);
  const inOffice = { ...gateway.agentHeaders, 'x-toolcrib-project': 'office' };
  assert.deepEqual([await onServer('till', inOffice), await onServer('desk', inOffice)], [404, 200]);
  const search = async (headers: Record<string, string>) =>
    (await post(`${url}/api/tools.list`, headers, {})).messages as unknown as { server: string }[];
  assert.deepEqual([...new Set((await search(bound.headers)).map(({ server }) => server))], ['till']);
  assert.equal(
    (await post(`${url}/catalog/search`, { ...bound.headers, 'x-toolcrib-project': 'office' }, {})).status,
    404,
  );
});

test('[ACC-19] a token in the envelope counts for nobody who is not believed, and reaches no server', async () => {
  const meta = { token: narrow.token, projectId: 'shop', mine: 'kept' };
  const at = `${gateway.url}/mcp?surface=direct`;
  const listed = await askModern(at, gateway.agentHeaders, 'tools/list', {}, { meta });
  assert.deepEqual(viewOf(listed), ['till']);
  const call = { name: 'till.echo', arguments: { text: 'hi' } };
  assert.match(JSON.stringify((await askModern(at, gateway.agentHeaders, 'tools/call', call, { meta })).message), /hi/);
  const session = await RawSession.open(at, gateway.agentHeaders);
  assert.match(JSON.stringify((await session.request('tools/call', { ...call, _meta: meta })).message), /hi/);
  const seen = readJournal(journal).filter(({ event }) => event === 'message');
  assert.ok(seen.some(({ meta: heard }) => (heard as { mine?: string } | undefined)?.mine === 'kept'));
  assert.doesNotMatch(JSON.stringify(seen), /projectId|"token"/);
  const wrong = await askModern(at, gateway.agentHeaders, 'tools/list', {}, { meta: { token: 'tc_wrong' } });
  assert.equal(wrong.status, 200);
});

test('[ACC-19] a front end that the owner trusts speaks for others, with a token of its own or without', async () => {
  await using trusting = await openTestGateway({
    servers: { till: hostedServer({ name: 'till' }), desk: hostedServer({ name: 'desk' }) },
    config: { access: { trustedFrontEnds: ['10.0.0.0/8', '127.0.0.1'] } },
  });
  await trusting.gateway.admin.run('servers.refresh', {});
  const notes = async (at: typeof trusting) =>
    (await at.gateway.admin.run('gateway.doctor', { connect: false })).findings.filter((it) => it.subject === 'access');
  assert.match((await notes(trusting))[0]?.message ?? '', /names this machine: every program on it/);
  assert.deepEqual(await notes(gateway), []);
  const guest = await makeToken(trusting, { servers: ['desk'] });
  const at = `${trusting.url}/mcp?surface=direct`;
  const ask = (headers: Record<string, string>, token?: string) =>
    askModern(at, headers, 'tools/list', {}, { meta: token === undefined ? {} : { token } });
  assert.deepEqual(viewOf(await ask(trusting.agentHeaders)), ['desk', 'till']);
  assert.deepEqual(viewOf(await ask(trusting.agentHeaders, guest.token)), ['desk']);
  assert.deepEqual(viewOf(await ask({}, guest.token)), ['desk']);
  assert.equal((await ask({})).status, 401);
  assert.equal((await ask({}, 'tc_wrong')).status, 401);
  assert.equal((await ask(trusting.agentHeaders, 'tc_wrong')).status, 401);
  const owners = await askModern(
    `${trusting.url}/gateway/mcp`,
    trusting.ownerHeaders,
    'tools/list',
    {},
    {
      meta: { token: guest.token },
    },
  );
  assert.equal(owners.status, 403, 'the rights are those of whom it speaks for');
  const session = await RawSession.open(at, trusting.agentHeaders);
  const asGuest = await session.request('tools/list', { _meta: { token: guest.token } });
  assert.deepEqual([viewOf(asGuest), viewOf(await session.request('tools/list'))], [['desk'], ['desk', 'till']]);
  await trusting.gateway.admin.run('tokens.revoke', { name: guest.name });
  assert.equal((await session.request('tools/list', { _meta: { token: guest.token } })).status, 401);
  assert.equal((await session.request('tools/list')).status, 200);
});

test('[ACC-19] through a front end that names somebody in each message, questions are answered and calls cancelled', async () => {
  const heard = newJournal();
  await using trusting = await openTestGateway({
    servers: { till: hostedServer({ name: 'till', journal: heard }) },
    config: { access: { trustedFrontEnds: ['127.0.0.1'] } },
  });
  const guest = await makeToken(trusting);
  const other = await makeToken(trusting);
  const door = `${trusting.url}/servers/till/mcp?names=plain`;
  const _meta = { token: guest.token };
  const clientInfo = { name: 'raw', version: '1' };
  const opening = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo, _meta };
  const opened = await post(door, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening });
  const headers = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const call = (id: number, name: string) =>
    EventReader.open(
      door,
      headers,
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, _meta } }),
    );
  using asking = await call(1, 'elicit');
  const answer = { jsonrpc: '2.0', id: (await asking.message()).id, result: ELICITED };
  assert.equal((await post(`${trusting.url}/mcp`, headers, answer)).status, 401, 'at another door');
  assert.equal((await post(door, { ...headers, 'mcp-session-id': 'guessed' }, answer)).status, 401);
  const stray = {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 1, _meta: { token: other.token } },
  };
  assert.equal((await post(door, headers, stray)).status, 404, 'another token');
  assert.equal((await post(door, headers, { jsonrpc: '2.0', id: 7, method: 'ping' })).status, 401, 'a request');
  assert.equal((await post(door, headers, answer)).status, 202);
  assert.match(JSON.stringify(await asking.message()), /Ada/);
  using _waiting = await call(2, 'wait_for_cancel');
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  assert.equal((await post(door, headers, cancel)).status, 202);
  await waitForEntry(heard, ({ event, wasCancelled }) => event === 'tool-done' && wasCancelled === true);
  await trusting.gateway.admin.run('tokens.revoke', { name: guest.name });
  assert.equal((await post(door, headers, cancel)).status, 401);
});

test('[ACC-19] a batch with forty messages for somebody else is watched over once', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', onWarning);
  await using trusting = await openTestGateway({ config: { access: { trustedFrontEnds: ['127.0.0.1'] } } });
  const session = await RawSession.open(`${trusting.url}/mcp`, trusting.agentHeaders, { version: '2025-03-26' });
  const guest = await makeToken(trusting);
  const pings = Array.from({ length: 40 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'ping',
    params: { _meta: { token: guest.token } },
  }));
  assert.equal((await session.send(pings)).status, 200);
  process.off('warning', onWarning);
  assert.deepEqual(warnings, []);
});

test('[ACC-19] on stdio an agent can name its token and project in the envelope, in both eras', async () => {
  await using bridge = new RawBridge(toolcribStdio(gateway.dataDir, { TOOLCRIB_SURFACE: 'direct' }));
  await bridge.open();
  const servers = (answer: Record<string, unknown>) =>
    viewOf({ status: 200, message: answer } as unknown as Awaited<ReturnType<typeof post>>);
  const modern = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  for (const era of [{}, modern]) {
    const list = async (meta: object) => servers(await bridge.request('tools/list', { _meta: { ...era, ...meta } }));
    assert.deepEqual(await list({}), all);
    assert.deepEqual(await list({ token: narrow.token }), ['desk']);
    assert.deepEqual(await list({ projectId: 'shop' }), ['till']);
    assert.deepEqual(await list({ token: bound.token, projectId: 'shop' }), ['till']);
    assert.match(String(await list({ token: 'tc_wrong' })), /token/);
  }
});
