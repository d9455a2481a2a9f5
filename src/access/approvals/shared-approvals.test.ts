/** Approvals on a store that several gateways share: what one hears late, loses, or comes back to. */

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { callToApprove } from '../../../test/kit/call-to-approve.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { openSharedStore, timeoutMs } from '../../../test/kit/shared-approvals.ts';
import { GatewayError } from '../../base/errors.ts';
import { limits } from '../../config/config.ts';

const owner = { id: 'owner', name: 'owner' };
const away = new GatewayError('STORE_BUSY', 'The store is busy.');

/** The next ids of calls are made of these digits. */
function drawIds(t: TestContext, ...digits: number[]): void {
  const draws = digits.flatMap((digit) => Array.from({ length: 6 }, () => 21 + digit));
  const draw = crypto.randomInt;
  // It is only called with a limit.
  t.mock.method(crypto, 'randomInt', ((most: number) => draws.shift() ?? draw(most)) as typeof draw);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('the answer to a call allows no other one that got the same id elsewhere', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const other = callToApprove({ principal: { id: 'other', name: 'other' } });
  drawIds(t, 2, 2, 3, 3);
  for (const ask of ['askAgent', 'askOwner'] as const) {
    here.fail(away);
    const lost = await here.approvals[ask](callToApprove(), {});
    here.fail(undefined);
    const { facts, published } = await there.approvals[ask](other, {});
    assert.ok((await published) && facts.id === lost.facts.id);
    await there.approvals.answer(facts.id, 'once', owner);
    await here.sees();
    assert.equal(lost.decision, undefined, ask);
    assert.equal(await here.approvals.takePass(callToApprove()), false);
  }
});

test('two gateways that ask about one call at the same time share one request', async (t) => {
  const { gateway } = await openSharedStore(t);
  const both = [await gateway('here'), await gateway('there')];
  const requests = await Promise.all(both.map(({ approvals }) => approvals.askOwner(callToApprove(), {})));
  assert.equal(new Set(requests.map(({ facts }) => facts.id)).size, 1);
});

test('of two questions at agents that got the same id, the one that was written down counts', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  drawIds(t, 2, 2);
  here.fail(away);
  const lost = here.approvals.askAgent(callToApprove({ sent: 'other' }), {});
  const { facts, published } = there.approvals.askAgent(callToApprove(), {});
  assert.ok(await published);
  here.fail(undefined);
  await here.sees();
  assert.equal(lost.decision, 'withdrawn');
  await there.approvals.answer(facts.id, 'once', owner);
});

test('a new request takes no id by which anything is known', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  drawIds(t, 2, 2, 3, 3, 4);
  const { facts } = await here.approvals.askOwner(callToApprove(), {});
  await here.approvals.answer(facts.id, 'once', owner);
  await there.sees();
  const later = await there.approvals.askOwner(callToApprove({ sent: 'later' }), {});
  there.fail(away);
  there.approvals.withdraw(later);
  const last = await there.approvals.askOwner(callToApprove({ sent: 'last' }), {});
  assert.deepEqual([facts.id, later.facts.id, last.facts.id], ['call_222222', 'call_333333', 'call_444444']);
});

test('a refusal at the agent stops the call even if the owner has just allowed it elsewhere', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const question = here.approvals.askAgent(callToApprove(), {});
  assert.ok(await question.published);
  await there.approvals.answer(question.facts.id, 'once', owner);
  await here.approvals.answerAtAgent(question, 'refuse');
  assert.equal(await question.decided, 'refuse');
});

test('a refusal at the agent needs no store, and the request is listed nowhere once the store is back', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const question = here.approvals.askAgent(callToApprove(), {});
  assert.ok(await question.published);
  here.fail(away);
  await here.approvals.answerAtAgent(question, 'refuse');
  assert.equal(question.decision, 'refuse');
  assert.deepEqual(await there.sees(), [question.facts.id]);
  here.fail(undefined);
  await here.clock.advance(2_000);
  await eventually('it is gone', async () => (await there.sees()).length === 0 || undefined);
});

test('a request that ended while the store was unreachable ends at the others in time, and blocks no other', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const first = await here.approvals.askOwner(callToApprove(), {});
  here.fail(away);
  here.approvals.withdraw(first);
  assert.deepEqual(await there.sees(), [first.facts.id]);
  await there.clock.advance(timeoutMs);
  assert.deepEqual(there.approvals.waiting(), []);
  here.fail(undefined);
  const again = await here.approvals.askOwner(callToApprove(), {});
  assert.deepEqual(await there.sees(), [again.facts.id]);
});

test('a request that a busy store refused is written down a little later', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.fail(away);
  const { facts } = await here.approvals.askOwner(callToApprove(), {});
  assert.deepEqual(await there.sees(), []);
  here.fail(undefined);
  await here.clock.advance(2_000);
  await eventually('it is listed', async () => (await there.sees()).includes(facts.id) || undefined);
});

