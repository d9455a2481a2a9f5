/** Writes in short transactions with long pauses, so that whoever else writes hardly ever finds the file locked. Runs in a thread. */

import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../base/clock.ts';
import { inTransaction } from './call-writer.ts';

/** For each millisecond that the file was locked it stays free so long: of two hundred other writes one has to wait. */
const freePerLocked = 200;
const longestPauseMs = 60;

/** The first number becomes 1 when the work shall stop. */
export type StopFlag = Int32Array<SharedArrayBuffer>;

export class PacedWriter {
  readonly #connection: DatabaseSync;
  readonly #stop: StopFlag;

  constructor(connection: DatabaseSync, stop: StopFlag) {
    this.#connection = connection;
    this.#stop = stop;
  }

  get isStopped(): boolean {
    return Atomics.load(this.#stop, 0) !== 0;
  }

  /** Nothing stays written when `act` throws. */
  write(act: () => void): void {
    let start = 0;
    inTransaction(this.#connection, () => {
      start = systemClock.elapsed();
      act();
    });
    this.#pause(systemClock.elapsed() - start);
  }

  /** One transaction per `rowsPerPiece` rows; a stop leaves out the last ones. */
  writeInPieces<T>(rows: readonly T[], rowsPerPiece: number, act: (piece: readonly T[]) => void): void {
    for (let at = 0; at < rows.length && !this.isStopped; at += rowsPerPiece)
      this.write(() => act(rows.slice(at, at + rowsPerPiece)));
  }

  /** Ends at once when it is stopped. */
  #pause(lockedMs: number): void {
    Atomics.wait(this.#stop, 0, 0, Math.min(longestPauseMs, lockedMs * freePerLocked));
  }
}
