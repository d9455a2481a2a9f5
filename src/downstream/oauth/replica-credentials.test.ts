/** One credential at several gateways: renewed by one of them at a time, and what a person decided stands everywhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soleReplica } from '../../../test/kit/sole-replica.ts';
import { final, hour, isTrouble, recordAt, refused, type Setup, setup, url } from '../../../test/kit/stored-sign-in.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { limits } from '../../config/config.ts';
import type { Turn, Turns } from '../../store/store.ts';
import type { TokenGrant } from './issuer-requests.ts';
import { ServerCredential } from './server-credential.ts';

/** The same credential at another gateway. */
async function openOther(
  { clock, stored }: Setup,
  answers: (() => Promise<TokenGrant>)[] = [],
  replicas: Turns = soleReplica(clock),
) {
  const asked: string[] = [];
  const credential = new ServerCredential({
    ...{ server: 'far', url, hasHeaders: false, stored, replicas, clock, log: silentLog },
    renew: (_record, refresh) => {
      asked.push(refresh);
      return (answers.shift() ?? assert.fail)();
    },
  });
  await credential.load();
  return { credential, asked };
}

test('a token that another gateway renewed is used, and its old refresh token is not used again', async () => {
  const one = await setup();
  const other = await openOther(one);
  await one.credential.prepare();
  await one.clock.advance(hour);
  assert.equal(await one.credential.prepare(), 'Bearer a1');
  assert.equal(await other.credential.prepare(), 'Bearer a1');
  assert.deepEqual([one.asked, other.asked], [['r0'], []]);
});

test('a renewal that came second is no end of the sign-in', async () => {
  const one = await setup();
  const other = await openOther(one, [
    async () => {
      await one.credential.prepare();
      return final();
    },
  ]);
  await one.clock.advance(hour);
  assert.equal(await other.credential.prepare(), 'Bearer a1');
  assert.deepEqual([other.credential.state, (await one.kept())?.tokens?.access], ['signed-in', 'a1']);
});

test('a sign-in and a sign-out at another gateway are taken over, and are told once', async () => {
  const one = await setup(() => null);
  const other = await openOther(one);
  assert.equal(await other.credential.takeOver(), false);
  await one.credential.adopt(recordAt(one.clock.now()));
  assert.deepEqual([await other.credential.takeOver(), other.credential.ready], [true, 'Bearer a0']);
  assert.equal(await other.credential.takeOver(), false);
  await one.credential.forget();
  assert.deepEqual([await other.credential.takeOver(), other.credential.state], [true, 'none']);
});

