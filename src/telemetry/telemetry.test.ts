/** Spans and traces: where they stand, which are recorded, and their form for a collector. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { inRequest, newRequest } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { RpcError } from '../protocol/messages.ts';
import { nanoseconds, resourceOf, spansAsOtlp } from './otlp.ts';
import { type EndedSpan, Span } from './span.ts';
import { readContext, Tracer } from './tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

function stage() {
  const clock = new ManualClock();
  const ended: EndedSpan[] = [];
  const take = (span: EndedSpan) => void ended.push(span);
  const begin = (isSampled = true) => new Span({ clock, take }, { traceId, spanId: parentId, isSampled }, facts);
  return { clock, ended, take, begin };
}

const facts = { name: 'request', kind: 'server', attributes: {}, leastMs: 0 } as const;

test('a place in a trace is read from its usual form and later versions of it, and from nothing else', () => {
  const read = (parent: unknown, state?: unknown) => readContext(parent, state);
  assert.deepEqual(read(`00-${traceId}-${parentId}-01`), { traceId, spanId: parentId, isSampled: true });
  assert.equal(read(`00-${traceId}-${parentId}-02`)?.isSampled, false);
  assert.equal(read(`01-${traceId}-${parentId}-01-more`)?.traceId, traceId);
  for (const parent of [
    undefined,
    7,
    '',
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-0`,
    `00-${traceId}-${parentId}-011`,
  ])
    assert.equal(read(parent), undefined, String(parent));
  assert.equal(read(`00-${traceId}-${parentId}-01`, 'a=1')?.state, 'a=1');
  assert.equal(read(`00-${traceId}-${parentId}-01`, 'x'.repeat(513))?.state, undefined);
  assert.equal(read(`00-${traceId}-${parentId}-01`, 'a=1\r\nb: 2')?.state, undefined);
});

test('a share of the traces that begin here is sampled, by their ids alone', () => {
  const { clock, take } = stage();
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
  const sampled = (ratio: number, id: string) => {
    const tracer = new Tracer({ clock, take, ratio: () => ratio });
    return inRequest({ ...newRequest(), id }, () => tracer.begin({ message, headers: {} })).context.isSampled;
  };
  const [low, high] = ['11111111-1111-4111-8000-000000000001', '11111111-1111-4111-80ff-ffffffffffff'];
  assert.deepEqual([sampled(0, low), sampled(0.5, low), sampled(1, low)], [false, true, true]);
  assert.deepEqual([sampled(0, high), sampled(0.5, high), sampled(1, high)], [false, false, true]);
});

test('a stage is recorded if it took a while or failed, and only its first end counts', async () => {
  const { clock, ended, begin } = stage();
  const span = begin();
  span.stage('short').end();
  span.stage('failed').end('TIMEOUT');
  const long = span.stage('long');
  await clock.advance(1);
  long.end();
  long.end('TIMEOUT');
  assert.deepEqual(
    ended.map(({ name, errorType, parentId: parent }) => [name, errorType, parent]),
    [
      ['failed', 'TIMEOUT', parentId],
      ['long', undefined, parentId],
    ],
  );
});

test('a trace that is not sampled records nothing and is told on as such', () => {
  const { ended, begin } = stage();
  const span = begin(false);
  const child = span.child('call');
  child.end('TIMEOUT');
  span.end();
  assert.deepEqual(ended, []);
  assert.deepEqual(child.carrier, { traceparent: `00-${traceId}-${parentId}-00` });
});

test('an error is told by its type alone', () => {
  const { ended, begin } = stage();
  const failures = [
    { error: new GatewayError('TIMEOUT', 'Too late.') },
    { error: new RpcError(-32602, 'Bad.') },
    { error: new Error('A bug.') },
    { result: { isError: true } },
    { result: { isError: true, structuredContent: { errorType: 'CIRCUIT_OPEN' } } },
    { result: { isError: true, structuredContent: { errorType: 'made up' } } },
    { result: {} },
  ];
  for (const failure of failures) begin().finish(failure);
  assert.deepEqual(
    ended.map(({ errorType }) => errorType),
    ['TIMEOUT', '-32602', '_OTHER', 'tool_error', 'CIRCUIT_OPEN', 'tool_error', undefined],
  );
});

test('a span has its times as texts, and at most 16 attributes', () => {
  const { clock, ended, take } = stage();
  const attributes = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`a${at}`, 'x'.repeat(500)]));
  const context = { traceId, spanId: parentId, isSampled: true };
  new Span({ clock, take }, context, { ...facts, name: 'a\nb', attributes }).end('TIMEOUT');
  const body = JSON.parse(JSON.stringify(spansAsOtlp(ended, resourceOf('one'), clock)));
  const [span] = body.resourceSpans[0].scopeSpans[0].spans;
  assert.ok(isObject(span) && Array.isArray(span.attributes));
  assert.deepEqual([span.name, span.attributes.length, span.status], ['a\\u000ab', 16, { code: 2 }]);
  assert.deepEqual(span.attributes[0], { key: 'error.type', value: { stringValue: 'TIMEOUT' } });
  assert.equal(span.attributes[1].value.stringValue.length, 128);
  assert.equal(span.startTimeUnixNano, '1767225600000000000');
  assert.equal(nanoseconds(1_767_225_600_000.5), '1767225600000500000');
  assert.equal(nanoseconds(1_767_225_600_000.0002), '1767225600000000244');
});
