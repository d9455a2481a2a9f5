/** Works through many rows one statement's worth at a time, and gives way to the event loop in between. */

import { setImmediate as giveWay } from 'node:timers/promises';

/** Rows in one statement: far below every database's limit on parameters, and a few milliseconds of work. */
const rowsPerStatement = 100;

export async function workInChunks<T>(rows: readonly T[], act: (chunk: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    if (at > 0) await giveWay();
    await act(rows.slice(at, at + rowsPerStatement));
  }
}
