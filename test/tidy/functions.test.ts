/** The scanner that measures functions sees what a parser would see, on code chosen to confuse it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printed } from './finding.ts';
import { checkFunctions, functionsOf } from './functions.ts';
import { maskSource } from './mask-source.ts';

const lengths = (text: string) => functionsOf(text).map((one) => [one.line, one.lineCount]);
const body = (lines: number) => 'x();\n'.repeat(lines);

test('declarations, methods, accessors, constructors and arrow functions are measured', () => {
  const heads = [
    'function f()',
    'async function* f(a: { b: 1 }): AsyncGenerator<{ c: 2 }>',
    'const f = () =>',
    'const f = async (a: string): Promise<{ d: 1 }> =>',
  ];
  for (const head of heads) assert.deepEqual(lengths(`${head} {\n${body(3)}}`), [[1, 5]], head);
  const members = [
    'get(): { a: 1 }',
    'static async #x(y = {})',
    'constructor()',
    'get size()',
    '[Symbol.iterator]()',
    "'quoted'()",
  ];
  for (const member of members)
    assert.deepEqual(lengths(`class A {\n ${member} {\n${body(2)}}\n}`).at(-1), [2, 4], member);
  assert.deepEqual(lengths('const f = one => {\n};'), [[1, 2]]);
});

test('control flow, classes, objects and types are not functions', () => {
  const text = [
    'class A extends B { }',
    'interface I { f(): void }',
    'const o = { a: { b: 1 } };',
    'if (a) { } else if (b) { } else { }',
    'for (const x of y) { } for await (const x of y) { } while (a) { } do { } while (a);',
    'switch (a) { case 1: { } } try { } catch (e) { } finally { }',
    'label: { }',
  ].join('\n');
  assert.deepEqual(lengths(text), []);
});

test('braces in strings, templates, comments and regular expressions do not count', () => {
  const lines = [
    'function f() {',
    '  const a = "}"; const b = \'{\'; // }',
    '  /* { */ const c = /[/}]\\}{/g; const d = e / 2 / g; const h = x ? /}/ : 1;',
    '  const t = `} $' + '{ { a: `$' + '{"}"}` }.a } {`;',
    '  return /}/.test(a);',
    '}',
  ];
  assert.deepEqual(lengths(lines.join('\n')), [[1, 6]]);
});

test('masking keeps every line and every length', () => {
  const text = 'const a = "x"; // c\nconst b = `1 $' + '{ a /* } */ } 2`;\nconst c = /"/; const d = "e";\n';
  const { code, uncommented } = maskSource(text);
  assert.equal(code.length, text.length);
  assert.equal(uncommented.length, text.length);
  assert.equal(code.split('\n').length, text.split('\n').length);
  assert.match(code, /^const a = " "; +\nconst b = ` +a +;\nconst c = 0 +; const d = " ";\n$/);
});

test('functions above the limit are found, and exceptions that are no longer needed too', () => {
  const file = (lines: number) => ({ path: 'src/a/a.ts', text: `\nfunction f() {\n${body(lines - 2)}}\n` });
  const listed = [{ path: 'src/a/a.ts', reason: 'a table' }];
  assert.equal(printed(checkFunctions(file(70), [])), '');
  assert.match(
    printed(checkFunctions(file(71), [])),
    /^src\/a\/a\.ts:2 {2}This function has 71 lines; 70 are the limit/,
  );
  assert.equal(printed(checkFunctions(file(71), listed)), '');
  assert.match(printed(checkFunctions(file(70), listed)), /off the list/);
});
