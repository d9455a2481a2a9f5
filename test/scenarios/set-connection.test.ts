/** Another connection of a server that was added: tried beside the old one, kept in its place, with its secrets unseen. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../src/config/config.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { HastenedClock } from '../kit/hastened-clock.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, isAlive } from '../kit/processes.ts';
import { TrialPage } from '../kit/trial-page.ts';

const inputSchema = { type: 'object' };
const secret = 'q8Zk2-Wm5xT1-rYp';

test('[SET-05] a connection on trial leaves the server, its calls and its entry alone, until it is kept', async () => {
  const plan = planServers({
    old: {},
    new: {
      tools: [
        { name: 'echo', inputSchema },
        { name: 'sell', inputSchema },
      ],
    },
  });
  await using opened = await openTestGateway();
  const { admin } = opened.gateway;
  const agent = new ModernAgent(opened);
  await admin.run('servers.add', { name: 'till', spec: { ...plan.servers.old, title: 'Till' } });
  const [pid, before] = [await agent.pidOf('till'), await agent.tools()];
  const connection = plan.servers.new as { command: string; args: string[] };

  const page = await TrialPage.open(admin, { name: 'till', connection });
  const { trial } = page;
  assert.deepEqual([trial.error, trial.isNew, trial.isOther, trial.added], [null, false, true, ['sell']]);
  assert.deepEqual(
    trial.tools.map(({ name }) => name),
    ['echo', 'sell'],
  );
  assert.ok(trial.removed.includes('whoami') && !trial.removed.includes('echo'));
  const gone = await admin.run('servers.try', { name: 'till', connection: { command: '/no/such/program' } });
  assert.match(gone.error ?? '', /till/);
  assert.deepEqual([gone.tools, gone.removed], [[], []]);
  await assert.rejects(admin.run('servers.try', { name: 'till', connection: { env: { PATH: '/' } } }), /sets "PATH"/);
  assert.deepEqual(await agent.tools(), before);
  assert.equal(await agent.pidOf('till'), pid);
  const tried = plan.pidsOf('new');

  const kept = await page.keep(admin, { sell: 'ask' });
  assert.deepEqual(
    [kept.tools, kept.settings.title, kept.settings.permissions],
    [['echo', 'sell'], 'Till', { sell: 'ask' }],
  );
  assert.deepEqual(await agent.tools(), ['till.echo', 'till.sell']);
  await allGone([pid]);
  assert.deepEqual([plan.pidsOf('new'), tried.every(isAlive)], [tried, true]);
  page.close();
});

test('[SET-08] a discarded trial of another connection leaves the server unchanged', async () => {
  const plan = planServers({ old: {}, new: { tools: [{ name: 'sell', inputSchema }] } });
  const clock = new HastenedClock();
  await using opened = await openTestGateway({ clock });
  const { admin } = opened.gateway;
  const agent = new ModernAgent(opened);
  await admin.run('servers.add', { name: 'till', spec: plan.servers.old ?? {} });
  const [pid, before] = [await agent.pidOf('till'), await admin.run('servers.show', { name: 'till' })];
  const connection = plan.servers.new as { command: string; args: string[] };
  const page = await TrialPage.open(admin, { name: 'till', connection });
  await clock.awaited(limits.trialStayMs);
  page.close();
  await allGone(plan.pidsOf('new'));
  const after = await admin.run('servers.show', { name: 'till' });
  assert.deepEqual([after.written, after.tools, after.held], [before.written, before.tools, before.held]);
  assert.equal(await agent.pidOf('till'), pid);
});

test('[SET-09] a connection is not kept for an entry that was changed after its trial', async () => {
  const plan = planServers({ till: {}, other: {} });
  await using opened = await openTestGateway();
  const { admin } = opened.gateway;
  await admin.run('servers.add', { name: 'till', spec: plan.servers.till ?? {} });
  const page = await TrialPage.open(admin, { name: 'till', connection: { env: { REGION: 'north' } } });
  await admin.run('servers.remove', { name: 'till' });
  await admin.run('servers.add', { name: 'till', spec: plan.servers.other ?? {} });
  await assert.rejects(page.keep(admin), /Server "till" was changed while its new connection was tried/);
  const { written } = await admin.run('servers.show', { name: 'till' });
  assert.deepEqual(written?.kind === 'command' && written.env, {});
  // Another setting than the connection may change meanwhile.
  const again = await TrialPage.open(admin, { name: 'till', connection: { env: { REGION: 'south' } } });
  await admin.run('servers.set', { name: 'till', permissions: { '*': 'ask' } });
  assert.deepEqual(Object.keys((await again.keep(admin)).settings.permissions), ['*']);
  for (const one of [page, again]) one.close();
});

test('[SET-06] a secret that a change does not name is kept, and nobody is shown it', async () => {
  const plan = planServers({ till: {} });
  await using opened = await openTestGateway();
  const { admin } = opened.gateway;
  const agent = new ModernAgent(opened);
  const spec = { ...plan.servers.till, env: { SHOP_KEY: secret, MODE: 'test', REGION: 'north' } };
  await admin.run('servers.add', { name: 'till', spec });
  const connection = { env: { MODE: null, REGION: `south-${secret}` } };
  const trial = await admin.run('servers.try', { name: 'till', connection });
  assert.deepEqual([trial.error, trial.isOther, trial.added, trial.removed], [null, false, [], []]);
  const set = await admin.run('servers.set', { name: 'till', connection });
  assert.deepEqual(set.written?.kind === 'command' && set.written.env, { SHOP_KEY: null, REGION: null });
  assert.deepEqual(await agent.say('till.env', { reveal: 'SHOP_KEY' }), secret);
  assert.deepEqual(await agent.say('till.env', { reveal: 'REGION' }), `south-${secret}`);
  assert.equal(await agent.say('till.env', { reveal: 'MODE' }), '');
  const shown = [set, trial, await admin.run('audit.list', {}), opened.logged];
  assert.ok(!JSON.stringify(shown).includes(secret));
});

test('[SET-05] a trial at another address has no credential, and the sign-in to the old one stays', async () => {
  const seen: (string | undefined)[] = [];
  const stranger = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    await using setup = await openOAuthSetup();
    const { admin } = setup.test.gateway;
    await admin.run('servers.add', { name: 'near', spec: { url: setup.gate.url } });
    await setup.signIn('near');
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/mcp`;
    const elsewhere = await admin.run('servers.try', { name: 'near', connection: { url } });
    assert.deepEqual([elsewhere.reason, elsewhere.tools], ['credential', []]);
    assert.ok(seen.length > 0);
    assert.deepEqual([...new Set(seen)], [undefined]);
    assert.equal(await setup.state('near'), 'signed-in');
    const here = await admin.run('servers.try', { name: 'near', connection: { headers: { 'X-More': 'a' } } });
    assert.deepEqual([here.error, here.isOther], [null, false]);
    assert.ok(here.tools.length > 0);
  } finally {
    stranger.close();
  }
});
