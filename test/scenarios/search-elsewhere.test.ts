/** Search by another gateway, and the door that such a gateway asks. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import {
  askCatalog,
  type Discovered,
  discover,
  keysOf,
  loggedWith,
  officeKeys,
  officeServers,
  type Posted,
} from '../kit/search-requests.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';
import { ModelApi, type ModelRequest } from '../servers/model-api.ts';

const queries = ['send an e-mail', 'read a text file', 'put an appointment into the calendar', 'what came in the post'];
const given = [
  { toolKey: 'shop:pay_bill', toolName: 'pay_bill', serverName: 'shop', description: 'Pays an invoice.' },
  { toolKey: 'shop:list_bills', toolName: 'list_bills', serverName: 'shop', description: 'Lists open invoices.' },
];

/** The gateway that others ask. */
let remote: TestGateway;
before(async () => {
  remote = await openListedGateway({ servers: officeServers() });
});
after(() => remote.close());

function cloudConfig(url: string, timeoutMs = 5_000) {
  return { search: { mode: 'cloud', cloud: { url, tokenEnv: 'OTHER_TOKEN', timeoutMs } } };
}

function envWith(token: string): NodeJS.ProcessEnv {
  return { ...process.env, OTHER_TOKEN: token };
}

function keysIn({ results }: Posted): string[] {
  return results.map(({ toolKey }) => toolKey).toSorted();
}

function sentIn(request: ModelRequest | undefined): { toolKey: string; serverName: string }[] {
  assert.ok(request);
  return request.body.tools as { toolKey: string; serverName: string }[];
}

test('[FIND-01] catalog/search finds among the tools that the caller may use, in the mode that is asked for', async () => {
  const { status, results } = await askCatalog(remote, { query: ['erase the whole disk', 'send an e-mail'] });
  assert.equal(status, 200);
  const keys = results.map(({ toolKey }) => toolKey);
  assert.ok(!keys.includes('files:erase_everything'), 'a tool that nobody may use does not exist');
  const mail = results.find(({ toolKey }) => toolKey === 'mail:send_mail');
  assert.deepEqual(
    [mail?.toolName, mail?.serverName, mail?.description],
    ['send_mail', 'mail', 'Sends an e-mail to somebody.'],
  );
  assert.ok((mail?.relevance ?? 0) > 0.5);
  const byWords = await askCatalog(remote, { query: 'send a mail', mode: 'bm25', maxResults: 1 });
  assert.deepEqual(
    byWords.results.map(({ toolKey, explanation }) => [toolKey, explanation]),
    [['mail:send_mail', 'It has the words "send" and "mail".']],
  );
  const byMeaning = await askCatalog(remote, { query: 'send a mail', mode: 'semantic', maxResults: 1 });
  assert.equal(byMeaning.results[0]?.explanation, 'It is near in meaning.');
  const door = `${remote.url}/catalog/search`;
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(door, { method: 'POST', headers, body: '{"query":"x"}' })).status, 401);
});

test('[FIND-02] tools that come with a question are searched, and nothing else is', async () => {
  const { status, results } = await askCatalog(remote, {
    query: ['settle what I owe', 'send an e-mail'],
    tools: given,
  });
  assert.equal(status, 200);
  assert.deepEqual(results.map(({ toolKey }) => toolKey).toSorted(), ['shop:list_bills', 'shop:pay_bill']);
  for (const mode of ['bm25', 'semantic', 'hybrid', 'llm', 'cloud']) {
    const answer = await askCatalog(remote, { query: 'pay an invoice', tools: given, mode, maxResults: 1 });
    assert.deepEqual(
      answer.results.map(({ toolKey }) => toolKey),
      ['shop:pay_bill'],
      mode,
    );
  }
  assert.deepEqual((await askCatalog(remote, { query: 'send an e-mail', tools: [] })).results, []);
});

