/** Agents' requests: within the owner's limits, with a note where they get less than asked for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { readChainRequest } from './run-chain.ts';

const chains = { enabled: true, timeoutMs: 30_000, memoryMb: 64, maxCalls: 100, maxOutputBytes: 20_000 };
const read = (args: Record<string, unknown>, more: Partial<typeof chains> = {}) =>
  // Only this section is used.
  readChainRequest(args, { chains: { ...chains, ...more } } as Config);

test("without any given the limits are the owner's", () => {
  assert.deepEqual(read({ code: 'return 1' }), {
    code: 'return 1',
    timeoutMs: 30_000,
    maxOutputBytes: 20_000,
    reader: 'agent',
    allowed: chains,
    notes: [],
  });
});

test('less is given, more is not, which is said', () => {
  const less = read({ code: 'x', timeoutMs: 500, maxOutputBytes: '2500' });
  assert.deepEqual([less.timeoutMs, less.maxOutputBytes, less.notes], [500, 2_500, []]);
  const more = read({ code: 'x', timeoutMs: 60_000, maxOutputBytes: 1e9 });
  assert.deepEqual([more.timeoutMs, more.maxOutputBytes], [30_000, 20_000]);
  assert.deepEqual(more.notes, [
    'timeoutMs is 30000, the most that the owner of this gateway allows.',
    'maxOutputBytes is 20000, the most that the owner of this gateway allows.',
  ]);
});

test('there is always room to say what happened', () => {
  const least = read({ code: 'x', maxOutputBytes: 1 });
  assert.equal(least.maxOutputBytes, 2_000);
  assert.deepEqual(least.notes, ['maxOutputBytes is 2000, the least that an answer takes.']);
  const owners = read({ code: 'x' }, { maxOutputBytes: 10 });
  assert.deepEqual([owners.maxOutputBytes, owners.notes], [2_000, []]);
});

test('a person gets all of a result, and reads of flags', () => {
  const request = readChainRequest({ code: 'x', timeoutMs: 99_000 }, { chains } as Config, 'hand');
  assert.ok(request.maxOutputBytes > 48 * 2 ** 20);
  assert.deepEqual(request.notes, ['--timeout is 30000, the most that the owner of this gateway allows.']);
});

test('a program that cannot run is refused, and so is every one where programs are switched off', () => {
  const refused = (code: string, words: RegExp) => (error: unknown) =>
    error instanceof GatewayError && error.code === code && words.test(`${error.message} ${error.hint}`);
  for (const code of [undefined, 7, { a: 1 }])
    assert.throws(() => read({ code }), refused('ARGUMENTS_INVALID', /"code" must be a program.*takes: code/));
  for (const timeoutMs of [0, -1, 'soon', Number.NaN, {}])
    assert.throws(() => read({ code: 'x', timeoutMs }), refused('ARGUMENTS_INVALID', /"timeoutMs" must be a number/));
  assert.throws(() => read({ code: 'x' }, { enabled: false }), refused('TOOL_DISABLED', /switched off .*one by one/));
});
