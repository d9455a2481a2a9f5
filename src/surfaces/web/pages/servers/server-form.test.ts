/** Tests of the form that adds a server: how a line is split, what is refused, and what is sent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyServerForm, noteOnLine, problemsIn, type ServerForm, specOf, splitLine } from './server-form.ts';

const nobody = new Set<string>();

test('a line is split as a shell splits it', () => {
  const words = (line: string) => splitLine(line).words;
  assert.deepEqual(words('npx -y  @scope/server .'), ['npx', '-y', '@scope/server', '.']);
  assert.deepEqual(words(`sh -c 'echo "a b"' "it's"`), ['sh', '-c', 'echo "a b"', "it's"]);
  assert.deepEqual(words('a\\ b "c\\"d" \'e\\f\''), ['a b', 'c"d', 'e\\f']);
  assert.deepEqual(words('C:\\tools\\serve.exe --in="C:\\my files"'), ['C:\\tools\\serve.exe', '--in=C:\\my files']);
  assert.deepEqual(words('serve "" \'\''), ['serve', '', '']);
  assert.deepEqual(words(' \t '), []);
  assert.equal(splitLine('serve "open').problem, 'A quote " is not closed.');
});

test('words that were quoted come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ');
      assert.deepEqual(splitLine(line), { words, problem: null });
    }),
  );
});

test('signs of a shell are noted, because no shell reads them', () => {
  assert.match(noteOnLine(splitLine('serve | tee log')) ?? '', /“\|” is passed on/);
  assert.match(noteOnLine(splitLine('serve ~/notes')) ?? '', /whole path/);
  assert.equal(noteOnLine(splitLine('serve --a=b')), null);
});

test('each field says what is wrong with it', () => {
  const problems = (change: Partial<ServerForm>) => problemsIn({ ...emptyServerForm, ...change }, new Set(['git']));
  assert.deepEqual(Object.keys(problems({})), ['name', 'line']);
  assert.match(problems({ name: 'git' }).name ?? '', /already/);
  assert.match(problems({ name: 'Git!' }).name ?? '', /lowercase letters/);
  assert.match(problems({ name: 'a', line: 'https://host/mcp' }).line ?? '', /This is a URL/);
  assert.match(problems({ name: 'a', kind: 'url', url: 'ftp://host' }).url ?? '', /http/);
  const twice = [
    { id: 1, name: 'X-Key', value: '1' },
    { id: 2, name: 'x-key', value: '2' },
  ];
  assert.match(problems({ name: 'a', kind: 'url', url: 'https://h', headers: twice }).headers ?? '', /twice/);
  assert.match(problems({ name: 'a', line: 'b', env: [{ id: 1, name: '', value: '1' }] }).env ?? '', /needs a name/);
  assert.deepEqual(problems({ name: 'a', line: 'serve', env: [{ id: 1, name: '', value: '' }] }), {});
});

test('the entry has what the kind of server needs, and nothing of the other kind', () => {
  const form: ServerForm = {
    ...emptyServerForm,
    ...{ name: 'a', line: 'serve --port 1', cwd: ' /srv ', url: ' https://host/mcp ', isSse: true },
    env: [
      { id: 1, name: 'KEY', value: `\${secret:KEY}` },
      { id: 2, name: '', value: '' },
    ],
    headers: [{ id: 1, name: ' Authorization ', value: 'Bearer x' }],
  };
  assert.deepEqual(problemsIn(form, nobody), {});
  assert.deepEqual(specOf(form), {
    ...{ command: 'serve', args: ['--port', '1'], cwd: '/srv' },
    env: { KEY: `\${secret:KEY}` },
  });
  const headers = { Authorization: 'Bearer x' };
  assert.deepEqual(specOf({ ...form, kind: 'url' }), { url: 'https://host/mcp', type: 'sse', headers });
});
