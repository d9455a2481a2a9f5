/** Data folders from before there were approvals: what was listed then counts as approved. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { fingerprintOf } from '../../base/ids.ts';
import { silentLog } from '../../base/log.ts';
import { createSqliteStore } from '../store.ts';

test('definitions listed before there were approvals are approved, of any source, and so is the text of their server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-pins-'));
  const file = join(folder, 'old.db');
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const definition = { name: 'a', description: 'A "quoted" \ud800 tool.' };
  const item = { kind: 'tool', name: 'nul\0inside', fingerprint: 'f', definition } as const;
  const serverInfo = { name: 'desk', title: 'Desk', version: '1' };
  const head = { serverInfo, capabilities: {}, instructions: 'Read.', source: 'x' };
  await store.applyListing('s', { ...head, items: [item], listedAt: 7 });
  await store.close();
  // As an earlier version left it.
  {
    using connection = new DatabaseSync(file);
    connection.exec("drop table pin; drop table pin_event; delete from migration where name = '0007-pins'");
    // Later steps may follow in the order of their names only.
    connection.exec("delete from migration where name > '0007'");
    const ofOptimizer = ['candidate', 'prompt', 'run', 'promotion', 'job'].map((name) => `optimizer_${name}`);
    const later = ['audit', 'audit_retention', 'secret', 'file_project', ...ofOptimizer, 'browser', 'replica', 'duty'];
    for (const name of later) connection.exec(`drop table if exists ${name}`);
  }
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
