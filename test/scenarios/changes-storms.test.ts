/** Many notices and many servers at once: few listings, one piece of news, and nobody waits for somebody else's noise. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../src/config/config.ts';
import { Audience } from '../kit/audience.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { mostListsIn, planServers } from '../kit/planned-servers.ts';
import { type JournalEntry, type RunningServer, startServer, waitForEntry } from '../servers/launch.ts';

const door = '/mcp?surface=search';
const bare = { tools: 'default', resources: [], templates: [], prompts: [] } as const;
const storm = { listChangedStorm: { count: 10_000, overMs: 2_000 } };

test('[OFFER-38] storms of both eras, also out of the listing itself, cost few lists and hold up no other news', async () => {
  const { servers, noted, journalOf } = planServers({
    calm: bare,
    legacy: { ...bare, modes: storm },
    modern: { ...bare, era: 'modern', modes: storm },
    echoing: { ...bare, modes: { ...storm, listChangedOnList: true } },
  });
  await using remote = await startServer({ ...bare, name: 'remote', era: 'modern', transport: 'http', modes: storm });
  const journals = () => ({
    ...Object.fromEntries(['legacy', 'modern', 'echoing'].map((name) => [name, noted(name)])),
    remote: remote.journal(),
  });
  await using gateway = await openTestGateway({ servers: { ...servers, remote: { url: remote.url } } });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  await using audience = await Audience.gather(gateway, { [door]: ['toolcrib://tools'] });
  const updated = ['toolcrib://tools'];
  await audience.hears('news of another', () => agent.say('calm.mutate', { add: 'news' }), {
    [door]: { tools: 1, resources: 1, updated },
  });
  for (const path of [...['legacy', 'modern', 'echoing'].map(journalOf), remote.journalPath])
    await waitForEntry(path, ({ event }) => event === 'storm-done');
  // The last notices of the storm may be followed once more.
  await audience.hears('the rest of the storm', () => pause(1_200), {});
  for (const [name, journal] of Object.entries(journals())) {
    // Its first listing and the one before the agents listened are none of the storm's.
    const count = listsIn(journal) - 2;
    assert.ok(count <= 1 + mostListsIn(journal), `${name} was listed ${count} times for the storm`);
  }
});

function listsIn(entries: readonly JournalEntry[]): number {
  return entries.filter(({ event, method }) => event === 'list' && method === 'tools/list').length;
}

test('[OFFER-39] servers that come together and a refresh of all are a piece of news or two, not one for each', async () => {
  const count = 6;
  const running: RunningServer[] = [];
  try {
    for (let at = 0; at < count; at += 1)
      running.push(await startServer({ ...bare, name: `s${at}`, transport: 'http', era: 'modern' }));
    const entries = Object.fromEntries(running.map(({ url }, at) => [`s${at}`, { url }]));
    await using gateway = await openTestGateway({ servers: entries });
    await using audience = await Audience.gather(gateway, { [door]: [] });
    const agent = new ModernAgent(gateway);
    await agent.tools();
    for (let at = 0; at < count; at += 1) await agent.say(`s${at}.mutate`, { add: 'more', quiet: true });
    const { heard } = audience.at(door);
    const since = performance.now();
    await gateway.gateway.admin.run('servers.refresh', {});
    // On a busy machine the listings may take longer than news is gathered.
    const most = 2 + Math.floor((performance.now() - since) / limits.listChangedCoalesceMs);
    await heard.atLeast('notifications/tools/list_changed', 1);
    await pause(700);
    const told = heard.of('notifications/tools/list_changed').length;
    assert.ok(told <= most, `it was told ${told} times`);
    assert.equal((await agent.tools()).filter((name) => name.endsWith('.more')).length, count);
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
});
