/** The encoder as a model: who is served first, and what happens when its thread or its caller goes away. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Vector } from '../vector.ts';
import { type EncoderInput, EncoderModel } from './encoder-model.ts';

/** A thread that answers on demand: with a vector of one number, the length of the text. */
class ToldThread extends EventEmitter {
  readonly questions: EncoderInput[] = [];
  isUnref = false;
  isTerminated = false;
  #answered = 0;

  postMessage(question: EncoderInput): void {
    this.questions.push(question);
  }

  unref(): void {
    this.isUnref = true;
  }

  async terminate(): Promise<void> {
    this.isTerminated = true;
    this.emit('exit');
  }

  get texts(): string[] {
    return this.questions.map((question) => question.text);
  }

  answer(): void {
    const question = this.questions[this.#answered];
    assert.ok(question, 'nothing was asked');
    this.#answered += 1;
    this.emit('message', { number: question.number, vector: vectorOf(question.text) });
  }

  answerAll(): void {
    while (this.#answered < this.questions.length) this.answer();
  }
}

const vectorOf = (text: string): Vector => ({ values: Int8Array.of(text.length), scale: 1 });
const forever = new AbortController().signal;

function open() {
  const threads: ToldThread[] = [];
  const model = new EncoderModel({ id: 'told', width: 1 }, () => {
    const thread = new ToldThread();
    threads.push(thread);
    return thread;
  });
  const thread = (at: number) => {
    const found = threads[at];
    assert.ok(found, `thread ${at} was not started`);
    return found;
  };
  return { model, threads, thread };
}

test('the thread starts with the first text, does not hold the process, and serves every request', async () => {
  const { model, threads, thread } = open();
  assert.deepEqual(await model.embed([], forever), []);
  assert.equal(threads.length, 0);
  const first = model.embed(['a', 'bbb'], forever);
  const second = model.embed(['cc', 'dddd'], forever);
  assert.ok(thread(0).isUnref);
  thread(0).answerAll();
  assert.deepEqual(await first, [vectorOf('a'), vectorOf('bbb')]);
  assert.deepEqual(await second, [vectorOf('cc'), vectorOf('dddd')]);
  assert.equal(threads.length, 1);
});

test('urgent texts overtake the rest of a batch of any size, in their own order', async () => {
  const { model, thread } = open();
  const batch = model.embed(['t1', 't2', 't3'], forever);
  const patient = model.embed(['t4'], forever, false);
  const queries = [model.embed(['q1', 'q2'], forever, true), model.embed(['q3'], forever, true)];
  thread(0).answerAll();
  await Promise.all([batch, patient, ...queries]);
  assert.deepEqual(thread(0).texts, ['t1', 'q1', 'q2', 'q3', 't2', 't3', 't4']);
});

test('the thread holds one text at a time, so that the next is chosen as late as possible', async () => {
  const { model, thread } = open();
  const all = [model.embed(['t1', 't2'], forever), model.embed(['q1'], forever, true)];
  assert.deepEqual(thread(0).texts, ['t1']);
  thread(0).answer();
  assert.deepEqual(thread(0).texts, ['t1', 'q1']);
  thread(0).answerAll();
  await Promise.all(all);
});

test('an aborted request fails with the reason at once, and its texts are not computed any more', async () => {
  const { model, thread } = open();
  const controller = new AbortController();
  const running = model.embed(['t1', 't2'], controller.signal);
  const waiting = model.embed(['q1'], controller.signal);
  const other = model.embed(['u1', 'u2'], forever);
  const reason = new Error('gone');
  controller.abort(reason);
  await assert.rejects(running, reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(model.embed(['late'], controller.signal), reason);
  thread(0).answerAll();
  assert.deepEqual(await other, [vectorOf('u1'), vectorOf('u2')]);
  assert.deepEqual(thread(0).texts, ['t1', 'u1', 'u2']);
});

test('a request that is served forgets its signal', async () => {
  const { model, thread } = open();
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  const served = model.embed(['a'], signal);
  assert.equal(listeners, 1);
  thread(0).answerAll();
  await served;
  assert.equal(listeners, 0);
});

for (const end of ['error', 'exit'] as const)
  test(`a thread that ends (${end}) fails every open request, and the next one starts another`, async () => {
    const { model, threads, thread } = open();
    const open1 = model.embed(['t1', 't2'], forever);
    const open2 = model.embed(['q1'], forever);
    if (end === 'error') thread(0).emit('error', new Error('out of memory'));
    thread(0).emit('exit');
    const failed = end === 'error' ? /out of memory/ : /has stopped/;
    await assert.rejects(open1, { code: 'MODEL_FAILED', message: failed });
    await assert.rejects(open2, { code: 'MODEL_FAILED', message: failed });
    assert.equal(threads.length, 1);
    const again = model.embed(['again'], forever);
    thread(1).answerAll();
    assert.deepEqual(await again, [vectorOf('again')]);
  });

test('messages of a lost thread are ignored', async () => {
  const { model, thread } = open();
  const lost = model.embed(['lost'], forever);
  thread(0).emit('error', new Error('lost'));
  await assert.rejects(lost, { code: 'MODEL_FAILED' });
  const next = model.embed(['next one'], forever);
  thread(0).answer();
  thread(0).emit('exit');
  thread(1).answerAll();
  assert.deepEqual(await next, [vectorOf('next one')]);
});

test('a thread that cannot be started fails the request and is tried again with the next', async () => {
  const thread = new ToldThread();
  let attempts = 0;
  const model = new EncoderModel({ id: 'told', width: 1 }, () => {
    attempts += 1;
    if (attempts === 1) throw new Error('no room');
    return thread;
  });
  await assert.rejects(model.embed(['a'], forever), { code: 'MODEL_FAILED', message: /no room/ });
  const second = model.embed(['b'], forever);
  thread.answerAll();
  assert.deepEqual(await second, [vectorOf('b')]);
  assert.deepEqual(thread.texts, ['b']);
});

test('closing ends the thread and every request; a closed model answers no more', async () => {
  const { model, threads, thread } = open();
  const running = model.embed(['a', 'b'], forever);
  const failed = assert.rejects(running, { code: 'MODEL_FAILED', message: 'The encoder is closed.' });
  await model.close();
  await failed;
  assert.ok(thread(0).isTerminated);
  await assert.rejects(model.embed(['c'], forever), { code: 'MODEL_FAILED' });
  await model.close();
  assert.equal(threads.length, 1);
});

test('more requests than the queue holds are refused, not collected', async () => {
  const { model, thread } = open();
  const waiting = Array.from({ length: 1_000 }, () => model.embed(['a'], forever));
  await assert.rejects(model.embed(['b'], forever), { code: 'MODEL_FAILED', message: /already waiting/ });
  thread(0).answerAll();
  await Promise.all(waiting);
  const next = model.embed(['b'], forever);
  thread(0).answerAll();
  assert.deepEqual(await next, [vectorOf('b')]);
});
