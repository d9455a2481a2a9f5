/** Tokens that the owner makes: who has one comes in with its rights, and with a revoked one nobody stays. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAdmin } from '../../src/admin/client/client.ts';
import type { GatewayError } from '../../src/base/errors.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { askModern, type EventReader, openModernStream, RawSession } from '../kit/hand-made.ts';
import { HANG_MS } from '../kit/processes.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';
import { type JournalEntry, newJournal, readJournal, waitForEntry } from '../servers/launch.ts';

const plain = '/servers/one/mcp?names=plain';
const listening = { notifications: { toolsListChanged: true } };

/** Resolves when a stream has ended, or fails. */
async function ended(stream: EventReader): Promise<void> {
  const end = (async () => {
    for (;;) await stream.next();
  })().catch(() => {});
  const isLate = await Promise.race([end.then(() => false), pause(HANG_MS, true, { ref: false })]);
  assert.equal(isLate, false, 'The stream stayed open.');
}

/** Resolves when a server has noted this many matching entries. */
async function seen(journal: string, count: number, fits: (entry: JournalEntry) => boolean): Promise<void> {
  await waitForEntry(journal, () => readJournal(journal).filter(fits).length >= count);
}

test('[ACC-12] a token comes in with its rights in both eras, and its last use is known', async () => {
  await using gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one' }), two: hostedServer({ name: 'two' }) },
  });
  await gateway.gateway.admin.run('servers.refresh', {});
  const { headers, name, id } = await makeToken(gateway, { servers: ['o*'], surface: 'direct' });
  const door = `${gateway.url}/mcp`;
  const modern = (await askModern(door, headers, 'tools/list')).message.result as { tools: { name: string }[] };
  const session = await RawSession.open(door, headers);
  const legacy = (await session.request('tools/list')).message.result as { tools: { name: string }[] };
  assert.ok(modern.tools.length > 5);
  for (const { tools } of [modern, legacy]) assert.ok(tools.every((tool) => tool.name.startsWith('one.')));
  assert.equal((await askModern(`${gateway.url}/servers/two/mcp`, headers, 'tools/list')).status, 404);
  const usedBefore = (await gateway.gateway.admin.run('tokens.list', {})).find(({ name: other }) => other === 'agent');
  assert.equal(usedBefore?.lastUsedAt, null);
  await askModern(door, gateway.agentHeaders, 'tools/list');
  const listed = await gateway.gateway.admin.run('tokens.list', {});
  assert.ok(listed.find(({ name: other }) => other === 'agent')?.lastUsedAt !== null);
  const row = listed.find((token) => token.id === id);
  assert.deepEqual([row?.name, row?.state, row?.scopes, row?.servers], [name, 'active', ['use'], ['o*']]);
  assert.ok(row?.lastUsedAt !== null);
});

test('[ACC-13] when a token is revoked, what it has open ends and nobody comes in with it any more', async () => {
  const journal = newJournal();
  await using gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one', journal }) } });
  const { headers, name } = await makeToken(gateway);
  const at = (path: string) => `${gateway.url}${path}`;
  const session = await RawSession.open(at('/mcp'), headers);
  const onServer = await RawSession.open(at(plain), headers);
  const streams = [
    await session.listen(),
    await openModernStream(at('/mcp'), headers, 'subscriptions/listen', listening),
    await openModernStream(at(plain), headers, 'subscriptions/listen', listening),
  ];
  const modernCall = askModern(at(plain), headers, 'tools/call', { name: 'wait_for_cancel', arguments: {} });
  const legacyCall = onServer.request('tools/call', { name: 'wait_for_cancel', arguments: {} });
  const calls = Promise.allSettled([modernCall, legacyCall]);
  await seen(journal, 2, ({ event, name: tool }) => event === 'tool' && tool === 'wait_for_cancel');
  const kept = await RawSession.open(at('/mcp'), gateway.agentHeaders);
  using others = await kept.listen();

  await gateway.gateway.admin.run('tokens.revoke', { name });
  assert.equal((await askModern(at('/mcp'), headers, 'tools/list')).status, 401);
  assert.equal((await session.request('tools/list')).status, 401);
  await Promise.all(streams.map(ended));
  await calls;
  await seen(journal, 2, ({ event, wasCancelled }) => event === 'tool-done' && wasCancelled === true);
  // Its session is gone, not merely closed to it.
  const taken = { ...gateway.agentHeaders, 'mcp-session-id': session.headers['mcp-session-id'] ?? '' };
  assert.equal((await fetch(at('/mcp'), { method: 'DELETE', headers: taken })).status, 404);
  assert.equal((await kept.request('ping')).status, 200);
  await gateway.gateway.admin.run('servers.disable', { name: 'one' });
  assert.equal((await others.message()).method, 'notifications/tools/list_changed');
});

