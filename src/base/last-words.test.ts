/** Last words: the error stands in them, whatever the runtime prints around it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { lastWords } from './last-words.ts';

const frames = [
  '    at load (node:internal/modules/helpers:318:16)',
  '    at Object.<anonymous> (/srv/pty/index.js:15:20)',
];

test('lines that are no trace are the last ones that are not empty', () => {
  assert.deepEqual(lastWords('one\ntwo\n\n  \nthree\n', 2), ['two', 'three']);
  assert.deepEqual(lastWords('', 3), []);
});

test('a crash of Node is told by its error, not by frames, members, source or version', () => {
  const printed = [
    'Listening soon',
    '/srv/pty/lib/load.js:29',
    '    throw lastError;',
    '    ^',
    '',
    'Error: Failed to load native module: pty.node',
    ...frames,
    '    at node:internal/main:1:1 {',
    "  code: 'ERR_DLOPEN_FAILED'",
    '}',
    '',
    'Node.js v26.10.0',
  ].join('\n');
  const error = 'Error: Failed to load native module: pty.node';
  assert.deepEqual(lastWords(printed, 3), ['Listening soon', error]);
  assert.deepEqual(lastWords(printed, 1), [error]);
});

test('a crash of the Node that runs here is told so too', () => {
  const code = `throw new Error('No key was given', { cause: new TypeError('KEY is empty') })`;
  const { stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  const said = lastWords(stderr, 3);
  assert.deepEqual([said.at(-2), said.at(-1)?.trim()], ['Error: No key was given', '[cause]: TypeError: KEY is empty']);
  assert.match(stderr, /Node\.js v/);
});

test('a message longer than what is shown keeps its beginning', () => {
  const stack = Array.from({ length: 9 }, (_, at) => `- /srv/module-${at}.js`);
  const printed = ["Error: Cannot find module './x'", 'Require stack:', ...stack, ...frames].join('\n');
  assert.deepEqual(lastWords(printed, 3), ["Error: Cannot find module './x'", 'Require stack:', stack[0]]);
  const withEnd = lastWords(`${printed}\nShutting down`, 3);
  assert.deepEqual(withEnd, ["Error: Cannot find module './x'", 'Require stack:', 'Shutting down']);
});

test('a trace that was followed by much else is not what a program ended with', () => {
  const printed = ['Error: one try failed', ...frames, 'again', 'it works', 'Out of memory'].join('\n');
  assert.deepEqual(lastWords(printed, 3), ['again', 'it works', 'Out of memory']);
});

test('a traceback of Python is told by its last line', () => {
  const printed = [
    'Starting',
    'Traceback (most recent call last):',
    '  File "/srv/server.py", line 3, in <module>',
    '    import nothing',
    '    ^^^^^^^^^^^^^^',
    '  File "/srv/other.py", line 9, in load',
    '    raise ModuleNotFoundError',
    "ModuleNotFoundError: No module named 'nothing'",
  ].join('\n');
  assert.deepEqual(lastWords(printed, 3), ['Starting', "ModuleNotFoundError: No module named 'nothing'"]);
});

test('where only a part of a trace is left, that part is better than nothing', () => {
  assert.deepEqual(lastWords(frames.join('\n'), 1), [frames[1]]);
});

test('a marker under a line that names no place is kept with it', () => {
  assert.deepEqual(lastWords('bad indentation in the settings\n  key: value\n      ^', 3).length, 3);
});
