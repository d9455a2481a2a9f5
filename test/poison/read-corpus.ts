/**
 * Reads the labelled tool definitions with which the detector of poisoned ones is made and measured.
 *
 * All of the first collection was looked at long ago. The held-out half of the second, by other authors, is only for the final
 * figure: whoever trains or tunes neither reads held-out samples nor chooses anything by how the detector does on them.
 */

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Sample {
  readonly id: string;
  /** Which collection it came with. */
  readonly collection: 'first' | 'second';
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

/** All samples, in the order of collections, file names and lines. */
export function readCorpus(): readonly Sample[] {
  return (['first', 'second'] as const).flatMap((collection) =>
    globSync('{bad,benign}-*.jsonl', { cwd: join(import.meta.dirname, collection) })
      .sort()
      .flatMap((name) =>
        readFileSync(join(import.meta.dirname, collection, name), 'utf8')
          .trimEnd()
          .split('\n'),
      )
      // The files are ours, and corpus.test.ts checks their shape.
      .map((line) => ({ ...(JSON.parse(line) as Sample), collection })),
  );
}

/** By the id alone, so that a sample stays in its half when its text is corrected or others are added. */
export function isHeldOut({ id, collection }: Pick<Sample, 'id' | 'collection'>): boolean {
  return collection === 'second' && createHash('sha256').update(id).digest().readUInt8(0) % 2 === 0;
}
