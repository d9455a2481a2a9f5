/** Search follows the catalog and the settings while the gateway runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { Catalog, wordingFingerprint } from '../catalog/catalog.ts';
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
class Harness {
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
      events: new Signal(),
      listListings: async () => [],
      listPins: async () => [],
      applyListing: async () => ({ added: [], updated: [], removed: [], unchanged: 0 }),
    } as unknown as Store;
    const downstream = {
      listChanged: new Signal(),
      changed: new Signal(),
      spec: () => this.#spec,
      status: () => ({ state: 'connected', openedAt: 0 }),
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

  static async open(provider: EmbeddingSettings['provider'] = 'builtin'): Promise<Harness> {
    const harness = new Harness();
    harness.provider = provider;
    await harness.catalog.open();
    harness.catalog.setServers([harness.#spec]);
    await harness.catalog.refresh('s');
    return harness;
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
    const harness = await Harness.open();
    if (isPrepared) await harness.finder.prepare();
    assert.equal(await harness.best('do I need an umbrella'), 's:forecast');
    assert.deepEqual(harness.finder.status.vectors, { ready: 3, waiting: 0, made: 3 });
    await harness.finder.close();
  }
});

test('a model that is switched off leaves the words, and switched on again brings meaning back', async () => {
  const harness = await Harness.open();
  assert.equal(await harness.best('do I need an umbrella'), 's:forecast');
  harness.provider = 'off';
  assert.deepEqual(await harness.search('do I need an umbrella'), []);
  const [hit] = await harness.search('read file');
  assert.deepEqual([hit?.key, hit?.explanation.meaning], ['s:read_file', null]);
  assert.deepEqual(
    [harness.finder.status.model, harness.finder.status.vectors, harness.finder.status.problem],
    [null, null, null],
  );
  harness.provider = 'builtin';
  assert.equal(await harness.best('do I need an umbrella'), 's:forecast');
  assert.equal(harness.finder.status.vectors?.ready, 3);
  await harness.finder.close();
});

test('a model that is switched on between preparation and the first search knows every tool', async () => {
  const harness = await Harness.open('off');
  await harness.finder.prepare();
  assert.equal(harness.finder.status.tools, 3);
  harness.provider = 'builtin';
  assert.equal(await harness.best('do I need an umbrella', 'semantic'), 's:forecast');
  assert.equal(harness.finder.status.vectors?.ready, 3);
  await harness.finder.close();
});

test('a model that cannot be used is told once, and searches go by words', async () => {
  const harness = await Harness.open('openai');
  for (let round = 0; round < 3; round += 1) assert.equal(await harness.best('read file'), 's:read_file');
  assert.equal(harness.said.length, 1, harness.said.join());
  assert.match(harness.said[0] ?? '', /OPENAI_API_KEY is not set/);
  assert.notEqual(harness.finder.status.problem, null);
  harness.provider = 'builtin';
  assert.equal(await harness.best('do I need an umbrella'), 's:forecast');
  assert.equal(harness.finder.status.problem, null);
  await harness.finder.close();
});

test('synonyms that the settings gain or lose count from the next search on', async () => {
  const harness = await Harness.open('off');
  assert.deepEqual(await harness.search('brolly'), []);
  harness.synonyms = new Map([['brolly', ['rain']]]);
  assert.equal(await harness.best('brolly'), 's:forecast');
  harness.synonyms = new Map();
  assert.deepEqual(await harness.search('brolly'), []);
  await harness.finder.close();
});

test('tools that come, go or change are followed, and only what changed is embedded', async () => {
  const harness = await Harness.open();
  await harness.search('file');
  const { forecast = '', read_file = '' } = usual;
  await harness.offer({ forecast, read_file: 'Plays a song.', route: 'The way from one place to another.' });
  assert.equal(await harness.best('music'), 's:read_file');
  assert.equal(await harness.best('how do I get to the station'), 's:route');
  assert.ok(!(await harness.search('letter')).some((hit) => hit.key === 's:send_mail'));
  assert.deepEqual(harness.finder.status, {
    tools: 3,
    model: 'toolcrib-table-1',
    problem: null,
    vectors: { ready: 3, waiting: 0, made: 5 },
  });
  await harness.offer({ forecast, read_file });
  assert.equal(await harness.best('open a file'), 's:read_file');
  assert.equal(harness.finder.status.vectors?.made, 5, 'a text that was known before is not embedded again');
  await harness.finder.close();
});

test('a tool that was only prepared, and went before the first search, is not found', async () => {
  const harness = await Harness.open();
  await harness.finder.prepare();
  await harness.offer({ route: 'The way from one place to another.' });
  await harness.finder.prepare();
  await harness.offer({ forecast: usual.forecast ?? '' });
  assert.equal(await harness.best('rain'), 's:forecast');
  assert.equal(harness.finder.status.tools, 1);
  await harness.finder.close();
});

/** Calls `onTurn` in each turn of the event loop until the work is done. */
async function everyTurn(work: Promise<unknown>, onTurn: (turn: number) => void): Promise<void> {
  let turn = 0;
  const next = () => {
    turn += 1;
    onTurn(turn);
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  await work;
  clearImmediate(immediate);
}

const many: Tools = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`tool_${at}`, 'Reads a file.']));

