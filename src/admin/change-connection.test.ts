/** Tests of the connection of a stored server: what of it is shown, what a change keeps, and what is refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { type ConnectionChanges, changedConnection, writtenConnection } from './change-connection.ts';

const secret = 'q8Zk2-Wm5xT1-rYp';
const program: JsonObject = {
  ...{ title: 'Notes', tools: ['read'], command: 'serve', cwd: '/srv' },
  args: ['--api-key', secret, '--name', `\${USER}`, `--token=\${secret:TOKEN}`],
  env: { KEY: secret, LEVEL: 'debug', REF: `\${secret:REF}`, VAR: `\${VAR}`, WITH: `\${VAR:-${secret}}` },
};
const remote: JsonObject = {
  ...{ serverUrl: `https://one.example/mcp?api_key=${secret}`, transport: 'sse', oauth: { clientId: 'a' } },
  headers: { 'X-Key': secret, Authorization: `Bearer \${secret:TOKEN}` },
};

test('references are shown as they were written, and no secret is', () => {
  const written = writtenConnection(program);
  assert.deepEqual(written, {
    ...{ kind: 'command', command: 'serve', cwd: '/srv' },
    args: ['--api-key', '***', '--name', `\${USER}`, `--token=\${secret:TOKEN}`],
    env: { KEY: null, LEVEL: null, REF: `\${secret:REF}`, VAR: `\${VAR}`, WITH: null },
  });
  assert.deepEqual(writtenConnection(remote), {
    ...{ kind: 'url', url: 'https://one.example/mcp?api_key=***', isSse: true },
    headers: { 'X-Key': null, Authorization: `Bearer \${secret:TOKEN}` },
  });
  const mixed = writtenConnection({ command: 'serve', args: ['--api-key', `\${USER}-${secret}`] });
  assert.deepEqual('args' in mixed && mixed.args, ['--api-key', '***']);
});

test('a change keeps what it does not name, and takes out what is null', () => {
  assert.deepEqual(changedConnection(program, {}), program);
  const changed = changedConnection(program, { cwd: null, env: { LEVEL: null, KEY: 'new', MORE: '' } });
  const { LEVEL, ...kept } = program.env as JsonObject;
  assert.deepEqual(changed, {
    ...{ title: 'Notes', tools: ['read'], command: 'serve', args: program.args },
    env: { ...kept, KEY: 'new', MORE: '' },
  });
  assert.deepEqual(changedConnection({ command: 'serve', env: { A: 'a' } }, { env: { A: null } }), {
    ...{ command: 'serve', args: [] },
  });
});

test('a masked word is the one that it stands for, wherever it is put', () => {
  const args = (words: readonly string[], before = program) => changedConnection(before, { args: [...words] }).args;
  assert.deepEqual(args(['run', '--api-key', '***']), ['run', '--api-key', secret]);
  const twice = { command: 'serve', args: ['--a-token', 'first-Se3ret', '--b-token', 'second-Se3ret'] };
  assert.deepEqual(args(['--a-token', '***', '--b-token', '***'], twice), twice.args);
  assert.throws(() => args(['--b-token', '***'], twice), /could be one of several/);
  assert.throws(() => args(['--key=***']), /nothing that is kept/);
  const url = (text: string) => changedConnection(remote, { url: text, headers: { 'X-Key': null } }).url;
  assert.equal(url('https://one.example/mcp?api_key=***'), remote.serverUrl);
  assert.throws(() => url('https://two.example/mcp?api_key=***'), /nothing that is kept/);
});

test('a program in place of a URL, or a URL in place of a program, drops all that belonged to the other', () => {
  assert.deepEqual(changedConnection(program, { url: 'https://one.example', headers: { A: 'b' } }), {
    ...{ title: 'Notes', tools: ['read'], url: 'https://one.example', headers: { A: 'b' } },
  });
  assert.deepEqual(changedConnection({ ...remote, env: { KEY: 'unused' } }, { command: 'serve' }), {
    ...{ command: 'serve', args: [] },
  });
});

test('a header that nobody can see is not sent to another address', () => {
  const move = (changes: ConnectionChanges) =>
    changedConnection(remote, { url: 'https://two.example/mcp', ...changes });
  assert.throws(() => move({}), /"X-Key" was given for another address, https:\/\/one\.example/);
  assert.deepEqual(move({ headers: { 'X-Key': 'again' }, type: 'http' }), {
    ...{ url: 'https://two.example/mcp', oauth: { clientId: 'a' } },
    headers: { 'X-Key': 'again', Authorization: `Bearer \${secret:TOKEN}` },
  });
  assert.deepEqual(changedConnection(remote, { url: 'https://one.example/v2' }).headers, remote.headers);
});

test('what the kind of server has no use for, and what is not there, is refused', () => {
  assert.throws(() => changedConnection(program, { headers: { A: 'b' } }), /"headers" has no use .* by a command/);
  assert.throws(() => changedConnection(remote, { env: { A: 'b' } }), /"env" has no use .* at a URL/);
  assert.throws(() => changedConnection(program, { command: 'a', url: 'https://b' }), /"command" has no use/);
  assert.throws(() => changedConnection(program, { env: { GONE: null } }), /no variable "GONE" to take out/);
});
