/** Agents hear of each real change of servers once, within a second, and only if they see the server. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Audience, type Hearing } from '../kit/audience.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { openServer } from '../servers/hosted.ts';

/** Tools alone, so that news of resources is about our own. */
const bare = { tools: 'default', resources: [], templates: [], prompts: [] } as const;
const [search, direct, shop, school] = [
  ...['/mcp?surface=search', '/mcp?surface=direct'],
  ...['/projects/shop/mcp', '/projects/school/mcp'],
] as [string, string, string, string];
const toolsAndServers: Hearing = { tools: 1, resources: 1 };

/** Everybody of the shop and of all servers hears the same, the school nothing. */
function toldTo(hearing: Hearing, ...more: readonly string[]): Record<string, Hearing> {
  return Object.fromEntries([search, direct, shop, ...more].map((door) => [door, hearing]));
}

async function edit(gateway: TestGateway, servers: Record<string, unknown>): Promise<void> {
  await writeFile(gateway.configFile, JSON.stringify({ mcpServers: servers }));
}

test('[OFFER-30] a server that is added, switched off and on, or removed is told once at every door that shows it', async () => {
  const { servers } = planServers({
    till: { ...bare, entry: { projects: ['shop'] } },
    slate: { ...bare, entry: { projects: ['school'] } },
    guest: { ...bare, entry: { projects: ['shop'] } },
  });
  const { guest, ...first } = servers;
  await using gateway = await openTestGateway({ servers: first });
  const { admin } = gateway.gateway;
  await using audience = await Audience.gather(gateway, { [search]: [], [direct]: [], [shop]: [], [school]: [] });
  const add = () => admin.run('servers.add', { name: 'guest', spec: guest ?? {} });
  await audience.hears('added', add, toldTo(toolsAndServers));
  const acts: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['off', () => admin.run('servers.disable', { name: 'guest' })],
    ['on', () => admin.run('servers.enable', { name: 'guest' })],
    ['removed', () => admin.run('servers.remove', { name: 'guest' })],
  ];
  for (const [what, act] of acts) await audience.hears(what, act, toldTo(toolsAndServers));
});

test('[OFFER-31] every change of a server is announced once to agents that see it, and to nobody else', async () => {
  const door = '/servers/till/mcp';
  const { servers } = planServers({
    till: { ...bare, prompts: [{ name: 'first' }], entry: { projects: ['shop'] } },
    slate: { ...bare, entry: { projects: ['school'] } },
  });
  await using gateway = await openTestGateway({ servers });
  await using audience = await Audience.gather(gateway, {
    ...{ [search]: [], [direct]: [], [shop]: [], [school]: [], [door]: [] },
  });
  const agent = audience.at(direct);
  const all = { ...toldTo(toolsAndServers), [door]: { tools: 1 } };
  const mutate = (args: Record<string, unknown>) => () => agent.say('till.mutate', args);
  await audience.hears('a tool more', mutate({ add: 'brand_new' }), all);
  await audience.hears('another definition', mutate({ describe: 'brand_new', text: 'Other words.' }), all);
  await audience.hears('a tool less', mutate({ remove: 'brand_new' }), all);
  await audience.hears('nothing', mutate({}), {});
  const prompts = { prompts: 1 };
  await audience.hears('a prompt', mutate({ prompt: 'ask' }), { ...toldTo(prompts), [door]: prompts });
  const till = servers.till ?? {};
  const editTill = (entry: Record<string, unknown>) => () => edit(gateway, { ...servers, till: { ...till, ...entry } });
  await audience.hears('denied', editTill({ permissions: { echo: 'deny' } }), all);
  await audience.hears('asked for', editTill({ permissions: { echo: 'ask' } }), all);
  await audience.hears('allowed', editTill({}), {});
  const moved = { tools: 1, resources: 1, prompts: 1 };
  await audience.hears('moved', editTill({ projects: ['school'] }), { [shop]: moved, [school]: moved });
  await audience.hears('moved back', editTill({}), { [shop]: moved, [school]: moved });
});

test('[OFFER-32] a server whose command changes is told of once, and not at all when it offers the same', async () => {
  const { servers } = planServers({ till: { ...bare, entry: { projects: ['shop'] } } });
  const other = planServers({ till: { ...bare, toolCount: 3, entry: { projects: ['shop'] } } });
  await using gateway = await openTestGateway({ servers });
  const door = '/servers/till/mcp';
  await using audience = await Audience.gather(gateway, { [search]: [], [direct]: [], [shop]: [], [door]: [] });
  const edited = { till: { ...servers.till, env: { EDITED: 'yes' } } };
  await audience.hears('another environment', () => edit(gateway, edited), {});
  const all = { ...toldTo(toolsAndServers), [door]: { tools: 1 } };
  await audience.hears('another command', () => edit(gateway, other.servers), all);
});