test('a store that refuses changes is tried with one at a time, and said once to refuse them', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  let tries = 0;
  here.state.change = async () => {
    tries += 1;
    throw away;
  };
  for (const sent of ['a', 'b', 'c', 'd', 'e']) await here.approvals.askOwner(callToApprove({ sent }), {});
  tries = 0;
  await here.clock.advance(2_000);
  await here.sees();
  assert.equal(tries, 2, 'once after a while, and once for who asked');
  assert.deepEqual(
    here.logged.map((line) => line.includes('did not save a change')),
    [true],
  );
  here.fail(undefined);
  await here.clock.advance(2_000);
  await eventually('all are listed', async () => (await there.sees()).length === 5 || undefined);
  assert.match(here.logged[1] ?? '', /saves changes of waiting calls again/);
  here.state.change = async (change) => {
    if (change.put?.some(({ id }) => id.startsWith('request:'))) throw new Error('A bug.');
    return whole.changeApprovals(change);
  };
  await here.approvals.askOwner(callToApprove({ sent: 'impossible' }), {});
  await here.approvals.expectReturn(callToApprove(), 'asked');
  assert.ok(await here.approvals.takeReturn(callToApprove(), 'asked'), 'a change that is impossible holds up no other');
});

test('a request that was written down, although the store could not say so, is answered for all gateways', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.state.change = async (change) => {
    await whole.changeApprovals(change);
    throw away;
  };
  const question = here.approvals.askAgent(callToApprove(), {});
  assert.equal(await question.published, false);
  here.fail(undefined);
  assert.deepEqual([await here.sees(), await there.sees()], [[question.facts.id], [question.facts.id]]);
  await here.approvals.answerAtAgent(question, 'once');
  assert.deepEqual(await there.sees(), []);
});

test('a request that was written down later than it was waited for is answered once, with what the answer means', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const spoken = Promise.withResolvers<void>();
  here.state.change = async (change) => {
    await spoken.promise;
    return whole.changeApprovals(change);
  };
  const asking = here.approvals.askOwner(callToApprove(), {});
  await here.clock.advance(3_000);
  const { facts } = await asking;
  const answering = here.approvals.answer(facts.id, 'once', owner);
  await here.clock.advance(3_000);
  spoken.resolve();
  await answering;
  assert.deepEqual([await here.sees(), await there.sees()], [[], []]);
  await assert.rejects(there.approvals.answer(facts.id, 'once', owner), /was already allowed once by/);
  assert.deepEqual(
    [await there.approvals.takePass(callToApprove()), await here.approvals.takePass(callToApprove())],
    [true, false],
  );
});

test('the first answer counts, also where a gateway could not know that the request was written down', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.state.change = async (change) => {
    await whole.changeApprovals(change);
    throw away;
  };
  here.state.list = () => Promise.reject(away);
  const { facts } = await here.approvals.askOwner(callToApprove(), {});
  here.fail(undefined);
  here.state.list = whole.listApprovalNotes;
  await there.sees();
  await there.approvals.answer(facts.id, 'refuse', owner);
  await assert.rejects(here.approvals.answer(facts.id, 'once', owner), /was already refused by/);
  assert.equal(await there.approvals.takePass(callToApprove()), false);
});

for (const answer of ['refuse', undefined] as const)
  test(`a pass that an agent leaves behind is there again at every gateway${answer ? ', unless the owner refused meanwhile' : ''}`, async (t) => {
    const { whole, gateway } = await openSharedStore(t);
    const [here, there] = [await gateway('here'), await gateway('there')];
    const first = await here.approvals.askOwner(callToApprove(), {});
    await here.approvals.answer(first.facts.id, 'once', owner);
    const { facts } = await there.approvals.askOwner(callToApprove(), {});
    const leaving = new AbortController();
    here.state.change = async (change) => {
      const isChanged = await whole.changeApprovals(change);
      if (answer && !leaving.signal.aborted) await there.approvals.answer(facts.id, answer, owner);
      leaving.abort();
      return isChanged;
    };
    assert.equal(await here.approvals.takePass(callToApprove(), leaving.signal), false);
    await there.approvals.refresh();
    assert.equal(await there.approvals.takePass(callToApprove()), answer === undefined);
  });

test('of two requests about one call, made while one gateway was cut off, the one that was written down counts', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.fail(away);
  const lost = await here.approvals.askOwner(callToApprove(), {});
  const { facts: kept } = await there.approvals.askOwner(callToApprove(), {});
  here.fail(undefined);
  await assert.rejects(here.approvals.answer(lost.facts.id, 'once', owner), /No call waits/);
  assert.equal(lost.decision, 'withdrawn');
  assert.equal(await here.approvals.takePass(callToApprove()), false);
  assert.deepEqual(await here.sees(), [kept.id]);
});

