/** The exporter: pauses after failures, and how much waits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { OtlpCollector } from '../../test/kit/otlp-collector.ts';
import { eventually } from '../../test/kit/processes.ts';
import { silentLog } from '../base/log.ts';
import { Exporter } from './exporter.ts';
import type { EndedSpan } from './span.ts';

/** Unlike every other time that the exporter waits. */
const intervalMs = 17_000;

function exporterTo(url: string) {
  const clock = new ManualClock();
  const telemetry = { prometheus: true, otlpUrl: url, headers: {}, sampleRatio: 1, intervalMs };
  // A part of the whole config: the exporter reads no more of it.
  const config = () => ({ telemetry, access: { privateHosts: [] } }) as never;
  const exporter = new Exporter({ config, clock, log: silentLog, random: () => 1 });
  const add = (count: number) => {
    for (let at = 0; at < count; at += 1) exporter.add(span);
  };
  return { clock, exporter, add };
}

const span: EndedSpan = {
  context: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true },
  parentId: undefined,
  name: 'request',
  kind: 'server',
  attributes: {},
  startedAt: 0,
  endedAt: 1,
  errorType: undefined,
};

test('pauses grow with each failure, a named one counts, and a success ends them', async () => {
  await using collector = await OtlpCollector.open();
  const { clock, exporter, add } = exporterTo(collector.url);
  const busy = (headers = {}) => {
    collector.answer = (response) => response.writeHead(503, headers).end();
  };
  exporter.open();
  add(1);
  busy();
  let waitMs = intervalMs;
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    await clock.advance(waitMs);
    await clock.awaited(pauseMs);
    waitMs = pauseMs;
  }
  busy({ 'retry-after': '60' });
  await clock.advance(waitMs);
  await clock.awaited(60_000);
  collector.answer = undefined;
  await clock.advance(60_000);
  await clock.awaited(intervalMs);
  assert.deepEqual([collector.spans.length, exporter.figures], [1, { sent: 1, dropped: 0 }]);
  exporter.discard();
});

test('batches that fill up are sent at once, and the metrics only when they are due', async () => {
  await using collector = await OtlpCollector.open();
  const { exporter, clock, add } = exporterTo(collector.url);
  let reports = 0;
  exporter.useMetrics(() => {
    reports += 1;
    return [];
  });
  exporter.open();
  for (const sent of [256, 512, 768]) {
    add(256);
    await clock.advance(0);
    await eventually('they are sent', () => (exporter.figures.sent === sent ? true : undefined));
    await clock.awaited(intervalMs);
  }
  assert.equal(reports, 0);
  await clock.advance(intervalMs);
  assert.equal(reports, 1);
  exporter.discard();
});

test('of spans that a collector takes only a part of, the rest is dropped', async () => {
  await using collector = await OtlpCollector.open();
  const { exporter, clock, add } = exporterTo(collector.url);
  collector.answer = (response) => response.end(JSON.stringify({ partialSuccess: { rejectedSpans: '12' } }));
  exporter.open();
  add(256);
  await clock.advance(0);
  await eventually('they are sent', () => (exporter.figures.sent > 0 ? true : undefined));
  assert.deepEqual(exporter.figures, { sent: 244, dropped: 12 });
  exporter.discard();
});

test('spans that come while others are sent wait for the next report', async () => {
  await using collector = await OtlpCollector.open();
  const { exporter, clock, add } = exporterTo(collector.url);
  collector.answer = (response) => {
    add(1);
    response.end('{}');
  };
  exporter.open();
  add(1);
  await clock.advance(intervalMs);
  await clock.awaited(intervalMs);
  assert.deepEqual([collector.requests, exporter.figures.sent], [1, 1]);
  exporter.discard();
});

test('spans beyond the queue are dropped, and those that wait when it ends are counted with them', async () => {
  await using collector = await OtlpCollector.open();
  const { exporter, add } = exporterTo(collector.url);
  exporter.open();
  add(2_048 + 5);
  assert.deepEqual(exporter.figures, { sent: 0, dropped: 5 });
  exporter.discard();
  assert.deepEqual(exporter.figures, { sent: 0, dropped: 2_053 });
});

test('an answer without a body is a success', async () => {
  await using collector = await OtlpCollector.open();
  const { exporter, add } = exporterTo(collector.url);
  collector.answer = (response) => response.writeHead(200).end();
  exporter.open();
  add(3);
  await exporter.close();
  assert.deepEqual(exporter.figures, { sent: 3, dropped: 0 });
});
