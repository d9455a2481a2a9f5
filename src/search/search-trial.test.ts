/** A search with other descriptions changes nothing of the one that agents use. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrittenCatalog, type WrittenTools, writtenSnapshot } from '../../test/kit/written-catalog.ts';
import type { SearchTrial } from './search-trial.ts';

const tools: WrittenTools = {
  weather: { report: 'Does it.', history: 'Temperatures of past years.' },
  files: { read_file: 'Reads a file from disk.', erase: 'Tells the weather and the rain of tomorrow.' },
};
const never = new AbortController().signal;
const better = 'Tells the rain and the sun of the coming days.';
const query = 'will there be rain tomorrow';

function written() {
  return new WrittenCatalog(
    writtenSnapshot(tools, (server) =>
      server === 'files' ? { permissions: { erase: 'deny' } } : { aliases: { forecast: 'report' } },
    ),
  );
}

async function firstOf(trial: SearchTrial): Promise<string | undefined> {
  return (await trial.rank(query, 5, never))[0]?.key;
}

test('[OPT-23] another description is found by, under every name of its tool, and only in the trial', async () => {
  const catalog = written();
  const { search, vectors } = catalog;
  const trial = search.trial();
  await trial.follow();
  assert.equal(trial.size, 4);
  const before = await firstOf(trial);
  trial.describe('weather', 'report', better);
  const found = (await trial.rank(query, 5, never)).map(({ key }) => key);
  assert.deepEqual(new Set(found.slice(0, 2)), new Set(['weather:report', 'weather:forecast']));
  assert.equal(vectors.rows.size, 0);
  trial.describe('weather', 'history', 'Temperatures of past years.');
  assert.equal(await firstOf(trial), before);
  const { hits } = await search.search({
    queries: [query],
    limit: 5,
    mode: 'hybrid',
    filter: () => true,
    signal: never,
  });
  assert.notEqual(hits[0]?.key, 'weather:report');
  await trial.close();
  await search.close();
});

test('[OPT-23] a tool that is denied to everybody is not there', async () => {
  const { search } = written();
  const trial = search.trial();
  const found = await trial.rank('weather and rain of tomorrow', 9, never);
  assert.ok(!found.some(({ key }) => key === 'files:erase'));
  await trial.close();
});

test('the catalog stays as it was until the trial follows it', async () => {
  const catalog = written();
  const trial = catalog.search.trial();
  await trial.follow();
  catalog.snapshot = writtenSnapshot({ ...tools, rain: { tomorrow: 'Says if there will be rain tomorrow.' } });
  trial.describe('weather', 'report', better);
  assert.equal(trial.snapshot.servers.has('rain'), false);
  await trial.follow();
  assert.equal(await firstOf(trial), 'rain:tomorrow');
  await trial.close();
});

test('where meaning cannot be compared, nothing is ranked', async () => {
  const catalog = written();
  Object.assign(catalog.embedding, { provider: 'openai', baseUrl: 'http://127.0.0.1:1/v1' });
  const trial = catalog.search.trial();
  await assert.rejects(trial.rank(query, 5, never), { code: 'MODEL_FAILED' });
  await trial.close();
});
