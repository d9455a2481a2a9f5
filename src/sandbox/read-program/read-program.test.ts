/** Code as sent becomes a program: mode, lines and the mistakes found before anything runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Program } from '../guest-contract.ts';
import type { ChainFailure } from '../sandbox.ts';
import { readProgram } from './read-program.ts';

function read(code: string): Program {
  const reading = readProgram(code);
  assert.ok(!('failure' in reading), JSON.stringify(reading));
  return reading;
}

function mistake(code: string): ChainFailure {
  const reading = readProgram(code);
  assert.ok('failure' in reading, JSON.stringify(reading));
  return reading.failure;
}

test('a return outside every function makes a body, one inside does not', () => {
  const bodies = [
    'return 1',
    'if (a) { return 1 }',
    'for (const a of b) { return a }',
    'try { return 1 } catch { }',
    'label: { return 1 }',
    'if (s) /`/.test(s);\nreturn 5',
    'using a = b;\nreturn a',
  ];
  for (const code of bodies) assert.equal(read(code).mode, 'body', code);
  const scripts = [
    'const f = () => { return 1 }; f()',
    'function f() { if (a) { return 1 } } f()',
    '({ get a() { return 1 }, b() { return 2 }, async *c() { return 3 } }).a',
    'class A { static b() { return 1 } } A.b()',
    `\`return \${[1].map((n) => { return n })}\``,
    '/return/.test("return 1") // return 1',
    'const a = { return: 1 }; a.return',
    'a / 2; /* return */ b / 2',
    'if (s) /return/.test(s);\ns',
  ];
  for (const code of scripts) assert.equal(read(code).mode, 'script', code);
});

test('code that is nested too deeply to be read is refused without a crash', () => {
  for (const code of [`return ${'1+'.repeat(50_000)}1`, '['.repeat(50_000), `${'a?b:'.repeat(10_000)}c`])
    assert.deepEqual([mistake(code).reason, mistake(code).message], ['syntax', 'The code is nested too deeply.']);
});

test('lines stay lines, whatever is taken away', () => {
  const code = 'Some words.\n```ts\nconst a: number = 1;\nreturn a;\n```';
  const { source, firstLine, text } = read(code);
  assert.equal(source.split('\n')[firstLine + 2], 'return a;');
  assert.equal(text?.split('\n')[2], 'const a: number = 1;');
  const wrapped = read('\nasync function () {\n  return 1;\n}');
  assert.equal(wrapped.source.split('\n')[wrapped.firstLine - 1 + 2], '  return 1;');
  const imported = read("import {\n  getMe,\n} from './servers/github';\nreturn getMe()");
  assert.equal(imported.source.split('\n')[3], 'return getMe()');
});

test('code that is JavaScript is never taken for TypeScript, and is run as it was sent', () => {
  for (const code of ['a < b > (c)', 'const type = 1; type', 'let as = 2; as', "return 'a &lt; b “c”'"]) {
    const { language, source } = read(code);
    assert.equal(language, 'js');
    assert.ok(source.startsWith(code), source);
  }
});

test('an uncalled function is called, a called one is left alone', () => {
  assert.match(read('async function main() {}').source, /;main$/);
  assert.match(read('const run = async (a, b) => { return a };').source, /;run$/);
  assert.match(read('const a = 1;\nfunction work() { return a }').source, /;work$/);
  for (const code of [
    'function main() {}\nmain()',
    'function helper() {}\nconsole.log(1)',
    'const f = (n) => { return n };\n[1].map(f)',
    'const f = (n) => n * 2;\n5',
  ])
    assert.equal(read(code).source, code);
});

test('the last declaration is what is given, and a loop gives no accidental value', () => {
  assert.match(read('const a = 1, b = [1, 2];').source, /;b$/);
  assert.match(read('let a = await f({\n  b: 1,\n}) // c').source, /;a$/);
  assert.equal(read('const a = 1;\na + 1').source, 'const a = 1;\na + 1');
  assert.match(read('for (const a of b) { c.push(a) }').source, /;undefined$/);
  assert.match(read('let out = "";\nwhile (more()) out += next();').source, /;out$/);
  assert.equal(read('if (a) { b } else { c }').source, 'if (a) { b } else { c }');
});

