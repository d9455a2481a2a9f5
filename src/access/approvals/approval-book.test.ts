/** Tests of the book of approvals: what an answer is good for, and for how long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callToApprove } from '../../../test/kit/call-to-approve.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import type { AuditEvent } from '../../audit/audit.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { limits } from '../../config/config.ts';
import type { StoredApproval, StoreEvent } from '../../store/store.ts';
import { projectOf } from '../project.ts';
import type { CallToApprove } from './approval.ts';
import { ApprovalBook } from './approval-book.ts';

const owner = { id: 'owner', name: 'owner' };
const timeoutMs = 300_000;

class Desk {
  readonly clock = new ManualClock();
  readonly events: AuditEvent[] = [];
  readonly stored: StoredApproval[] = [];
  readonly told = new Signal<StoreEvent>();
  fault: Error | undefined;
  readonly book: ApprovalBook;

  constructor() {
    const { clock } = this;
    this.book = new ApprovalBook({
      store: {
        events: this.told,
        listApprovals: async () => [...this.stored],
        saveApproval: async (approval) => {
          if (this.fault) throw this.fault;
          this.stored.push(approval);
        },
        removeApproval: async (id) => {
          const at = this.stored.findIndex((item) => item.id === id);
          return at !== -1 && this.stored.splice(at, 1).length === 1;
        },
      },
      audit: { record: async (event) => void this.events.push(event) },
      clock,
      log: silentLog,
      settings: () => ({ approvalTimeoutMs: timeoutMs }),
    });
  }

  get actions(): string[] {
    return this.events.map(({ action }) => action);
  }
}

function withCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof GatewayError && error.code === code;
}

test('a call that the owner allows once passes once, exactly as it was shown, for a while', async () => {
  const { book, clock } = new Desk();
  const { facts } = book.askOwner(callToApprove(), { arguments: { amount: 5 } });
  assert.equal(book.takePass(callToApprove()), false);
  await book.answer(facts.id, 'once', owner);
  const others: Partial<CallToApprove>[] = [
    { sent: 'hash-2' },
    { tool: 'refund' },
    { server: 'other' },
    { definition: 'd2' },
    { principal: { ...callToApprove().principal, id: 'token:1' } },
    { principal: { ...callToApprove().principal, project: projectOf('shop') } },
  ];
  for (const other of others) assert.equal(book.takePass(callToApprove(other)), false, JSON.stringify(other));
  assert.equal(book.takePass(callToApprove({ session: 'another' })), true);
  assert.equal(book.takePass(callToApprove()), false);
  assert.equal(book.isGranted(callToApprove()), false);
  await book.answer(book.askOwner(callToApprove(), {}).facts.id, 'once', owner);
  await clock.advance(timeoutMs);
  assert.equal(book.takePass(callToApprove()), false);
});

test('the same call that is made again is the same question', () => {
  const { book, events } = new Desk();
  const first = book.askOwner(callToApprove(), {});
  assert.equal(book.askOwner(callToApprove({ session: 's2', requestId: '8' }), {}), first);
  assert.notEqual(book.askOwner(callToApprove({ sent: 'hash-2' }), {}), first);
  assert.equal(book.waiting().length, 2);
  assert.equal(events.length, 2);
});

test('a refusal of the owner is remembered for a while, and ends the question', async () => {
  const { book, clock } = new Desk();
  const { facts } = book.askOwner(callToApprove(), {});
  await book.answer(facts.id, 'refuse', owner);
  assert.deepEqual([book.isRefused(callToApprove()), book.isRefused(callToApprove({ sent: 'hash-2' }))], [true, false]);
  assert.deepEqual(book.waiting(), []);
  await clock.advance(timeoutMs);
  assert.equal(book.isRefused(callToApprove()), false);
});

test('a refusal of the owner is remembered also where the question was put at the agent', async () => {
  const asked = [
    ({ book }: Desk) => book.askAgent(callToApprove(), {}),
    ({ book }: Desk) => book.askLater(callToApprove(), {}, () => {}).question,
  ];
  for (const ask of asked) {
    const desk = new Desk();
    const { facts } = ask(desk);
    await desk.book.answer(facts.id, 'refuse', owner);
    assert.equal(desk.book.isRefused(callToApprove()), true);
    await desk.clock.advance(timeoutMs);
    assert.equal(desk.book.isRefused(callToApprove()), false);
  }
  const { book } = new Desk();
  await book.answerAtAgent(book.askAgent(callToApprove(), {}), 'refuse');
  assert.equal(book.isRefused(callToApprove()), false, 'a person at the agent may think again');
});

test('a refusal of the owner is for every question about the same call, and each stands in the audit', async () => {
  const desk = new Desk();
  const { book } = desk;
  const first = book.askAgent(callToApprove(), {});
  const { question: second, handle } = book.askLater(callToApprove(), {}, () => {});
  const other = book.askAgent(callToApprove({ sent: 'hash-2' }), {});
  await book.answer(first.facts.id, 'refuse', owner);
  assert.deepEqual([first.decision, second.decision, other.decision], ['refuse', 'refuse', undefined]);
  await book.answerAtAgent(second, 'session');
  assert.equal(book.findByHandle(handle, callToApprove())?.decision, 'refuse');
  assert.equal(book.isGranted(callToApprove()), false);
  assert.deepEqual(desk.actions.slice(3), ['approval.refused', 'approval.refused']);
});

test('where the owner refused a call, the agent cannot allow the tool for its session, and what it allowed before ends', async () => {
  const { book, clock } = new Desk();
  const other = callToApprove({ sent: 'hash-2' });
  const refused = book.askAgent(callToApprove(), {});
  const open = book.askAgent(other, {});
  assert.equal(open.facts.isSessionOffered, true);
  await book.answerAtAgent(book.askAgent(other, {}), 'session');
  await book.answerAtAgent(book.askAgent({ ...other, session: 's2' }, {}), 'session');
  assert.equal(book.isGranted(other), true);
  await book.answer(refused.facts.id, 'refuse', owner);
  await book.answerAtAgent(open, 'session');
  assert.equal(await open.decided, 'once', 'a form from before the refusal still offers more');
  assert.equal(book.askAgent(other, {}).facts.isSessionOffered, false);
  for (const call of [callToApprove(), other, { ...other, session: 's2' }]) assert.equal(book.isGranted(call), false);
  assert.equal(book.askAgent(callToApprove({ tool: 'refund' }), {}).facts.isSessionOffered, true);
  await clock.advance(timeoutMs);
  assert.equal(book.askAgent(other, {}).facts.isSessionOffered, true);
});

test('of two things that the owner says about a tool, the later one holds', async () => {
  for (const answer of ['session', 'always'] as const) {
    const { book } = new Desk();
    const ask = (sent: string) => book.askAgent(callToApprove({ sent }), {}).facts.id;
    const [first, second, third] = [ask('hash-1'), ask('hash-2'), ask('hash-3')];
    await book.answer(first, 'refuse', owner);
    await book.answer(second, answer, owner);
    assert.deepEqual([book.isRefused(callToApprove()), book.isGranted(callToApprove())], [false, true]);
    await book.answer(third, 'refuse', owner);
    assert.equal(book.isGranted(callToApprove({ sent: 'hash-3' })), false);
  }
});

test('for the session: any arguments of this tool, in this session, as long as its definition stays', async () => {
  const { book, clock } = new Desk();
  await book.answerAtAgent(book.askAgent(callToApprove(), {}), 'session');
  const all: Partial<CallToApprove>[] = [
    {},
    { sent: 'hash-2' },
    { session: 's2' },
    { definition: 'd2' },
    { tool: 'x' },
  ];
  const granted = () => all.map((parts) => book.isGranted(callToApprove(parts)));
  assert.deepEqual(granted(), [true, true, false, false, false]);
  await clock.advance(100 * limits.sessionApprovalMs);
  assert.deepEqual(granted(), [true, true, false, false, false]);
});

test('for the session, where there is none: an hour', async () => {
  const { book, clock } = new Desk();
  const call = callToApprove({ isSessionReal: false, session: 'principal:agent' });
  await book.answerAtAgent(book.askAgent(call, {}), 'session');
  await clock.advance(limits.sessionApprovalMs - 1);
  assert.equal(book.isGranted(call), true);
  await clock.advance(1);
  assert.equal(book.isGranted(call), false);
});

test('for always: survives a restart, holds in every session, and not for another definition, principal or project', async () => {
  const desk = new Desk();
  await desk.book.open();
  const { facts } = desk.book.askOwner(callToApprove(), {});
  await desk.book.answer(facts.id, 'always', owner);
  const later = new Desk();
  later.stored.push(...desk.stored);
  await later.book.open();
  for (const { book } of [desk, later]) {
    assert.equal(book.isGranted(callToApprove({ session: 's9', sent: 'hash-9' })), true);
    assert.equal(book.isGranted(callToApprove({ definition: 'd2' })), false);
    assert.equal(book.isGranted(callToApprove({ principal: { ...callToApprove().principal, id: 'token:1' } })), false);
    assert.equal(
      book.isGranted(callToApprove({ principal: { ...callToApprove().principal, project: projectOf('shop') } })),
      false,
    );
  }
  const [kept] = later.book.lasting();
  assert.deepEqual([kept?.toolKey, kept?.principalName, kept?.by], ['till:pay', 'agent', 'owner']);
  await later.book.forget(kept?.id ?? '', owner);
  assert.equal(later.book.isGranted(callToApprove()), false);
  assert.deepEqual(later.stored, []);
  await assert.rejects(later.book.forget(kept?.id ?? '', owner), withCode('USAGE'));
  assert.deepEqual(later.actions, ['approval.forgotten']);
});

test('what cannot be stored is not approved, and can be answered again', async () => {
  const desk = new Desk();
  const question = desk.book.askOwner(callToApprove(), {});
  desk.fault = new GatewayError('STORE_BUSY', 'The store is busy.');
  await assert.rejects(desk.book.answer(question.facts.id, 'always', owner), withCode('STORE_BUSY'));
  assert.equal(desk.book.isGranted(callToApprove()), false);
  assert.equal(question.decision, undefined);
  desk.fault = undefined;
  await desk.book.answer(question.facts.id, 'always', owner);
  assert.equal(desk.book.isGranted(callToApprove()), true);
});

test('a question that nobody answers is refused in time, and a late answer changes nothing', async () => {
  const { book, clock, events } = new Desk();
  const question = book.askOwner(callToApprove(), {});
  await clock.advance(timeoutMs - 1);
  assert.equal(book.waiting().length, 1);
  await clock.advance(1);
  assert.equal(await question.decided, 'expired');
  assert.deepEqual(book.waiting(), []);
  await assert.rejects(book.answer(question.facts.id, 'always', owner), withCode('USAGE'));
  await book.answerAtAgent(question, 'session');
  assert.deepEqual([book.isGranted(callToApprove()), book.takePass(callToApprove())], [false, false]);
  assert.deepEqual(
    events.map(({ action, outcome }) => [action, outcome]),
    [
      ['approval.asked', 'ok'],
      ['approval.expired', 'refused'],
    ],
  );
});

test('the first answer stands', async () => {
  const { book } = new Desk();
  const question = book.askAgent(callToApprove(), {});
  await book.answerAtAgent(question, 'refuse');
  await assert.rejects(book.answer(question.facts.id, 'once', owner), withCode('USAGE'));
  await book.answerAtAgent(question, 'session');
  assert.equal(await question.decided, 'refuse');
  assert.equal(book.isGranted(callToApprove()), false);
});

test('an answer at the agent is for the call that waits there: it makes no pass for another one', async () => {
  const { book } = new Desk();
  const question = book.askAgent(callToApprove(), {});
  await book.answerAtAgent(question, 'once');
  assert.equal(await question.decided, 'once');
  assert.equal(book.takePass(callToApprove()), false);
});

test('a handle leads back only the same call of the same principal, until it has been used or the time is up', async () => {
  const { book, clock } = new Desk();
  let abandoned = 0;
  const { question, handle } = book.askLater(callToApprove(), {}, () => {
    abandoned += 1;
  });
  assert.ok(ApprovalBook.isHandle(handle));
  assert.ok(!handle.includes(question.facts.id));
  assert.equal(book.findByHandle(handle, callToApprove()), question);
  assert.equal(book.findByHandle(`${handle}x`, callToApprove()), undefined);
  assert.equal(book.findByHandle(handle, callToApprove({ sent: 'hash-2' })), undefined);
  assert.equal(
    book.findByHandle(handle, callToApprove({ principal: { ...callToApprove().principal, id: 'token:1' } })),
    undefined,
  );
  // The owner may answer meanwhile; the agent still has to come back for the call to be made.
  await book.answer(question.facts.id, 'once', owner);
  assert.deepEqual(book.waiting(), []);
  assert.equal(book.takePass(callToApprove()), false);
  assert.equal(book.findByHandle(handle, callToApprove())?.decision, 'once');
  book.leave(question);
  assert.equal(book.findByHandle(handle, callToApprove()), undefined);
  await clock.advance(timeoutMs);
  assert.equal(abandoned, 0);
  const again = book.askLater(callToApprove(), {}, () => {
    abandoned += 1;
  });
  await clock.advance(timeoutMs);
  assert.equal(abandoned, 1);
  assert.equal(book.findByHandle(again.handle, callToApprove()), undefined);
});

test('a call that its server interrupts with a question comes back once, with what it was given', () => {
  const { book } = new Desk();
  book.expectReturn(callToApprove(), 'state-1');
  assert.equal(book.takeReturn(callToApprove(), 'state-2'), false);
  assert.equal(book.takeReturn(callToApprove({ sent: 'hash-2' }), 'state-1'), false);
  assert.equal(book.takePass(callToApprove()), false);
  assert.equal(book.takeReturn(callToApprove(), 'state-1'), true);
  assert.equal(book.takeReturn(callToApprove(), 'state-1'), false);
});

test('calls that wait are bounded, for one principal and in all', () => {
  const { book } = new Desk();
  const fill = (id: string, count: number) => {
    for (let at = 0; at < count; at += 1)
      book.askAgent(callToApprove({ principal: { ...callToApprove().principal, id }, sent: String(at) }), {});
  };
  fill('a', limits.waitingApprovalsEach);
  assert.throws(() => fill('a', 1), withCode('RATE_LIMITED'));
  for (let at = 1; at < limits.waitingApprovals / limits.waitingApprovalsEach; at += 1)
    fill(`b${at}`, limits.waitingApprovalsEach);
  assert.throws(() => fill('c', 1), withCode('RATE_LIMITED'));
  const [first] = book.waiting();
  assert.ok(first);
  book.withdraw(first);
  fill('c', 1);
});

test('approvals for always are bounded: the oldest is asked about again', async () => {
  const desk = new Desk();
  for (let at = 0; at <= limits.lastingApprovals; at += 1) {
    const question = desk.book.askOwner(callToApprove({ tool: `tool-${at}` }), {});
    await desk.book.answer(question.facts.id, 'always', owner);
    await desk.clock.advance(1);
  }
  assert.equal(desk.stored.length, limits.lastingApprovals);
  assert.equal(desk.book.isGranted(callToApprove({ tool: 'tool-0' })), false);
  assert.equal(desk.book.isGranted(callToApprove({ tool: 'tool-1' })), true);
});

test('who asked, who answered and for how long stands in the audit, without the arguments of the answer', async () => {
  const { book, events } = new Desk();
  const { facts } = book.askOwner(callToApprove(), { arguments: { amount: 5 } });
  await book.answer(facts.id, 'session', owner);
  const shown = events.map(({ kind, action, principal, server, tool, outcome, detail, arguments: args }) => ({
    kind,
    action,
    principal: principal.id,
    server,
    tool,
    outcome,
    detail,
    args,
  }));
  const what = { project: null, definition: 'd1' };
  assert.deepEqual(shown, [
    {
      kind: 'access',
      action: 'approval.asked',
      principal: 'agent',
      server: 'till',
      tool: 'pay',
      outcome: 'ok',
      detail: { approval: facts.id, asked: 'owner', ...what },
      args: { amount: 5 },
    },
    {
      kind: 'access',
      action: 'approval.allowed',
      principal: 'owner',
      server: 'till',
      tool: 'pay',
      outcome: 'ok',
      detail: { approval: facts.id, by: 'owner', holds: 'session', for: 'agent', ...what },
      args: undefined,
    },
  ]);
});

test('closing ends every question, and what is open then is refused', async () => {
  const { book } = new Desk();
  const question = book.askAgent(callToApprove(), {});
  book.close();
  assert.equal(await question.decided, 'expired');
});
