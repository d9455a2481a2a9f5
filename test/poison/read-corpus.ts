/**
 * Reads the labelled tool definitions with which the detector of poisoned ones is made and measured.
 *
 * All of the first and the second collection was looked at while the detector was made. Nothing was learnt from the third, by other
 * authors, but limits were chosen by its figures. The folders `development`, `choosing` and `deciding` have changes too: the reader was
 * taught the first, limits were chosen and rules were mended by the second, and the third is only measured.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const collections = ['first', 'second', 'third'] as const;

export interface Sample {
  readonly id: string;
  /** Which collection it came with. */
  readonly collection: (typeof collections)[number];
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

/** One tool in time: two or more of its definitions, the oldest first. */
export interface Change extends Pick<Sample, 'id' | 'label' | 'kind' | 'server' | 'others' | 'note'> {
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

/** All samples, in the order of collections, file names and lines. */
export function readCorpus(): readonly Sample[] {
  return collections.flatMap((collection) =>
    readFolder(join(import.meta.dirname, collection)).map((sample) => ({ ...sample, collection })),
  );
}

/** The definitions in a folder of such files. */
export function readFolder(folder: string): readonly Sample[] {
  return linesOf(folder, '{bad,benign}-*.jsonl').map((line) => JSON.parse(line) as Sample);
}

/** The changes in it: rug pulls and honest upgrades. */
export function readChanges(folder: string): readonly Change[] {
  return linesOf(folder, '{pulls,upgrades}-*.jsonl').map((line) => JSON.parse(line) as Change);
}

/** The files are ours, and corpus.test.ts checks the shape of those that are kept here. */
function linesOf(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: folder })
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
}

export function isHeldOut({ collection }: Pick<Sample, 'collection'>): boolean {
  return collection === 'third';
}
