/** Subscriptions to the gateway's own resources, in both eras: announced when their text changes, and only to agents that may see them. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Audience } from '../kit/audience.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { openModernStream, RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';

const bare = { tools: 'default', resources: [], templates: [], prompts: [] } as const;
const [direct, shop] = ['/mcp?surface=direct', '/projects/shop/mcp?surface=search'];
const own = (...paths: readonly string[]) => paths.map((path) => `toolcrib://${path}`);
const everything = own('servers', 'tools', 'server/till', 'server/till/tools', 'tool/till/echo');

test('[OFFER-36] our own resources are told to subscribers of both eras when they read differently, each once', async () => {
  const { servers } = planServers({
    till: { ...bare, entry: { projects: ['shop'] } },
    slate: { ...bare, entry: { projects: ['school'] } },
  });
  await using gateway = await openTestGateway({ servers });
  await using audience = await Audience.gather(gateway, { [direct]: everything, [shop]: everything });
  const agent = new ModernAgent(gateway);
  const pid = await agent.pidOf('till');
  const failing = { resources: 1, updated: own('servers', 'server/till') };
  await audience.hears('killed', async () => process.kill(pid, 'SIGKILL'), { [direct]: failing, [shop]: failing });
  await audience.hears('back', () => agent.say('till.echo', { text: 'back' }), { [direct]: failing, [shop]: failing });
  const titled = JSON.stringify({ mcpServers: { ...servers, till: { ...servers.till, title: 'The till' } } });
  const retold = { updated: failing.updated };
  // The title is a part of what the list of all tools says of each, for agents that look tools up in it.
  await audience.hears('a title', () => writeFile(gateway.configFile, titled), {
    [direct]: { tools: 1, ...retold },
    [shop]: retold,
  });
  const lists = { tools: 1, resources: 1 };
  const describe = (text: string) => () => agent.say('till.mutate', { describe: 'echo', text });
  await audience.hears('another definition', describe('Says it again.'), {
    [direct]: { ...lists, updated: everything },
    [shop]: { ...lists, updated: everything },
  });
  await audience.hears('another server', () => agent.say('slate.mutate', { add: 'chalk' }), {
    [direct]: { ...lists, updated: own('servers', 'tools') },
  });
  await audience.unsubscribe(everything);
  await audience.hears('nobody wants it', describe('Gives the text back.'), { [direct]: lists, [shop]: lists });
});

test('[OFFER-37] invisible resources cannot be subscribed to, in the words of each era', async () => {
  const { servers } = planServers({
    till: { ...bare, entry: { projects: ['shop'], permissions: { touch: 'deny' } } },
    slate: { ...bare, entry: { projects: ['school'] } },
  });
  await using gateway = await openTestGateway({ servers });
  await gateway.gateway.admin.run('servers.refresh', {});
  const door = `${gateway.url}/projects/school/mcp`;
  const hidden = own('server/till', 'server/till/tools', 'tool/till/echo', 'server/none', 'tool/slate/none', 'nothing');
  const session = await RawSession.open(door, gateway.agentHeaders);
  for (const uri of [...hidden, ...own('tool/till/touch')]) {
    const { message } = await session.request('resources/subscribe', { uri });
    assert.equal(message.error?.code, -32002, uri);
  }
  const page = await session.request('resources/subscribe', { uri: 'toolcrib://tools?cursor=next' });
  assert.equal(page.message.error?.code, -32602, 'an index is subscribed to as a whole');
  const visible = own('servers', 'tools', 'server/slate', 'tool/slate/echo');
  const notifications = { resourceSubscriptions: [...hidden, ...own('tools?cursor=next'), ...visible] };
  using stream = await openModernStream(door, gateway.agentHeaders, 'subscriptions/listen', { notifications });
  const { params } = await stream.message();
  assert.deepEqual(params?.notifications, { resourceSubscriptions: visible });
});
