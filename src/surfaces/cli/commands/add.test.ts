/** Tests of turning the line of `toolcrib add` into a server. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { buildSpec } from './add.ts';

const none = { env: [], header: [], cwd: undefined, sse: false };

test('a command keeps its words as they are, and what they mean in the folder where they are typed', () => {
  assert.deepEqual(buildSpec(['npx', '-y', 'thing', '--json', '.'], none, resolve('/here')), {
    command: 'npx',
    args: ['-y', 'thing', '--json', '.'],
    cwd: resolve('/here'),
  });
});

test('a relative command and a relative folder are meant from here', () => {
  const spec = buildSpec(['./server', './data'], { ...none, cwd: 'sub' }, resolve('/here'));
  assert.deepEqual(spec, { command: resolve('/here/server'), args: ['./data'], cwd: resolve('/here/sub') });
});

test('variables and headers are split at their first sign', () => {
  assert.deepEqual(buildSpec(['x'], { ...none, env: ['A=b=c', 'E='] }, '/here').env, { A: 'b=c', E: '' });
  const remote = buildSpec(['https://a.b/mcp'], { ...none, header: ['X-Time: 10:30'], sse: true }, '/here');
  assert.deepEqual(remote, { url: 'https://a.b/mcp', type: 'sse', headers: { 'X-Time': '10:30' } });
});

test('flags of the other kind of server are refused', () => {
  assert.throws(() => buildSpec(['x'], { ...none, header: ['a: b'] }, '/here'), /for a URL, not for a command/);
  assert.throws(() => buildSpec(['x'], { ...none, sse: true }, '/here'), /for a URL/);
  assert.throws(() => buildSpec(['http://a'], { ...none, env: ['A=b'] }, '/here'), /not for a URL/);
  assert.throws(() => buildSpec(['http://a', 'b'], none, '/here'), /Unexpected argument after the URL: "b"/);
});

test('a malformed pair is refused without repeating it', () => {
  assert.throws(
    () => buildSpec(['x'], { ...none, env: ['hunter2'] }, '/here'),
    (error: Error) => /--env takes a name and a value/.test(error.message) && !error.message.includes('hunter2'),
  );
});

test('a URL with a slip in it is not taken for a program', () => {
  for (const slip of ['htp://a.b/mcp', 'ws://a.b', 'www.a.b/mcp', 'localhost:3000/mcp', 'LOCALHOST:3000'])
    assert.throws(() => buildSpec([slip], none, '/here'), /is not the URL of a server/, slip);
  for (const program of ['npx', 'C:\\tools\\server.exe', 'my.server', 'dir.d/server', 'a:b'])
    assert.equal(buildSpec([program], none, '/here').command, program);
});
