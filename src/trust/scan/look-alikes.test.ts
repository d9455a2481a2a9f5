/** Names that look like a typing error of another name. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSlip } from './look-alikes.ts';

test('a doubled letter and two swapped letters are slips', () => {
  for (const name of ['send_lettter', 'sned_letter', 'send_letetr', 'send_leter'])
    assert.ok(isSlip(name, 'send_letter') && isSlip('send_letter', name), name);
});

test('the same name, another letter, another number and a short name are not slips', () => {
  for (const name of ['send_letter', 'send_litter', 'end_letter', 'send_letters'])
    assert.ok(!isSlip(name, 'send_letter'));
  assert.ok(!isSlip('list_page_12', 'list_page_21'));
  assert.deepEqual([isSlip('track', 'trakc'), isSlip('track', 'trakc', 5)], [false, true]);
});
