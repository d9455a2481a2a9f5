/** The store's promises about calls that are forgotten: they are gone for good, and the others are untouched. */

import assert from 'node:assert/strict';
import { call, everything, expected, isIn, manyCalls, order, withoutLeads } from '../../../test/kit/many-calls.ts';
import { storeTest } from '../../../test/kit/store-test.ts';
import type { CallScope } from '../store.ts';

const scopes: [string, CallScope][] = [
  ['of a tool', { server: 'server-0', tool: 'tool-3' }],
  ['of a server', { server: 'server-1' }],
  ['of all', {}],
];
for (const [what, scope] of scopes) {
  storeTest(`the calls ${what} are forgotten, rolled up or not, and counted`, async (store, reopen) => {
    const calls = manyCalls(2_000);
    await store.appendRecords(calls.slice(0, 1_200));
    await store.rollUpCalls(order);
    await store.appendRecords(calls.slice(1_200));
    const left = calls.filter((one) => !isIn(scope, one)).map((one) => withoutLeads(scope, one));
    const unrolled = calls.slice(1_200).filter((one) => isIn(scope, one)).length;
    assert.deepEqual(await store.forgetCalls(scope), { forgotten: calls.length - left.length, unrolled });
    assert.deepEqual(await everything(store), expected(left));
    await store.rollUpCalls(order);
    const after = await reopen();
    assert.deepEqual(await everything(after), expected(left));
    assert.deepEqual(await after.forgetCalls(scope), { forgotten: 0, unrolled: 0 });
  });
}

storeTest('names that begin alike, or need to be escaped, are told apart', async (store) => {
  const keys = ['s:a', 's-2:a', 's:a\0', 's-2:a\0', 's:"'];
  const calls = keys.flatMap((key) => {
    const [server = '', tool = ''] = key.split(':');
    return [call({ server, tool }), call({ server: 'other', previous: key, suggestedFor: key, query: key })];
  });
  await store.appendRecords(calls);
  await store.rollUpCalls(order);
  await store.appendRecords(calls);
  const twice = [...calls, ...calls];
  await store.forgetCalls({ server: 's', tool: 'a' });
  const first = twice.filter((one) => !isIn({ server: 's', tool: 'a' }, one));
  const firstLeft = first.map((one) => withoutLeads({ server: 's', tool: 'a' }, one));
  assert.deepEqual(await everything(store), expected(firstLeft));
  await store.forgetCalls({ server: 's' });
  const left = firstLeft.filter(({ server }) => server !== 's').map((one) => withoutLeads({ server: 's' }, one));
  assert.deepEqual(await everything(store), expected(left));
});

storeTest('a tool that was forgotten counts from one again', async (store) => {
  await store.appendRecords([call(), call()]);
  await store.forgetCalls({});
  await store.appendRecords([call({ at: 7 })]);
  await store.rollUpCalls(order);
  assert.deepEqual(await everything(store), expected([call({ at: 7 })]));
});
