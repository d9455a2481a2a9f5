/** A search taken apart for the owner: as somebody else sees it, with what was left out, and without a trace in what was learned. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRealSizeGateway } from '../kit/real-size.ts';
import { bearer } from '../kit/tokens.ts';

let gateway: Awaited<ReturnType<typeof openRealSizeGateway>>;
before(async () => {
  gateway = await openRealSizeGateway();
  const { admin } = gateway.gateway;
  await admin.run('projects.create', { name: 'letters', servers: ['mail-*'], search: 'bm25' });
  await admin.run('tokens.create', { name: 'ann', servers: ['git', 'filesystem'] });
  await admin.run('tokens.create', { name: 'bot', project: 'letters' });
});
after(() => gateway.close());

const query = 'send an e-mail to somebody';

test('[FIND-31] the owner sees what each score is made of, and finds what an agent finds', async () => {
  const { admin } = gateway.gateway;
  for (const mode of ['bm25', 'semantic', 'hybrid'] as const) {
    const explained = await admin.run('search.explain', { query, mode, limit: 5 });
    const found = await admin.run('tools.search', { query, mode, limit: 5 });
    assert.deepEqual(
      explained.hits.map(({ toolKey }) => toolKey),
      found.tools.map(({ toolKey }) => toolKey),
      mode,
    );
    assert.deepEqual([explained.mode, explained.as.tools], [mode, explained.as.allTools]);
    for (const { score, parts, matches, nearness } of explained.hits) {
      const sum = Object.values(parts ?? {}).reduce((total, part) => total + part, 0);
      assert.ok(Math.abs(sum - score) < 1e-9);
      assert.equal(nearness === null, mode === 'bm25');
      if (mode === 'semantic') assert.deepEqual(matches, []);
    }
    assert.ok(mode === 'semantic' || explained.hits[0]?.matches.some(({ word }) => word === 'send'));
  }
});

test('[FIND-31] a search as somebody else finds what they find, and names what they lack and why', async () => {
  const { admin } = gateway.gateway;
  const asAnn = await admin.run('search.explain', { query, token: 'ann' });
  assert.equal(asAnn.as.name, 'ann');
  assert.ok(asAnn.as.tools < asAnn.as.allTools);
  assert.ok(asAnn.hits.every(({ toolKey }) => /^(?:git|filesystem):/.test(toolKey)));
  const [missed] = asAnn.leftOut;
  assert.deepEqual([missed?.toolKey.startsWith('mail-'), missed?.why], [true, 'server']);
  const inProject = await admin.run('search.explain', { query: 'commit changes', project: 'letters' });
  assert.deepEqual([inProject.as.project, inProject.mode], ['letters', 'bm25']);
  assert.equal(inProject.leftOut.find(({ toolKey }) => toolKey === 'git:git_commit')?.why, 'project');
  const asBot = await admin.run('search.explain', { query: 'commit changes', token: 'bot' });
  assert.deepEqual(asBot, { ...inProject, as: { ...inProject.as, name: 'bot' } });
  const filtered = await admin.run('search.explain', { query, server: 'git' });
  assert.equal(filtered.leftOut[0]?.why, 'other-server');
});

test('[FIND-31] only the owner may ask; it is their own act and counts as no use of the token', async () => {
  const { admin } = gateway.gateway;
  const url = `${gateway.url}/api/search/explain`;
  const ask = (headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query, token: 'ann' }),
    });
  assert.equal((await ask(gateway.agentHeaders)).status, 403);
  assert.equal((await ask(bearer('tc_wrong'))).status, 401);
  assert.equal((await ask(gateway.ownerHeaders)).status, 200);
  const { records } = await admin.run('audit.list', { limit: 5 });
  const own = records.find(({ action, outcome }) => action === 'search.explain' && outcome === 'ok');
  assert.deepEqual([own?.kind, own?.principal.name], ['discovery', 'owner']);
  const ann = (await admin.run('tokens.list', {})).find(({ name }) => name === 'ann');
  assert.equal(ann?.lastUsedAt, null);
});

test('[FIND-31] an unknown token or project is named, with the nearest', async () => {
  const { admin } = gateway.gateway;
  await assert.rejects(admin.run('search.explain', { query, token: 'anne' }), {
    message: 'There is no token "anne".',
    hint: 'Did you mean "ann"?',
  });
  await assert.rejects(admin.run('search.explain', { query, project: 'letter' }), /There is no project "letter"/);
  await assert.rejects(
    admin.run('search.explain', { query, token: 'bot', project: 'shop' }),
    /The token "bot" is bound to the project "letters"/,
  );
});
