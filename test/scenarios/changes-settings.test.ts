/** Agents hear of edited settings only if their own list changes. */

import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Audience, type Hearing } from '../kit/audience.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';

const bare = { tools: 'default', resources: [], templates: [], prompts: [{ name: 'first' }] } as const;
const doors = {
  auto: '/mcp',
  search: '/mcp?surface=search',
  direct: '/mcp?surface=direct',
  code: '/mcp?surface=code',
  server: '/servers/till/mcp',
  plain: '/servers/till/mcp?names=plain',
};

function told(hearing: Hearing, ...names: readonly (keyof typeof doors)[]): Record<string, Hearing> {
  return Object.fromEntries(names.map((name) => [doors[name], hearing]));
}

test('[OFFER-40] each door announces changed settings by its own list, and no other door does', async () => {
  const { servers } = hostServers({ till: bare });
  await using gateway = await openTestGateway({ servers });
  const seats = Object.fromEntries(Object.values(doors).map((door) => [door, []]));
  await using audience = await Audience.gather(gateway, seats);
  const edit = (config: object, entry: object = {}) => {
    const mcpServers = { till: { ...servers.till, ...entry } };
    return () => writeFile(gateway.configFile, JSON.stringify({ ...config, mcpServers }));
  };
  const tools = { tools: 1 };
  const finding = told(tools, 'search', 'code');
  await audience.hears('programs off', edit({ chains: { enabled: false } }), finding);
  await audience.hears('programs on, fewer results', edit({ search: { maxResults: 5 } }), finding);
  await audience.hears('as many as before', edit({}), finding);
  await audience.hears('a surface of nobody', edit({ surfaces: { tokens: { nobody: 'full' } } }), {});
  await audience.hears('a surface', edit({ surfaces: { tokens: { agent: 'code' } } }), told(tools, 'auto'));
  await audience.hears('no surface', edit({}), told(tools, 'auto'));
  const prompts = { prompts: 1 };
  const renamed = { ...told(prompts, 'search', 'code'), ...told({ ...tools, ...prompts }, 'auto', 'direct', 'server') };
  await audience.hears('other names', edit({ names: { separator: '__' } }), renamed);
  await audience.hears('the names before', edit({}), renamed);
  const listed = told(tools, 'auto', 'direct');
  await audience.hears('a category', edit({}, { category: 'email' }), { ...finding, ...listed });
  await audience.hears('a title', edit({}, { category: 'email', title: 'Boats' }), listed);
  await audience.hears('a longer timeout', edit({}, { category: 'email', title: 'Boats', timeoutMs: 9_000 }), {});
});

test('[OFFER-41] news of one server does not wait for another one that is being started anew', async () => {
  const { servers } = hostServers({ till: bare, slate: bare });
  await using gateway = await openTestGateway({ servers });
  await using audience = await Audience.gather(gateway, { [doors.search]: [], [doors.direct]: [] });
  const agents = [doors.search, doors.direct].map((door) => audience.at(door));
  const told = () => agents.map(({ heard }) => heard.of('notifications/tools/list_changed').length);
  const hanging = { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 60_000)'] };
  await writeFile(gateway.configFile, JSON.stringify({ mcpServers: { ...servers, till: hanging } }));
  await eventually('it is being started', async () => {
    const rows = await gateway.gateway.admin.run('servers.list', {});
    return rows.find(({ name }) => name === 'till')?.state === 'connecting' || undefined;
  });
  await new ModernAgent(gateway).say('slate.mutate', { add: 'chalk' });
  await eventually('it is told', () => told().every((count) => count >= 1) || undefined);
  await eventually(
    'that nothing is known of the other one is news when it was waited for',
    () => told().every((count) => count === 2) || undefined,
  );
});