test('the first search over many tools lets others go first, also where the catalog is renewed meanwhile', async () => {
  const harness = await Harness.open('off');
  await harness.offer(many);
  const sizes = [0];
  await everyTurn(harness.search('file'), (turn) => {
    sizes.push(harness.finder.status.tools);
    if (turn === 4) harness.catalog.reword(new Map([['s', new Map()]]));
  });
  sizes.push(harness.finder.status.tools);
  const steps = sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0));
  assert.deepEqual([sizes.at(-1), Math.max(...steps)], [300, 25]);
  await harness.finder.close();
});

test('no tool is missing after a server was made again while it was indexed', async () => {
  const harness = await Harness.open('off');
  await harness.offer(many);
  await everyTurn(harness.finder.prepare(), (turn) => {
    if (turn === 4) harness.finder.rebuild('s');
  });
  await harness.search('file');
  assert.equal(harness.finder.status.tools, 300);
  await harness.finder.close();
});

test('a model that is switched on while newer tools are being indexed gets their present texts', async () => {
  const harness = await Harness.open('off');
  await harness.search('file');
  await harness.offer({ forecast: 'Plays a song.', ...many });
  await everyTurn(harness.finder.prepare(), (turn) => {
    if (turn !== 4) return;
    harness.provider = 'builtin';
    void harness.finder.settled(never);
  });
  await harness.finder.settled(never);
  assert.deepEqual([harness.finder.status.tools, harness.finder.status.vectors?.ready], [301, 301]);
  assert.equal(await harness.best('music', 'semantic'), 's:forecast');
  await harness.finder.close();
});

test('a promoted description is found by its own words, and only its tool is embedded, once', async () => {
  const harness = await Harness.open();
  assert.notEqual(await harness.best('melody'), 's:read_file');
  const tool = harness.catalog.snapshot.tools.get('s:read_file');
  const promotion = { description: 'Plays a song or melody.', fingerprint: wordingFingerprint(tool?.definition ?? {}) };
  harness.catalog.reword(new Map([['s', new Map([['read_file', promotion]])]]));
  assert.equal(await harness.best('melody'), 's:read_file');
  harness.catalog.reword(new Map());
  assert.notEqual(await harness.best('melody'), 's:read_file');
  assert.deepEqual(harness.finder.status.vectors, { ready: 3, waiting: 0, made: 4 });
  await harness.finder.close();
});

test('after closing a search still answers', async () => {
  const harness = await Harness.open();
  await harness.search('file');
  await harness.finder.close();
  assert.equal(await harness.best('read file'), 's:read_file');
});

function offerOf(tools: Tools): Offer {
  const definitions = Object.entries(tools).map(([name, description]) => ({ name, description, inputSchema: {} }));
  const nothing = { resources: [], templates: [], prompts: [], warnings: [], startedAt: 0 };
  return { serverInfo: null, capabilities: {}, instructions: null, tools: definitions, ...nothing };
}
