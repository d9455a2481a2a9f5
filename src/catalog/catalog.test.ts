/** Tests of the catalog before a store that fails: agents see what servers offer all the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { parseServer } from '../config/config.ts';
import type { Downstream, Offer } from '../downstream/downstream.ts';
import type { Listing, Store } from '../store/store.ts';
import { type Judge, judgeApart } from '../trust/trust.ts';
import { Catalog } from './catalog.ts';

class Harness {
  readonly clock = new ManualClock();
  readonly kept: Listing[] = [];
  readonly spec = parseServer('s', { command: 'serve' }, {}, 'file');
  readonly twin = parseServer('twin', { command: 'serve' }, {}, 'file');
  readonly many = Array.from({ length: 30 }, (_, at) => parseServer(`many-${at}`, { command: 'serve' }, {}, 'file'));
  isFull = false;
  offer: () => Promise<Offer> = async () => offerOf('tool');
  readonly catalog: Catalog;

  constructor(judge?: Judge) {
    const write = async () => {
      if (this.isFull) throw new Error('The disk is full.');
    };
    // Only these members are used.
    const store = {
      events: new Signal(),
      listListings: async () => [],
      listPins: async () => [],
      markStale: write,
      applyListing: async (_server: string, listing: Listing) => {
        await write();
        this.kept.push(listing);
        return { added: [], updated: [], removed: [], unchanged: 0 };
      },
    } as unknown as Store;
    const downstream = {
      listChanged: new Signal(),
      changed: new Signal(),
      spec: (name: string) => [this.spec, this.twin, ...this.many].find((spec) => spec.name === name),
      status: () => ({ state: 'connected', openedAt: 0 }),
      list: () => this.offer(),
      noteJudged() {},
      inTime: <T>(_server: string, work: Promise<T>) => work,
    } as unknown as Downstream;
    this.catalog = new Catalog({ store, downstream, clock: this.clock, log: silentLog, judge });
  }

  async open(): Promise<void> {
    await this.catalog.open();
    this.catalog.setServers([this.spec]);
    await this.catalog.refresh('s').catch(() => {});
  }

  get tools(): string[] {
    return [...this.catalog.snapshot.tools.values()].map((tool) => tool.name);
  }
}

function offerOf(...names: string[]): Offer {
  const tools = names.map((name) => ({ name, inputSchema: {} }));
  const nothing = { resources: [], templates: [], prompts: [], warnings: [], startedAt: 0 };
  return { serverInfo: null, capabilities: {}, instructions: null, tools, ...nothing };
}

test('[CAT-17] a listing that the store cannot keep is shown all the same, and kept later', async () => {
  const harness = new Harness();
  harness.isFull = true;
  await harness.open();
  assert.deepEqual([harness.tools, harness.kept.length], [['tool'], 0]);
  const diff = await harness.catalog.refresh('s');
  assert.deepEqual([diff.added, diff.unchanged], [[], 1]);
  harness.isFull = false;
  await harness.clock.advance(60_000);
  assert.deepEqual([harness.tools, harness.kept.length], [['tool'], 1]);
  await harness.catalog.close();
});

test('[CAT-17] a server that cannot be listed is asked again although the store fails', async () => {
  const harness = new Harness();
  await harness.open();
  harness.isFull = true;
  harness.offer = () => Promise.reject(new Error('Not now.'));
  await assert.rejects(harness.catalog.refresh('s'), /Not now/);
  assert.equal(harness.catalog.snapshot.servers.get('s')?.staleReason, 'Not now.');
  harness.offer = async () => offerOf('other');
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  harness.catalog.changed.on(resolve);
  await harness.clock.advance(60_000);
  // Judging takes a while that no clock of a test knows.
  await changed;
  assert.deepEqual(harness.tools, ['other']);
  await harness.catalog.close();
});

test('of two servers that are listed at once, the second is judged beside the first', async () => {
  const others: string[][] = [];
  const { promise: bothCame, resolve: come } = Promise.withResolvers<void>();
  const harness = new Harness(async ({ neighbours }) => {
    others.push([...neighbours.others].map(([server, tools]) => `${server}: ${[...tools]}`));
    if (others.length === 2) come();
    await bothCame;
    return [];
  });
  await harness.catalog.open();
  harness.catalog.setServers([harness.spec, harness.twin]);
  await Promise.all(['s', 'twin'].map((name) => harness.catalog.refresh(name)));
  assert.deepEqual(others, [['twin: '], ['s: tool']]);
  await harness.catalog.close();
});

test('a server that is as it was has the same set of names for the judge of every other one', async () => {
  const seen = new Set<ReadonlySet<string>>();
  const harness = new Harness(async ({ neighbours }) => {
    for (const names of neighbours.others.values()) seen.add(names);
    return [];
  });
  await harness.catalog.open();
  harness.catalog.setServers(harness.many);
  for (const { name } of harness.many) await harness.catalog.refresh(name);
  // Each before it is listed, while it is judged, and after the listing in the background and the one above.
  assert.ok(seen.size <= 4 * harness.many.length, `${seen.size} sets`);
  await harness.catalog.close();
});

test('a server that could not be judged shows nothing, is told why, and is listed again', async () => {
  let tries = 0;
  const harness = new Harness((order) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('It could not be judged.')) : judgeApart.judge(order);
  });
  const told: unknown[] = [];
  harness.catalog.listingEnded.on((server) => void told.push(harness.catalog.trouble(server)));
  await harness.open();
  assert.deepEqual(told, ['It could not be judged.']);
  assert.deepEqual([harness.tools, harness.catalog.trouble('s')], [[], 'It could not be judged.']);
  await harness.clock.advance(60_000);
  assert.equal(tries, 2, 'without being asked to');
  await harness.catalog.refresh('s');
  assert.deepEqual([harness.tools, harness.catalog.trouble('s')], [['tool'], undefined]);
  await harness.catalog.close();
});
