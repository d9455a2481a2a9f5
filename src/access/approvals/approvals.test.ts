/** Tests of approvals: what an answer permits, and for how long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callToApprove, noNotes } from '../../../test/kit/call-to-approve.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import type { AuditEvent } from '../../audit/audit.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { limits } from '../../config/config.ts';
import type { StoredApproval, StoreEvent } from '../../store/store.ts';
import { projectOf } from '../project.ts';
import type { CallToApprove } from './approval.ts';
import { Approvals } from './approvals.ts';

const owner = { id: 'owner', name: 'owner' };
const timeoutMs = 300_000;

class Harness {
  readonly clock = new ManualClock();
  readonly events: AuditEvent[] = [];
  readonly stored: StoredApproval[] = [];
  readonly told = new Signal<StoreEvent>();
  fault: Error | undefined;
  isShared = false;
  onSave: () => Promise<unknown> = async () => {};
  readonly approvals: Approvals;

  constructor() {
    const { clock } = this;
    const isShared = () => this.isShared;
    this.approvals = new Approvals({
      store: {
        ...noNotes,
        changeApprovals: async () => {
          if (this.fault) throw this.fault;
          return true;
        },
        events: this.told,
        get isShared() {
          return isShared();
        },
        listApprovals: () => this.list(),
        saveApproval: async (approval) => {
          if (this.fault) throw this.fault;
          this.stored.push(approval);
          await this.onSave();
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

  async list(): Promise<StoredApproval[]> {
    return [...this.stored];
  }

  get actions(): string[] {
    return this.events.map(({ action }) => action);
  }
}

function withCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof GatewayError && error.code === code;
}

test('a call that the owner allows once passes once, exactly as it was shown, for a while', async () => {
  const { approvals, clock } = new Harness();
  const { facts } = await approvals.askOwner(callToApprove(), { arguments: { amount: 5 } });
  assert.equal(await approvals.takePass(callToApprove()), false);
  await approvals.answer(facts.id, 'once', owner);
  const others: Partial<CallToApprove>[] = [
    { sent: 'hash-2' },
    { tool: 'refund' },
    { server: 'other' },
    { definition: 'd2' },
    { principal: { ...callToApprove().principal, id: 'token:1' } },
    { principal: { ...callToApprove().principal, project: projectOf('shop') } },
  ];
  for (const other of others)
    assert.equal(await approvals.takePass(callToApprove(other)), false, JSON.stringify(other));
  assert.equal(await approvals.takePass(callToApprove({ session: 'another' })), true);
  assert.equal(await approvals.takePass(callToApprove()), false);
  assert.equal(approvals.isGranted(callToApprove()), false);
  await approvals.answer((await approvals.askOwner(callToApprove(), {})).facts.id, 'once', owner);
  await clock.advance(timeoutMs);
  assert.equal(await approvals.takePass(callToApprove()), false);
});

test('an id that belongs to no call gets the command for definitions as a hint', async () => {
  const { approvals } = new Harness();
  const verbs = { refuse: 'reject', once: 'accept' } as const;
  for (const answer of ['refuse', 'once'] as const) {
    const isMeant = ({ hint }: GatewayError) => hint?.includes(`toolcrib review ${verbs[answer]} files`) === true;
    await assert.rejects(approvals.answer('files', answer, owner), isMeant);
  }
});

test('a gateway alone on its store keeps its approvals without reading them again', async () => {
  const { approvals, told, clock } = new Harness();
  await approvals.open();
  await approvals.answer((await approvals.askOwner(callToApprove(), {})).facts.id, 'once', owner);
  told.emit({ type: 'access' });
  await clock.advance(1_000);
  assert.equal(await approvals.takePass(callToApprove()), true);
});

test('the same call that is made again is the same request', async () => {
  const { approvals, events } = new Harness();
  const first = await approvals.askOwner(callToApprove(), {});
  assert.equal(await approvals.askOwner(callToApprove({ session: 's2', requestId: '8' }), {}), first);
  assert.notEqual(await approvals.askOwner(callToApprove({ sent: 'hash-2' }), {}), first);
  assert.equal(approvals.waiting().length, 2);
  assert.equal(events.length, 2);
});

test('a refusal of the owner is remembered for a while, and ends the request', async () => {
  const { approvals, clock } = new Harness();
  const { facts } = await approvals.askOwner(callToApprove(), {});
  await approvals.answer(facts.id, 'refuse', owner);
  assert.deepEqual(
    [approvals.isRefused(callToApprove()), approvals.isRefused(callToApprove({ sent: 'hash-2' }))],
    [true, false],
  );
  assert.deepEqual(approvals.waiting(), []);
  await clock.advance(timeoutMs);
  assert.equal(approvals.isRefused(callToApprove()), false);
});

test('a refusal of the owner is remembered also where the request was put at the agent', async () => {
  const asked = [
    ({ approvals }: Harness) => approvals.askAgent(callToApprove(), {}),
    ({ approvals }: Harness) => approvals.askLater(callToApprove(), {}, () => {}).request,
  ];
  for (const ask of asked) {
    const harness = new Harness();
    const { facts } = ask(harness);
    await harness.approvals.answer(facts.id, 'refuse', owner);
    assert.equal(harness.approvals.isRefused(callToApprove()), true);
    await harness.clock.advance(timeoutMs);
    assert.equal(harness.approvals.isRefused(callToApprove()), false);
  }
  const { approvals } = new Harness();
  await approvals.answerAtAgent(approvals.askAgent(callToApprove(), {}), 'refuse');
  assert.equal(approvals.isRefused(callToApprove()), false, 'a person at the agent may think again');
});

test('a refusal of the owner is for every request about the same call, and each stands in the audit', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  const first = approvals.askAgent(callToApprove(), {});
  const { request: second, handle } = approvals.askLater(callToApprove(), {}, () => {});
  const other = approvals.askAgent(callToApprove({ sent: 'hash-2' }), {});
  await approvals.answer(first.facts.id, 'refuse', owner);
  assert.deepEqual([first.decision, second.decision, other.decision], ['refuse', 'refuse', undefined]);
  await approvals.answerAtAgent(second, 'session');
  assert.equal(approvals.findByHandle(handle, callToApprove())?.decision, 'refuse');
  assert.equal(approvals.isGranted(callToApprove()), false);
  assert.deepEqual(harness.actions.slice(3), ['approval.refused', 'approval.refused']);
});

test('where the owner refused a call, the agent cannot allow the tool for its session, and what it allowed before ends', async () => {
  const { approvals, clock } = new Harness();
  const other = callToApprove({ sent: 'hash-2' });
  const refused = approvals.askAgent(callToApprove(), {});
  const open = approvals.askAgent(other, {});
  assert.equal(open.facts.isSessionOffered, true);
  await approvals.answerAtAgent(approvals.askAgent(other, {}), 'session');
  await approvals.answerAtAgent(approvals.askAgent({ ...other, session: 's2' }, {}), 'session');
  assert.equal(approvals.isGranted(other), true);
  await approvals.answer(refused.facts.id, 'refuse', owner);
  await approvals.answerAtAgent(open, 'session');
  assert.equal(await open.decided, 'once', 'a form from before the refusal still offers more');
  assert.equal(approvals.askAgent(other, {}).facts.isSessionOffered, false);
  for (const call of [callToApprove(), other, { ...other, session: 's2' }])
    assert.equal(approvals.isGranted(call), false);
  assert.equal(approvals.askAgent(callToApprove({ tool: 'refund' }), {}).facts.isSessionOffered, true);
  await clock.advance(timeoutMs);
  assert.equal(approvals.askAgent(other, {}).facts.isSessionOffered, true);
});

test('of two things that the owner says about a tool, the later one holds', async () => {
  for (const answer of ['session', 'always'] as const) {
    const { approvals } = new Harness();
    const ask = (sent: string) => approvals.askAgent(callToApprove({ sent }), {}).facts.id;
    const [first, second, third] = [ask('hash-1'), ask('hash-2'), ask('hash-3')];
    await approvals.answer(first, 'refuse', owner);
    await approvals.answer(second, answer, owner);
    assert.deepEqual([approvals.isRefused(callToApprove()), approvals.isGranted(callToApprove())], [false, true]);
    await approvals.answer(third, 'refuse', owner);
    assert.equal(approvals.isGranted(callToApprove({ sent: 'hash-3' })), false);
  }
});

test('for the session: any arguments of this tool, in this session, as long as its definition stays', async () => {
  const { approvals, clock } = new Harness();
  await approvals.answerAtAgent(approvals.askAgent(callToApprove(), {}), 'session');
  const all: Partial<CallToApprove>[] = [
    {},
    { sent: 'hash-2' },
    { session: 's2' },
    { definition: 'd2' },
    { tool: 'x' },
  ];
  const granted = () => all.map((parts) => approvals.isGranted(callToApprove(parts)));
  assert.deepEqual(granted(), [true, true, false, false, false]);
  await clock.advance(100 * limits.sessionApprovalMs);
  assert.deepEqual(granted(), [true, true, false, false, false]);
});

test('for the session, where there is none: an hour', async () => {
  const { approvals, clock } = new Harness();
  const call = callToApprove({ isSessionReal: false, session: 'principal:agent' });
  await approvals.answerAtAgent(approvals.askAgent(call, {}), 'session');
  await clock.advance(limits.sessionApprovalMs - 1);
  assert.equal(approvals.isGranted(call), true);
  await clock.advance(1);
  assert.equal(approvals.isGranted(call), false);
});

test('for always: survives a restart, holds in every session, and not for another definition, principal or project', async () => {
  const harness = new Harness();
  await harness.approvals.open();
  const { facts } = await harness.approvals.askOwner(callToApprove(), {});
  await harness.approvals.answer(facts.id, 'always', owner);
  const later = new Harness();
  later.stored.push(...harness.stored);
  await later.approvals.open();
  for (const { approvals } of [harness, later]) {
    assert.equal(approvals.isGranted(callToApprove({ session: 's9', sent: 'hash-9' })), true);
    assert.equal(approvals.isGranted(callToApprove({ definition: 'd2' })), false);
    assert.equal(
      approvals.isGranted(callToApprove({ principal: { ...callToApprove().principal, id: 'token:1' } })),
      false,
    );
    assert.equal(
      approvals.isGranted(callToApprove({ principal: { ...callToApprove().principal, project: projectOf('shop') } })),
      false,
    );
  }
  const [kept] = later.approvals.lasting();
  assert.deepEqual([kept?.toolKey, kept?.principalName, kept?.by], ['till:pay', 'agent', 'owner']);
  await later.approvals.forget(kept?.id ?? '', owner);
  assert.equal(later.approvals.isGranted(callToApprove()), false);
  assert.deepEqual(later.stored, []);
  await assert.rejects(later.approvals.forget(kept?.id ?? '', owner), withCode('USAGE'));
  assert.deepEqual(later.actions, ['approval.forgotten']);
});

test('an approval that cannot be stored does not count, and can be answered again', async () => {
  const harness = new Harness();
  const request = await harness.approvals.askOwner(callToApprove(), {});
  harness.fault = new GatewayError('STORE_BUSY', 'The store is busy.');
  await assert.rejects(harness.approvals.answer(request.facts.id, 'always', owner), withCode('STORE_BUSY'));
  assert.equal(harness.approvals.isGranted(callToApprove()), false);
  assert.equal(request.decision, undefined);
  harness.fault = undefined;
  await harness.approvals.answer(request.facts.id, 'always', owner);
  assert.equal(harness.approvals.isGranted(callToApprove()), true);
});

test('an approval for always that comes too late while it is stored is not stored', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  const request = await approvals.askOwner(callToApprove(), {});
  harness.onSave = () => approvals.answer(request.facts.id, 'refuse', owner);
  await assert.rejects(approvals.answer(request.facts.id, 'always', owner), withCode('USAGE'));
  assert.deepEqual([harness.stored, request.decision], [[], 'refuse']);
});

test('while a shared store is unreachable, the person at the agent still decides about one call, and nobody beyond it', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  harness.isShared = true;
  harness.fault = new GatewayError('STORE_BROKEN', 'The store is unreachable.');
  const [first, second] = [
    approvals.askAgent(callToApprove(), {}),
    approvals.askAgent(callToApprove({ sent: '2' }), {}),
  ];
  await approvals.answerAtAgent(first, 'once');
  assert.equal(first.decision, 'once');
  await assert.rejects(approvals.answerAtAgent(second, 'session'), withCode('STORE_BROKEN'));
  await assert.rejects(approvals.answer(second.facts.id, 'refuse', owner), withCode('STORE_BROKEN'));
  assert.equal(second.decision, undefined);
  await approvals.answerAtAgent(second, 'refuse');
  assert.equal(second.decision, 'refuse');
});

test('a request that nobody answers is refused in time, and a late answer changes nothing', async () => {
  const { approvals, clock, events } = new Harness();
  const request = await approvals.askOwner(callToApprove(), {});
  await clock.advance(timeoutMs - 1);
  assert.equal(approvals.waiting().length, 1);
  await clock.advance(1);
  assert.equal(await request.decided, 'expired');
  assert.deepEqual(approvals.waiting(), []);
  await assert.rejects(approvals.answer(request.facts.id, 'always', owner), withCode('USAGE'));
  await approvals.answerAtAgent(request, 'session');
  assert.deepEqual([approvals.isGranted(callToApprove()), await approvals.takePass(callToApprove())], [false, false]);
  assert.deepEqual(
    events.map(({ action, outcome }) => [action, outcome]),
    [
      ['approval.asked', 'ok'],
      ['approval.expired', 'refused'],
    ],
  );
});

test('the first answer stands', async () => {
  const { approvals } = new Harness();
  const request = approvals.askAgent(callToApprove(), {});
  await approvals.answerAtAgent(request, 'refuse');
  await assert.rejects(approvals.answer(request.facts.id, 'once', owner), withCode('USAGE'));
  await approvals.answerAtAgent(request, 'session');
  assert.equal(await request.decided, 'refuse');
  assert.equal(approvals.isGranted(callToApprove()), false);
});

test('an answer at the agent is for the call that waits there: it makes no pass for another one', async () => {
  const { approvals } = new Harness();
  const request = approvals.askAgent(callToApprove(), {});
  await approvals.answerAtAgent(request, 'once');
  assert.equal(await request.decided, 'once');
  assert.equal(await approvals.takePass(callToApprove()), false);
});

test('a handle leads back only the same call of the same principal, until it has been used or the time is up', async () => {
  const { approvals, clock } = new Harness();
  let abandoned = 0;
  const { request, handle } = approvals.askLater(callToApprove(), {}, () => {
    abandoned += 1;
  });
  assert.ok(Approvals.isHandle(handle));
  assert.ok(!handle.includes(request.facts.id));
  assert.equal(approvals.findByHandle(handle, callToApprove()), request);
  assert.equal(approvals.findByHandle(`${handle}x`, callToApprove()), undefined);
  assert.equal(approvals.findByHandle(handle, callToApprove({ sent: 'hash-2' })), undefined);
  assert.equal(
    approvals.findByHandle(handle, callToApprove({ principal: { ...callToApprove().principal, id: 'token:1' } })),
    undefined,
  );
  // The owner may answer meanwhile; the agent still has to come back for the call to be made.
  await approvals.answer(request.facts.id, 'once', owner);
  assert.deepEqual(approvals.waiting(), []);
  assert.equal(await approvals.takePass(callToApprove()), false);
  assert.equal(approvals.findByHandle(handle, callToApprove())?.decision, 'once');
  approvals.setHandle(request, undefined);
  assert.equal(approvals.findByHandle(handle, callToApprove()), undefined);
  await clock.advance(timeoutMs);
  assert.equal(abandoned, 0);
  const again = approvals.askLater(callToApprove(), {}, () => {
    abandoned += 1;
  });
  await clock.advance(timeoutMs);
  assert.equal(abandoned, 1);
  assert.equal(approvals.findByHandle(again.handle, callToApprove()), undefined);
});

test('a request stops waiting once its agent has come back for the answer', async () => {
  const { approvals, clock } = new Harness();
  const { request, handle } = approvals.askLater(callToApprove(), {}, () => assert.fail('It came back.'));
  await approvals.answerAtAgent(request, 'once');
  assert.equal(approvals.findByHandle(handle, callToApprove()), request);
  approvals.setHandle(request, undefined);
  assert.deepEqual(clock.waits, []);
});

test('a call that its server interrupts with a question comes back once, with what it was given', async () => {
  const { approvals } = new Harness();
  await approvals.expectReturn(callToApprove(), 'state-1');
  assert.equal(await approvals.takeReturn(callToApprove(), 'state-2'), false);
  assert.equal(await approvals.takeReturn(callToApprove({ sent: 'hash-2' }), 'state-1'), false);
  assert.equal(await approvals.takePass(callToApprove()), false);
  assert.equal(await approvals.takeReturn(callToApprove(), 'state-1'), true);
  assert.equal(await approvals.takeReturn(callToApprove(), 'state-1'), false);
});

test('calls that wait are bounded, for one principal and in all', () => {
  const { approvals } = new Harness();
  const fill = (id: string, count: number) => {
    for (let at = 0; at < count; at += 1)
      approvals.askAgent(callToApprove({ principal: { ...callToApprove().principal, id }, sent: String(at) }), {});
  };
  fill('a', limits.waitingApprovalsEach);
  const refused = (count: number) => ({ code: 'RATE_LIMITED', message: new RegExp(`^${count} calls`) });
  assert.throws(() => fill('a', 1), refused(limits.waitingApprovalsEach));
  for (let at = 1; at < limits.waitingApprovals / limits.waitingApprovalsEach; at += 1)
    fill(`b${at}`, limits.waitingApprovalsEach);
  assert.throws(() => fill('c', 1), refused(limits.waitingApprovals));
  const [first] = approvals.waiting();
  assert.ok(first);
  approvals.withdraw(first);
  fill('c', 1);
});

test('approvals for always are bounded: the oldest is asked about again', async () => {
  const harness = new Harness();
  for (let at = 0; at <= limits.lastingApprovals; at += 1) {
    const request = await harness.approvals.askOwner(callToApprove({ tool: `tool-${at}` }), {});
    await harness.approvals.answer(request.facts.id, 'always', owner);
    await harness.clock.advance(1);
  }
  assert.equal(harness.stored.length, limits.lastingApprovals);
  assert.equal(harness.approvals.isGranted(callToApprove({ tool: 'tool-0' })), false);
  assert.equal(harness.approvals.isGranted(callToApprove({ tool: 'tool-1' })), true);
});

test('the audit records who asked, who answered and for how long, without the arguments of the answer', async () => {
  const { approvals, events } = new Harness();
  const { facts } = await approvals.askOwner(callToApprove(), { arguments: { amount: 5 } });
  await approvals.answer(facts.id, 'session', owner);
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

test('closing ends every request, and what is open then is refused', async () => {
  const { approvals } = new Harness();
  const request = approvals.askAgent(callToApprove(), {});
  approvals.close();
  assert.equal(await request.decided, 'expired');
});

test('an approval at another gateway is good after one look, also while a later look is slow', async () => {
  const other = new Harness();
  const { facts } = await other.approvals.askOwner(callToApprove(), {});
  await other.approvals.answer(facts.id, 'always', owner);
  const here = new Harness();
  here.isShared = true;
  await here.approvals.open();
  const [quick, slow] = [Promise.withResolvers<StoredApproval[]>(), Promise.withResolvers<StoredApproval[]>()];
  here.list = () => quick.promise;
  const refreshed = here.approvals.refresh();
  here.list = () => slow.promise;
  here.told.emit({ type: 'access', isOthers: true });
  quick.resolve(other.stored);
  await refreshed;
  const isGood = here.approvals.isGranted(callToApprove());
  slow.resolve([]);
  await here.approvals.close();
  assert.equal(isGood, true);
});

test('an approval that is revoked while approvals are being read stays revoked', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  const { facts } = await approvals.askOwner(callToApprove(), {});
  await approvals.answer(facts.id, 'always', owner);
  const before = [...harness.stored];
  harness.isShared = true;
  const slow = Promise.withResolvers<StoredApproval[]>();
  harness.list = () => slow.promise;
  const refreshed = approvals.refresh();
  Reflect.deleteProperty(harness, 'list');
  await approvals.forget(before[0]?.id ?? '', owner);
  slow.resolve(before);
  await refreshed;
  assert.equal(approvals.isGranted(callToApprove()), false);
});