test('a gateway that was cut off looks again, and its own request ends for that of another about the same call', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.fail(away);
  const lost = await here.approvals.askOwner(callToApprove(), {});
  const { facts: kept } = await there.approvals.askOwner(callToApprove(), {});
  here.fail(undefined);
  assert.deepEqual(await here.sees(), [kept.id]);
  assert.equal(lost.decision, 'withdrawn');
});

test('a gateway that was cut off for a moment finds what was said when it comes back; one that is gone leaves nothing', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  await here.approvals.answerAtAgent(here.approvals.askAgent(callToApprove(), {}), 'session');
  const { facts, published } = here.approvals.askAgent(callToApprove({ tool: 'refund' }), {});
  assert.ok(await published);
  assert.deepEqual(await there.sees(), [facts.id]);
  const heard = (gone: string[]) => {
    there.state.gone = gone;
    there.changed.emit();
    return there.approvals.waiting().length;
  };
  await whole.removeReplica('here');
  assert.equal(heard(['here']), 0);
  assert.deepEqual(await there.sees(), []);
  await there.clock.advance(limits.goneReplicaNotesMs - 1);
  await here.beat();
  assert.equal(heard([]), 1);
  await here.approvals.refresh();
  assert.ok(here.approvals.isGranted(callToApprove()));
  assert.equal(heard(['here']), 0);
  const isLeft = async () => (await whole.listApprovalNotes()).some(({ replica }) => replica === 'here');
  assert.ok(await isLeft());
  await whole.removeReplica('here');
  await there.clock.advance(limits.goneReplicaNotesMs);
  await eventually('nothing is left', async () => !(await isLeft()) || undefined);
});

test('a request to the owner outlives the gateway that asked, until its time is over; its session does not', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const [pay, refund] = [callToApprove(), callToApprove({ tool: 'refund' })];
  const { facts } = await here.approvals.askOwner(pay, {});
  await here.clock.advance(1);
  const { facts: later } = await here.approvals.askOwner(refund, {});
  const question = here.approvals.askAgent(callToApprove({ tool: 'count' }), {});
  assert.ok(await question.published);
  assert.equal((await there.sees()).length, 3);
  await here.approvals.close();
  assert.equal(question.decision, 'expired');
  await whole.removeReplica('here');
  there.state.gone = ['here'];
  there.changed.emit();
  await there.clock.advance(limits.goneReplicaNotesMs);
  assert.deepEqual(await there.sees(), [facts.id, later.id]);
  await assert.rejects(
    there.approvals.answer(facts.id, 'session', owner),
    /session that this call came from has ended/,
  );
  await there.approvals.answer(facts.id, 'once', owner);
  assert.ok(await there.approvals.takePass(pay));
  const third = await gateway('third');
  assert.deepEqual(await third.sees(), [later.id]);
  assert.equal((await third.approvals.askOwner(refund, {})).facts.id, later.id);
  await third.clock.advance(timeoutMs);
  assert.deepEqual(third.approvals.waiting(), []);
});

test('a gateway whose clock is ahead, or that has an approval of before, removes no fresh one', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const allow = async ({ approvals }: typeof here) =>
    approvals.answer((await approvals.askOwner(callToApprove(), {})).facts.id, 'once', owner);
  await allow(here);
  await here.clock.advance(timeoutMs);
  await allow(there);
  await here.approvals.askOwner(callToApprove({ tool: 'refund' }), {});
  assert.equal(await there.approvals.takePass(callToApprove()), true);
});

test('a store that says nothing keeps neither a call nor the person at its agent waiting for long', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const here = await gateway('here');
  const spoken = Promise.withResolvers<void>();
  here.state.change = async (change) => {
    await spoken.promise;
    return whole.changeApprovals(change);
  };
  const question = here.approvals.askAgent(callToApprove(), {});
  const refused = here.approvals.askAgent(callToApprove(), {});
  const all = Promise.all([
    here.approvals.answerAtAgent(question, 'once'),
    here.approvals.answerAtAgent(refused, 'refuse'),
    here.approvals.askOwner(callToApprove({ sent: 'other' }), {}),
    here.approvals.expectReturn(callToApprove(), 'asked'),
  ]);
  await here.clock.advance(3_000);
  const [, , { facts }] = await all;
  assert.deepEqual([question.decision, refused.decision], ['once', 'refuse']);
  spoken.resolve();
  assert.deepEqual(await Promise.all([question.published, refused.published]), [true, true]);
  const there = await gateway('there');
  await eventually('the questions are gone', async () => (await there.sees()).join() === facts.id || undefined);
});