test('[ACC-14] a token that has expired is refused', async () => {
  const clock = new ShiftedClock();
  await using gateway = await openTestGateway({ clock });
  const { headers, id } = await makeToken(gateway, { expiresInMs: 60_000 });
  const ask = async () => (await askModern(`${gateway.url}/mcp`, headers, 'tools/list')).status;
  assert.equal(await ask(), 200);
  clock.shift(60_001);
  assert.equal(await ask(), 401);
  const states = async (all: boolean) =>
    (await gateway.gateway.admin.run('tokens.list', { ended: all })).find((token) => token.id === id)?.state;
  assert.deepEqual([await states(false), await states(true)], [undefined, 'expired']);
});

test('[ACC-15] when a server is switched off, what is open at its door ends', async () => {
  await using gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one' }), two: hostedServer({ name: 'two' }) },
  });
  const { agentHeaders } = gateway;
  const at = (path: string) => `${gateway.url}${path}`;
  const session = await RawSession.open(at(plain), agentHeaders);
  const streams = [
    await session.listen(),
    await openModernStream(at(plain), agentHeaders, 'subscriptions/listen', listening),
  ];
  const elsewhere = await RawSession.open(at('/servers/two/mcp'), agentHeaders);
  using other = await elsewhere.listen();
  await gateway.gateway.admin.run('servers.disable', { name: 'one' });
  await Promise.all(streams.map(ended));
  assert.equal((await askModern(at(plain), agentHeaders, 'tools/list')).status, 404);
  await gateway.gateway.admin.run('servers.enable', { name: 'one' });
  assert.equal((await session.request('ping')).status, 404, 'the session has ended');
  assert.equal((await elsewhere.request('ping')).status, 200);
  assert.equal(other.status, 200);
});

