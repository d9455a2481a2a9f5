/** Programs that give something else than was meant, without failing: each says so in a note, or is refused. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProgramStage, type Shape } from '../../test/kit/program-stage.ts';

const stage = new ProgramStage();
after(() => stage.close());

const uncalled = /^servers\.github\.get_me was not called.*await servers\.github\.get_me\(/m;

const shapes: readonly Shape[] = [
  {
    name: 'a tool that is not called, and a member of it',
    code: 'const r = await servers.github.get_me; return { login: r.login }',
    gives: { login: 'servers.github.get_me.login' },
    notes: uncalled,
  },
  { name: 'a tool itself', code: 'return servers.github.get_me', gives: 'servers.github.get_me', notes: uncalled },
  {
    name: 'members that are set at the end',
    code: 'const out = {};\nout.a = 1;\nout.b = [2];',
    gives: { a: 1, b: [2] },
    notes: /The result is `out`/,
  },
  {
    name: 'a list that is filled at the end',
    code: 'const list = [];\nlist.push(1); list.push({\n  a: 1,\n});',
    gives: [1, { a: 1 }],
    notes: /The result is `list`/,
  },
  {
    name: 'a member that is only read at the end',
    code: 'const out = { a: 1 };\nout.a === 1',
    gives: true,
  },
  {
    name: 'a call at the end of something that is not a list of the program',
    code: 'await servers.github.create_issue({ title: "x" })',
    gives: { number: 4, title: 'x' },
  },
  {
    name: 'an async generator',
    code: 'async function* all() { yield 1; }\nreturn { all: all() }',
    gives: { all: {} },
    notes: /async generator was not read/,
  },
  {
    name: 'a Map with keys that are alike',
    code: "return new Map([[1, 'a'], ['1', 'b']])",
    gives: [
      [1, 'a'],
      ['1', 'b'],
    ],
    notes: /list of pairs/,
  },
  {
    name: 'formats of a language',
    code: "return (1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })",
    gives: '1234.5',
    notes: /toLocaleString ignores languages/,
  },
  {
    name: 'calls in JSON that refer to each other',
    code: '[{"tool":"github:get_me","as":"me"},{"tool":"github:create_issue","arguments":{"title":"$me.login"}}]',
    says: /cannot use each other's results, as "\$me\.login" would.*Write a program/,
  },
  {
    name: 'a price is no reference',
    code: '[{"tool":"github:get_me"},{"tool":"github:create_issue","arguments":{"title":"$USD 5"}}]',
    gives: [
      { tool: 'github:get_me', result: { login: 'ada' } },
      { tool: 'github:create_issue', result: { number: 4, title: '$USD 5' } },
    ],
  },
  {
    name: 'a server that is asked to call, as clients have it',
    code: "return await servers.github.call('get_me', {})",
    gives: { login: 'ada' },
  },
  { name: 'a wait that is no time', code: "await sleep('soon')", says: /sleep takes a number of milliseconds/ },
];

for (const shape of shapes) test(`[CHAIN-45] ${shape.name} is told`, () => stage.check(shape));

test('[CHAIN-45] a missing result is noted once, with its reason', async () => {
  const notesOf = async (code: string) => (await stage.play(code)).notes;
  assert.deepEqual(await notesOf('const a = 1; a;\nundefined'), [
    'The program gave no result. End it with `return value`.',
  ]);
  assert.deepEqual(await notesOf('return undefined'), ['The program returned undefined, so there is no result.']);
  assert.deepEqual(await notesOf('console.log(1); return'), []);
});

test('[CHAIN-45] a program that fails has no notes about a result', async () => {
  const { failure, notes } = await stage.play('const a = [];\nfor (;;) { a.push(new Array(100000).fill(1)); }', {
    memoryBytes: 16 * 2 ** 20,
  });
  assert.equal(failure?.reason, 'memory');
  assert.deepEqual(notes, []);
});

test('[CHAIN-46] the stack of an error names lines of the program only', async () => {
  const { result } = await stage.play(
    'try { await servers.github.create_issue({}); } catch (error) { return error.stack }',
  );
  assert.doesNotMatch(String(result), /prelude/);
  assert.match(String(result), /chain\.js:1/);
});
