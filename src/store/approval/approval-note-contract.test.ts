/** The store's promises about notes on calls that need approval. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { type ApprovalNote, createSqliteStore, type StoredApproval, type StoreEvent } from '../store.ts';

storeTest('notes are kept, the oldest first, to the letter, and each takes the place of its like', async (store) => {
  const odd = oddNames.map((content, at) => note({ id: `odd-${at}`, content, at: 2 + at }));
  await store.changeApprovals({ put: [...odd, note({ id: 'a', at: 1, replica: 'r1' })] });
  await store.changeApprovals({ put: [note({ id: 'odd-0', content: 'later', at: 0 })] });
  const first = [note({ id: 'odd-0', content: 'later', at: 0 }), note({ id: 'a', at: 1, replica: 'r1' })];
  assert.deepEqual(await store.listApprovalNotes(), [...first, ...odd.slice(1)]);
});

storeTest('a note that is put again in the same moment says what was said last', async (store) => {
  for (const content of ['first', 'later', 'first']) {
    await store.changeApprovals({ put: [note({ content })] });
    assert.deepEqual(await store.listApprovalNotes(), [note({ content })]);
  }
});

test('a note that was read before is not read again, unless it was put again', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'notes-')), 'store.db');
  t.after(() => rmSync(dirname(file), { recursive: true }));
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  t.after(() => store.close());
  await store.changeApprovals({ put: [note({ id: 'a' }), note({ id: 'b' })] });
  await store.listApprovalNotes();
  // No gateway writes like this.
  using other = new DatabaseSync(file);
  other.exec("update approval_note set content = 'read again'");
  await store.changeApprovals({ put: [note({ id: 'b', content: 'later' })] });
  assert.deepEqual(
    (await store.listApprovalNotes()).map(({ content }) => content),
    ['said', 'later'],
  );
  for (const content of ['by an older gateway', 'and again']) {
    other.exec(`update approval_note set at = at - 1, content = '${content}' where id = 'a'`);
    assert.equal((await store.listApprovalNotes())[0]?.content, content);
  }
});

storeTest('only one of several gateways takes a note', async (store) => {
  await store.changeApprovals({ put: [note({ id: 'asked' }), note({ id: 'old' })] });
  const takers = ['b', 'c', 'd'].map((id) =>
    store.changeApprovals({ take: 'asked', put: [note({ id })], remove: ['old'], approval: approval(id) }),
  );
  const taken = await Promise.all(takers);
  assert.equal(taken.filter(Boolean).length, 1);
  const winner = ['b', 'c', 'd'][taken.indexOf(true)];
  assert.deepEqual(
    (await store.listApprovalNotes()).map(({ id }) => id),
    [winner],
  );
  assert.deepEqual(
    (await store.listApprovals()).map(({ id }) => id),
    [winner],
  );
});

storeTest('only one of several gateways adds a note that must not exist', async (store) => {
  const putters = [1, 2, 3].map((at) => store.changeApprovals({ unless: ['asked'], put: [note({ id: 'asked', at })] }));
  const put = await Promise.all(putters);
  assert.equal(put.filter(Boolean).length, 1);
  assert.deepEqual(await store.listApprovalNotes(), [note({ id: 'asked', at: put.indexOf(true) + 1 })]);
});

storeTest('a note ends with its time, by the clock of the database, and with its replica', async (store) => {
  const facts = { url: 'http://a', version: '1', startedAt: 1, keyMark: '', configMark: '' };
  await store.beatReplica({ ...facts, id: 'here' }, []);
  const notes = [
    note({ id: 'here', replica: 'here' }),
    note({ id: 'gone', replica: 'gone' }),
    note({ id: 'ended', leftMs: 0 }),
    note({ id: 'held', leftMs: 60_000 }),
  ];
  await store.changeApprovals({ put: notes });
  const listed = async () => new Map((await store.listApprovalNotes()).map(({ id, leftMs }) => [id, leftMs]));
  assert.deepEqual([...(await listed()).keys()].sort(), ['gone', 'held', 'here']);
  assert.equal(await store.removeEndedNotes(), 2);
  assert.deepEqual([...(await listed()).keys()].sort(), ['held', 'here']);
  const leftMs = (await listed()).get('held') ?? 0;
  assert.ok(leftMs > 0 && leftMs <= 60_000, `${leftMs} ms are left`);
});

storeTest('an expired note cannot be taken and blocks no new one', async (store) => {
  const ended = note({ id: 'asked', leftMs: 0 });
  await store.changeApprovals({ put: [ended] });
  assert.equal(await store.changeApprovals({ take: 'asked' }), false);
  await store.changeApprovals({ put: [ended] });
  assert.equal(await store.changeApprovals({ unless: ['asked'], put: [note({ id: 'asked' })] }), true);
});

storeTest('many notes are removed together', async (store) => {
  const many = Array.from({ length: 250 }, (_, at) => note({ id: `many-${at}` }));
  await store.changeApprovals({ put: [...many, note({ id: 'stays' })] });
  await store.changeApprovals({ remove: many.map(({ id }) => id) });
  assert.deepEqual(
    (await store.listApprovalNotes()).map(({ id }) => id),
    ['stays'],
  );
});

storeTest('only real changes of notes emit an event', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.changeApprovals({ put: [note({ id: 'a' })] });
  await store.changeApprovals({ take: 'unknown', put: [note({ id: 'b' })] });
  await store.removeEndedNotes();
  assert.deepEqual(told, [{ type: 'approvals' }]);
  await store.changeApprovals({ take: 'a', approval: approval('x') });
  assert.deepEqual(told.slice(1), [{ type: 'access' }, { type: 'approvals' }]);
});

function note(parts: Partial<ApprovalNote>): ApprovalNote {
  return { id: 'a', replica: null, at: 1, leftMs: null, content: 'said', ...parts };
}

function approval(id: string): StoredApproval {
  const who = { principal: 'agent', principalName: 'agent', project: null };
  return { id, ...who, toolKey: `till:${id}`, definition: 'd1', at: 1_000, by: 'owner' };
}
