/** Runs the promises of the store, as each record has them in its contract, on every implementation. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import {
  createPostgresStore,
  createSqliteStore,
  type ItemKind,
  type ListedItem,
  type Listing,
  type Store,
} from '../../src/store/store.ts';
import { postgresTest } from './postgres.ts';

type Act = (store: Store, reopen: () => Promise<Store>) => Promise<void>;

/** Defines one test on each implementation; it gets a new store and cleans up after itself. */
export function storeTest(title: string, act: Act): void {
  test(`SQLite: ${title}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolcrib-store-'));
    const file = join(folder, 'toolcrib.db');
    await actOn(() => createSqliteStore({ file, clock: systemClock, log: silentLog }), act);
    await rm(folder, { recursive: true });
  });
  postgresTest(`PostgreSQL: ${title}`, (url) =>
    actOn(() => createPostgresStore({ url, clock: systemClock, log: silentLog }), act),
  );
}

async function actOn(create: () => Store, act: Act): Promise<void> {
  let store = create();
  await store.open();
  const reopen = async () => {
    await store.close();
    store = create();
    await store.open();
    return store;
  };
  try {
    await act(store, reopen);
  } finally {
    await store.close();
  }
}

export function listing(items: readonly ListedItem[], more: Partial<Listing> = {}): Listing {
  return {
    serverInfo: { name: 'test' },
    source: 'source',
    capabilities: { tools: {} },
    instructions: null,
    listedAt: 1_000,
    items,
    ...more,
  };
}

export function item(name: string, fingerprint = 'f1', kind: ItemKind = 'tool'): ListedItem {
  const definition: JsonObject = { name, description: `${name} as ${fingerprint}`, inputSchema: { type: 'object' } };
  return { kind, name, fingerprint, definition };
}

/** Names that break carelessly written code. */
export const oddNames: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '',
  ' ',
  "'; drop table item; --",
  '"quoted"',
  '"',
  'a"b',
  'naïve-工具-🛠️-\u202eabc',
  'line\nbreak',
  'nul\0inside',
  'half \ud83d surrogate',
  'half \udee0 surrogate',
  'x'.repeat(5_000),
];
