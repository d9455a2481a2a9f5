/** Who is told of changes of the live state, and how often; answers that are asked again with them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLine, GatewayEvent, LiveServer, OutputOf } from '../../admin/admin.ts';
import { FreshAnswer, type FreshState, watchTopics } from './fresh-answer.ts';
import { LiveStore } from './live-store.ts';
import { foldEvents, viewOf } from './live-view.ts';

const record = (id: number) => ({ id: `r.${id}`, kind: 'record', data: { id } as AuditLine }) as GatewayEvent;
const server = (id: number) =>
  ({ id: `r.${id}`, kind: 'server', data: { name: `s${id}` } as LiveServer }) as GatewayEvent;

function openStore(): { readonly live: LiveStore; readonly tell: (event: GatewayEvent) => void } {
  const live = new LiveStore();
  const view = viewOf({ id: 'r.0', servers: [], jobs: [], records: [], minutes: [], revisions: {} });
  live.set({ connection: 'live', view });
  return { live, tell: (event) => live.set({ connection: 'live', view: foldEvents(live.view, [event]) }) };
}

test('a watch tells the first change at once and the last one after its rest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { live, tell } = openStore();
  const told: (number | undefined)[] = [];
  const stop = live.watch(
    (view) => view?.records[0]?.id,
    () => told.push(live.view.records[0]?.id),
    2_000,
  );
  for (const id of [1, 2, 3]) tell(record(id));
  tell(server(4));
  assert.deepEqual(told, [1]);
  t.mock.timers.tick(2_000);
  assert.deepEqual(told, [1, 3]);
  t.mock.timers.tick(2_000);
  assert.deepEqual(told, [1, 3]);
  tell(record(5));
  tell(record(6));
  stop();
  t.mock.timers.tick(2_000);
  assert.deepEqual(told, [1, 3, 5]);
});

test('the optimizer has changed after an order to it and when a job has ended, not with each step', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { live, tell } = openStore();
  let count = 0;
  watchTopics(live, ['optimizer'], () => {
    count += 1;
  });
  const countAfter = (kind: GatewayEvent['kind'], data: object) => {
    tell({ id: 'r.1', kind, data } as GatewayEvent);
    t.mock.timers.tick(250);
    return count;
  };
  const counts = [
    countAfter('record', { id: 1, kind: 'discovery', action: 'optimize.report' }),
    countAfter('record', { id: 2, kind: 'administration', action: 'optimize.promote' }),
    countAfter('record', { id: 3, kind: 'administration', action: 'optimize.run' }),
    countAfter('job', { jobId: 'a', state: 'running', message: '1 %' }),
    countAfter('job', { jobId: 'a', state: 'running', message: '2 %' }),
    countAfter('job', { jobId: 'a', state: 'done', message: 'complete' }),
  ];
  assert.deepEqual(counts, [0, 1, 1, 1, 1, 2]);
});

type Rows = OutputOf<'metrics.servers'>;

test('an answer that comes late does not replace a newer one, and a failure keeps the last one', async () => {
  const { live, tell } = openStore();
  const asked: PromiseWithResolvers<Rows>[] = [];
  const states: FreshState<Rows>[] = [];
  const ask = () => {
    const answer = Promise.withResolvers<Rows>();
    asked.push(answer);
    return answer.promise;
  };
  const fresh = new FreshAnswer<'metrics.servers'>({
    ...{ live, ask, topics: ['servers'] },
    onState: (state) => states.push(state),
  });
  tell(record(1));
  tell(server(2));
  assert.equal(asked.length, 2);
  asked[1]?.resolve([{ server: 'new', callCount: 2, failureCount: 0 }]);
  await asked[1]?.promise;
  asked[0]?.resolve([]);
  await asked[0]?.promise;
  fresh.reload();
  asked[2]?.reject(new Error('gone'));
  await asked[2]?.promise.catch(() => {});
  const names = states.map(({ data, error }) => [data?.[0]?.server, error instanceof Error && error.message]);
  assert.deepEqual(names, [
    ['new', false],
    ['new', 'gone'],
  ]);
  fresh.close();
  tell(server(3));
  assert.equal(asked.length, 3);
});

test('a question that failed is asked again once the connection is back, and one that was answered is not', async () => {
  const { live } = openStore();
  const outcomes: Promise<Rows>[] = [Promise.reject(new Error('gone')), Promise.resolve([])];
  const states: FreshState<Rows>[] = [];
  const fresh = new FreshAnswer<'metrics.servers'>({
    ...{ live, topics: [], ask: () => outcomes.shift() ?? assert.fail('asked too often') },
    onState: (state) => states.push(state),
  });
  const cut = async () => {
    for (const connection of ['lost', 'live'] as const) live.set({ connection, view: live.view });
    await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  assert.equal(states.length, 1);
  await cut();
  assert.deepEqual(states.at(-1), { data: [], error: undefined });
  await cut();
  assert.equal(states.length, 2);
  fresh.close();
});
