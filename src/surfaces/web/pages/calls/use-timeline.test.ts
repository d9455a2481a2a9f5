/** The timeline of calls: none is missing in between, whatever the live view has missed. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openLiveStage, recordEvent } from '../../../../../test/kit/live-stage.ts';
import type { AuditLine, InputOf } from '../../../../admin/admin.ts';
import { type Timeline, useTimeline } from './use-timeline.ts';

const call = (id: number) => ({ id, kind: 'execution', time: '2026-01-01T12:00:00.000Z' }) as AuditLine;

/** A timeline at a gateway that makes calls; `audit` answers as the gateway does. */
function openTimeline(t: TestContext) {
  const stage = openLiveStage(t);
  const audit: AuditLine[] = [];
  const asked: InputOf<'audit.list'>[] = [];
  let answering: Promise<void> | undefined;
  t.mock.method(globalThis, 'fetch', async (_path: string, { body }: { body: string }) => {
    const input = JSON.parse(body) as InputOf<'audit.list'>;
    asked.push(input);
    const { before = Number.POSITIVE_INFINITY, limit = 50 } = input;
    const found = audit.filter(({ id }) => id < before).toReversed();
    const records = found.slice(0, limit);
    await answering;
    return Response.json({ records, next: found.length > limit ? records.at(-1)?.id : null });
  });
  const write = (count: number) => {
    const added = Array.from({ length: count }, (_, at) => call(audit.length + at + 1));
    audit.push(...added);
    return added.map((one) => recordEvent(one.id, one));
  };
  let now: Timeline | undefined;
  const show = () =>
    stage.show(() => {
      now = useTimeline({});
      return null;
    });
  /** Waits until these are shown, from the newest down to the oldest. */
  const shows = async (newest: number, oldest: number) => {
    const count = newest - oldest + 1;
    while (!now?.isCurrent || now.calls?.length !== count || now.calls[0]?.id !== newest) {
      t.signal.throwIfAborted();
      await turn();
    }
    assert.ok(
      now.calls.every(({ id }, at) => id === newest - at),
      'one is missing',
    );
  };
  /** Answers from here on wait for it. */
  const holdAnswers = (until: Promise<void>) => {
    answering = until;
  };
  const latest = () => audit.slice(-200).toReversed();
  return { ...stage, asked, write, show, shows, latest, timeline: () => now, holdAnswers };
}

test('calls that came with too many others for the view are fetched, with those before them', {
  timeout: 10_000,
}, async (t) => {
  const { asked, write, tell, show, shows } = openTimeline(t);
  tell(...write(1_150));
  show();
  await shows(1_150, 1_051);
  tell(...write(20));
  await shows(1_170, 1_051);
  assert.equal(asked.length, 1, 'as long as the view has all of them, nothing is asked');
  tell(...write(300));
  await shows(1_470, 471);
  assert.equal(asked.length, 2);
  tell(...write(300));
  await shows(1_770, 471);
  // More than can be joined: the list begins anew.
  tell(...write(1_500));
  await shows(3_270, 2_271);
});

test('a new snapshot is followed by what it left out', { timeout: 10_000 }, async (t) => {
  const { write, tell, show, shows, begin, latest, timeline } = openTimeline(t);
  tell(...write(150));
  show();
  await shows(150, 51);
  timeline()?.loadOlder();
  await shows(150, 1);
  write(300);
  begin('s.1', latest());
  await shows(450, 1);
  tell(...write(1));
  await shows(451, 1);
});

test('a page that stays open keeps the newest calls, and asks for older ones again', { timeout: 10_000 }, async (t) => {
  const { write, tell, show, shows, timeline, holdAnswers } = openTimeline(t);
  tell(...write(1));
  show();
  await shows(1, 1);
  for (let count = 201; count <= 2_201; count += 200) {
    tell(...write(200));
    await shows(count, Math.max(1, count - 1_999));
  }
  // New calls take the place of the oldest while older ones are on their way.
  const hold = Promise.withResolvers<void>();
  holdAnswers(hold.promise);
  timeline()?.loadOlder();
  tell(...write(50));
  await shows(2_251, 252);
  hold.resolve();
  await hold.promise;
  while (timeline()?.calls?.length === 2_000) {
    t.signal.throwIfAborted();
    timeline()?.loadOlder();
    await turn();
  }
  await shows(2_251, 152);
});
