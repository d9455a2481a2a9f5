/** The store's promises about approvals that last. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { StoredApproval, StoreEvent } from '../store.ts';

storeTest('approvals are kept, the oldest first, and survive', async (store, reopen) => {
  const second = approval({ id: 'b', toolKey: 'till:refund', at: 2 });
  const first = approval({ id: 'a', project: 'shop', at: 1 });
  await store.saveApproval(second);
  await store.saveApproval(first);
  assert.deepEqual(await (await reopen()).listApprovals(), [first, second]);
});

storeTest('of one principal, project and tool only the last word counts', async (store) => {
  await store.saveApproval(approval({ id: 'a' }));
  const others = [
    approval({ id: 'b', principal: 'owner' }),
    approval({ id: 'c', project: 'shop' }),
    approval({ id: 'd', toolKey: 'till:refund' }),
  ];
  for (const other of others) await store.saveApproval(other);
  const last = approval({ id: 'e', definition: 'd2', by: 'somebody else' });
  await store.saveApproval(last);
  assert.deepEqual(await store.listApprovals(), [...others, last]);
});

storeTest('an approval is removed by its id, once', async (store, reopen) => {
  await store.saveApproval(approval({ id: 'a' }));
  assert.equal(await store.removeApproval('b'), false);
  assert.equal(await store.removeApproval('a'), true);
  assert.equal(await store.removeApproval('a'), false);
  assert.deepEqual(await (await reopen()).listApprovals(), []);
});

storeTest('odd names stay apart and come back to the letter', async (store, reopen) => {
  const odd = oddNames.map((name, at) => approval({ id: `id-${at}`, toolKey: name, principalName: name, at }));
  for (const item of odd) await store.saveApproval(item);
  assert.deepEqual(await (await reopen()).listApprovals(), odd);
});

storeTest('every change is told once it is made, and what changes nothing is not', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.saveApproval(approval({ id: 'a' }));
  await store.removeApproval('unknown');
  await store.removeApproval('a');
  assert.deepEqual(told, [{ type: 'access' }, { type: 'access' }]);
});

function approval(parts: Partial<StoredApproval>): StoredApproval {
  const who = { principal: 'agent', principalName: 'agent', project: null };
  return { id: 'a', ...who, toolKey: 'till:pay', definition: 'd1', at: 1_000, by: 'owner', ...parts };
}
