/**
 * Adds calls to the sums exactly once, and removes what is kept no longer. Runs in a thread of its own and may be killed anywhere.
 *
 * A batch of calls is added up outside any lock and then written in small pieces. Each sum says itself up to which call
 * it goes, so that it does not matter which of them were written when the batch was cut short: the next one adds to each
 * only what it lacks. The watermark moves when all are written.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { RollUpOrder, RollUpReport } from './call.ts';
import { CallCleaner } from './clean-calls.ts';
import { addFresh, addLatencyFunctions, freshSums, keepFresh, someFresh } from './fresh-calls.ts';
import { PacedWriter, type StopFlag } from './paced-writer.ts';

/** The more calls in one batch, the fewer writes in all: most of them go to the same sums. */
const callsPerBatch = 1_000_000;
/** About half a millisecond of work. */
const sumsPerPiece = 100;
/** Calls are forgotten by hand, so nobody overtakes so often. */
const mostAttempts = 20;

/** Somebody else has changed the sums meanwhile: the batch is void. */
class Overtaken extends Error {}

export function rollUp(connection: DatabaseSync, order: RollUpOrder, stop: StopFlag): RollUpReport {
  addLatencyFunctions(connection);
  connection.exec('pragma temp_store = memory');
  const writer = new PacedWriter(connection, stop);
  // Those that come meanwhile are left to the next one, or it would never end.
  const upto = numberOf(connection, 'select max(id) as n from call');
  const countLeft = () =>
    numberOf(connection, `select count(*) as n from call where id > (select watermark from roll_up) and id <= ${upto}`);
  let rolledUp = 0;
  for (let attempts = 0; attempts < mostAttempts && !writer.isStopped && countLeft() > 0; ) {
    try {
      rolledUp += rollUpBatch(connection, writer, upto);
      attempts = 0;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      attempts += 1;
    }
    // The part of it that hinders nobody.
    connection.exec('pragma wal_checkpoint(passive)');
  }
  const removed = new CallCleaner(connection, writer).clean(order);
  return { rolledUp, removed, left: countLeft() };
}

/**
 * Says how many calls it added. The rows to add wait in a table of this connection, not in this thread's memory: a
 * collection of garbage while the file is locked would keep other writers out for tens of milliseconds.
 */
function rollUpBatch(connection: DatabaseSync, writer: PacedWriter, upto: number): number {
  const generation = claim(connection, writer);
  const writeInTime = (act: () => void) => {
    // Each query takes about a second for a whole batch.
    if (writer.isStopped) throw new Overtaken('The roll-up was stopped.');
    writer.write(() => {
      if (numberOf(connection, 'select generation as n from roll_up') !== generation)
        throw new Overtaken('Somebody else changed the sums.');
      act();
    });
  };
  const after = numberOf(connection, 'select watermark as n from roll_up');
  const calls = `from (select id from call where id > ${after} and id <= ${upto} order by id limit ${callsPerBatch})`;
  const last = numberOf(connection, `select max(id) as n ${calls}`);
  const count = numberOf(connection, `select count(*) as n ${calls}`);
  for (const [table, query] of freshSums({ after, upto: last })) {
    connection.exec(keepFresh(query));
    const add = connection.prepare(addFresh(table, someFresh));
    const rows = numberOf(connection, 'select max(number) as n from fresh');
    for (let row = 0; row < rows; row += sumsPerPiece) writeInTime(() => add.run(row, row + sumsPerPiece));
  }
  writeInTime(() => connection.exec(`update roll_up set watermark = ${Math.max(after, last)}`));
  return count;
}

/** A roll-up or a forgetting that comes after it voids the batch; so does this one with a batch under way. */
function claim(connection: DatabaseSync, writer: PacedWriter): number {
  let generation = 0;
  writer.write(() => {
    generation = numberOf(connection, 'update roll_up set generation = generation + 1 returning generation as n');
  });
  return generation;
}

/** The number `n` that a statement gives; 0 for none. */
function numberOf(connection: DatabaseSync, statement: string): number {
  return Number(connection.prepare(statement).get()?.n ?? 0);
}
