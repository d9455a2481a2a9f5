/** Requests and questions on one connection: the owner of a question, the time limit of a request, and the end of the connection. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { type Result, type RpcMessage, type RpcRequest, request as rpcRequest } from '../protocol/messages.ts';
import { Peer } from './peer.ts';
import type { Transport } from './transport.ts';

const call = { method: 'tools/call', params: { name: 'any' }, timeoutMs: 1_000, maxMs: 60_000, principal: 'ada' };
const question = (id: string) => rpcRequest(id, 'elicitation/create', { message: 'Who?' });

class Stage {
  readonly clock = new ManualClock();
  readonly sent: Record<string, unknown>[] = [];
  /** The error of sending; undefined if sending works. */
  fault: Error | undefined;
  readonly peer: Peer;

  constructor() {
    const send = async (message: RpcMessage) => {
      this.sent.push({ ...message });
      if (this.fault) throw this.fault;
    };
    // Nothing else of it is used.
    const transport = { kind: 'stdio', send } as unknown as Transport;
    this.peer = new Peer('far', transport, this.clock, { onNotification: () => {}, onRequest: () => undefined });
  }
}

/** Takes the questions of one request; each is answered by `answer`. */
class Asked {
  readonly questions: { readonly id: unknown; readonly signal: AbortSignal; answer(result: Result): void }[] = [];
  readonly onAsk = (ask: RpcRequest, signal: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.questions.push({ id: ask.id, signal, answer: resolve });
    return promise;
  };
}

test('a question that names its request reaches that request among many', async () => {
  const { peer } = new Stage();
  const both = [new Asked(), new Asked()];
  for (const { onAsk } of both) peer.request({ ...call, onAsk }).catch(() => {});
  peer.receive(question('q1'), 2);
  await turn();
  assert.deepEqual(
    both.map(({ questions }) => questions.length),
    [0, 1],
  );
});

test('a server can take its question back, and then gets no answer', async () => {
  const { peer, sent } = new Stage();
  const asked = new Asked();
  peer.request({ ...call, onAsk: asked.onAsk }).catch(() => {});
  peer.receive(question('q1'), undefined);
  await turn();
  peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q1' } }, undefined);
  assert.equal(asked.questions[0]?.signal.aborted, true);
  asked.questions[0]?.answer({});
  await turn();
  assert.deepEqual(sent.slice(1), []);
});

test('the timeout of a request pauses during each of its questions, and restarts afterwards', async () => {
  const { peer, clock } = new Stage();
  const asked = new Asked();
  let end: unknown;
  peer.request({ ...call, onAsk: asked.onAsk }).catch((error: unknown) => {
    end = error;
  });
  for (const at of [0, 1]) {
    await clock.advance(900);
    peer.receive(question(`q${at}`), undefined);
    await clock.advance(5_000);
    assert.equal(end, undefined, `question ${at}`);
    asked.questions[at]?.answer({});
    await turn();
  }
  await clock.advance(999);
  assert.equal(end, undefined);
  await clock.advance(1);
  assert.match(String(end), /did not answer tools\/call within 1 s/);
});

test('a question reaches nobody else while a call with a broken connection may still run', async () => {
  for (const [data, isShown] of [
    [{ reason: 'reset' }, false],
    [{ reason: 'reset', isUnexecuted: true }, true],
  ] as const) {
    const stage = new Stage();
    stage.fault = new GatewayError('SERVER_DISCONNECTED', 'It broke.', { data });
    await assert.rejects(stage.peer.request(call));
    stage.fault = undefined;
    const asked = new Asked();
    stage.peer.request({ ...call, principal: 'grace', onAsk: asked.onAsk }).catch(() => {});
    stage.peer.receive(question('q1'), undefined);
    await turn();
    assert.equal(asked.questions.length === 1, isShown);
  }
});

test('nothing waits once the connection has ended', async () => {
  const { peer, clock } = new Stage();
  const late = assert.rejects(peer.request(call), { code: 'TIMEOUT' });
  await clock.advance(1_000);
  await late;
  const lost = assert.rejects(peer.request(call), { message: 'over' });
  peer.close(new Error('over'));
  await lost;
  assert.deepEqual(clock.waits, []);
});
