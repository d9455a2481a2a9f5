/** The outline of a JSON value that is read in chunks: its names, and where most of it lies. */

import { type JsonSpot, type JsonTreatment, type JsonVisitor, scanJson } from '../base/json-scan.ts';
import type { JsonOutline, RowsSpan } from './part-facts.ts';

/** Names at the top level that are remembered. */
const maxKeys = 50;
/** Rows are looked for so deep. */
const maxRowsDepth = 4;
/** A member with at least this share of an object is what the object is about. */
const mainShare = 0.5;

/** A container on the way down, with its largest container so far. */
interface Frame {
  readonly spot: JsonSpot;
  count: number;
  largest: Finished | undefined;
}

interface Finished {
  readonly key: string | undefined;
  readonly kind: 'array' | 'object';
  readonly count: number;
  readonly start: number;
  readonly end: number;
  readonly largest: Finished | undefined;
}

/** Throws SyntaxError or JsonLimitError for what is no JSON that we take, and for a value that holds no others. */
export async function outlineJson(chunks: AsyncIterable<Buffer>): Promise<JsonOutline> {
  const visitor = new OutlineVisitor();
  await scanJson(chunks, visitor);
  return visitor.outline();
}

class OutlineVisitor implements JsonVisitor {
  readonly #frames: Frame[] = [];
  readonly #keys: string[] = [];
  #whole: Finished | undefined;

  onStart(spot: JsonSpot): JsonTreatment {
    const isContainer = spot.kind === 'array' || spot.kind === 'object';
    if (spot.depth === 0 && !isContainer) throw new SyntaxError('The JSON is a single value.');
    const parent = this.#frames[spot.depth - 1];
    if (parent) parent.count += 1;
    if (spot.depth === 1 && spot.key !== undefined && this.#keys.length < maxKeys) this.#keys.push(spot.key);
    if (!isContainer || !this.#isLookedInto(spot, parent)) return 'skip';
    this.#frames[spot.depth] = { spot, count: 0, largest: undefined };
    return 'open';
  }

  onEnd(spot: JsonSpot): void {
    if (spot.kind !== 'array' && spot.kind !== 'object') return;
    const parent = this.#frames[spot.depth - 1];
    if (!this.#isLookedInto(spot, parent)) return;
    const { count, largest } = this.#frames[spot.depth] as Frame;
    const finished = { key: spot.key, kind: spot.kind, count, start: spot.start, end: spot.end, largest };
    if (!parent) this.#whole = finished;
    else if (!parent.largest || sizeOf(finished) > sizeOf(parent.largest)) parent.largest = finished;
  }

  outline(): JsonOutline {
    const whole = this.#whole;
    if (!whole) throw new SyntaxError('The JSON ends before it is complete.');
    return {
      kind: whole.kind,
      keys: this.#keys,
      keyCount: whole.kind === 'object' ? whole.count : 0,
      rows: rowsOf(whole),
    };
  }

  /** An item of a list is a row; its inside does not matter. */
  #isLookedInto(spot: JsonSpot, parent: Frame | undefined): boolean {
    return spot.depth === 0 || (spot.depth <= maxRowsDepth && parent?.spot.kind === 'object');
  }
}

function rowsOf(whole: Finished): RowsSpan {
  const keys: string[] = [];
  let at = whole;
  while (at.kind === 'object' && at.largest && sizeOf(at.largest) >= mainShare * sizeOf(at)) {
    at = at.largest;
    keys.push(at.key ?? '');
  }
  return { keys, kind: at.kind, count: at.count, start: at.start + 1, end: at.end - 1 };
}

function sizeOf({ start, end }: Finished): number {
  return end - start;
}
