/** Limits for those who come in, and for those who try to: nobody takes more than a share, and everybody hears when to come back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postSignIn } from '../kit/browser.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { askModern, openModernStream, post, RawSession } from '../kit/hand-made.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';
import { type JournalEntry, newJournal, readJournal, waitForEntry } from '../servers/launch.ts';
import { ELICITED } from '../servers/sdk-clients.ts';

const wrong = { authorization: 'Bearer tc_wrong' };

test('[ACC-22] an address with too many failed sign-ins waits, and nobody else does', async () => {
  await using gateway = await openTestGateway({
    config: { limits: { failedSignInsPerMinute: 5 }, access: { trustedFrontEnds: ['127.0.0.1'] } },
  });
  const ask = (headers: Record<string, string>, from = '192.0.2.1') =>
    askModern(`${gateway.url}/mcp`, { ...headers, 'x-forwarded-for': `203.0.113.9, ${from}` }, 'tools/list');
  for (let at = 0; at < 5; at += 1) assert.equal((await ask(wrong)).status, 401);
  const blocked = await ask(wrong);
  assert.equal(blocked.status, 429);
  const seconds = Number(blocked.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  assert.equal((await ask(gateway.agentHeaders)).status, 200, 'a good token from the same address');
  assert.equal((await ask(wrong, '192.0.2.2')).status, 401, 'another address');
  assert.equal((await ask(gateway.agentHeaders, '192.0.2.2')).status, 200);
  const page = { origin: gateway.url, 'x-forwarded-for': '192.0.2.1' };
  assert.equal((await postSignIn(gateway, { code: 'wrong' }, page)).status, 429, 'codes are counted too');
  assert.equal((await postSignIn(gateway, {}, page)).status, 401, 'no code is no guess');
});

test('[ACC-22] an address that nobody vouches for is the one of the connection', async () => {
  await using gateway = await openTestGateway({ config: { limits: { failedSignInsPerMinute: 3 } } });
  const ask = (at: number) =>
    askModern(`${gateway.url}/mcp`, { ...wrong, 'x-forwarded-for': `192.0.2.${at}` }, 'tools/list');
  const statuses = [];
  for (let at = 0; at < 5; at += 1) statuses.push((await ask(at)).status);
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
});

test('[ACC-22] refused sign-ins are in the record, not each of them', async () => {
  await using gateway = await openTestGateway();
  for (let at = 0; at < 5; at += 1) await askModern(`${gateway.url}/mcp`, wrong, 'tools/list');
  const { records } = await gateway.gateway.admin.run('audit.list', { kind: 'access' });
  const refused = records.filter(({ action }) => action === 'sign-in.refused');
  assert.deepEqual(
    refused.map(({ detail }) => detail),
    [{ address: '127.0.0.1', count: 1 }],
  );
});

test('[ACC-22] orders that a token may not give are in the record, not each of them and not with what they say', async () => {
  await using gateway = await openTestGateway();
  const body = JSON.stringify({ name: 'mine', servers: Array.from({ length: 50 }, () => 'CANARY'.repeat(30)) });
  const headers = { ...gateway.agentHeaders, 'content-type': 'application/json' };
  for (let at = 0; at < 20; at += 1) {
    const { status } = await fetch(`${gateway.url}/api/tokens/create`, { method: 'POST', headers, body });
    assert.equal(status, 403);
  }
  const { records } = await gateway.gateway.admin.run('audit.list', { kind: 'administration' });
  assert.deepEqual(
    records.map(({ action, principal, outcome, errorType, detail }) => ({
      action,
      principal,
      outcome,
      errorType,
      detail,
    })),
    [
      {
        action: 'tokens.create',
        principal: { id: 'agent', name: 'agent' },
        outcome: 'refused',
        errorType: 'ACCESS_DENIED',
        detail: { count: 1 },
      },
    ],
  );
});

test('[ACC-23] a token makes as many calls in a minute as it may, in both eras, by name, key and program', async () => {
  await using gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one' }) },
    config: { limits: { callsPerMinute: 4 } },
  });
  await gateway.gateway.admin.run('servers.refresh', {});
  const { headers } = await makeToken(gateway);
  const at = (surface: string) => `${gateway.url}/mcp?surface=${surface}`;
  const echo = { name: 'one.echo', arguments: { text: 'hi' } };
  const execute = { name: 'tool_execute', arguments: { toolKey: 'one:echo', arguments: { text: 'hi' } } };
  const session = await RawSession.open(at('direct'), headers);
  const code = "await servers.one.echo({ text: 'a' }); await servers.one.echo({ text: 'b' }); return 'both'";
  const program = { name: 'call_tool_chain', arguments: { code } };
  const good = [
    await askModern(at('direct'), headers, 'tools/call', echo),
    await session.request('tools/call', echo),
    await askModern(at('code'), headers, 'tools/call', program),
  ];
  for (const { message } of good) assert.doesNotMatch(JSON.stringify(message), /RATE_LIMITED/);
  const late = [
    await askModern(at('direct'), headers, 'tools/call', echo),
    await session.request('tools/call', echo),
    await askModern(at('search'), headers, 'tools/call', execute),
    await askModern(at('code'), headers, 'tools/call', program),
  ];
  for (const { message, status } of late) {
    assert.equal(status, 200);
    assert.match(JSON.stringify(message), /RATE_LIMITED/);
    assert.match(JSON.stringify(message), /Try again in \d+ s/);
  }
  assert.doesNotMatch(
    JSON.stringify((await askModern(at('direct'), gateway.agentHeaders, 'tools/call', echo)).message),
    /RATE_LIMITED/,
    'another token has its own',
  );
  const flood = [];
  for (let count = 0; count < 45; count += 1) flood.push(await askModern(at('direct'), headers, 'prompts/list'));
  const refused = flood.find(({ status }) => status === 429);
  assert.ok(Number(refused?.headers.get('retry-after')) >= 1);
});

test('[ACC-24] sessions, streams and watched resources of a token are so many, and those of others are their own', async () => {
  await using gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one' }) },
    config: { limits: { sessionsPerToken: 2, streamsPerToken: 2, subscriptionsPerToken: 1 } },
  });
  const { headers } = await makeToken(gateway);
  const door = `${gateway.url}/servers/one/mcp?names=plain`;
  const [first, second] = [await RawSession.open(door, headers), await RawSession.open(door, headers)];
  using _one = await first.listen();
  using _two = await second.listen();
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening };
  const third = await post(door, headers, initialize);
  assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '30']);
  assert.equal((await post(door, gateway.agentHeaders, initialize)).status, 200);
  const listening = { notifications: { toolsListChanged: true } };
  const stream = await askModern(door, headers, 'subscriptions/listen', listening);
  assert.equal(stream.status, 429);
  using other = await openModernStream(door, gateway.agentHeaders, 'subscriptions/listen', listening);
  assert.equal(other.status, 200);
  const { resources } = (await first.request('resources/list')).message.result as { resources: { uri: string }[] };
  const [uri, another] = resources.map((resource) => resource.uri);
  assert.ok((await first.request('resources/subscribe', { uri })).message.result);
  const refused = await second.request('resources/subscribe', { uri: another });
  assert.match(refused.message.error?.message ?? '', /A token may watch at most 1 resources at once/);
  await first.request('resources/unsubscribe', { uri });
  assert.ok((await second.request('resources/subscribe', { uri: another })).message.result);
});

test('[ACC-24] a token has so many requests under way, and what ends one of them always gets through', async () => {
  const journal = newJournal();
  await using gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one', journal }) },
    config: { limits: { requestsPerToken: 3 } },
  });
  const { headers } = await makeToken(gateway);
  const door = `${gateway.url}/servers/one/mcp?names=plain`;
  const session = await RawSession.open(door, headers, { capabilities: { elicitation: {} } });
  const waiting = { name: 'wait_for_cancel', arguments: {} };
  using asking = await session.stream('tools/call', { name: 'elicit', arguments: {} });
  const question = await asking.message();
  const calls = [session.stream('tools/call', waiting), session.stream('tools/call', waiting)];
  await waitForEntry(journal, () => readJournal(journal).filter(isWaiting).length === 2);
  const refused = [
    await session.request('ping'),
    await askModern(door, headers, 'tools/list'),
    await fetch(`${gateway.url}/catalog/search`, { method: 'POST', headers, body: '{}' }),
  ];
  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.headers.get('retry-after')]),
    refused.map(() => [429, '1']),
  );
  assert.equal((await askModern(door, gateway.agentHeaders, 'tools/list')).status, 200, 'another token has its own');
  const answered = await session.send({ jsonrpc: '2.0', id: question.id, result: ELICITED });
  assert.equal(answered.status, 202);
  assert.match(JSON.stringify(await asking.message()), /Ada/);
  for (const requestId of [2, 3]) {
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
    assert.equal((await session.send(cancel)).status, 202);
  }
  await waitForEntry(journal, () => readJournal(journal).filter(({ event }) => event === 'tool-done').length === 3);
  for (const call of calls) (await call).drop();
  assert.equal((await session.request('ping')).status, 200);
});

function isWaiting({ event, name }: JournalEntry): boolean {
  return event === 'tool' && name === 'wait_for_cancel';
}

test('[ACC-24] a token that has all its sessions gets another one where one is not in use', async () => {
  await using gateway = await openTestGateway({ config: { limits: { sessionsPerToken: 2 } } });
  const door = `${gateway.url}/mcp`;
  const others = await RawSession.open(door, gateway.ownerHeaders);
  const quiet = await RawSession.open(door, gateway.agentHeaders);
  const second = await RawSession.open(door, gateway.agentHeaders);
  const third = await RawSession.open(door, gateway.agentHeaders);
  const statuses = await Promise.all(
    [others, quiet, second, third].map(async (it) => (await it.request('ping')).status),
  );
  assert.deepEqual(statuses, [200, 404, 200, 200]);
});

test('[ACC-64] creating one token too many fails and names limits.tokens, until another token is revoked', async () => {
  await using gateway = await openTestGateway({ config: { limits: { tokens: 2 } } });
  const { admin } = gateway.gateway;
  const made = [await makeToken(gateway), await makeToken(gateway)];
  await assert.rejects(
    makeToken(gateway),
    ({ message, hint }) => /2 active tokens/.test(message) && /limits\.tokens/.test(hint),
  );
  await admin.run('tokens.revoke', { name: made[0]?.name ?? '' });
  await makeToken(gateway);
});
