/** Tests of lengths of time on the command line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../../base/errors.ts';
import { readDuration } from './tokens.ts';

test('a number and a unit make a length of time', () => {
  const hour = 3_600_000;
  assert.deepEqual(
    ['90m', '12h', '30d', '2w', '1y', ' 1h '].map((text) => readDuration('expires', text)),
    [1.5 * hour, 12 * hour, 720 * hour, 336 * hour, 8_760 * hour, hour],
  );
  assert.equal(readDuration('expires', undefined), undefined);
});

test('everything else is refused with how it is written', () => {
  for (const wrong of ['', '0d', '30', 'd', '-1d', '1.5h', '30 d', '30D', '1e3h', '11y', '999999w', '30days']) {
    assert.throws(
      () => readDuration('expires', wrong),
      (error) => error instanceof GatewayError && error.code === 'USAGE' && /such as 30d/.test(error.message),
      wrong,
    );
  }
});