test('while the store cannot be read, a credential stays as it is, and no refresh token is used twice', async () => {
  const one = await setup();
  const { credential, clock, secrets, stored, asked } = one;
  await stored.open();
  const other = await openOther(one);
  await clock.advance(hour);
  assert.equal(await credential.prepare(), 'Bearer a1');
  secrets.listSecrets = async () => assert.fail('The store cannot be reached.');
  await assert.rejects(credential.takeOver(), /cannot be reached/);
  assert.equal(credential.ready, 'Bearer a1');
  await assert.rejects(other.credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  Reflect.deleteProperty(secrets, 'listSecrets');
  await clock.advance(limits.renewalStepsMs[0] ?? 0);
  assert.equal(await other.credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  assert.deepEqual([asked, other.asked], [['r0'], []]);
});

test('a refused refresh token ends no sign-in while it cannot be read if another gateway has a newer one', async () => {
  const one = await setup();
  const { clock, secrets, credential } = one;
  const unreadable = async () => {
    await credential.prepare();
    secrets.listSecrets = async () => assert.fail('The store cannot be reached.');
    return final();
  };
  const other = await openOther(one, [unreadable]);
  await clock.advance(hour);
  await assert.rejects(other.credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  Reflect.deleteProperty(secrets, 'listSecrets');
  await clock.advance(limits.renewalStepsMs[0] ?? 0);
  assert.equal(await other.credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  assert.deepEqual([other.credential.state, (await one.kept())?.tokens?.access], ['signed-in', 'a1']);
});

/** Turns of gateways that share a store: one after the other. */
function sharedTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    inTurn(_work, act) {
      const made = last.then(() => act({ signal: new AbortController().signal, term: undefined }));
      last = made.catch(() => {});
      return made;
    },
  };
}

/** Resolves when everything has happened that waits for nobody. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Two gateways, the other one of which renews now, until it has its answer. */
async function renewingElsewhere() {
  const turns = sharedTurns();
  const one = await setup(undefined, turns);
  const asks = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<TokenGrant>();
  const renew = () => {
    asks.resolve();
    return answer.promise;
  };
  const other = await openOther(one, [renew], turns);
  await one.credential.prepare();
  await one.clock.advance(hour);
  const renewed = other.credential.prepare();
  await asks.promise;
  const end = async () => {
    await settled();
    answer.resolve({ accessToken: 'a1', refreshToken: 'r1', expiresInMs: hour, scopes: null });
    await renewed;
  };
  return { one, other, end };
}

test('a sign-out stands while another gateway renews, and the newest token is the one to revoke', async () => {
  const { one, other, end } = await renewingElsewhere();
  const forgotten = one.credential.forget();
  await end();
  assert.equal((await forgotten)?.tokens?.refresh, 'r1');
  assert.equal(await one.kept(), null);
  assert.deepEqual([await other.credential.takeOver(), other.credential.state], [true, 'none']);
});

test('a new sign-in stands while another gateway renews the old one', async () => {
  const { one, other, end } = await renewingElsewhere();
  const adopted = one.credential.adopt(recordAt(one.clock.now(), { access: 'new', refresh: 'new' }));
  await end();
  await adopted;
  assert.equal((await one.kept())?.tokens?.refresh, 'new');
  await other.credential.takeOver();
  assert.equal(other.credential.ready, 'Bearer new');
});

test('one that is closed while another gateway renews asks nobody, and the sign-in stands', async () => {
  const { one, other, end } = await renewingElsewhere();
  one.answers.push(() => final());
  const waiting = one.credential.prepare();
  await settled();
  const closed = one.credential.close();
  await end();
  await Promise.all([waiting, closed]);
  assert.deepEqual([one.asked, (await one.kept())?.tokens?.refresh], [[], 'r1']);
  assert.equal(other.credential.ready, 'Bearer a1');
});

test('a sign-out that waits while the gateway is closed gives the newest token to revoke', async () => {
  const { one, end } = await renewingElsewhere();
  const forgotten = one.credential.forget();
  await settled();
  const closed = one.credential.close();
  await end();
  assert.equal((await forgotten)?.tokens?.refresh, 'r1');
  await closed;
});

test('one that is retired while it is refused ends no sign-in that another gateway has renewed', async () => {
  const { credential, clock, stored, answers, kept } = await setup();
  await credential.prepare();
  let retired: Promise<void> | undefined;
  answers.push(async () => {
    retired = credential.retire();
    await stored.save('far', recordAt(clock.now(), { access: 'newer', refresh: 'r9' }));
    return final();
  });
  await clock.advance(hour);
  assert.equal(await credential.prepare(), 'Bearer newer');
  await retired;
  assert.equal((await kept())?.tokens?.refresh, 'r9');
});

test('new tokens that could not be kept do not undo a sign-out at another gateway', async () => {
  const one = await setup();
  const other = await openOther(one);
  await one.credential.prepare();
  one.secrets.onReplace = () => Promise.reject(new GatewayError('STORE_BUSY', 'The disk is full.'));
  await assert.rejects(one.credential.afterRefusal(refused('Bearer a0')), /disk is full/);
  one.secrets.onReplace = async () => {};
  await other.credential.forget();
  await one.clock.advance(limits.renewalStepsMs[0] ?? 0);
  await assert.rejects(one.credential.afterRefusal(refused('Bearer a0')), isTrouble('sign-in'));
  assert.equal(await one.kept(), null);
});

test('the successor of a name leaves its predecessor the turn that it waits for', async () => {
  const turns = sharedTurns();
  const { credential, clock, stored, kept } = await setup(undefined, turns);
  await credential.prepare();
  const isTaken = Promise.withResolvers<void>();
  const elsewhere = turns.inTurn('sign-in/far', () => isTaken.promise);
  const after = credential.forget();
  const renew = async () => assert.fail();
  const next = new ServerCredential({
    ...{ server: 'far', url, hasHeaders: false, stored, replicas: turns, clock, log: silentLog, renew, after },
  });
  const adopted = next.adopt(recordAt(clock.now(), { access: 'new', refresh: 'new' }));
  isTaken.resolve();
  await Promise.all([elsewhere, after, adopted]);
  assert.equal((await kept())?.tokens?.refresh, 'new');
});

test('one that is retired has written everything, also what waited for a turn', async () => {
  const turns = sharedTurns();
  const { credential, clock, secrets } = await setup(undefined, turns);
  const isTaken = Promise.withResolvers<void>();
  const elsewhere = turns.inTurn('sign-in/far', () => isTaken.promise);
  const adopted = credential.adopt(recordAt(clock.now(), { access: 'new', refresh: 'new' }));
  const retired = credential.retire();
  isTaken.resolve();
  await retired;
  secrets.onReplace = async () => assert.fail('It writes.');
  await Promise.all([elsewhere, adopted]);
});

/** Turns whose terms are called 1, 2 and so on; the first one has this signal. */
function numberedTurns(first = new AbortController().signal): Turns {
  let turns = 0;
  return {
    inTurn: (work, act) => {
      turns += 1;
      const signal = turns === 1 ? first : new AbortController().signal;
      return act({ signal, term: { work, replica: 'a', term: `${turns}` } });
    },
  };
}

/** A store where the first term is over. */
const refuseFirst = async (term: Turn['term']) => {
  if (term?.term === '1') throw new GatewayError('STORE_BUSY', 'The term is over.', { data: { reason: 'term-over' } });
};

test('a gateway that was frozen in the middle of a renewal replaces no newer token', async () => {
  const { credential, clock, secrets, stored, asked, kept } = await setup(undefined, numberedTurns());
  await credential.prepare();
  secrets.onReplace = async (term) => {
    if (term?.term === '1') await stored.save('far', recordAt(clock.now(), { access: 'newer', refresh: 'r9' }));
    await refuseFirst(term);
  };
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer newer');
  assert.deepEqual([asked, (await kept())?.tokens?.refresh], [['r0'], 'r9']);
});

test('a gateway whose turn was over keeps its new token in the next one, where nobody has renewed it', async () => {
  const { credential, secrets, asked, kept } = await setup(undefined, numberedTurns());
  await credential.prepare();
  secrets.onReplace = refuseFirst;
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  assert.deepEqual([asked, (await kept())?.tokens?.refresh], [['r0'], 'r1']);
});

test('one that is retired keeps the new token that it was given, and not over a sign-in for the new address', async () => {
  const moved = 'https://moved.example/mcp';
  for (const isSignedInAgain of [false, true]) {
    const { credential, clock, secrets, stored, asked, kept } = await setup(undefined, numberedTurns());
    await credential.prepare();
    let retired: Promise<void> | undefined;
    secrets.onReplace = async (term) => {
      if (term?.term === '1') {
        retired = credential.retire();
        const again = { ...recordAt(clock.now(), { refresh: 'r9' }), url: moved };
        if (isSignedInAgain) await stored.save('far', again);
      }
      await refuseFirst(term);
    };
    await clock.advance(hour);
    await credential.prepare();
    await retired;
    const tokens = [(await kept())?.tokens?.refresh, (await stored.load('far', moved))?.tokens?.refresh];
    assert.deepEqual([asked, tokens], [['r0'], isSignedInAgain ? [undefined, 'r9'] : ['r1', undefined]]);
  }
});

test('a gateway that was frozen does not end a sign-in that another one has renewed', async () => {
  const { credential, clock, secrets, stored, answers, kept } = await setup(undefined, numberedTurns());
  await credential.prepare();
  answers.push(() => final());
  secrets.onReplace = async (term) => {
    if (term?.term === '1') await stored.save('far', recordAt(clock.now(), { access: 'newer', refresh: 'r9' }));
    await refuseFirst(term);
  };
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer newer');
  assert.deepEqual([credential.state, (await kept())?.tokens?.refresh], ['signed-in', 'r9']);
});

test('a turn that is lost before the authorization server was asked asks it nothing', async () => {
  const lost = AbortSignal.abort(new Error('Another gateway does this work now.'));
  const { credential, asked } = await setup(undefined, numberedTurns(lost));
  await credential.prepare();
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  assert.deepEqual(asked, []);
});

test('a sign-in and a sign-out whose turn was over are made in the next one', async () => {
  const refuse = async (term: Turn['term']) => {
    assert.ok(term, 'It is kept under a term.');
    await refuseFirst(term);
  };
  const one = await setup(() => null, numberedTurns());
  one.secrets.onReplace = refuse;
  await one.credential.adopt(recordAt(one.clock.now()));
  assert.equal((await one.kept())?.tokens?.refresh, 'r0');
  const other = await setup(undefined, numberedTurns());
  other.secrets.onReplace = refuse;
  assert.equal((await other.credential.forget())?.tokens?.refresh, 'r0');
  assert.equal(await other.kept(), null);
});
