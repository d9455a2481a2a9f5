/** The judge that searches, and how its choice is graded. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompt } from '../../test/kit/eval-records.ts';
import { WrittenCatalog, writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { type Choice, type DescriptionJudge, gradePrompt } from './judge.ts';
import { SearchJudge } from './search-judge.ts';

const snapshot = writtenSnapshot(
  {
    weather: { report: 'Does it.', history: 'Temperatures of past years.' },
    files: { read_file: 'Reads a file from disk.' },
  },
  (server) => (server === 'weather' ? { aliases: { forecast: 'report' } } : {}),
);
const never = new AbortController().signal;
const definitionOf = (tool: string) => snapshot.tools.get(tool)?.definition;
const wording = {
  server: 'weather',
  toolName: 'report',
  description: 'Tells the rain and the sun of the coming days.',
};
const rain = goldenPrompt('a', 'direct', { prompt: 'will there be rain in the coming days' });

test('[OPT-23] the tool under test is among all others, and an alias of it is the tool itself', async () => {
  const { search, clock } = new WrittenCatalog(snapshot);
  const judge = new SearchJudge(search);
  await judge.begin();
  assert.equal(await judge.checkSanity(wording, never), null);
  const { tool, offered } = await judge.choose(wording, rain.prompt, never);
  assert.deepEqual([tool, offered.length], ['weather:report', new Set(offered).size]);
  const options = { clock, timeoutMs: 1_000, signal: never, definitionOf };
  assert.equal((await gradePrompt(judge, wording, rain, options)).correct, true);
  const against = goldenPrompt('b', 'negative', { prompt: 'read the file notes.txt from disk' });
  assert.deepEqual(await gradePrompt(judge, wording, against, options), {
    toolCalled: false,
    correct: true,
    tool: 'files:read_file',
    durationMs: 0,
  });
  const blind = { ...wording, description: 'Does it.' };
  assert.equal((await gradePrompt(judge, { ...blind, toolName: 'history' }, rain, options)).correct, false);
  await judge.close();
});

test('a tool that is not there fails the sanity check', async () => {
  const { search } = new WrittenCatalog(snapshot);
  const judge = new SearchJudge(search);
  await judge.begin();
  assert.match((await judge.checkSanity({ ...wording, toolName: 'gone' }, never)) ?? '', /does not find the tool/);
  await judge.close();
});

function judgeThat(choose: DescriptionJudge['choose']): DescriptionJudge {
  return { name: 'search', begin: async () => {}, checkSanity: async () => null, choose, close: async () => {} };
}

test('a doubted choice is right on a negative, and still the first on others', async () => {
  const { clock } = new WrittenCatalog(snapshot);
  const options = { clock, timeoutMs: 1_000, signal: never, definitionOf };
  const doubted: Choice = { tool: 'weather:report', isDoubted: true, offered: [] };
  const judge = judgeThat(async () => doubted);
  const negative = goldenPrompt('n', 'negative');
  assert.equal((await gradePrompt(judge, wording, negative, options)).correct, true);
  assert.equal((await gradePrompt(judge, wording, rain, options)).correct, true);
  const sure = judgeThat(async () => ({ ...doubted, isDoubted: false }));
  assert.equal((await gradePrompt(sure, wording, negative, options)).correct, false);
});

test('a late or failed answer is void, and an aborted job is neither', async () => {
  const { clock } = new WrittenCatalog(snapshot);
  const options = { clock, timeoutMs: 1_000, signal: never, definitionOf };
  const asked = Promise.withResolvers<void>();
  const silent = judgeThat(() => {
    asked.resolve();
    return new Promise<Choice>(() => {});
  });
  const late = gradePrompt(silent, wording, rain, options);
  await asked.promise;
  await clock.advance(1_000);
  assert.deepEqual(await late, {
    toolCalled: false,
    correct: null,
    error: 'No answer within 1000 ms.',
    durationMs: 1_000,
  });
  const broken = judgeThat(async () => assert.fail('no model'));
  assert.equal((await gradePrompt(broken, wording, rain, options)).correct, null);
  const { signal } = { signal: AbortSignal.abort(new Error('cancelled')) };
  await assert.rejects(gradePrompt(silent, wording, rain, { ...options, signal }), /cancelled/);
});
