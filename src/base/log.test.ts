/** The log: one line an event, whatever stands in it, with secrets masked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inRequest, newRequest } from './ids.ts';
import { createLog } from './log.ts';
import { knownSecrets } from './redact.ts';

const trick = '\u001b[2J\r\n{"level":"info","event":"forged"}\u202e\u009b\u2028';

function logged(format: 'json' | 'line'): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format, write: (line) => void lines.push(line), now: () => 0 });
  return { lines, log };
}

test('nothing that is logged can make a second line or steer a terminal', () => {
  for (const format of ['json', 'line'] as const) {
    const { lines, log } = logged(format);
    log.warn(`An event ${trick}`, { [trick]: trick, nested: [{ [trick]: trick }], error: new Error(trick) });
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e]+\n$/);
  }
});

test('secrets are masked by their names, by their shapes and where they are known', () => {
  knownSecrets.set('log-test', ['an-ordinary-looking-value']);
  const { lines, log } = logged('json');
  log.info('Token tc_0123456789abcdefABCDEF', {
    password: 'x',
    text: 'is an-ordinary-looking-value',
    deep: { apiKey: 1 },
  });
  knownSecrets.forget('log-test');
  const { event, password, text, deep } = JSON.parse(lines[0] ?? '{}');
  assert.deepEqual([event, password, text, deep], ['Token ***', '***', 'is ***', { apiKey: '***' }]);
});

test('a line of JSON names the request that it is about, and the trace that its sender is in', () => {
  const { lines, log } = logged('json');
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traced = newRequest({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const named = newRequest({ 'x-request-id': traceId });
  for (const scope of [traced, named, undefined]) inRequest(scope, () => log.info('Something happened'));
  const said = lines.map((line) => JSON.parse(line)).map(({ requestId, traceId: trace }) => [requestId, trace]);
  assert.deepEqual(said, [
    [traced.id, traceId],
    [named.id, undefined],
    [undefined, undefined],
  ]);
});
