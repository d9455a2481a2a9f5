/** A program's calls know the agent, and the agent hears of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { RpcNotification } from '../protocol/messages.ts';
import { agentOfCall, CallProgress } from './agent-of-program.ts';

const { signal } = new AbortController();

test('only an agent that answers while a call goes on can be asked by it', () => {
  const capabilities = { elicitation: {} };
  const modern = agentOfCall(madeAgent({ capabilities, progressToken: 7 }), signal);
  assert.deepEqual([modern.capabilities, modern.ask, modern.progressToken], [{}, undefined, undefined]);
  const ask = async () => ({});
  const legacy = agentOfCall(madeAgent({ era: 'legacy', capabilities, ask }), signal);
  assert.deepEqual([legacy.capabilities, legacy.ask, legacy.signal], [capabilities, ask, signal]);
});

test('progress grows, comes at intervals, and only where it was asked for', async () => {
  const heard: RpcNotification[] = [];
  const clock = new ManualClock();
  const notify = (message: RpcNotification) => heard.push(message);
  const progress = new CallProgress(madeAgent({ progressToken: 't', notify }), clock);
  progress.note(1);
  progress.note(2);
  await clock.advance(300);
  progress.note(2);
  await clock.advance(300);
  progress.note(2);
  assert.deepEqual(
    heard.map(({ method, params }) => [method, params?.progressToken, params?.progress, params?.message]),
    [
      ['notifications/progress', 't', 1, '1 call done'],
      ['notifications/progress', 't', 2, '2 calls done'],
    ],
  );
  new CallProgress(madeAgent({ notify }), clock).note(5);
  assert.equal(heard.length, 2);
});
