/** Search follows the catalog and the settings while the gateway runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { Catalog } from '../catalog/catalog.ts';
import { type Config, parseServer } from '../config/config.ts';
import type { Downstream, Offer } from '../downstream/downstream.ts';
import type { Store } from '../store/store.ts';
import type { Hit, LocalMode } from './hit.ts';
import { type EmbeddingSettings, ToolFinder } from './tool-finder.ts';

type Tools = Readonly<Record<string, string>>;

const usual: Tools = {
  forecast: 'Rain, sun and temperature of the coming days.',
  send_mail: 'Sends a letter to somebody.',
  read_file: 'Reads a file from disk.',
};
const never = new AbortController().signal;

/** A finder over one server, whose tools and settings a test can change. */
class Desk {
  readonly clock = new ManualClock();
  readonly vectors = new MemoryVectors();
  readonly said: string[] = [];
  readonly catalog: Catalog;
  readonly finder: ToolFinder;
  readonly #spec = parseServer('s', { command: 'serve' }, {}, 'file');
  tools: Tools = usual;
  provider: EmbeddingSettings['provider'] = 'builtin';
  synonyms: Config['search']['synonyms'] = new Map();

  constructor() {
    const { clock } = this;
    // Only these members are used.
    const store = {
      listListings: async () => [],
      listPins: async () => [],
      applyListing: async () => ({ added: [], updated: [], removed: [], unchanged: 0 }),
    } as unknown as Store;
    const downstream = {
      listChanged: new Signal(),
      changed: new Signal(),
      spec: () => this.#spec,
      status: () => ({ state: 'connected', connectedElapsed: 0 }),
      list: async () => offerOf(this.tools),
      noteJudged() {},
    } as unknown as Downstream;
    this.catalog = new Catalog({ store, downstream, clock, log: silentLog, listsUnknown: false });
    this.finder = new ToolFinder({
      catalog: this.catalog,
      store: this.vectors,
      config: () => this.#config(),
      env: {},
      clock,
      log: { ...silentLog, warn: (event) => void this.said.push(event) },
      usageOf: () => new Map(),
    });
  }

  static async open(provider: EmbeddingSettings['provider'] = 'builtin'): Promise<Desk> {
    const desk = new Desk();
    desk.provider = provider;
    await desk.catalog.open();
    desk.catalog.setServers([desk.#spec]);
    await desk.catalog.refresh('s');
    return desk;
  }

  /** The server offers these tools now. */
  async offer(tools: Tools): Promise<void> {
    this.tools = tools;
    await this.catalog.refresh('s');
  }

  async search(query: string, mode: LocalMode = 'hybrid'): Promise<Hit[]> {
    return [...(await this.finder.search({ queries: [query] }, { limit: 9, mode }, never)).hits];
  }

  async best(query: string, mode?: LocalMode): Promise<string | undefined> {
    return (await this.search(query, mode))[0]?.key;
  }

  #config(): Config {
    const embedding: EmbeddingSettings = {
      provider: this.provider,
      model: 'made-up',
      baseUrl: 'https://api.openai.com/v1',
      apiKeyEnv: null,
      dimensions: 256,
    };
    // Only these members are used.
    return { search: { embedding, synonyms: this.synonyms, usage: false } } as unknown as Config;
  }
}

test('the very first search finds by meaning, with or without preparation', async () => {
  for (const isPrepared of [true, false]) {
    const desk = await Desk.open();
    if (isPrepared) await desk.finder.prepare();
    assert.equal(await desk.best('do I need an umbrella'), 's:forecast');
    assert.deepEqual(desk.finder.status.vectors, { ready: 3, waiting: 0, made: 3 });
    await desk.finder.close();
  }
});

test('a model that is switched off leaves the words, and switched on again brings meaning back', async () => {
  const desk = await Desk.open();
  assert.equal(await desk.best('do I need an umbrella'), 's:forecast');
  desk.provider = 'off';
  assert.deepEqual(await desk.search('do I need an umbrella'), []);
  const [hit] = await desk.search('read file');
  assert.deepEqual([hit?.key, hit?.explanation.meaning], ['s:read_file', null]);
  assert.deepEqual(
    [desk.finder.status.model, desk.finder.status.vectors, desk.finder.status.problem],
    [null, null, null],
  );
  desk.provider = 'builtin';
  assert.equal(await desk.best('do I need an umbrella'), 's:forecast');
  assert.equal(desk.finder.status.vectors?.ready, 3);
  await desk.finder.close();
});

test('a model that is switched on between preparation and the first search knows every tool', async () => {
  const desk = await Desk.open('off');
  await desk.finder.prepare();
  assert.equal(desk.finder.status.tools, 3);
  desk.provider = 'builtin';
  assert.equal(await desk.best('do I need an umbrella', 'semantic'), 's:forecast');
  assert.equal(desk.finder.status.vectors?.ready, 3);
  await desk.finder.close();
});

test('a model that cannot be used is told once, and searches go by words', async () => {
  const desk = await Desk.open('openai');
  for (let round = 0; round < 3; round += 1) assert.equal(await desk.best('read file'), 's:read_file');
  assert.equal(desk.said.length, 1, desk.said.join());
  assert.match(desk.said[0] ?? '', /OPENAI_API_KEY is not set/);
  assert.notEqual(desk.finder.status.problem, null);
  desk.provider = 'builtin';
  assert.equal(await desk.best('do I need an umbrella'), 's:forecast');
  assert.equal(desk.finder.status.problem, null);
  await desk.finder.close();
});

test('synonyms that the settings gain or lose count from the next search on', async () => {
  const desk = await Desk.open('off');
  assert.deepEqual(await desk.search('brolly'), []);
  desk.synonyms = new Map([['brolly', ['rain']]]);
  assert.equal(await desk.best('brolly'), 's:forecast');
  desk.synonyms = new Map();
  assert.deepEqual(await desk.search('brolly'), []);
  await desk.finder.close();
});

test('tools that come, go or change are followed, and only what changed is embedded', async () => {
  const desk = await Desk.open();
  await desk.search('file');
  const { forecast = '', read_file = '' } = usual;
  await desk.offer({ forecast, read_file: 'Plays a song.', route: 'The way from one place to another.' });
  assert.equal(await desk.best('music'), 's:read_file');
  assert.equal(await desk.best('how do I get to the station'), 's:route');
  assert.ok(!(await desk.search('letter')).some((hit) => hit.key === 's:send_mail'));
  assert.deepEqual(desk.finder.status, {
    tools: 3,
    model: 'toolcrib-table-1',
    problem: null,
    vectors: { ready: 3, waiting: 0, made: 5 },
  });
  await desk.offer({ forecast, read_file });
  assert.equal(await desk.best('open a file'), 's:read_file');
  assert.equal(desk.finder.status.vectors?.made, 5, 'a text that was known before is not embedded again');
  await desk.finder.close();
});

test('after closing a search still answers', async () => {
  const desk = await Desk.open();
  await desk.search('file');
  await desk.finder.close();
  assert.equal(await desk.best('read file'), 's:read_file');
});

function offerOf(tools: Tools): Offer {
  const definitions = Object.entries(tools).map(([name, description]) => ({ name, description, inputSchema: {} }));
  const nothing = { resources: [], templates: [], prompts: [], warnings: [], startedAt: 0 };
  return { serverInfo: null, capabilities: {}, instructions: null, tools: definitions, ...nothing };
}
