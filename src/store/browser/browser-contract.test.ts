/** The store's promises about browsers that are signed in. */

import assert from 'node:assert/strict';
import { storeTest } from '../../../test/kit/store-test.ts';
import type { StoredBrowser, StoreEvent } from '../store.ts';

storeTest('browsers are kept, the first one first, and survive', async (store, reopen) => {
  const second = browser({ digest: 'b', madeAt: 2 });
  const first = browser({ digest: 'a', principal: 'token:é', madeAt: 1 });
  await store.saveBrowser(second);
  await store.saveBrowser(first);
  assert.deepEqual(await (await reopen()).listBrowsers(), [first, second]);
});

storeTest('a browser that is saved again takes the place of itself', async (store) => {
  await store.saveBrowser(browser({}));
  const later = browser({ expiresAt: 9_000 });
  await store.saveBrowser(later);
  assert.deepEqual(await store.listBrowsers(), [later]);
});

storeTest('a browser is removed by its digest, and one that is not there does no harm', async (store, reopen) => {
  const other = browser({ digest: 'b' });
  await store.saveBrowser(browser({}));
  await store.saveBrowser(other);
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.removeBrowser('a');
  await store.removeBrowser('a');
  assert.deepEqual(told, [{ type: 'browsers' }], 'only the first time');
  assert.deepEqual(await (await reopen()).listBrowsers(), [other]);
});

function browser(parts: Partial<StoredBrowser>): StoredBrowser {
  const times = { madeAt: 1_000, usedAt: 1_500, expiresAt: 2_000, endsAt: 3_000 };
  return { digest: 'a', principal: 'owner', signedInBy: 'o', ...times, ...parts };
}