test('[OFFER-33] a server that is killed is told as a change of the resources, and so is its return', async () => {
  const { servers } = planServers({
    till: { ...bare, entry: { projects: ['shop'] } },
    slate: { ...bare, entry: { projects: ['school'] } },
  });
  await using gateway = await openTestGateway({ servers });
  const door = '/servers/till/mcp';
  await using audience = await Audience.gather(gateway, {
    ...{ [search]: [], [direct]: [], [shop]: [], [school]: [], [door]: [] },
  });
  const agent = new ModernAgent(gateway);
  const pid = await agent.pidOf('till');
  const resources = toldTo({ resources: 1 });
  await audience.hears('killed', async () => process.kill(pid, 'SIGKILL'), resources);
  // Its tools stay listed, and calling one of them starts it again.
  await audience.hears('back', () => agent.say('till.echo', { text: 'back' }), resources);
});

for (const era of ['legacy', 'modern'] as const) {
  test(`[OFFER-34] agents hear without a call that a ${era} server over HTTP goes away and returns`, async () => {
    const spec = { ...bare, name: 'till', transport: 'http', era } as const;
    await using first = await openServer(spec);
    await using gateway = await openTestGateway({ servers: { till: { url: first.url, projects: ['shop'] } } });
    await using audience = await Audience.gather(gateway, { [search]: [], [direct]: [], [shop]: [] });
    // A stream that stood only for a moment is not looked after so soon.
    await audience.hears('nothing', () => pause(1_000), {});
    await audience.hears('gone', () => first.stop(), toldTo({ resources: 1 }));
    const port = Number(new URL(first.url).port);
    await using second = await openServer({ ...spec, port });
    const back = audience.at(direct).heard.atLeast('notifications/resources/list_changed', 2);
    assert.equal((await back).length, 2, second.url);
    assert.equal(audience.at(direct).heard.of('notifications/tools/list_changed').length, 0);
  });
}

for (const era of ['legacy', 'modern'] as const) {
  test(`[OFFER-34] agents hear at the next call that a ${era} server over HTTP answers again`, async () => {
    const spec = { ...bare, name: 'till', transport: 'http', era } as const;
    await using first = await openServer(spec);
    await using gateway = await openTestGateway({ servers: { till: { url: first.url, projects: ['shop'] } } });
    await using audience = await Audience.gather(gateway, { [search]: [], [direct]: [], [shop]: [] });
    await audience.hears('nothing', () => pause(1_000), {});
    await audience.hears('gone', () => first.stop(), toldTo({ resources: 1 }));
    // Long enough for the next look at it to be seconds away.
    await audience.hears('still gone', () => pause(3_000), {});
    await using servers = new AsyncDisposableStack();
    // On a slow machine the next look may come while it starts: then that is the one piece of news.
    const back = async () => {
      servers.use(await openServer({ ...spec, port: Number(new URL(first.url).port), tools: 'default' }));
      await audience.at(direct).say('till.echo', { text: 'back' });
    };
    await audience.hears('back', back, toldTo({ resources: 1 }));
  });
}

test('[OFFER-34] a server over HTTP that comes back after its link would have been closed as idle is noticed too', async () => {
  const spec = { ...bare, name: 'till', transport: 'http', era: 'modern' } as const;
  await using first = await openServer(spec);
  await using gateway = await openTestGateway();
  const { admin } = gateway.gateway;
  await admin.run('servers.add', { name: 'till', spec: { url: first.url } });
  await using audience = await Audience.gather(gateway, { [direct]: [] });
  await audience.hears('nothing', () => pause(1_000), {});
  await audience.hears('gone', () => first.stop(), { [direct]: { resources: 1 } });
  // Not before: on a slow machine the link would be closed while the server still runs.
  await admin.run('servers.set', { name: 'till', idleMs: 100 });
  await pause(1_000);
  await using second = await openServer({ ...spec, port: Number(new URL(first.url).port) });
  const back = await audience.at(direct).heard.atLeast('notifications/resources/list_changed', 2);
  assert.equal(back.length, 2, second.url);
});

test('[OFFER-35] a link that is closed when idle and opened again is no news', async () => {
  const { servers, noted } = planServers({ till: { ...bare, entry: { idleMs: 100, projects: ['shop'] } } });
  await using gateway = await openTestGateway({ servers });
  await using audience = await Audience.gather(gateway, { [search]: ['toolcrib://servers'], [direct]: [] });
  const rest = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal(await audience.at(direct).say('till.echo', { text: 'again' }), 'again');
      await eventually('it is closed', async () => {
        const [row] = await gateway.gateway.admin.run('servers.list', {});
        return row?.state === 'configured' || undefined;
      });
    }
  };
  await audience.hears('idle', rest, {});
  assert.ok(noted('till', 'started').length > 2, 'it was started anew each time');
});
