/** Facts about a stored result and its parts: a part is a text, a JSON value or bytes, in a file of its own. */

export type PartKind = 'text' | 'json' | 'binary';

/** The list (or object) inside a JSON value that makes up most of it; its items (or members) are the rows. */
export interface RowsSpan {
  /** The names that lead to it from the whole value. */
  readonly keys: readonly string[];
  readonly kind: 'array' | 'object';
  readonly count: number;
  /** Where in the text the rows begin and end, without the brackets. */
  readonly start: number;
  readonly end: number;
}

export interface JsonOutline {
  readonly kind: 'array' | 'object';
  /** The first names at the top level. */
  readonly keys: readonly string[];
  readonly keyCount: number;
  readonly rows: RowsSpan;
}

export interface PartFacts {
  readonly kind: PartKind;
  /** A resource's URI or the name of a member of the result; null for plain content. */
  readonly name: string | null;
  readonly mimeType: string;
  readonly bytes: number;
  /** How many content blocks are in it. */
  readonly blocks: number;
  /** Of texts; null where nobody has counted. */
  readonly lines: number | null;
  /** The bytes of the longest line. */
  readonly longestLine: number;
  /** Of JSON, also where it came as text. */
  readonly json: JsonOutline | null;
  /** Set where another part says the same. */
  readonly isCopy?: true;
}

/** The facts behind the header and the preview. */
export interface ResultSummary {
  /** Of the result as its server sent it. */
  readonly bytes: number;
  readonly parts: readonly PartFacts[];
  /** How each part begins; empty for bytes. */
  readonly heads: readonly string[];
}

/** The facts of a result in the store of results, as they are written beside its parts. */
export interface Manifest {
  readonly id: string;
  readonly principal: string;
  readonly toolKey: string;
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly isError: boolean;
  /** Of the result as its server sent it. */
  readonly bytes: number;
  readonly parts: readonly PartFacts[];
}

export interface StoredResult extends Manifest, ResultSummary {
  readonly uri: string;
}

export const resultScheme = 'toolcrib://result/';

export function uriOf(id: string): string {
  return `${resultScheme}${id}`;
}

/** `1234` as `1.2 kB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB'];
  let size = bytes / 1_000;
  let at = 0;
  for (; size >= 999.95 && at < units.length - 1; at += 1) size /= 1_000;
  return `${size.toFixed(1)} ${units[at]}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
