/** Tokens of an issuer in the course of time: they expire, are renewed, their issuer is away, and settings change. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../src/config/config.ts';
import { CliMachine } from '../kit/cli.ts';
import { askModern, type EventReader, openModernStream, RawSession } from '../kit/hand-made.ts';
import { openIssuerSetup } from '../kit/issuer-setup.ts';
import { HANG_MS } from '../kit/processes.ts';
import { sendRaw } from '../kit/raw-http.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';

const listening = { notifications: { toolsListChanged: true } };
/** Time enough to open what is to end with a token. */
const tokenSeconds = 10;

async function ended(stream: EventReader): Promise<void> {
  const end = (async () => {
    for (;;) await stream.next();
  })().catch(() => {});
  const isLate = await Promise.race([end.then(() => false), pause(HANG_MS, true, { ref: false })]);
  assert.equal(isLate, false, 'The stream stayed open.');
}

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

test('[OAUTH-26] when a token expires its streams and sessions end, in both eras', async () => {
  const servers = { one: hostedServer({ name: 'one' }) };
  await using setup = await openIssuerSetup({ servers }, { clockToleranceSeconds: 0 });
  const door = `${setup.test.url}/mcp`;
  const headers = await setup.headers({ exp: inSeconds(tokenSeconds) });
  const session = await RawSession.open(door, headers);
  const streams = [await session.listen(), await openModernStream(door, headers, 'subscriptions/listen', listening)];
  await Promise.all(streams.map(ended));
  assert.equal((await askModern(door, headers, 'tools/list')).status, 401);
  const again = await setup.headers();
  assert.equal(
    (await session.send({ jsonrpc: '2.0', id: 5, method: 'ping' }, again)).status,
    404,
    'its session is gone',
  );
});

test('[OAUTH-26] a session goes on with a newer token of the same person, and with nobody else', async () => {
  const servers = { one: hostedServer({ name: 'one' }) };
  await using setup = await openIssuerSetup({ servers }, { clockToleranceSeconds: 0 });
  const door = `${setup.test.url}/mcp`;
  const session = await RawSession.open(door, await setup.headers({ exp: inSeconds(tokenSeconds) }));
  const brief = await RawSession.open(door, await setup.headers({ sub: 'bert', exp: inSeconds(tokenSeconds) }));
  const end = ended(await brief.listen());
  using stream = await session.listen();
  const later = await setup.headers({ scope: 'toolcrib:use toolcrib:admin' });
  const ping = { jsonrpc: '2.0', id: 5, method: 'ping' };
  assert.equal((await session.send(ping, later)).status, 200);
  assert.equal((await session.send(ping, await setup.headers({ sub: 'carl' }))).status, 404);
  await end;
  assert.equal((await session.send(ping, later)).status, 200);
  await setup.test.gateway.admin.run('servers.disable', { name: 'one' });
  assert.equal((await stream.message()).method, 'notifications/tools/list_changed');
});

test("[OAUTH-27] the owner's own token is good on this machine, others only where they are kept", async () => {
  await using setup = await openIssuerSetup();
  const { test: opened } = setup;
  const made = await makeToken(opened);
  const statuses = () =>
    Promise.all(
      [opened.ownerHeaders, opened.agentHeaders, made.headers].map(
        async (headers) => (await askModern(`${opened.url}/mcp`, headers, 'tools/list')).status,
      ),
    );
  assert.deepEqual(await statuses(), [200, 401, 401]);
  await edit(opened.configFile, ({ oauth }) => Object.assign(oauth, { keepTokens: true }));
  await untilSo(async () => assert.deepEqual(await statuses(), [200, 200, 200]));
});

test('[OAUTH-27] the command line works for the owner as before, and the start says who gives agents their tokens', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const access = { auth: 'oauth', oauth: { issuer: 'https://issuer.example' } };
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ access }));
  const started = await machine.start();
  const { agentToken, issuer } = JSON.parse(started.printed.stdout) as { agentToken: null; issuer: string };
  assert.deepEqual([agentToken, issuer], [null, 'https://issuer.example']);
  const listed = await machine.run('list');
  assert.equal(listed.code, 0, listed.stderr);
});

test("[OAUTH-27] behind a front end the owner's token is good only for who is on this machine", async () => {
  const config = (issuer: string) => ({ auth: 'oauth', oauth: { issuer }, trustedFrontEnds: ['127.0.0.1'] });
  await using setup = await openIssuerSetup({ config: { access: config('http://127.0.0.1:9') } });
  const { url, ownerHeaders } = setup.test;
  const ask = async (address: string) =>
    (await askModern(`${url}/mcp`, { ...ownerHeaders, 'x-forwarded-for': address }, 'tools/list')).status;
  assert.deepEqual([await ask('203.0.113.9'), await ask('127.0.0.1')], [401, 200]);
});