const [tool] = given;
const badQuestions: readonly (readonly [body: unknown, says: RegExp])[] = [
  [[], /the body must be an object/],
  [{}, /"query" must be a text or a list of 1 to 20 texts/],
  [{ query: [] }, /"query" must be a text or a list of 1 to 20 texts/],
  [{ query: '  ' }, /"query\[0\]" must say what is needed/],
  [{ query: [7] }, /"query\[0\]" must be a text/],
  [{ query: 'x', mode: 'magic' }, /"mode" must be one of bm25, /],
  [{ query: 'x', maxResults: 101 }, /"maxResults" must be at most 100/],
  [{ query: 'x', tools: {} }, /"tools" must be a list/],
  [{ query: 'x', tools: [{ ...tool, toolKey: '' }] }, /"tools\[0\]\.toolKey" must hold/],
  [
    { query: 'x', tools: [{ ...tool, toolName: 'a\u0007b' }] },
    /"tools\[0\]\.toolName" must hold no control characters/,
  ],
  [{ query: 'x', tools: [{ ...tool, toolName: undefined }] }, /"tools\[0\]\.toolName" is missing/],
  [{ query: 'x', tools: [{ toolKey: 'shop:pay_bill', name: 'pay_bill' }] }, /"tools\[0\]\.serverName" is missing/],
  [
    { query: 'x', tools: [{ ...tool, server: 'x'.repeat(300) }] },
    /"tools\[0\]\.server" must have at most 256 characters/,
  ],
  [{ query: 'x', tools: [tool, tool] }, /the same toolKey twice/],
  [
    { query: 'x', tools: new Array(5_001).fill(0).map((_, at) => ({ ...tool, toolKey: `shop:${at}` })) },
    /"tools" must have at most 5000 items/,
  ],
];

test('[FIND-03] a question that is not right is refused with what is wrong, and one that is too large at all', async () => {
  for (const [body, says] of badQuestions) {
    const { status, error } = await askCatalog(remote, body);
    assert.equal(status, 400, JSON.stringify(body).slice(0, 200));
    assert.equal(error?.code, 'ARGUMENTS_INVALID');
    assert.match(error.message, says);
    assert.ok(error.message.length < 500 && error.hint.includes('query'));
  }
  assert.equal((await askCatalog(remote, '{"query": ')).status, 400);
  const huge = JSON.stringify({ query: 'x'.repeat(4_300_000) });
  const headers = { ...remote.agentHeaders, 'content-type': 'application/json' };
  const refused = await fetch(`${remote.url}/catalog/search`, { method: 'POST', headers, body: huge });
  assert.equal(refused.status, 413);
  await refused.body?.cancel();
});

test('[FIND-04] another gateway searches for this one and finds the same tools', async () => {
  const url = `${remote.url}/catalog/search`;
  const env = envWith(remote.gateway.tokens.agent);
  await using near = await openListedGateway({ servers: officeServers(), config: cloudConfig(url), env });
  for (const query of queries) {
    const far = await discover(near, query);
    assert.equal(far.metadata.mode, 'cloud', query);
    assert.doesNotMatch(far.metadata.notice ?? '', /searched here/);
    // All that is found, with what is too unlikely to be offered: a set that no change of a measure makes smaller.
    const [there, here] = [await askCatalog(near, { query }), await askCatalog(remote, { query })];
    assert.equal(there.results[0]?.toolKey, here.results[0]?.toolKey, query);
    assert.deepEqual(keysIn(there), keysIn(here), query);
    assert.equal(keysOf(far)[0], here.results[0]?.toolKey);
  }
  assert.deepEqual(loggedWith(near, 'another gateway'), []);
});

test('[ADVICE-01] names of tools are read under either spelling, and answered as toolName and serverName', async () => {
  const older = given.map(({ toolName, serverName, ...rest }) => ({ ...rest, name: toolName, server: serverName }));
  for (const tools of [given, older]) {
    const { results } = await askCatalog(remote, { query: 'pay an invoice', tools, maxResults: 1 });
    assert.deepEqual(
      results.map(({ toolKey, toolName, serverName }) => [toolKey, toolName, serverName]),
      [['shop:pay_bill', 'pay_bill', 'shop']],
    );
  }
});

