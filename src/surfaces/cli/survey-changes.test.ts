/** Tests of the list of all that waits: how much, then what matters, then the rest in lines. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange, ReasonGroup } from '../../admin/admin.ts';
import { styleFor } from './style.ts';
import { type SurveyOptions, surveyChanges } from './survey-changes.ts';

const style = styleFor({ write() {} }, {});

function changeOf(name: string, state: DefinitionChange['state'], some: Partial<DefinitionChange> = {}) {
  const reasons = ['First.', 'Second.'].map((sentence) => ({ code: 'order', where: 'description', sentence }));
  const change: DefinitionChange = {
    ...{ server: 'files', kind: 'tool', name, key: `files:${name}`, state, grade: null, reasons, times: 1 },
    ...{ since: '2026-01-01T00:00:00.000Z', decidedBy: null, wasShown: false, isOffered: true },
    ...{ approvedFingerprint: null, comparedFingerprint: null, fingerprint: 'b'.repeat(64) },
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

function survey(
  changes: readonly DefinitionChange[],
  options: Partial<SurveyOptions> = {},
  groups: ReasonGroup[] = [],
) {
  return surveyChanges({ changes, groups, upgrades: [] }, { verbose: false, all: false, ...options }, style);
}

test('counts come first, then what waits and what is worth a look, a few of them one by one', () => {
  const { text, whole } = survey(all);
  const lines = text.split('\n');
  assert.equal(lines[0], '1 withheld, 1 changed and on hold, 1 worth a look, 1 rejected (shown with --all).');
  assert.equal(
    lines[2],
    '! why it is kept from agents   ? worth a look   - as it was approved   + as the server has it now',
  );
  assert.match(text, /Title of held/);
  assert.doesNotMatch(text, /refused:/);
  assert.deepEqual(keys(whole), ['moved', 'held', 'noted']);
});

test('with --all, what was rejected is shown too', () => {
  const { text, whole } = survey(all, { all: true });
  assert.match(text, /files:refused: rejected; nobody can see or call it/);
  assert.deepEqual(keys(whole), ['moved', 'held', 'noted', 'refused']);
});

test('many are shown by reason, in as many lines whatever their number, and none of them counts as read', () => {
  const many = (count: number) => {
    const changes = Array.from({ length: count }, (_, at) => changeOf(`tool${at}`, 'held'));
    const names = changes.map(({ key }) => key);
    const example = { key: names[0] ?? '', where: 'description', sentence: 'It tells the model to hush.' };
    const group = { server: 'files', code: 'instructions', words: 'new orders', isWaiting: true, keys: names, example };
    return survey(changes, { server: 'files' }, [group]);
  };
  const { text, whole } = many(500);
  assert.deepEqual(text.split('\n'), [
    '500 withheld.',
    '',
    '! 500: new orders (files:tool0, files:tool1, files:tool2 and 497 more)',
    '    files:tool0: description: It tells the model to hush.',
    '',
    'All of it: toolcrib review files --verbose, or one: toolcrib review files:NAME',
    'Accept: toolcrib review accept files   Reject: toolcrib review reject files',
  ]);
  assert.equal(many(50).text.split('\n').length, text.split('\n').length);
  assert.deepEqual(whole, []);
});

test('long texts are whole only of one thing, and with --verbose', () => {
  const after = Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join('\n');
  const long = changeOf('long', 'held', {
    differences: [{ where: 'description', change: 'added', before: null, after }],
  });
  const cut = survey([long], { server: 'files' });
  assert.match(cut.text, /… 34 more lines/);
  assert.deepEqual(cut.whole, []);
  for (const options of [{ server: 'files', name: 'long' }, { verbose: true }]) {
    const { text, whole } = survey([long], options);
    assert.match(text, /Line 39\./);
    assert.deepEqual(keys(whole), ['long']);
  }
});

test('where nothing keeps a tool from agents, that is said first, and only marks that follow are explained', () => {
  const { text } = survey([changeOf('noted', 'approved', { differences: [] })]);
  assert.deepEqual(text.split('\n').slice(0, 3), ['Nothing waits for you: 1 worth a look.', '', '? worth a look']);
  assert.equal(survey([]).text, 'Nothing waits: every definition is as it was approved.');
  assert.equal(survey([changeOf('refused', 'rejected')]).text, 'Nothing waits for you: 1 rejected (shown with --all).');
});
