/** Reads a whole database file and says what is damaged in it, in SQLite's words; changes nothing. */

import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/errors.ts';
import { isDamage } from './sqlite-errors.ts';

const mostProblems = 5;

/** Blocks while it reads: for small files, or in a thread of its own. */
export function checkPages(file: string, lockWaitMs: number): string[] {
  using connection = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
  try {
    const rows = connection.prepare(`pragma quick_check(${mostProblems})`).all();
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
  } catch (error) {
    if (isDamage(error)) return [messageOf(error)];
    throw error;
  }
}
