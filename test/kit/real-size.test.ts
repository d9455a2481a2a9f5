/** Pins the shape of the real-sized fixture, so that what is tested with it stays as large and as varied as real catalogs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolSpec } from '../servers/spec.ts';
import { connectAgent, KINDS } from './agents.ts';
import { openListedGateway } from './gateway.ts';
import { openRealSizeGateway, type RealSizeName, realSizeNames, realSizeServers, realSizeSpec } from './real-size.ts';

interface Listed {
  readonly server: RealSizeName;
  readonly tool: ToolSpec & { readonly description?: string };
}

const listed: readonly Listed[] = realSizeNames.flatMap((server) =>
  realSizeSpec(server).tools.map((tool) => ({ server, tool })),
);

function toolOf(server: RealSizeName, name: string): ToolSpec {
  const found = listed.find((one) => one.server === server && one.tool.name === name);
  assert.ok(found, `${server}:${name} is missing`);
  return found.tool;
}

test('about 200 tools on fourteen servers, about 1 kB each, from short to very long', () => {
  assert.equal(realSizeNames.length, 14);
  assert.ok(listed.length >= 190 && listed.length <= 215, String(listed.length));
  // `runAs` says how the test server answers; it is not part of the definition.
  const sizes = listed.map(({ tool: { runAs: _, ...definition } }) => Buffer.byteLength(JSON.stringify(definition)));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  assert.ok(mean >= 900 && mean <= 1_200, String(mean));
  assert.ok(Math.min(...sizes) < 250 && Math.max(...sizes) > 5_500, `${Math.min(...sizes)} to ${Math.max(...sizes)}`);
});

test('descriptions in five languages, and tools that have none', () => {
  const written = (pattern: RegExp) => listed.filter(({ tool }) => pattern.test(tool.description ?? '')).length;
  assert.ok(written(/\p{Script=Hiragana}/u) >= 2, 'Japanese');
  assert.ok(written(/^[\p{Script=Han}\p{P}\p{N}\sA-Z-]+$/mu) >= 10, 'Chinese');
  assert.ok(written(/\b(?:eine|einer) /) >= 3, 'German');
  assert.ok(written(/\b(?:archivo|tabla) /) >= 2, 'Spanish');
  assert.ok(listed.some(({ tool }) => tool.description === undefined));
});

test('names in every spelling, schemas with every keyword that real ones use, hints on most tools', () => {
  const spelling = [
    /^[a-z]+(?:_[a-z]+)+$/,
    /^[a-z]+(?:[A-Z][a-z]+)+$/,
    /^[a-z]+(?:-[a-z]+)+$/,
    /^API-/,
    /^[a-z]+\.\w+\./,
  ];
  for (const pattern of spelling)
    assert.ok(
      listed.some(({ tool }) => pattern.test(tool.name)),
      String(pattern),
    );
  const schemas = JSON.stringify(listed.map(({ tool }) => tool.inputSchema));
  const keywords = ['oneOf', 'anyOf', 'enum', '$defs', '$ref', 'default', 'format', 'pattern', 'additionalProperties'];
  for (const keyword of keywords) assert.ok(schemas.includes(`"${keyword}":`), keyword);
  const share = (member: string) => listed.filter(({ tool }) => tool[member] !== undefined).length / listed.length;
  assert.ok(share('annotations') > 0.7 && share('annotations') < 0.95, String(share('annotations')));
  assert.ok(share('outputSchema') > 0.15 && share('outputSchema') < 0.5, String(share('outputSchema')));
});

test('twins on different servers, two accounts of one server, and the tools that everyday sentences ask for', () => {
  const parametersOf = (tool: ToolSpec) => Object.keys((tool.inputSchema as { properties: object }).properties).sort();
  const twins = [
    ['toolbox', 'browser', 'web_search'],
    ['toolbox', 'browser', 'fetch_url'],
    ['filesystem', 'desktop', 'read_file'],
  ] as const;
  for (const [one, other, name] of twins)
    assert.deepEqual(parametersOf(toolOf(one, name)), parametersOf(toolOf(other, name)), name);
  assert.deepEqual(realSizeSpec('mail-work').tools, realSizeSpec('mail-private').tools);
  const asked = ['git:git_commit', 'git:git_branch', 'forge:create_pull_request', 'filesystem:create_directory'];
  asked.push('filesystem:get_file_info', 'filesystem:move_file', 'desktop:kill_process', 'desktop:undo_last_edit');
  asked.push('calendar:calendar.freebusy.query', 'memory:add_observations', 'toolbox:time_since');
  for (const key of asked) toolOf(...(key.split(/:/) as [RealSizeName, string]));
});

test('a gateway lists all of them and holds none back; agents of every kind call them', async () => {
  await using gateway = await openRealSizeGateway();
  const { changes } = await gateway.gateway.admin.run('changes.list', {});
  const held = changes.filter(({ state }) => state === 'held').map(({ key, reasons }) => ({ key, reasons }));
  assert.deepEqual(held, []);
  const servers = await gateway.gateway.admin.run('servers.list', {});
  assert.equal(
    servers.reduce((sum, { toolCount }) => sum + (toolCount ?? 0), 0),
    listed.length,
  );
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${gateway.url}/servers/git/mcp`, { headers: gateway.agentHeaders });
    const { structuredContent } = await agent.call('git_commit', { repo_path: '.', message: 'first' });
    assert.equal((structuredContent as { sha: string }).sha, 'sample');
  }
});

test('one that is dead, one that is slow to list, and one that dies later', async () => {
  await using gateway = await openRealSizeGateway({
    only: ['git', 'memory', 'wiki'],
    dead: ['wiki'],
    slow: ['memory'],
  });
  const { admin } = gateway.gateway;
  const countOf = async (name: string) =>
    (await admin.run('servers.list', {})).find((server) => server.name === name)?.toolCount ?? 0;
  assert.equal(await countOf('git'), 19);
  assert.equal(await countOf('memory'), 0);
  assert.equal(await countOf('wiki'), 0);
  gateway.host.release('memory');
  await admin.run('servers.refresh', { name: 'memory' });
  assert.equal(await countOf('memory'), 9);
  await gateway.host.stop('git');
  const [outcome] = await admin.run('servers.refresh', { name: 'git', once: true });
  assert.match(outcome?.error ?? '', /git/);
});

test('the same over stdio, where a dead one exits at once', async () => {
  const servers = realSizeServers({ only: ['toolbox', 'billing'], dead: ['billing'], era: 'modern' });
  await using gateway = await openListedGateway({ servers, config: { connect: { maxRetries: 0 } } });
  const rows = await gateway.gateway.admin.run('servers.list', {});
  const states = rows.map(({ name, state, toolCount }) => [name, state, toolCount]);
  assert.deepEqual(states, [
    ['billing', 'failed', 0],
    ['toolbox', 'connected', 12],
  ]);
});
