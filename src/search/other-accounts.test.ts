/** Which servers count as other accounts of one program or service. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import { areOtherAccounts } from './other-accounts.ts';

const hub = ['list_issues', 'open_issue', 'close_issue'];

/** Compares two servers by their settings and the names of their tools. */
function compare(
  [one, ones = hub]: [object, string[]?],
  [other, others = hub]: [object, string[]?],
  hidden: readonly string[] = [],
): boolean {
  const entryOf = (name: string, settings: object, tools: string[]) => ({
    spec: parseServer(name, settings, {}, 'file'),
    tools: tools.map((serverName) => ({ key: `${name}:${serverName}`, serverName })),
  });
  const servers = new Map([
    ['one', entryOf('one', one, ones)],
    ['other', entryOf('other', other, others)],
  ]);
  return areOtherAccounts({ servers }, 'one', 'other', { has: (key) => !hidden.includes(key) });
}

const run = { command: 'npx', args: ['-y', 'hub-server'] };
const url = 'https://hub.example/mcp';

test('one program with other arguments, variables or folder is another account', () => {
  assert.ok(compare([run], [{ ...run, args: [...run.args, '/srv/private'] }]));
  assert.ok(compare([{ ...run, env: { TOKEN: 'a' } }], [{ ...run, env: { TOKEN: 'b' } }]));
  assert.ok(compare([run], [{ ...run, command: '/usr/bin/npx', cwd: '/srv' }]));
});

test('one service with other headers, path or query is another account, and so is one that each signs in to', () => {
  const headers = (key: string) => ({ url, headers: { authorization: key } });
  assert.ok(compare([headers('a')], [headers('b')]));
  assert.ok(compare([headers('a')], [{ ...headers('a'), url: `${url}?team=b` }]));
  assert.ok(compare([{ url }], [{ url: 'https://hub.example/b/mcp' }]));
  assert.ok(compare([{ url }], [{ url }]));
});

test('the very same settings are the same account', () => {
  assert.ok(!compare([run], [run]));
  const [settings] = [{ url, headers: { authorization: 'a' } }];
  assert.ok(!compare([settings], [settings]));
  assert.ok(!compare([{ url, oauth: false }], [{ url, oauth: false }]));
});

test('another program, another host or mostly other tools are no account', () => {
  assert.ok(!compare([run], [{ command: 'docker', args: ['run', 'hub-server'] }]));
  assert.ok(!compare([run], [{ url }]));
  assert.ok(!compare([{ url }], [{ url: 'https://mirror.example/mcp' }]));
  const other = { command: 'npx', args: ['-y', 'search-server'] };
  assert.ok(!compare([run], [other, ['list_issues', 'search', 'fetch']]));
  // Some accounts may do less.
  assert.ok(compare([run], [other, ['list_issues', 'search']]));
});

test('tools that the reader cannot see change nothing', () => {
  const other = { command: 'npx', args: ['-y', 'search-server'] };
  const tools = ['list_issues', 'open_issue', 'search'];
  assert.ok(compare([run], [other, tools]));
  assert.ok(!compare([run], [other, tools], ['one:open_issue', 'one:close_issue', 'other:list_issues']));
});
