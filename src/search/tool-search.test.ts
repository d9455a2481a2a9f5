/** Search modes that need something outside: what is not set up is said, and is neither tried nor a problem. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import { ToolSearch } from './tool-search.ts';

function place() {
  const llm = { provider: null as string | null, model: 'm', baseUrl: null, apiKeyEnv: null, timeoutMs: 1_000 };
  const cloud = { url: null as string | null, tokenEnv: 'TOKEN', timeoutMs: 1_000 };
  const embedding = { provider: 'builtin', model: 'made-up', baseUrl: '', apiKeyEnv: null, dimensions: 256 };
  const settings = {
    llm,
    search: { embedding, cloud, synonyms: new Map(), usage: false },
    access: { privateHosts: [] },
  };
  const warnings: string[] = [];
  // Only these members are used.
  const search = new ToolSearch({
    catalog: { snapshot: { servers: new Map(), tools: new Map() }, changed: new Signal() } as unknown as Catalog,
    store: new MemoryVectors() as unknown as Store,
    config: () => settings as unknown as Config,
    env: {},
    clock: new ManualClock(),
    log: { ...silentLog, warn: (message: string) => warnings.push(message) },
  });
  const { signal } = new AbortController();
  const noticeOf = async (mode: 'llm' | 'cloud') =>
    (await search.search({ queries: ['weather'], limit: 1, mode, filter: () => true, signal })).notice;
  return { search, noticeOf, warnings, llm, cloud };
}

test('a mode that is not configured names the setting, and is no problem of the gateway', async () => {
  const { search, noticeOf, warnings, llm } = place();
  const what = 'The model that ranks tools is not configured';
  assert.equal(await noticeOf('llm'), `${what} ("llm.provider" is not set), so this was searched here instead.`);
  assert.match((await noticeOf('cloud')) ?? '', /^The search by another gateway .*\("search\.cloud\.url" is not set\)/);
  Object.assign(llm, { provider: 'anthropic', model: null });
  assert.match((await noticeOf('llm')) ?? '', /"llm\.model" is not set/);
  assert.deepEqual([search.status.problems, warnings], [[], []]);
});

test('one that is configured and fails is a problem until it is no longer configured', async () => {
  const { search, noticeOf, warnings, llm, cloud } = place();
  Object.assign(llm, { provider: 'anthropic' });
  Object.assign(cloud, { url: 'https://search.example/catalog/search' });
  for (const mode of ['llm', 'cloud'] as const)
    assert.match((await noticeOf(mode)) ?? '', /cannot be used for now, so this was searched here\.$/);
  assert.deepEqual([search.status.problems.length, warnings.length], [2, 2]);
  assert.match(search.status.problems.join(), /ANTHROPIC_API_KEY is not set.*TOKEN is not set/);
  Object.assign(llm, { provider: null });
  Object.assign(cloud, { url: null });
  assert.deepEqual(search.status.problems, []);
});
