/** Tests of approvals for a session: what of them the owner sees, and how they end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callToApprove, noNotes } from '../../../test/kit/call-to-approve.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import type { AuditEvent } from '../../audit/audit.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { limits } from '../../config/config.ts';
import { projectOf } from '../project.ts';
import type { CallToApprove } from './approval.ts';
import { ApprovalNotes } from './approval-notes.ts';
import { Approvals } from './approvals.ts';
import { ApprovalGrants } from './grants.ts';

const owner = { id: 'owner', name: 'owner' };

class Harness {
  readonly clock = new ManualClock();
  readonly events: AuditEvent[] = [];
  /** How often anything was stored. */
  stored = 0;
  readonly approvals: Approvals;

  constructor() {
    this.approvals = new Approvals({
      store: {
        ...noNotes,
        events: new Signal(),
        isShared: false,
        listApprovals: async () => [],
        saveApproval: async () => {
          this.stored += 1;
        },
        removeApproval: async () => true,
      },
      audit: { record: async (event) => void this.events.push(event) },
      clock: this.clock,
      log: silentLog,
      settings: () => ({ approvalTimeoutMs: 300_000 }),
    });
  }

  get ids(): string[] {
    return this.approvals.lasting().map(({ id }) => id);
  }
}

function wanted(parts: Partial<CallToApprove> = {}): CallToApprove {
  const principal = {
    id: 'token:1',
    name: 'agent',
    scopes: new Set(['use'] as const),
    mark: '',
    project: projectOf('shop'),
  };
  return callToApprove({ principal, ...parts });
}

const modern = wanted({ isSessionReal: false, session: 'principal:token:1', tool: 'refund' });

const isUsage = (error: unknown) => error instanceof GatewayError && error.code === 'USAGE';

test('the owner sees who may call what in a session, who said so, and how long that holds', async () => {
  const harness = new Harness();
  const { approvals, clock } = harness;
  const start = clock.now();
  await approvals.answerAtAgent(approvals.askAgent(wanted(), {}), 'session');
  await clock.advance(1_000);
  await approvals.answer((await approvals.askOwner(modern, {})).facts.id, 'session', owner);
  await clock.advance(1_000);
  await approvals.answer((await approvals.askOwner(wanted({ tool: 'list' }), {})).facts.id, 'always', owner);
  const rows = approvals.lasting().map(({ id, ...row }) => row);
  const who = { principal: 'token:1', principalName: 'agent', project: 'shop', definition: 'd1' };
  const until = start + 1_000 + limits.sessionApprovalMs;
  assert.deepEqual(rows, [
    { ...who, toolKey: 'till:pay', at: start, by: 'agent', holds: 'session', until: null, client: 'editor/1.0' },
    { ...who, toolKey: 'till:refund', at: start + 1_000, by: 'owner', holds: 'session', until, client: 'editor/1.0' },
    { ...who, toolKey: 'till:list', at: start + 2_000, by: 'owner', holds: 'always', until: null, client: null },
  ]);
  assert.equal(harness.stored, 1, 'only what is for always is stored');
});

test('a revoked approval is asked about again, there alone, and the audit records it', async () => {
  const { approvals, events } = new Harness();
  const other = wanted({ session: 's2' });
  for (const call of [wanted(), other, modern]) await approvals.answerAtAgent(approvals.askAgent(call, {}), 'session');
  const [first = '', , third = ''] = approvals.lasting().map(({ id }) => id);
  events.length = 0;
  await approvals.forget(first, owner);
  assert.deepEqual(
    [wanted(), other, modern].map((call) => approvals.isGranted(call)),
    [false, true, true],
  );
  await approvals.forget(third, owner);
  assert.deepEqual(
    [wanted(), other, modern].map((call) => approvals.isGranted(call)),
    [false, true, false],
  );
  await assert.rejects(approvals.forget(first, owner), isUsage);
  assert.equal(approvals.lasting().length, 1);
  const detail = { approval: first, holds: 'session', for: 'token:1', project: 'shop', definition: 'd1' };
  assert.deepEqual(
    events.map(({ action }) => action),
    ['approval.forgotten', 'approval.forgotten'],
  );
  assert.deepEqual(events[0], {
    kind: 'access',
    action: 'approval.forgotten',
    principal: owner,
    server: 'till',
    tool: 'pay',
    outcome: 'ok',
    detail,
  });
});

test('an approval for a session ends with it; one for a token after an hour', async () => {
  const harness = new Harness();
  const { approvals, clock } = harness;
  for (const call of [wanted(), wanted({ tool: 'list' }), wanted({ session: 's2' }), modern])
    await approvals.answerAtAgent(approvals.askAgent(call, {}), 'session');
  approvals.endSession('s1');
  assert.deepEqual(
    [wanted(), wanted({ session: 's2' }), modern].map((call) => approvals.isGranted(call)),
    [false, true, true],
  );
  assert.equal(harness.ids.length, 2);
  await clock.advance(limits.sessionApprovalMs);
  assert.equal(harness.ids.length, 1);
  approvals.endSession('s2');
  assert.deepEqual(harness.ids, []);
});

test('for a session that has ended nothing can be approved any more, and the request stays', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  const request = await approvals.askOwner(wanted(), {});
  const elsewhere = await approvals.askOwner(wanted({ session: 's2', tool: 'list' }), {});
  const atAgent = approvals.askAgent(wanted({ tool: 'refund' }), {});
  approvals.endSession('s1');
  await assert.rejects(approvals.answer(request.facts.id, 'session', owner), isUsage);
  assert.equal(request.decision, undefined);
  await approvals.answerAtAgent(atAgent, 'session');
  assert.equal(await atAgent.decided, 'once');
  assert.deepEqual(harness.ids, []);
  await approvals.answer(request.facts.id, 'once', owner);
  assert.equal(await approvals.takePass(wanted()), true);
  await approvals.answer(elsewhere.facts.id, 'session', owner);
  assert.equal(harness.ids.length, 1);
});

test('the same approval again is one approval, and a refusal of the owner ends it', async () => {
  const harness = new Harness();
  const { approvals } = harness;
  for (const sent of ['a', 'b']) await approvals.answerAtAgent(approvals.askAgent(wanted({ sent }), {}), 'session');
  assert.equal(harness.ids.length, 1);
  await approvals.answer((await approvals.askOwner(wanted({ sent: 'c' }), {})).facts.id, 'refuse', owner);
  assert.deepEqual(harness.ids, []);
});

test('they are bounded: what has ended makes room first, then the oldest', async () => {
  const clock = new ManualClock();
  const lasting = { listApprovals: async () => [], saveApproval: async () => {}, removeApproval: async () => true };
  const store = { ...noNotes, ...lasting, isShared: false };
  const notes = new ApprovalNotes({ store, clock, log: silentLog, retry() {} });
  const grants = new ApprovalGrants(store, clock, notes);
  const hold = (...calls: CallToApprove[]) =>
    notes.change({ put: calls.map((call) => grants.makeSessionNote(call, 'owner', null)) });
  await hold(wanted({ tool: 'first' }), modern);
  await clock.advance(limits.sessionApprovalMs);
  const others = Array.from({ length: limits.sessionApprovals - 1 }, (_, at) => wanted({ tool: `tool-${at}` }));
  await hold(...others);
  assert.equal(grants.has(wanted({ tool: 'first' })), true);
  await hold(wanted({ tool: 'last' }));
  assert.equal(grants.has(wanted({ tool: 'first' })), false);
  assert.equal(grants.has(wanted({ tool: 'tool-0' })), true);
  assert.equal(grants.list().length, limits.sessionApprovals);
});
