/** Tests of the list of all that waits: how much, then what matters, then the rest in lines. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange } from '../../admin/admin.ts';
import { styleFor } from './style.ts';
import { surveyChanges } from './survey-changes.ts';

const style = styleFor({ write() {} }, {});

function changeOf(name: string, state: DefinitionChange['state'], some: Partial<DefinitionChange> = {}) {
  const reasons = ['First.', 'Second.'].map((sentence) => ({ code: 'order', where: 'description', sentence }));
  const change: DefinitionChange = {
    ...{ server: 'files', kind: 'tool', name, key: `files:${name}`, state, grade: null, reasons, times: 1 },
    ...{ since: '2026-01-01T00:00:00.000Z', decidedBy: null, wasShown: false, isOffered: true },
    ...{ approvedFingerprint: null, fingerprint: 'b'.repeat(64) },
    differences: [{ where: 'title', change: 'added', before: null, after: `Title of ${name}` }],
    ...some,
  };
  return change;
}

const before = [{ where: 'title', change: 'changed', before: 'Old', after: 'New' }] as const;
const all = [
  changeOf('moved', 'changed', { differences: before, approvedFingerprint: 'a'.repeat(64) }),
  changeOf('held', 'held'),
  changeOf('noted', 'approved'),
  changeOf('refused', 'rejected'),
];
const keys = (changes: readonly DefinitionChange[]) => changes.map(({ name }) => name);

test('counts come first, then what waits, then what is worth a look in a line each', () => {
  const { text, whole } = surveyChanges(all, 'all', style);
  const lines = text.split('\n');
  assert.equal(lines[0], '1 held back, 1 changed and on hold, 1 worth a look, 1 rejected (shown with --all).');
  assert.equal(
    lines[2],
    '! why it is kept from agents   ? worth a look   - as it was approved   + as the server has it now',
  );
  assert.deepEqual(lines.slice(-2), [
    'Taken, and worth a look; whole with "toolcrib changes SERVER":',
    '  ? files:noted: description: First. (and 1 more)',
  ]);
  assert.match(text, /Title of held/);
  assert.doesNotMatch(text, /Title of noted|refused:|toolcrib approve files:(?:noted|refused)/);
  assert.deepEqual(keys(whole), ['moved', 'held'], 'a line is not all of it');
});

test('of one server, and with --all, everything is shown', () => {
  const { text, whole } = surveyChanges(all, 'server', style);
  assert.match(text, /files:noted: taken, and worth a look/);
  assert.match(text, /files:refused: rejected; nobody can see or call it/);
  assert.deepEqual(keys(whole), ['moved', 'held', 'noted', 'refused']);
});

test('long texts are whole only of one thing', () => {
  const after = Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join('\n');
  const long = changeOf('long', 'held', {
    differences: [{ where: 'description', change: 'added', before: null, after }],
  });
  for (const scope of ['all', 'server'] as const) {
    const { text, whole } = surveyChanges([long], scope, style);
    assert.match(text, /… 34 more lines/);
    assert.deepEqual(whole, []);
  }
  const { text, whole } = surveyChanges([long], 'one', style);
  assert.match(text, /Line 39\./);
  assert.deepEqual(keys(whole), ['long']);
});

test('where nothing keeps a tool from agents, that is said first, and only marks that follow are explained', () => {
  const { text } = surveyChanges([changeOf('noted', 'approved')], 'all', style);
  assert.deepEqual(text.split('\n').slice(0, 3), ['Nothing waits for you: 1 worth a look.', '', '? worth a look']);
  assert.equal(surveyChanges([], 'all', style).text, 'Nothing waits: every definition is as it was approved.');
  assert.equal(
    surveyChanges([changeOf('refused', 'rejected')], 'all', style).text,
    'Nothing waits for you: 1 rejected (shown with --all).',
  );
});
