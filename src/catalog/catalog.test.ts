/** Tests of the catalog before a store that fails: agents see what servers offer all the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { parseServer } from '../config/config.ts';
import type { Downstream, Offer } from '../downstream/downstream.ts';
import type { Listing, Store } from '../store/store.ts';
import { Catalog } from './catalog.ts';

class Desk {
  readonly clock = new ManualClock();
  readonly kept: Listing[] = [];
  readonly spec = parseServer('s', { command: 'serve' }, {}, 'file');
  isFull = false;
  offer: () => Promise<Offer> = async () => offerOf('tool');
  readonly catalog: Catalog;

  constructor() {
    const write = async () => {
      if (this.isFull) throw new Error('The disk is full.');
    };
    // Only these members are used.
    const store = {
      listListings: async () => [],
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
      spec: () => this.spec,
      status: () => ({ state: 'connected', connectedElapsed: 0 }),
      list: () => this.offer(),
    } as unknown as Downstream;
    this.catalog = new Catalog({ store, downstream, clock: this.clock, log: silentLog });
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
  const nothing = { resources: [], templates: [], prompts: [], warnings: [] };
  return { serverInfo: null, capabilities: {}, instructions: null, tools, ...nothing };
}

test('[CAT-17] a listing that the store cannot keep is shown all the same, and kept later', async () => {
  const desk = new Desk();
  desk.isFull = true;
  await desk.open();
  assert.deepEqual([desk.tools, desk.kept.length], [['tool'], 0]);
  const diff = await desk.catalog.refresh('s');
  assert.deepEqual([diff.added, diff.unchanged], [[], 1]);
  desk.isFull = false;
  await desk.clock.advance(60_000);
  assert.deepEqual([desk.tools, desk.kept.length], [['tool'], 1]);
  await desk.catalog.close();
});

test('[CAT-17] a server that cannot be listed is asked again although the store fails', async () => {
  const desk = new Desk();
  await desk.open();
  desk.isFull = true;
  desk.offer = () => Promise.reject(new Error('Not now.'));
  await assert.rejects(desk.catalog.refresh('s'), /Not now/);
  assert.equal(desk.catalog.snapshot.servers.get('s')?.staleReason, 'Not now.');
  desk.offer = async () => offerOf('other');
  await desk.clock.advance(60_000);
  assert.deepEqual(desk.tools, ['other']);
  await desk.catalog.close();
});
