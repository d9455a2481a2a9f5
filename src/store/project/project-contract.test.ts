/** The store's promises about projects. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { StoredProject, StoreEvent } from '../store.ts';

storeTest('projects are added, replaced by name, ordered by it, and survive', async (store, reopen) => {
  await store.saveProject(project('shop', { servers: ['till'] }));
  await store.saveProject(project('office'));
  const newer = project('shop', { permissions: { 'till:*': 'deny' } }, 7);
  await store.saveProject(newer);
  assert.deepEqual(await (await reopen()).listProjects(), [project('office'), newer]);
});

storeTest('a project is removed by its name, once', async (store, reopen) => {
  await store.saveProject(project('shop'));
  await store.saveProject(project('office'));
  assert.equal(await store.removeProject('shop'), true);
  assert.equal(await store.removeProject('shop'), false);
  assert.equal(await store.removeProject('unknown'), false);
  assert.deepEqual(await (await reopen()).listProjects(), [project('office')]);
});

storeTest('odd names stay apart and come back to the letter', async (store, reopen) => {
  const odd = oddNames.map((name, at) => project(name, { description: name.toWellFormed() }, at));
  for (const item of odd) await store.saveProject(item);
  const after = await reopen();
  assert.deepEqual(
    await after.listProjects(),
    odd.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  for (const { name } of odd) assert.equal(await after.removeProject(name), true);
  assert.deepEqual(await after.listProjects(), []);
});

storeTest('every change is told once it is made, and what changes nothing is not', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.saveProject(project('shop'));
  await store.removeProject('unknown');
  await store.removeProject('shop');
  assert.deepEqual(told, [{ type: 'access' }, { type: 'access' }]);
});

storeTest(
  'which projects the config file has had survives, each once, until it is taken out',
  async (store, reopen) => {
    assert.deepEqual(await store.listFileProjects(), []);
    for (const name of ['shop', 'office', 'shop', ...oddNames]) await store.addFileProject(name);
    await store.removeFileProject('office');
    await store.removeFileProject('unknown');
    assert.deepEqual(await (await reopen()).listFileProjects(), ['shop', ...oddNames].sort());
  },
);

function project(name: string, settings: StoredProject['settings'] = {}, createdAt = 1_000): StoredProject {
  return { name, settings, createdAt };
}
