/** Tests of progress: the line itself, and where it is written. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine, showProgress, tellProgress } from './progress.ts';

test('[GET-64] progress shows seconds, and with a known part a bar and an estimate', () => {
  assert.match(progressLine({ text: 'Asking' }, 500), /^\S Asking$/);
  assert.match(progressLine({ text: 'Asking' }, 3_400), /^\S Asking, 3 s$/);
  assert.match(progressLine({ text: 'Asking' }, 125_000), /^\S Asking, 2 min 5 s$/);
  assert.equal(progressLine({ text: 'Reading', done: 0.25 }, 1_000), '█████░░░░░░░░░░░░░░░  25 %  Reading, 1 s');
  assert.match(progressLine({ text: 'Reading', done: 0.25 }, 4_000), / 25 % {2}Reading, 4 s, about 12 s left$/);
  assert.match(progressLine({ text: 'Reading', done: 0.01 }, 4_000), / 1 % {2}Reading, 4 s$/, 'too early to guess');
  assert.match(progressLine({ text: 'Reading', done: 7 }, 4_000), /^█{20} 100 % {2}Reading, 4 s$/);
});

test('progress is drawn on a terminal alone, fits into its width and leaves no trace', async () => {
  const screen = { isTTY: true, columns: 12, text: '', write: (part: string) => (screen.text += part) };
  assert.equal(await showProgress(screen, 'A label that is too long', async () => 7), 7);
  assert.match(screen.text, /^\r\u001b\[2K. A label t\r\u001b\[2K$/);
  const pipe = { text: '', write: (part: string) => (pipe.text += part) };
  await showProgress(pipe, 'Asking', async (report) => report({ text: 'a', step: 'a' }));
  assert.equal(pipe.text, '');
});

test('long work tells its steps elsewhere, each once', async () => {
  const pipe = { text: '', write: (part: string) => (pipe.text += part) };
  await tellProgress(pipe, 'Evaluating', async (report) => {
    for (const step of ['one', 'one', 'two']) report({ text: `at ${step}`, step });
  });
  assert.equal(pipe.text, 'at one\nat two\n');
});
