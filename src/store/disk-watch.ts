/** Knows whether the folders that things are kept in can be written: a disk that is full or read-only says so only when it is tried. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { messageOf, systemCodeOf } from '../base/errors.ts';
import { limits } from '../config/config.ts';

export interface DiskProblem {
  readonly message: string;
  readonly hint: string;
}

/** A block of a disk: less may fit into one that is used already. */
const probeBytes = 4_096;

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space; Toolcrib recovers by itself.'],
  EDQUOT: ['the quota of the disk is used up', 'Free some space; Toolcrib recovers by itself.'],
  EROFS: ['the disk is read-only', 'Mount it for writing; Toolcrib recovers by itself.'],
  EACCES: ['Toolcrib may not write there', 'Change who owns the folder, or choose another with --data.'],
};

export class DiskWatch {
  readonly #folders: readonly string[];
  readonly #clock: Clock;
  #seen: { readonly at: number; readonly problem: DiskProblem | null } | undefined;

  constructor(folders: readonly string[], clock: Clock) {
    this.#folders = [...new Set(folders)];
    this.#clock = clock;
  }

  /** null: everything can be written. Tried at most so often, because anybody may ask. */
  get problem(): DiskProblem | null {
    const now = this.#clock.elapsed();
    if (this.#seen === undefined || now - this.#seen.at >= limits.diskLookMs)
      this.#seen = { at: now, problem: this.#folders.map(probe).find((problem) => problem !== null) ?? null };
    return this.#seen.problem;
  }
}

function probe(folder: string): DiskProblem | null {
  const file = join(folder, `.disk-check-${process.pid}`);
  try {
    writeFileSync(file, Buffer.alloc(probeBytes), { mode: 0o600 });
    return null;
  } catch (error) {
    const [what, hint] = reasons[systemCodeOf(error) ?? ''] ?? [messageOf(error), 'Check the disk and the folder.'];
    return { message: `Nothing can be saved in ${folder}: ${what}.`, hint };
  } finally {
    removeQuietly(file);
  }
}

/** Where nothing can be written, nothing can be removed either; the problem is known by then. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    return;
  }
}
