/** Pins the exit codes, which scripts rely on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes, GatewayError } from '../../base/errors.ts';
import { exitCodeMeanings, exitCodeOf } from './exit-code.ts';

test('every code of trouble has its exit code', () => {
  const byExit = Object.groupBy(errorCodes, (code) => exitCodeOf(new GatewayError(code, 'x')));
  assert.deepEqual(
    { ...byExit },
    {
      1: [
        'TOOLKEY_EXPIRED',
        'SERVER_DISCONNECTED',
        'TIMEOUT',
        'TOOL_FAILED',
        'RATE_LIMITED',
        'CANCELLED',
        'NAME_TAKEN',
        'PORT_TAKEN',
        'DATA_LOCKED',
        'STORE_BUSY',
        'STORE_BROKEN',
        'TOO_LARGE',
        'MODEL_BROKEN',
        'MODEL_FAILED',
      ],
      2: ['TOOLKEY_INVALID', 'ARGUMENTS_INVALID', 'CONFIG_INVALID', 'CONFIG_UNTRUSTED', 'USAGE'],
      3: ['TOOL_NOT_FOUND', 'SERVER_NOT_FOUND'],
      4: ['ACCESS_DENIED', 'PROJECT_MISMATCH', 'TOOL_DISABLED', 'APPROVAL_NEEDED', 'UNAUTHENTICATED'],
      5: ['SERVER_NOT_RUNNING', 'CIRCUIT_OPEN', 'UNREACHABLE'],
    },
  );
  assert.equal(exitCodeOf(new Error('a bug')), 1);
});

test('every exit code has a meaning', () => {
  assert.deepEqual(
    exitCodeMeanings.map(([code]) => code),
    [0, 1, 2, 3, 4, 5],
  );
});