test('[ADVICE-01] the reason that another service gives for a tool is passed on as it is', async () => {
  await using other = await ModelApi.open();
  const explanation = 'Sends what you write, says the other service.';
  const answer = { results: [{ name: 'send_mail', server: 'mail', relevance: 0.9, explanation }] };
  other.fault = { kind: 'answer', body: answer };
  const config = cloudConfig(`${other.url}/catalog/search`);
  await using near = await openListedGateway({ servers: officeServers(), config, env: envWith('x') });
  const { results } = await askCatalog(near, { query: 'send an e-mail' });
  assert.deepEqual(
    results.map(({ toolKey, relevance, explanation: why }) => [toolKey, relevance, why]),
    [['mail:send_mail', 0.9, explanation]],
  );
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${near.url}/mcp?surface=search`, { headers: near.agentHeaders });
    const found = await agent.say('tool_discovery', { query: 'send an e-mail', detailLevel: 'full' });
    const { tools, metadata } = JSON.parse(found) as Discovered;
    assert.deepEqual([metadata.mode, tools[0]?.explanation], ['cloud', explanation], kind);
  }
});

test('[FIND-05] only tools that the asker may use are sent to another gateway', async () => {
  await using other = await ModelApi.open();
  other.key = 'the-token';
  const config = cloudConfig(`${other.url}/catalog/search`);
  await using near = await openListedGateway({ servers: officeServers(), config, env: envWith('the-token') });
  const found = await discover(near, 'send an e-mail', { maxResults: 1 });
  assert.deepEqual([found.metadata.mode, ...keysOf(found)], ['cloud', 'mail:send_mail']);
  const [request] = other.requests;
  const sent = sentIn(request).map(({ toolKey }) => toolKey);
  assert.deepEqual(sent.toSorted(), officeKeys.toSorted());
  assert.doesNotMatch(JSON.stringify(request?.body), /erase/i);
  await discover(near, 'send an e-mail', { server: 'calendar' });
  const limited = sentIn(other.requests[1]).map(({ serverName }) => serverName);
  assert.deepEqual([...new Set(limited)], ['calendar']);
});

test('[FIND-06] a gateway that answers too late is done without, which is said in the answer and once in the log', async () => {
  await using other = await ModelApi.open();
  const { promise: never, resolve: release } = Promise.withResolvers<void>();
  other.fault = { kind: 'delay', until: never };
  const clock = new ShiftedClock();
  const config = cloudConfig(`${other.url}/catalog/search`, 150);
  await using near = await openListedGateway({ servers: officeServers(), config, env: envWith('x'), clock });
  const late = await discover(near, 'send an e-mail');
  assert.equal(late.metadata.mode, 'hybrid');
  assert.match(late.metadata.notice ?? '', /another gateway cannot be used for now.*searched here/i);
  assert.equal(keysOf(late)[0], 'mail:send_mail');
  const again = await discover(near, 'read a file');
  assert.deepEqual([again.metadata.mode, keysOf(again)[0]], ['hybrid', 'files:read_file']);
  assert.ok(again.metadata.notice);
  assert.equal(other.requests.length, 1, 'it is left alone for a while');
  assert.equal(loggedWith(near, 'another gateway cannot be used').length, 1);
  release();
  other.fault = undefined;
  clock.shift(31_000);
  assert.deepEqual((await discover(near, 'send an e-mail', { maxResults: 1 })).metadata.mode, 'cloud');
  assert.equal(loggedWith(near, 'answers again').length, 1);
});

test('[FIND-06] a gateway that dies is done without, and used again when it is back', async () => {
  await using proxy = await TcpProxy.to(remote.url);
  const clock = new ShiftedClock();
  const config = cloudConfig(`${proxy.url}/catalog/search`);
  const env = envWith(remote.gateway.tokens.agent);
  await using near = await openListedGateway({ servers: officeServers(), config, env, clock });
  const modeNow = async () => (await discover(near, 'send an e-mail')).metadata.mode;
  assert.equal(await modeNow(), 'cloud');
  await proxy.close();
  assert.equal(await modeNow(), 'hybrid');
  clock.shift(31_000);
  assert.equal(await modeNow(), 'hybrid', 'still dead');
  assert.equal(loggedWith(near, 'another gateway cannot be used').length, 1);
  await proxy.open();
  clock.shift(61_000);
  assert.equal(await modeNow(), 'cloud');
  assert.equal(loggedWith(near, 'answers again').length, 1);
});

test('[FIND-07] two gateways that are set as search of each other do not ask in a circle', async () => {
  await using toSecond = new TcpProxy(0);
  await toSecond.open();
  const options = (url: string) => ({
    servers: officeServers(),
    isAuthOff: true,
    config: { search: { mode: 'cloud', cloud: { url: `${url}/catalog/search`, timeoutMs: 30_000 } } },
  });
  await using first = await openListedGateway(options(toSecond.url));
  await using second = await openListedGateway(options(first.url));
  toSecond.target = Number(new URL(second.url).port);
  for (const gateway of [first, second]) {
    const found = await discover(gateway, 'send an e-mail');
    assert.deepEqual([found.metadata.mode, found.metadata.notice], ['cloud', undefined]);
    assert.equal(keysOf(found)[0], 'mail:send_mail');
  }
});
