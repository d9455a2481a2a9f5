/** The facts of trouble that agents get as data: only those that exist. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { troubleFacts } from './trouble.ts';

test('tools with a similar name are suggested, even a single one; an empty list is left out', () => {
  const suggested = (nearest: unknown) =>
    troubleFacts(new GatewayError('TOOL_NOT_FOUND', 'No such tool.', { data: { nearest } }), { reader: 'search' });
  assert.deepEqual(suggested(['files:read']).suggestedTools, ['files:read']);
  for (const none of [[], undefined, 'files:read']) assert.ok(!('suggestedTools' in suggested(none)));
});