test('a store that says nothing keeps no gateway from ending', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const spoken = Promise.withResolvers<void>();
  t.after(() => spoken.resolve());
  const [writing, reading] = [await gateway('writing'), await gateway('reading')];
  assert.ok(await writing.approvals.askAgent(callToApprove(), {}).published);
  writing.state.change = async (change) => {
    await spoken.promise;
    return whole.changeApprovals(change);
  };
  const begun = Promise.withResolvers<void>();
  reading.state.list = async () => {
    begun.resolve();
    await spoken.promise;
    return [];
  };
  reading.events.emit({ type: 'approvals', isOthers: true });
  await begun.promise;
  for (const { approvals, clock } of [writing, reading]) {
    const closing = approvals.close();
    await clock.advance(3_000);
    await closing;
  }
});

test('a request that is made while the connection to the store is lost is written down once it is back', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  here.state.unheardSince = 0;
  here.state.change = () => assert.fail('It is known to be unreachable.');
  const { facts } = await here.approvals.askOwner(callToApprove(), {});
  [here.state.unheardSince, here.state.change] = [null, (change) => there.state.change(change)];
  here.events.emit({ type: 'approvals', isOthers: true });
  await eventually('it is listed', async () => (await there.sees()).includes(facts.id) || undefined);
});

test('the end of a session that a busy store refused is written down a little later', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  await here.approvals.answerAtAgent(here.approvals.askAgent(callToApprove({ tool: 'refund' }), {}), 'session');
  const { facts } = await here.approvals.askOwner(callToApprove(), {});
  here.fail(away);
  here.approvals.endSession('s1');
  assert.deepEqual(await there.sees(), [facts.id]);
  assert.equal(there.approvals.lasting().length, 1);
  here.fail(undefined);
  await here.clock.advance(2_000);
  await eventually('it is written down', async () => {
    const notes = await whole.listApprovalNotes();
    const isKnown = notes.some(({ content }) => content.includes('"isSessionOver":true'));
    return (isKnown && !notes.some(({ id }) => id.startsWith('session:'))) || undefined;
  });
  await there.sees();
  assert.deepEqual(there.approvals.lasting(), []);
  await assert.rejects(there.approvals.answer(facts.id, 'session', owner), /has ended/);
});

test('an approval for a session that has ended meanwhile ends too, wherever it was given', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  const ask = async (sent: string) => (await here.approvals.askOwner(callToApprove({ sent, tool: sent }), {})).facts.id;
  const [before, after] = [await ask('before'), await ask('after')];
  await there.sees();
  await there.approvals.answer(before, 'session', owner);
  here.approvals.endSession('s1');
  const isWritten = async () =>
    (await whole.listApprovalNotes()).some(({ content }) => content.includes('"isSessionOver":true'));
  await eventually('its end is written down', async () => (await isWritten()) || undefined);
  await there.approvals.answer(after, 'session', owner);
  assert.equal(there.approvals.lasting().length, 2);
  await here.sees();
  await eventually('both have ended', async () => {
    await there.sees();
    return there.approvals.lasting().length === 0 || undefined;
  });
});

test('many calls at once look together, and a look unseals only what is new', async (t) => {
  const { whole, gateway, unsealed } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  let looks = 0;
  here.state.list = () => {
    looks += 1;
    return whole.listApprovalNotes();
  };
  const ask = (sent: string) => there.approvals.askOwner(callToApprove({ sent }), {});
  for (const sent of ['a', 'b', 'c']) await ask(sent);
  const lookAtOnce = async () => {
    [looks, unsealed.length] = [0, 0];
    await Promise.all(Array.from({ length: 100 }, () => here.approvals.refresh()));
    return { looks, unsealed: unsealed.length, listed: here.approvals.waiting().length };
  };
  assert.deepEqual(await lookAtOnce(), { looks: 2, unsealed: 3, listed: 3 });
  assert.deepEqual(await lookAtOnce(), { looks: 2, unsealed: 0, listed: 3 });
  await ask('d');
  assert.deepEqual(await lookAtOnce(), { looks: 2, unsealed: 1, listed: 4 });
});

test('changes of its own while it looks make no gateway look again, and are not lost', async (t) => {
  const { whole, gateway } = await openSharedStore(t);
  const [here, there] = [await gateway('here'), await gateway('there')];
  await there.approvals.askOwner(callToApprove({ sent: 'there' }), {});
  let looks = 0;
  here.state.list = async () => {
    looks += 1;
    const found = await whole.listApprovalNotes();
    await here.approvals.expectReturn(callToApprove(), looks);
    return found;
  };
  await here.approvals.refresh();
  assert.deepEqual([looks, here.approvals.waiting().length], [1, 1]);
  assert.ok(await here.approvals.takeReturn(callToApprove(), 1));
});
