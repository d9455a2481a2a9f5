/** The log: one line an event, whatever stands in it, with secrets masked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
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