test('[ACC-16] of a token nothing is found in files, logs or answers, but for the one that tells it', async () => {
  await using gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
  const { token, headers, name } = await makeToken(gateway);
  await askModern(`${gateway.url}/mcp`, headers, 'tools/call', { name: 'tool_execute', arguments: {} });
  await askModern(`${gateway.url}/gateway/mcp`, headers, 'tools/list');
  await gateway.gateway.admin.run('tokens.revoke', { name });
  await askModern(`${gateway.url}/mcp`, headers, 'tools/list');
  const answers = await Promise.all([
    gateway.gateway.admin.run('tokens.list', { ended: true }),
    gateway.gateway.admin.run('gateway.doctor', { connect: false }),
  ]);
  const secret = token.slice(3);
  assert.ok(!JSON.stringify(answers).includes(secret));
  assert.ok(!gateway.logged.join('\n').includes(secret));
  for (const file of await readdir(gateway.dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    assert.ok(!bytes.includes(secret), file.name);
  }
});

test('[ACC-17] a session is no use to another token', async () => {
  await using gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
  const [one, two] = [await makeToken(gateway), await makeToken(gateway)];
  const session = await RawSession.open(`${gateway.url}/mcp`, one.headers);
  using stream = await session.listen();
  const stolen = { ...session.headers, ...two.headers, accept: 'text/event-stream' };
  for (const method of ['GET', 'DELETE'])
    assert.equal((await fetch(`${gateway.url}/mcp`, { method, headers: stolen })).status, 404);
  assert.equal((await session.send({ jsonrpc: '2.0', id: 9, method: 'ping' }, two.headers)).status, 404);
  assert.equal((await session.request('ping')).status, 200);
  assert.equal(stream.status, 200);
});

test('[ACC-17] names, scopes, servers and times that are not right are refused with the reason', async () => {
  await using gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
  const { admin } = gateway.gateway;
  const wrong: [Parameters<typeof makeToken>[1], RegExp][] = [
    [{ name: 'owner' }, /is reserved for the gateway/],
    [{ name: 'Owner' }, /is reserved for the gateway/],
    [{ name: 'EVERYBODY' }, /is reserved for the gateway/],
    [{ name: 'with space' }, /letters, digits/],
    [{ name: '' }, /letters, digits/],
    [{ scopes: [] }, /scopes/],
    [{ scopes: ['root' as 'use'] }, /scopes/],
    [{ project: 'nowhere' }, /There is no project "nowhere"/],
    [{ servers: [''] }, /servers/],
    [{ expiresInMs: 1 }, /expiresInMs/],
  ];
  for (const [more, reason] of wrong) await assert.rejects(makeToken(gateway, more), reason);
  const made = await makeToken(gateway, { name: 'ci', servers: ['one', 'nine*'] });
  assert.deepEqual(made.unmatched, ['nine*']);
  await assert.rejects(makeToken(gateway, { name: 'ci' }), /already a token "ci"/);
  await assert.rejects(makeToken(gateway, { name: 'CI' }), /already a token "ci"/);
  await assert.rejects(admin.run('tokens.revoke', { name: 'cj' }), /There is no token "cj"/);
  await assert.rejects(admin.run('tokens.revoke', { name: 'owner' }), /belongs to the data folder/);
  await admin.run('tokens.revoke', { name: made.id });
  await assert.rejects(admin.run('tokens.revoke', { name: 'ci' }), /revoked already/);
  assert.equal((await makeToken(gateway, { name: 'ci' })).state, 'active');
});

test('[ACC-27] a token with limits makes none without them, and what it made is told when it is revoked', async () => {
  await using gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
  const { admin } = gateway.gateway;
  for (const name of ['shop', 'other']) await admin.run('projects.create', { name });
  const limits = { servers: ['one', 'git*'], project: 'shop', expiresInMs: 600_000 };
  const limited = await makeToken(gateway, { name: 'limited', scopes: ['use', 'admin'], ...limits });
  const adminOf = (token: string) => connectAdmin(gateway.url, token);
  const wider: [object, RegExp][] = [
    [{ scopes: ['use', 'metrics'] }, /rights that it lacks: the scope "metrics"/],
    [{ servers: ['two'] }, /servers beyond "one", "git\*", such as "two"/],
    [{ servers: ['github*', 'g*'] }, /such as "g\*"/],
    [{ servers: ['*'] }, /such as "\*"/],
    [{ project: 'other' }, /another project than its own, "shop"/],
    [{ expiresInMs: 700_000 }, /more time than it has itself/],
  ];
  for (const [more, reason] of wider) {
    const input = { name: 'wider', ...more };
    await assert.rejects(adminOf(limited.token).run('tokens.create', input), (error: GatewayError) => {
      assert.match(error.message, reason);
      return error.code === 'ACCESS_DENIED';
    });
  }
  const child = await adminOf(limited.token).run('tokens.create', { name: 'child', scopes: ['use', 'admin'] });
  assert.deepEqual(
    [child.servers, child.project, child.expiresAt, child.createdBy],
    [limits.servers, 'shop', limited.expiresAt, 'limited'],
  );
  const narrow = { name: 'grandchild', servers: ['github-*'], expiresInMs: 60_000 };
  const grandchild = await adminOf(child.token).run('tokens.create', narrow);
  assert.deepEqual([grandchild.servers, grandchild.project], [['github-*'], 'shop']);
  assert.ok((grandchild.expiresAt ?? '') < (child.expiresAt ?? ''));
  assert.equal((await makeToken(gateway, { name: 'apart' })).createdBy, 'owner');
  assert.deepEqual((await admin.run('tokens.revoke', { name: 'limited' })).made, ['child', 'grandchild']);
  await assert.rejects(adminOf(limited.token).run('tokens.create', { name: 'late' }));
  assert.deepEqual((await admin.run('tokens.revoke', { name: 'child' })).made, ['grandchild']);
  assert.deepEqual((await admin.run('tokens.revoke', { name: 'grandchild' })).made, []);
});