test('exports make a module, an empty one does not', () => {
  assert.equal(read('export default 1').mode, 'module');
  assert.equal(read('const a = 1;\nexport { a as default };').mode, 'module');
  assert.equal(read('export default class A {}').mode, 'module');
  assert.equal(read('export {};\n1').mode, 'script');
  assert.equal(read('const a = "export default 1"; a').mode, 'script');
});

test('imports of servers become what they stand for, all others are refused at their line', () => {
  assert.equal(
    read("import gh, { createIssue as make } from '../servers/my-hub/index.ts';\nmake").source.split('\n')[0],
    'const gh = servers["my-hub"]; const make = servers["my-hub"].createIssue;',
  );
  assert.equal(
    read("import make from './servers/github/create_issue.js';\nmake()").source.split('\n')[0],
    'const make = servers["github"]["create_issue"];',
  );
  for (const code of [
    "\nimport fs from 'fs'",
    "\nimport 'dotenv/config'",
    "\nexport * from 'a'",
    "\nexport { a } from 'a'",
  ]) {
    const { line, hint } = mistake(code);
    assert.equal(line, 2, code);
    assert.match(hint ?? '', /servers/);
  }
  assert.equal(read('const a = \'import fs from "fs"\'; a').mode, 'script');
});

test('data is not taken for calls', () => {
  for (const code of ['{"name": "a"}', '[]', '[{"name": "a", "id": 1}]', '{"tools": []}', '"text"', '[1, 2]'])
    assert.equal(read(code).mode, 'script', code);
  assert.equal(read('{"tool": "a:b"}\n{"tool": "c:d"}').mode, 'calls');
});

test('[CHAIN-44] a mistake is told at its place in the code as it was sent', () => {
  assert.deepEqual(pick(mistake('const a = 1;\n  const b = ;')), { line: 2, column: 13, excerpt: 'const b = ;' });
  assert.deepEqual(pick(mistake('const a: number = 1;\nconst b: string = ;')), {
    line: 2,
    column: 19,
    excerpt: 'const b: string = ;',
  });
  assert.deepEqual(pick(mistake('```js\nlet a;\nlet a;\n```')), { line: 3, column: 5, excerpt: 'let a;' });
  assert.equal(mistake('return {\n  a: [1, 2,\n').line, 2);
});

function pick({ line, column, excerpt }: ChainFailure) {
  return { line, column, excerpt };
}

test('brackets that would close what is put around the code do not parse', () => {
  for (const code of [
    '})(); (async () => {',
    '}); (function () {',
    '} + async function () {',
    '}, async () => {',
    ')(',
    '1) + (2',
    '*/ 1 /*',
  ])
    assert.equal(mistake(code).reason, 'syntax', code);
});

test('hostile code is read in a bounded time, or refused', () => {
  const size = 60_000;
  const codes = [
    '['.repeat(size),
    '{'.repeat(size),
    'f(){'.repeat(size / 4),
    'a('.repeat(size / 2) + '){}'.repeat(size / 2),
    `const a: number = ${'['.repeat(5_000)}`,
    `function${' '.repeat(size)}`,
    `const a = 1;${'\n'.repeat(size)}b`,
    'function f() {}\n'.repeat(size / 16),
    'export const a = 1;\n'.repeat(size / 20),
    '`${'.repeat(size / 3),
    '/'.repeat(size),
    '`'.repeat(size),
    '"\\'.repeat(size / 2),
    `{"code": ${'['.repeat(size)}`,
    'import '.repeat(size / 7),
    `import ${' '.repeat(size)}x`,
    '\u2028'.repeat(size),
    'export * '.repeat(size / 9),
    `return ${'1+'.repeat(size / 2)}1`,
    `a${'.b'.repeat(size / 2)}`,
    `const a: number = ${'[/*]*/'.repeat(size / 6)}`,
    `/${'(?:'.repeat(size / 3)}/`,
    Array.from({ length: size / 12 }, (_, at) => `let name${at};`).join('\n'),
  ];
  for (const code of codes) {
    const before = process.cpuUsage();
    readProgram(code);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 5_000_000, `${code.slice(0, 20)} took ${(user + system) / 1_000} ms`);
  }
});
