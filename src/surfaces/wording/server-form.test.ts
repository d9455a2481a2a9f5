/** Tests of the form that adds a server or changes its connection: how a line is split, what is refused, and what is sent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WrittenConnection } from '../../admin/admin.ts';
import {
  changesIn,
  emptyServerForm,
  formOf,
  noteOnLine,
  problemsIn,
  type ServerForm,
  specOf,
  splitLine,
} from './server-form.ts';

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

const program: WrittenConnection = {
  ...{ kind: 'command', command: 'serve', args: ['--key', '***', 'a b'], cwd: '/srv' },
  env: { KEY: null, REF: `\${secret:REF}` },
};
const remote: WrittenConnection = { kind: 'url', url: 'https://host/mcp', isSse: true, headers: { 'X-Key': null } };

test('a form that nobody has touched changes nothing, whatever the words are', () => {
  assert.deepEqual(changesIn(formOf('a', remote), remote), {});
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.array(fc.string()), (command, args) => {
      const written = { ...program, command, args };
      assert.deepEqual(changesIn(formOf('a', written), written), {});
    }),
  );
});

test('a value that is not shown is kept until another is typed or its row is removed', () => {
  const form = formOf('a', program);
  assert.equal(form.line, "serve --key *** 'a b'");
  const [key, reference] = form.env;
  assert.ok(key && reference);
  const env = (...pairs: ServerForm['env']) => ({ ...form, env: pairs });
  assert.deepEqual(changesIn(env({ ...key, value: 'new' }, reference), program), { env: { KEY: 'new' } });
  assert.deepEqual(changesIn(env(reference), program), { env: { KEY: null } });
  assert.deepEqual(changesIn(env(key, { ...reference, name: 'OTHER' }), program), {
    env: { REF: null, OTHER: `\${secret:REF}` },
  });
  assert.match(problemsIn(env({ ...key, name: 'OTHER' }), nobody).env ?? '', /Type the value of “OTHER”/);
  assert.deepEqual(problemsIn(form, nobody), {});
});

test('what differs is sent, and all of it where the server is reached in another way', () => {
  const form = { ...formOf('a', program), line: 'serve', cwd: '' };
  assert.deepEqual(changesIn(form, program), { args: [], cwd: null });
  assert.deepEqual(changesIn({ ...formOf('a', remote), isSse: false }, remote), { type: 'http' });
  const url: ServerForm = { ...form, kind: 'url', url: ' https://host ', headers: [{ id: 1, name: 'A', value: 'b' }] };
  assert.deepEqual(changesIn(url, program), { url: 'https://host', headers: { A: 'b' } });
  assert.deepEqual(changesIn({ ...formOf('a', remote), kind: 'command', line: 'go run' }, remote), {
    ...{ command: 'go', args: ['run'] },
  });
});
