/** Tests of the gate before new links: what waits, for how long, and what is looked at again after that. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { RpcError } from '../protocol/messages.ts';
import type { Link, LinkRequest } from './link.ts';
import { type Judging, LinkGate } from './link-gate.ts';

// Nothing else of either is used.
const linkOf = (renewedAt: number) => ({ renewedAt }) as Link;
const requestOf = (more: Partial<LinkRequest> = {}) => ({ timeoutMs: 1_000, ...more }) as LinkRequest;

function gateWith(judging: (gate: LinkGate) => Judging | undefined) {
  const clock = new ManualClock();
  const gate: LinkGate = new LinkGate('desk', clock, () => judging(gate));
  return { clock, gate };
}

const codeOf = (promise: Promise<void>) =>
  promise.then(
    () => 'passed',
    (error: unknown) => (error instanceof GatewayError ? `${error.code} ${error.data?.isUnexecuted}` : error),
  );

test('a link that was open when a judged listing began is used at once', async () => {
  const { gate } = gateWith(() => () => assert.fail('Nobody is to be asked.'));
  gate.noteJudged(5);
  gate.noteJudged(3);
  const looks: number[] = [];
  await gate.pass(linkOf(5), requestOf({ recheck: () => looks.push(1) }));
  assert.deepEqual(looks, []);
});

test('a newer link waits for a listing that began after it, and the request is looked at again', async () => {
  const begun = [4, 7];
  const { gate } = gateWith((own) => async () => own.noteJudged(begun.shift() ?? 0));
  const looks: number[] = [];
  await gate.pass(linkOf(5), requestOf({ recheck: () => looks.push(1) }));
  assert.deepEqual([begun, looks], [[], [1]]);
  const stubborn = gateWith((own) => async () => own.noteJudged(1));
  assert.equal(await codeOf(stubborn.gate.pass(linkOf(5), requestOf())), 'SERVER_NOT_RUNNING true');
});

test('where the owner wants no waiting, or nobody judges, nothing waits', async () => {
  for (const judging of [undefined, () => undefined])
    await gateWith(() => judging).gate.pass(linkOf(5), requestOf({ recheck: () => assert.fail('Nothing waited.') }));
});

test('a server that cannot be listed is not called, and waiting ends with the time of the request or its agent', async () => {
  const broken = gateWith(() => async () => Promise.reject(new RpcError(-32603, 'The list is broken.')));
  assert.equal(await codeOf(broken.gate.pass(linkOf(5), requestOf())), 'SERVER_NOT_RUNNING true');
  const { clock, gate } = gateWith(() => () => new Promise(() => {}));
  const link = linkOf(5);
  const late = codeOf(gate.pass(link, requestOf()));
  assert.deepEqual([gate.holds(link), gate.holds(linkOf(5))], [true, false]);
  await clock.advance(1_000);
  assert.deepEqual([await late, gate.holds(link)], ['TIMEOUT true', false]);
  const leaving = new AbortController();
  const left = codeOf(gate.pass(linkOf(5), requestOf({ signal: leaving.signal })));
  leaving.abort('gone');
  assert.equal(await left, 'gone');
});
