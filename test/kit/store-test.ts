/** Runs the promises of the store, as each record has them in its contract, on every implementation. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import { createSqliteStore, type ItemKind, type ListedItem, type Listing, type Store } from '../../src/store/store.ts';

interface TestStore {
  /** Open and empty. */
  readonly store: Store;
  /** Closes the present store and opens another one on the same data. */
  reopen(): Promise<Store>;
  cleanup(): Promise<void>;
}

const implementations: Readonly<Record<string, () => Promise<TestStore>>> = { SQLite: makeSqliteStore };

/** Defines one test on each implementation; it gets a new store and cleans up after itself. */
export function storeTest(title: string, act: (store: Store, reopen: () => Promise<Store>) => Promise<void>): void {
  for (const [name, make] of Object.entries(implementations))
    test(`${name}: ${title}`, async () => {
      const made = await make();
      try {
        await act(made.store, made.reopen);
      } finally {
        await made.cleanup();
      }
    });
}

async function makeSqliteStore(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-store-'));
  const open = async () => {
    const store = createSqliteStore({ file: join(folder, 'toolcrib.db'), clock: systemClock, log: silentLog });
    await store.open();
    return store;
  };
  let store = await open();
  const reopen = async () => {
    await store.close();
    store = await open();
    return store;
  };
  const cleanup = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, reopen, cleanup };
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