test("[ACC-58] the owner's token is not good from somebody in between who does not name the sender in a way that we read", async () => {
  const access = (trustedFrontEnds: readonly string[]) => ({
    auth: 'oauth',
    oauth: { issuer: 'http://127.0.0.1:9' },
    allowedHosts: ['tools.example.com'],
    trustedFrontEnds,
  });
  for (const listed of [[], ['127.0.0.1']]) {
    await using setup = await openIssuerSetup({ config: { access: access(listed) } });
    const { url, ownerHeaders } = setup.test;
    const ask = async (...headers: readonly string[]) => {
      const head = ['POST /api/servers.list HTTP/1.1', `Authorization: ${ownerHeaders.authorization}`, ...headers];
      const rest = ['Content-Type: application/json', 'Content-Length: 2', '', '{}'];
      return (await sendRaw(url, [...head, ...rest].join('\r\n'))).status;
    };
    const [own, other] = ['Host: 127.0.0.1', 'Host: tools.example.com'];
    assert.equal(await ask(own), 200, 'from this machine');
    assert.equal(await ask(other), 401, 'called by another name');
    for (const header of ['Via: 1.1 front', 'Forwarded: for=203.0.113.9', 'X-Forwarded-Proto: https'])
      assert.equal(await ask(own, header), 401, header);
    for (const address of ['203.0.113.9:4711', 'unknown', '[2001:db8::1]', '[2001:db8::1]:80'])
      assert.equal(await ask(own, `X-Forwarded-For: ${address}`), 401, address);
    assert.equal(await ask(other, 'X-Forwarded-For: 127.0.0.1:4711'), listed.length === 0 ? 401 : 200);
  }
});

test('[OAUTH-28] while the issuer is away, good tokens stay good and no token is called bad', async () => {
  const clock = new ShiftedClock();
  await using setup = await openIssuerSetup({ clock });
  const { issuer, test: opened } = setup;
  const door = `${opened.url}/mcp`;
  issuer.answerWith(503);
  const headers = await setup.headers({ exp: inSeconds(86_400) });
  const away = await askModern(door, headers, 'tools/list');
  assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '30']);
  issuer.answerWith(200);
  clock.shift(limits.issuerAskMs);
  assert.equal((await askModern(door, headers, 'tools/list')).status, 200);
  issuer.answerWith(503);
  clock.shift(limits.issuerKeysStaleMs - 1_000);
  const another = await setup.headers({ sub: 'bert', exp: inSeconds(86_400) });
  for (const good of [headers, another]) assert.equal((await askModern(door, good, 'tools/list')).status, 200);
  clock.shift(limits.issuerAskMs);
  assert.equal((await askModern(door, headers, 'tools/list')).status, 503);
});

test('[OAUTH-30] other settings are in force at once, also for streams that are open', async () => {
  await using setup = await openIssuerSetup();
  const { test: opened } = setup;
  const door = `${opened.url}/mcp`;
  const headers = await setup.headers();
  const end = ended(await openModernStream(door, headers, 'subscriptions/listen', listening));
  await edit(opened.configFile, ({ oauth }) => Object.assign(oauth, { scopes: { use: 'tools' } }));
  await end;
  const { status, headers: answered } = await askModern(door, headers, 'tools/list');
  assert.equal(status, 403);
  assert.match(answered.get('www-authenticate') ?? '', /scope="tools"/);
  const named = await setup.headers({ scope: 'tools' });
  assert.equal((await askModern(door, named, 'tools/list')).status, 200);
  await edit(opened.configFile, (access) => Object.assign(access, { auth: 'token' }));
  await untilSo(async () => assert.equal((await askModern(door, named, 'tools/list')).status, 401));
  assert.equal((await askModern(door, opened.agentHeaders, 'tools/list')).status, 200);
});

type Access = { oauth: Record<string, unknown> };

async function edit(file: string, change: (access: Access) => unknown): Promise<void> {
  const config = JSON.parse(await readFile(file, 'utf8')) as { access: Access };
  change(config.access);
  await writeFile(file, JSON.stringify(config));
}

/** Tries until it holds: when a changed file is read cannot be known from outside. */
async function untilSo(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}
