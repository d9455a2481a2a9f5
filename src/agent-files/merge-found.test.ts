/** Tests of servers that were found several times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { type AgentServer, mergeFound } from './agent-files.ts';

const machine = { platform: 'linux', home: '/h', env: { TOKEN: 'abc' }, cwd: '/srv/shop' } as const;
const none = { file: 'f', reason: null, notes: [] };

function found(agent: AgentServer['agent'], scope: AgentServer['scope'], name: string, settings: JsonObject | null) {
  return { ...none, agent, scope, name, settings };
}

test('[GET-06] a server that several agents have is one, also under other names and with a reference for a value', () => {
  const merged = mergeFound(
    [
      found('claude-code', 'user', 'git', { command: 'git-server', env: { TOKEN: 'abc' } }),
      found('cursor', 'user', 'my-git', { command: 'git-server', args: [], env: { TOKEN: `\${TOKEN}` } }),
      found('zed', 'user', 'broken', null),
    ],
    machine,
  );
  assert.deepEqual(
    merged.map(({ names, from }) => [names[0], from.map(({ agent }) => agent)]),
    [['git', ['claude-code', 'cursor']]],
  );
});

test('[GET-06] two accounts of one server are two, and their second names tell them apart', () => {
  const merged = mergeFound(
    [
      found('claude-code', 'user', 'git', { command: 'git-server', env: { ACCOUNT: 'mine' } }),
      found('cursor', 'user', 'git', { command: 'git-server', env: { ACCOUNT: 'ours' } }),
      found('cursor', 'project', 'git', { command: 'git-server', env: { ACCOUNT: 'theirs' } }),
    ],
    machine,
  );
  assert.deepEqual(
    merged.map(({ names }) => names),
    [
      ['git', 'git-claude-code'],
      ['git', 'git-cursor'],
      ['git', 'git-shop'],
    ],
  );
});

test('a server is switched off only where every agent has it switched off', () => {
  const off = { command: 'x', enabled: false };
  const both = mergeFound([found('cursor', 'user', 'a', off), found('zed', 'user', 'a', off)], machine);
  assert.equal(both[0]?.settings.enabled, false);
  const one = mergeFound([found('cursor', 'user', 'a', off), found('zed', 'user', 'a', { command: 'x' })], machine);
  assert.deepEqual(one[0]?.settings, { command: 'x' });
});

test('[GET-10] a file of a project decides neither the name nor the settings of a server of the owner', () => {
  const merged = mergeFound(
    [
      found('claude-code', 'project', 'notes', { command: 'x', description: 'theirs' }),
      found('cursor', 'project', 'git', { command: 'their-git' }),
      found('zed', 'user', 'mine', { command: 'x', description: 'mine' }),
      found('zed', 'user', 'git', { command: 'my-git' }),
    ],
    machine,
  );
  assert.deepEqual(
    merged.map(({ names, settings }) => [names[0], settings.description ?? settings.command]),
    [
      ['mine', 'mine'],
      ['git', 'my-git'],
      ['git', 'their-git'],
    ],
  );
});
