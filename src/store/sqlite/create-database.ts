/** Makes a new database under another name and moves it into position whole, so that a half-made or empty file is never taken for a store. */

import { link, open, rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { systemCodeOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import { applicationId } from './check-database.ts';
import { loadDialect } from './sqlite-connection.ts';

/** Leaves a file that appeared meanwhile as it is. `userVersion`: the mark in SQLite's own version field. */
export async function createDatabase(file: string, userVersion = 0): Promise<void> {
  const draft = `${file}.new-${randomId()}`;
  try {
    // Made here and not by SQLite, because only the owner may read it from the first moment on.
    await (await open(draft, 'wx', 0o600)).close();
    await fill(draft, userVersion);
    await sync(draft);
    await publish(draft, file);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) await rm(`${draft}${suffix}`, { force: true });
  }
}

async function fill(draft: string, userVersion: number): Promise<void> {
  const { createKysely, migrateToLatest } = await loadDialect();
  using connection = new DatabaseSync(draft, { timeout: 0 });
  // Nobody sees the draft before it is whole, so it goes to the disk once, at the end, and not after every step.
  connection.exec(`pragma journal_mode = wal; pragma synchronous = off`);
  connection.exec(`pragma application_id = ${applicationId}; pragma user_version = ${userVersion}`);
  await migrateToLatest(createKysely(connection));
  // Only the file is published, so all of it must have left the log; closing would do the same, but hide a failure.
  connection.exec('pragma wal_checkpoint(truncate)');
}

async function sync(draft: string): Promise<void> {
  await using file = await open(draft, 'r+');
  await file.sync();
}

async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') return;
    // Some file systems have no hard links; the lock on the data folder keeps a second gateway out meanwhile.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS')
      return rename(draft, file);
    throw error;
  }
}
