/** The live view: events change it, and whatever is missed it ends up as a fresh snapshot. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { AuditLine, GatewayEvent, LiveServer, LiveSnapshot } from '../../admin/admin.ts';
import { foldEvents, followLive, type LiveMinute, type LiveState, type LiveView, viewOf } from './live.ts';

const server = (name: string, state = 'ready') => ({ name, state }) as LiveServer;
const record = (id: number) => ({ id, action: 'tools.call' }) as AuditLine;
const empty: LiveSnapshot = {
  id: 'r.0',
  servers: [],
  jobs: [],
  records: [],
  minutes: [],
  revisions: {},
};

const event = <K extends GatewayEvent['kind']>(number: number, kind: K, data: unknown) =>
  ({ id: `r.${number}`, kind, data }) as unknown as GatewayEvent;

test('servers come, change and go, in the order of their names', () => {
  const view = foldEvents(viewOf({ ...empty, servers: [server('git')] }), [
    event(1, 'server', server('docs')),
    event(2, 'server', server('git', 'failed')),
    event(3, 'server', server('mail')),
    event(4, 'server-removed', { name: 'docs' }),
  ]);
  assert.deepEqual([...view.servers.values()], [server('git', 'failed'), server('mail')]);
  assert.equal(view.id, 'r.4');
});

test('a record that the snapshot holds already is there once, and old ones are let go', () => {
  const snapshot = { ...empty, records: [record(3), record(2)] };
  const view = foldEvents(
    viewOf(snapshot),
    [2, 3, 4, 5].map((id) => event(id, 'record', record(id))),
  );
  assert.deepEqual(
    view.records.map(({ id }) => id),
    [5, 4, 3, 2],
  );
  const many = Array.from({ length: 300 }, (_, at) => event(at, 'record', record(at + 10)));
  assert.deepEqual([foldEvents(view, many).records.length, foldEvents(view, many).records[0]?.id], [200, 309]);
});

test('jobs and topics are as the last event says; the view of before stays as it was', () => {
  const before = viewOf(empty);
  const view = foldEvents(before, [
    event(1, 'job', { jobId: 'a', state: 'running' }),
    event(2, 'job', { jobId: 'a', state: 'done' }),
    event(4, 'changed', { topic: 'tokens' }),
  ]);
  assert.deepEqual([view.jobs.get('a')?.state, view.revisions], ['done', { tokens: 'r.4' }]);
  assert.deepEqual([before.jobs.size, before.revisions], [0, {}]);
});

test('a view holds the newest jobs, however often each of them tells of itself', () => {
  const jobs = Array.from({ length: 250 }, (_, at) => event(at, 'job', { jobId: `job ${at}`, state: 'done' }));
  const known = [...foldEvents(viewOf(empty), [...jobs, ...jobs.slice(-10)]).jobs.keys()];
  assert.deepEqual([known.length, known[0], known.at(-1)], [200, 'job 50', 'job 249']);
});

test('a minute is as the last event says, empty ones are not there, and the hour ends with the newest', () => {
  const minute = (at: number, callCount: number) =>
    ({ start: new Date(at * 60_000).toISOString(), callCount }) as LiveMinute;
  const counts = (view: LiveView) =>
    view.minutes.map(({ start, callCount }) => [Date.parse(start) / 60_000, callCount] as const);
  const view = foldEvents(viewOf({ ...empty, minutes: [minute(3, 1), minute(5, 2)] }), [
    event(1, 'minute', minute(5, 4)),
    event(2, 'minute', minute(4, 1)),
    event(3, 'minute', minute(5, 4)),
    event(4, 'minute', minute(3, 0)),
  ]);
  assert.deepEqual(counts(view), [
    [4, 1],
    [5, 4],
  ]);
  assert.deepEqual(counts(foldEvents(view, [event(5, 'minute', minute(64, 1))])), [
    [5, 4],
    [64, 1],
  ]);
});

test('a stream that is cut goes on where it was; a gateway that forgot is asked for everything again', async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const states: LiveState[] = [];
  const streams: (readonly GatewayEvent[][])[] = [
    [[], [event(1, 'server', server('git'))]],
    [[], [event(2, 'server', server('docs'))]],
    [[event(7, 'begin', {}), event(8, 'server', server('mail'))]],
  ];
  const snapshots: LiveSnapshot[] = [empty, { ...empty, id: 'r.7', servers: [server('fresh')] }];
  const following = followLive(
    {
      snapshot: async () => snapshots.shift() ?? assert.fail('asked too often'),
      async *events(after) {
        asked.push(after);
        const stream = streams.shift();
        if (!stream) stop.abort(new Error('enough'));
        yield* stream ?? [];
      },
      wait: () => turn(),
    },
    { onState: (state) => states.push(state), signal: stop.signal, isFinal: () => false },
  );
  await assert.rejects(following, /enough/);
  assert.deepEqual(asked, ['r.0', 'r.1', 'r.2', 'r.8']);
  assert.deepEqual(
    states.map(({ connection }) => connection),
    ['connecting', 'live', 'live', 'lost', 'live', 'live', 'lost', 'live', 'lost'],
  );
  const namesOf = (view: LiveView | undefined) => [...(view?.servers.keys() ?? [])];
  assert.deepEqual(namesOf(states[5]?.view), ['docs', 'git']);
  assert.deepEqual(namesOf(states.at(-1)?.view), ['fresh', 'mail']);
});

test('a stream that breaks off before its first event is given up for a new snapshot', async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const snapshots = [empty, { ...empty, id: 'r.9' }];
  const following = followLive(
    {
      snapshot: async () => snapshots.shift() ?? assert.fail('asked too often'),
      async *events(after) {
        asked.push(after);
        if (asked.length > 1) stop.abort(new Error('enough'));
        yield [];
        throw new Error('An event of the stream is too long.');
      },
      wait: () => turn(),
    },
    { onState() {}, signal: stop.signal, isFinal: () => false },
  );
  await assert.rejects(following, /enough/);
  assert.deepEqual(asked, ['r.0', 'r.9']);
});

test('a gateway that is away is tried again; a refusal is final', async () => {
  const failures = [new Error('away'), new Error('away'), new Error('refused')];
  const states: LiveState['connection'][] = [];
  const waits: number[] = [];
  const following = followLive(
    {
      snapshot: async () => Promise.reject(failures.shift()),
      async *events() {},
      wait: async (ms) => void waits.push(ms),
    },
    {
      onState: ({ connection }) => states.push(connection),
      signal: new AbortController().signal,
      isFinal: (error) => (error as Error).message === 'refused',
    },
  );
  await assert.rejects(following, /refused/);
  assert.deepEqual(
    [states, waits],
    [
      ['connecting', 'lost', 'lost'],
      [250, 500],
    ],
  );
});
