/** What every store promises, as tests that run on each implementation. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { approvalContract } from './approval/approval.contract.ts';
import { auditContract } from './audit/audit.contract.ts';
import { callContract } from './call/call.contract.ts';
import { forgetContract } from './call/forget.contract.ts';
import { disclosureContract } from './disclosure/disclosure.contract.ts';
import { historyContract } from './listing/history.contract.ts';
import { listingContract } from './listing/listing.contract.ts';
import { pinContract } from './pin/pin.contract.ts';
import { projectContract } from './project/project.contract.ts';
import { secretContract } from './secret/secret.contract.ts';
import { serverContract } from './server/server.contract.ts';
import type { ItemKind, ListedItem, Listing, Store } from './store.ts';
import { tokenContract } from './token/token.contract.ts';
import { useContract } from './use/use.contract.ts';
import { vectorContract } from './vector/vector.contract.ts';

export interface TestStore {
  /** Open and empty. */
  readonly store: Store;
  /** Closes the present store and opens another one on the same data. */
  reopen(): Promise<Store>;
  cleanup(): Promise<void>;
}

export type MakeStore = () => Promise<TestStore>;

/** Defines one test that gets a new store and cleans up after itself. */
export type StoreTest = (name: string, act: (store: Store, reopen: () => Promise<Store>) => Promise<void>) => void;

export function storeContract(name: string, makeStore: MakeStore): void {
  const storeTest: StoreTest = (title, act) => {
    test(title, async () => {
      const made = await makeStore();
      try {
        await act(made.store, made.reopen);
      } finally {
        await made.cleanup();
      }
    });
  };
  describe(name, () => {
    describe('life', () => lifeContract(storeTest));
    describe('servers, switches and verdicts', () => serverContract(storeTest));
    describe('listings', () => listingContract(storeTest));
    describe('history', () => historyContract(storeTest));
    describe('vectors', () => vectorContract(storeTest));
    describe('uses', () => useContract(storeTest));
    describe('disclosure', () => disclosureContract(storeTest));
    describe('approvals', () => pinContract(storeTest));
    describe('tokens', () => tokenContract(storeTest));
    describe('projects', () => projectContract(storeTest));
    describe('approvals that last', () => approvalContract(storeTest));
    describe('secrets', () => secretContract(storeTest));
    describe('audit', () => auditContract(storeTest));
    describe('calls', () => callContract(storeTest));
    describe('calls that are forgotten', () => forgetContract(storeTest));
  });
}

function lifeContract(storeTest: StoreTest): void {
  storeTest('open and close can be called again and at once', async (store) => {
    await Promise.all([store.open(), store.open()]);
    await store.open();
    assert.deepEqual(await store.listServers(), []);
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  storeTest('a closed store can be opened again', async (store) => {
    await store.saveSwitch('github', false);
    await store.close();
    await store.open();
    assert.deepEqual([...(await store.listSwitches())], [['github', false]]);
  });

  storeTest('closing waits for the writes and reads that were accepted', async (store, reopen) => {
    const writes = Array.from({ length: 20 }, (_, at) => store.saveSwitch(`server-${at}`, true));
    const read = store.listSwitches();
    await store.close();
    await Promise.all([...writes, read]);
    assert.equal((await (await reopen()).listSwitches()).size, 20);
  });

  storeTest('a closed store refuses to be used', async (store) => {
    await store.close();
    await assert.rejects(store.listServers(), /not open/);
    await assert.rejects(store.saveSwitch('github', true), /not open/);
  });
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
