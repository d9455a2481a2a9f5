/** Tests of calls as commands: a shell has to read them as they were meant. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf, initializeByCurl, shellWord, toolcribCallOf } from './shell-commands.ts';

test('a shell reads every word as it was', () => {
  const words = ['plain', "it's", '$HOME `id` "x" \\', '', 'line\nbreak', '!x', '日本', '-rf', "'''"];
  const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
  assert.deepEqual(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1), words);
});

test('a call is one command, with its arguments as JSON', () => {
  assert.equal(toolcribCallOf('toolcrib', 'git:log', {}), 'toolcrib call git:log');
  assert.equal(toolcribCallOf('npx toolcrib', 'git:log', { n: 5 }), `npx toolcrib call git:log '{"n":5}'`);
  const curl = curlOf('http://127.0.0.1:4100', 'git:log', { text: "it's" });
  assert.ok(curl.includes('$TOOLCRIB_TOKEN'));
  assert.ok(curl.endsWith(`-d '{"toolKey":"git:log","arguments":{"text":"it'\\''s"}}'`), curl);
});

test('a token is tried by one command', () => {
  const curl = initializeByCurl('http://127.0.0.1:4100', 'tc_secret').replace(/^curl/, `printf '%s\\0'`);
  const words = execFileSync('sh', ['-c', curl], { encoding: 'utf8' }).split('\0');
  assert.ok(words.includes('http://127.0.0.1:4100/mcp') && words.includes('Authorization: Bearer tc_secret'));
  assert.equal(JSON.parse(words.at(-2) ?? '').method, 'initialize');
});
