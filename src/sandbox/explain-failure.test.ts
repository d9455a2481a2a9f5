/** Explanations for authors of failed programs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainFailure } from './explain-failure.ts';
import type { GuestError, Program, ProgramEnd } from './guest-contract.ts';
import { readProgram } from './read-program/read-program.ts';
import type { ChainFailure } from './sandbox.ts';

const names = { github: ['create_issue', 'list_issues'], 'my-files': ['read-file'] };

function explain(code: string, error: GuestError | string, reason: ProgramEnd['reason'] = 'thrown'): ChainFailure {
  const program = readProgram(code);
  assert.ok(!('failure' in program));
  return explainOf(program, error, reason);
}

function explainOf(program: Program, error: GuestError | string, reason: ProgramEnd['reason']): ChainFailure {
  const errorJson = typeof error === 'string' ? error : JSON.stringify(error);
  const end = { reason, errorJson, serverNames: Object.keys(names), namesJson: JSON.stringify(names) };
  return explainFailure(end, program);
}

const at = (line: number, column: number) => `    at <eval> (chain.js:${line}:${column})\n`;

test('[CHAIN-44] the place is the innermost one in the code as it was sent', () => {
  const error = (stack: string) => ({ name: 'Error', message: 'no', stack });
  const nested = `    at callTool (prelude.js:5:2)\n    at f (chain.js:2:7)\n${at(3, 1)}`;
  const place = explain('const a = 1;\n  f(a)\ng()', error(nested));
  assert.deepEqual([place.line, place.column, place.excerpt], [2, 7, 'f(a)']);
  const body = explain('return f()', error(at(1, 28)));
  assert.deepEqual([body.line, body.column], [1, 8]);
  const wrapped = explain('async function () {\n  f();\n}', error(at(3, 3)));
  assert.deepEqual([wrapped.line, wrapped.excerpt], [2, 'f();']);
  const typed = explain('const a: string = f() as string;\na', error(at(1, 19)));
  assert.equal(typed.excerpt, 'const a: string = f() as string;');
});

test('[CHAIN-44] a place where the property that is meant is not named is none', () => {
  const error = { name: 'TypeError', message: "cannot read property 'size' of undefined", stack: at(1, 28) };
  const place = (code: string) => {
    const { line, excerpt } = explain(code, error);
    return [line, excerpt];
  };
  assert.deepEqual(place('const a = {};\nlet b;\nreturn this.x.size;'), [3, 'return this.x.size;']);
  assert.deepEqual(place('const a = {};\n[].x.size;\nreturn "".x.size;'), [undefined, undefined]);
  assert.deepEqual(place('const a = f.x.size;\nreturn b.size;'), [1, 'const a = f.x.size;']);
});

test('a line that we added, or none, is not named', () => {
  for (const stack of [at(9, 1), '    at prelude.js:1:1', '', 'chain.js:x', 'notchain.jsx:1:1'])
    assert.equal(explain('f()', { name: 'Error', message: 'no', stack }).line, undefined);
  assert.equal(explain('{"tool": "a:b"}', { name: 'Error', message: 'no', stack: at(1, 1) }).line, undefined);
});

test('a name that is not there is answered with the nearest, or with what there is instead', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['create_issue', /servers\.github\.create_issue\(/],
    ['githubCreateIssue', /servers\.github\.create_issue\(/],
    ['readFile', /servers\["my-files"\]\["read-file"\]/],
    ['githb', /servers\.github/],
    ['tool_discover', /tool_discovery/],
    ['serch', /search/],
    ['fetch', /no network/],
    ['process', /no process/],
    ['fs', /no files/],
    ['Buffer', /TextEncoder/],
    ['window', /no browser/],
    ['require', /`servers`/],
    ['print', /console\.log/],
    ['zzzzzzzz', /Declare it first/],
    ['constructor', /Declare it first|mean/],
  ];
  for (const [name, words] of rows) {
    const { hint } = explain('f()', { name: 'ReferenceError', message: `${name} is not defined`, stack: at(1, 1) });
    assert.match(hint ?? '', words, name);
  }
});

test('a value that is not a function is named, and a missing await is noticed', () => {
  const fault = (code: string, line: number, column: number, message = 'not a function') =>
    explain(code, { name: 'TypeError', message, stack: at(line, column) });
  assert.equal(fault('const a = 1;\na.b.c()', 2, 4).message, 'a.b.c is not a function');
  assert.equal(fault('const a = 1;\na.map((n) => n)', 2, 7).message, 'a.map is not a function');
  assert.equal(fault('let a = 1;\na()', 2, 1).message, 'a is not a function');
  assert.match(fault('const a = servers.github.list_issues({});\na.map((n) => n)', 2, 7).hint ?? '', /`await`/);
  assert.match(
    fault('const a = await servers.github.list_issues({});\na.map((n) => n)', 2, 7).hint ?? '',
    /console\.log/,
  );
  assert.match(
    fault('const a = await f();\na.b.c', 2, 1, "cannot read property 'c' of undefined").hint ?? '',
    /info\(/,
  );
});

test('trouble of a call keeps its code, tool and hint, and arguments are to be looked up', () => {
  const trouble = (fields: GuestError) =>
    explain('f()', { name: 'ToolError', message: 'no', stack: at(1, 1), ...fields });
  const wrong = trouble({ code: 'ARGUMENTS_INVALID', tool: 'github:create_issue', hint: 'It takes: title' });
  assert.deepEqual([wrong.code, wrong.tool], ['ARGUMENTS_INVALID', 'github:create_issue']);
  assert.equal(
    wrong.hint,
    "It takes: title. Look up the arguments first: await info('github:create_issue') or await types('github:create_issue').",
  );
  assert.match(
    trouble({ code: 'TOOL_NOT_FOUND', tool: 'github:create_isue' }).hint ?? '',
    /servers\.github\.create_issue/,
  );
  assert.match(trouble({ code: 'SERVER_NOT_FOUND', tool: 'githb' }).hint ?? '', /github/);
  assert.match(trouble({ code: 'TIMEOUT' }).hint ?? '', /in time/);
  assert.equal(trouble({ code: 'NOT_A_CODE' }).code, undefined);
  assert.equal(explain('f()', { name: 'Error', message: 'no', code: 'TIMEOUT' }).code, undefined);
});

test('ends that the engine brings about leave it to others to say what to do', () => {
  for (const reason of ['timeout', 'memory', 'stack', 'calls', 'output'] as const)
    assert.equal(explain('f()', { name: 'Error', message: 'no', hint: 'Wait.' }, reason).hint, undefined, reason);
});

test('a call gives data: what clients wrap it in is told to be left out', () => {
  const hintOf = (line: string) =>
    explain(line, {
      name: 'TypeError',
      message: "cannot read property 'text' of undefined",
      stack: '    at <anonymous> (chain.js:1:10)',
    }).hint ?? '';
  assert.match(hintOf('r.content[0].text'), /returns the data itself/);
  assert.match(hintOf('r.structuredContent.text'), /returns the data itself/);
  assert.doesNotMatch(hintOf('r.rows.text'), /returns the data itself/);
});

test('hostile words of a program are bounded and cannot break the explanation', () => {
  const long = 'x'.repeat(100_000);
  const told = explain('f()', { name: 'Error', message: long, stack: long, hint: 'a\u0000b\u202e' });
  assert.ok(told.message.length <= 1_000);
  assert.equal(told.hint, 'ab');
  for (const json of ['', '5', 'null', '[]', '{"message":5,"stack":{}}', '{"name":null}']) {
    const failure = explain('f()', json);
    assert.equal(failure.message, 'The program failed.');
    assert.equal(failure.name, 'Error');
  }
});
