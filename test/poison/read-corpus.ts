/**
 * Reads the labelled tool definitions with which the detector of poisoned ones is measured.
 *
 * The held-out half is only for the final figure: whoever writes or tunes rules looks at the other half, and neither reads
 * held-out samples nor chooses anything by how the detector does on them.
 */

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Sample {
  readonly id: string;
  readonly label: 'bad' | 'benign';
  readonly kind: string;
  /** The server that offers the tool. */
  readonly server: string;
  readonly definition: SampleDefinition;
  /** Tools of the other connected servers, by server. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
  /** Why the sample has its label, or what makes it tempting. */
  readonly note: string;
}

/** A tool as `tools/list` gives it; members other than these are kept as they came. */
export interface SampleDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

/** All samples, in the order of file names and lines. */
export function readCorpus(): readonly Sample[] {
  return globSync('{bad,benign}-*.jsonl', { cwd: import.meta.dirname })
    .sort()
    .flatMap((name) =>
      readFileSync(join(import.meta.dirname, name), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as Sample); // The files are ours, and corpus.test.ts checks their shape.
}

/** By the id alone, so that a sample stays in its half when its text is corrected or others are added. */
export function isHeldOut({ id }: Pick<Sample, 'id'>): boolean {
  return createHash('sha256').update(id).digest().readUInt8(0) % 2 === 0;
}
