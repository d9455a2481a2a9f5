/** Checks that the database of an ended gateway is intact: a file in a copy of it. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../src/base/errors.ts';

/** In place of the file. */
export interface SharedDatabase {
  /** `postgres://…`. */
  readonly url: string;
  /** Undefined if it is intact. */
  fault(): Promise<string | undefined>;
  /** All that it holds. */
  text(): Promise<string>;
}

interface DatabasePlace {
  readonly dataDir: string;
  readonly shared: SharedDatabase | undefined;
}

export async function databaseFault({ dataDir, shared }: DatabasePlace): Promise<string | undefined> {
  return shared === undefined ? fileFault(dataDir) : shared.fault();
}

function fileFault(dataDir: string): string | undefined {
  const file = join(dataDir, 'toolcrib.db');
  if (!existsSync(file)) return 'there is no database';
  const copies = mkdtempSync(join(tmpdir(), 'toolcrib-exam-db-'));
  try {
    for (const path of [file, `${file}-wal`]) {
      if (existsSync(path)) copyFileSync(path, join(copies, basename(path)));
    }
    const database = new DatabaseSync(join(copies, basename(file)));
    const rows = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => Object.values(row)[0]);
    database.close();
    return rows.length === 1 && rows[0] === 'ok' ? undefined : `integrity_check says: ${rows.slice(0, 5).join('; ')}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}
