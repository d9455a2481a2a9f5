/** Data folders from before there were approvals: what was listed then counts as approved. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeOldDatabase } from '../../../test/kit/old-database.ts';
import { systemClock } from '../../base/clock.ts';
import { fingerprintOf } from '../../base/ids.ts';
import { silentLog } from '../../base/log.ts';
import { toJson, toText } from '../columns.ts';
import { createSqliteStore } from '../store.ts';

test('definitions listed before there were approvals are approved, of any source, and so is the text of their server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-pins-'));
  const file = join(folder, 'old.db');
  await makeOldDatabase(file, '0006-approvals');
  const definition = { name: 'a', description: 'A "quoted" \ud800 tool.' };
  const serverInfo = { name: 'desk', title: 'Desk', version: '1' };
  const head = { serverInfo, capabilities: {}, instructions: 'Read.', source: 'x' };
  {
    using connection = new DatabaseSync(file);
    connection.prepare('insert into listing values (?, ?, ?, null, null)').run('s', JSON.stringify(head), 7);
    const item = ['s', 'tool', toText('nul\0inside'), 'f', toJson(definition)];
    connection.prepare('insert into item values (?, ?, ?, ?, ?)').run(...item);
  }
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const words = { name: 'desk', title: 'Desk', instructions: 'Read.' };
  const pins = (await store.listPins()).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  assert.deepEqual(
    pins.map(({ kind, name, source, state, approved, pending, since }) => ({
      ...{ kind, name, source, state, approved, pending, since },
    })),
    [
      {
        ...{ kind: 'server', name: '', source: '', state: 'approved', pending: null, since: 7 },
        approved: { fingerprint: fingerprintOf(words), definition: words },
      },
      {
        ...{ kind: 'tool', name: 'nul\0inside', source: '', state: 'approved', pending: null, since: 7 },
        approved: { fingerprint: 'f', definition },
      },
    ],
  );
  await store.close();
  await rm(folder, { recursive: true, force: true });
});
