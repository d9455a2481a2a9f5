/**
 * Adds calls to the sums exactly once, and removes what is kept no longer. Runs in a thread of its own and may be killed anywhere.
 *
 * A batch of calls is added up outside any lock and then written in small pieces. Each sum says itself up to which call
 * it goes, so that it does not matter which of them were written when the batch was cut short: the next one adds to each
 * only what it lacks. The watermark moves when all are written.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { RollUpOrder, RollUpReport } from './call.ts';
import { CallFold } from './call-fold.ts';
import { callRows } from './call-rows.ts';
import { CallSums, Overtaken, type RollUpState } from './call-sums.ts';
import { CallCleaner } from './clean-calls.ts';
import { PacedWriter, type StopFlag } from './paced-writer.ts';

/** The more calls in one batch, the fewer writes in all: most of them go to the same sums. */
const callsPerBatch = 1_000_000;
/** Less than a kilobyte of memory each. */
const sumsPerBatch = 50_000;
/** About half a millisecond of work. */
const sumsPerPiece = 100;
/** Calls are forgotten by hand, so nobody overtakes so often. */
const mostAttempts = 20;

interface Batch {
  readonly fold: CallFold;
  readonly state: RollUpState;
  readonly last: number;
  readonly count: number;
}

export function rollUp(connection: DatabaseSync, order: RollUpOrder, stop: StopFlag): RollUpReport {
  const sums = new CallSums(connection);
  const writer = new PacedWriter(connection, stop);
  // Those that come meanwhile are left to the next one, or it would never end.
  const upto = sums.lastCall;
  let rolledUp = 0;
  for (let attempts = 0; attempts < mostAttempts && !writer.isStopped; ) {
    const batch = readBatch(connection, sums, upto, writer);
    if (batch.count === 0) break;
    try {
      writeBatch(sums, writer, batch);
      rolledUp += batch.count;
      attempts = 0;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      attempts += 1;
    }
    // The part of it that hinders nobody.
    connection.exec('pragma wal_checkpoint(passive)');
  }
  const removed = new CallCleaner(connection, writer).clean(order);
  return { rolledUp, removed, left: sums.countUnrolled(upto) };
}

/** All of it as it was at one moment. */
function readBatch(connection: DatabaseSync, sums: CallSums, upto: number, writer: PacedWriter): Batch {
  connection.exec('begin');
  try {
    const { state } = sums;
    const fold = new CallFold(sums);
    let [last, count] = [state.watermark, 0];
    for (const row of sums.calls(last, upto, callsPerBatch)) {
      fold.add(row.id, callRows.toRecord(row));
      last = row.id;
      count += 1;
      if (fold.size >= sumsPerBatch || writer.isStopped) break;
    }
    return { fold, state, last, count };
  } finally {
    connection.exec('commit');
  }
}

function writeBatch(sums: CallSums, writer: PacedWriter, { fold, state, last }: Batch): void {
  writer.writeInPieces(fold.changedTallies, sumsPerPiece, (piece) => {
    sums.assertGeneration(state.generation);
    for (const sum of piece) sums.saveTally(sum);
  });
  writer.writeInPieces(fold.changedPairs, sumsPerPiece, (piece) => {
    sums.assertGeneration(state.generation);
    for (const sum of piece) sums.savePair(sum);
  });
  if (writer.isStopped) throw new Overtaken('The roll-up was stopped.');
  writer.write(() => {
    sums.assertGeneration(state.generation);
    sums.moveWatermark(state.watermark, last);
  });
}
