/** Golden prompts: what is refused, what is added, and how they are dealt to the halves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../catalog/catalog.ts';
import { promptCategories } from '../store/store.ts';
import { checkPrompts } from './check-prompts.ts';
import { dealPrompts, noteEmptyHalves } from './deal-prompts.ts';
import type { GivenPrompt } from './given-records.ts';
import { judgeResult } from './judge-result.ts';

const entry: Entry = {
  key: 'weather:get_current',
  server: 'weather',
  name: 'get_current',
  serverName: 'get_current',
  definition: { name: 'get_current' },
  fingerprint: 'f',
};
const tools = new Map([
  ['weather:get_current', entry],
  ['weather:get_historical', entry],
]);
const check = (...prompts: GivenPrompt[]) => checkPrompts(prompts, { entry, others: [], tools });
const direct = { category: 'direct', prompt: 'How warm is it in Oslo?' } as const;

test('a prompt gets an id, its expected behaviour, and the full name of the right tool', () => {
  const { prompts } = check(direct, {
    category: 'negative',
    prompt: 'How warm was it in Oslo in 1990?',
    expectedBehavior: { shouldCallTool: false, tool: 'get_historical', notes: 'The past.' },
  });
  assert.match(prompts[0]?.id ?? '', /^prompt_[0-9a-f]{16}$/);
  assert.deepEqual(prompts[0]?.expectedBehavior, { shouldCallTool: true });
  assert.deepEqual(prompts[1]?.expectedBehavior, {
    shouldCallTool: false,
    tool: 'weather:get_historical',
    notes: 'The past.',
  });
});

test('a wrong prompt is named by its number, with the reason', () => {
  const wrong: readonly [GivenPrompt, RegExp][] = [
    [{ ...direct, prompt: 'Oslo now?' }, /^Golden prompt 2 must have at least 10 characters \(got 9\)\.$/],
    [{ ...direct, expectedBehavior: { shouldCallTool: false } }, /is direct, so .* must be true/],
    [{ ...direct, toolName: 'get_tides' }, /is for tool "get_tides", not "get_current"/],
    [{ ...direct, id: 'a/b' }, /an id with other characters/],
    [{ category: 'indirect', prompt: 'Please GetCurrent conditions for me' }, /contains the name of the tool/],
    [{ category: 'indirect', prompt: 'Could you get current conditions?' }, /contains the name of the tool/],
    [
      {
        category: 'negative',
        prompt: 'What is weather?',
        expectedBehavior: { shouldCallTool: false, tool: 'get_current' },
      },
      /is negative, but names "weather:get_current"/,
    ],
    [{ ...direct }, /repeats prompt 1/],
  ];
  for (const [prompt, message] of wrong) assert.throws(() => check(direct, prompt), { message });
});

test('the id of a prompt of another tool of the server is taken', () => {
  const { prompts } = check({ ...direct, id: 'p1' });
  const others = prompts.map((prompt) => ({
    ...prompt,
    server: 'weather',
    toolName: 'get_historical',
    part: 'deciding' as const,
    author: 'hand' as const,
    createdAt: '',
  }));
  const again = () => checkPrompts([{ ...direct, id: 'p1' }], { entry, others, tools });
  assert.throws(again, /which a prompt of tool "get_historical" has/);
});

test('missing categories and unknown tools are warnings', () => {
  const { warnings } = check({
    category: 'negative',
    prompt: 'How deep is the sea?',
    expectedBehavior: { shouldCallTool: false, tool: 'sea:depth' },
  });
  assert.deepEqual(warnings, [
    'There are no direct prompts.',
    'There are no indirect prompts.',
    'No server offers "sea:depth", which a prompt names as the right tool.',
  ]);
  assert.match(check(direct).warnings.join(' '), /no negative prompts: precision is unknown/);
});

const dealt = (ids: readonly string[], before: Parameters<typeof dealPrompts>[1] = []) => {
  const prompts = ids.map((id) => ({ id, category: 'direct' as const }));
  const parts = dealPrompts(prompts, before);
  return prompts.map((prompt, at) => ({ ...prompt, part: parts[at] ?? 'deciding' }));
};

test('each category is dealt evenly, the same way each time, and the deciding half gets the odd one', () => {
  for (let count = 1; count < 30; count += 1) {
    const ids = Array.from({ length: count }, (_, at) => `p${at}`);
    const first = dealt(ids);
    const deciding = first.filter(({ part }) => part === 'deciding').length;
    assert.equal(deciding, Math.ceil(count / 2));
    const again = dealt(ids.toReversed()).toReversed();
    assert.deepEqual(again, first);
  }
});

test('one prompt of each category leaves no half empty, the negative one decides, and what is missing is noted', () => {
  const few = promptCategories.map((category) => ({ id: category, category }));
  const parts = dealPrompts(few, []);
  assert.deepEqual([parts[2], parts.toSorted()], ['deciding', ['choosing', 'deciding', 'deciding']]);
  const notes = noteEmptyHalves(few.map((prompt, at) => ({ ...prompt, part: parts[at] ?? 'deciding' })));
  assert.equal(notes.length, 3);
  assert.equal(notes[2], '1 negative prompt in the deciding half, none in the choosing half: save another.');
  assert.deepEqual(noteEmptyHalves(dealt(['a', 'b'])), []);
});

test('a prompt that is saved again stays in its half, and new ones even the halves out', () => {
  const first = dealt(['a', 'b', 'c', 'd']);
  const more = dealt(['a', 'b', 'c', 'd', 'e', 'f'], first);
  assert.deepEqual(more.slice(0, 4), first);
  assert.equal(more.filter(({ part }) => part === 'deciding').length, 3);
});

test('a result is right by what was called, whatever the evaluator says', () => {
  const prompt = (more: object) => ({ server: 'weather', toolName: 'get_current', ...more }) as never;
  const call = prompt({ expectedBehavior: { shouldCallTool: true, arguments: { city: 'Oslo' } } });
  const none = prompt({ expectedBehavior: { shouldCallTool: false } });
  const correct = (given: object, of: never) => judgeResult({ toolCalled: true, ...given }, of).correct;
  assert.equal(correct({ correct: false }, call), true);
  assert.equal(correct({ tool: 'weather:get_current', arguments: { city: 'Oslo', unit: 'C' } }, call), true);
  assert.equal(correct({ arguments: { city: 'Rome' } }, call), false);
  assert.equal(correct({ tool: 'get_historical' }, call), false);
  assert.equal(correct({ toolCalled: false }, call), false);
  assert.equal(correct({ toolCalled: false, error: 'timed out' }, call), null);
  assert.equal(correct({}, none), false);
  assert.equal(correct({ tool: 'get_historical' }, none), true);
  assert.equal(correct({ toolCalled: false, correct: false }, none), true);
});
