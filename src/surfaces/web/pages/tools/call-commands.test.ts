/** Tests of calls as commands: a shell has to read them as they were meant. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf, shellWord, toolcribCallOf } from './call-commands.ts';

test('a shell reads every word as it was', () => {
  const words = ['plain', "it's", '$HOME `id` "x" \\', '', 'line\nbreak', '!x', '日本', '-rf', "'''"];
  const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
  assert.deepEqual(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1), words);
});

test('a call is one command, with its arguments as JSON', () => {
  assert.equal(toolcribCallOf('git:log', {}), 'toolcrib call git:log');
  assert.equal(toolcribCallOf('git:log', { n: 5 }), `toolcrib call git:log '{"n":5}'`);
  const curl = curlOf('http://127.0.0.1:4100', 'git:log', { text: "it's" });
  assert.ok(curl.includes('$TOOLCRIB_TOKEN'));
  assert.ok(curl.endsWith(`-d '{"toolKey":"git:log","arguments":{"text":"it'\\''s"}}'`), curl);
});
