/** The store's promises about its life: opened, closed, and used only in between. */

import assert from 'node:assert/strict';
import { storeTest } from '../../test/kit/store-test.ts';

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

storeTest('a change is announced by its kind, unless it changed nothing', async (store) => {
  const told: string[] = [];
  store.events.on(({ type, isOthers }) => void (isOthers || told.push(type)));
  assert.equal(await store.removeProject('unknown'), false);
  await store.saveSwitch('github', false);
  assert.deepEqual(told, ['servers']);
});
