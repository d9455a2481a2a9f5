/** Finds the values that a path leads to in JSON that is read in chunks and never held. */

import { type JsonSpot, type JsonTreatment, type JsonVisitor, scanJson } from '../base/json-scan.ts';
import { countsFromEnd, isDefinite, type PathStep } from './json-path.ts';

/** A chunked text that can be read as often as needed. */
type Reread = () => AsyncIterable<Buffer>;

interface PathSelection {
  readonly keepBytes: number;
  /** `text` is missing where the value is longer than `keepBytes`. */
  onValue(spot: JsonSpot, text: Buffer | undefined): void;
}

/** Throws SyntaxError or JsonLimitError where the text is no JSON that we take. */
export async function selectPath(read: Reread, steps: readonly PathStep[], selection: PathSelection): Promise<void> {
  const lengths: (readonly number[] | undefined)[] = [];
  // Counting from the end needs the length: one more pass for each step that does.
  for (const [at, step] of steps.entries()) {
    if (!countsFromEnd(step)) continue;
    const counter = new PathWalker(steps.slice(0, at), lengths, { isCounting: true });
    await scanJson(read(), counter);
    // Without a list that has anything in it the path leads nowhere.
    if (!counter.lengths.some((length) => length > 0)) return;
    lengths[at] = counter.lengths;
  }
  await scanJson(read(), new PathWalker(steps, lengths, { isCounting: false, selection }));
}

type Task = { readonly isCounting: true } | { readonly isCounting: false; readonly selection: PathSelection };

class PathWalker implements JsonVisitor {
  readonly keepBytes: number;
  /** Lengths of the arrays that the path leads to, in their order; of other values -1. */
  readonly lengths: number[] = [];
  isDone = false;
  readonly #steps: readonly PathStep[];
  readonly #lengths: readonly (readonly number[] | undefined)[];
  readonly #task: Task;
  /** By depth: how many containers were opened there so far, which is what lengths are listed by. */
  readonly #opened: number[] = [];
  #children = 0;

  constructor(steps: readonly PathStep[], lengths: readonly (readonly number[] | undefined)[], task: Task) {
    this.#steps = steps;
    this.#lengths = lengths;
    this.#task = task;
    this.keepBytes = task.isCounting ? 0 : task.selection.keepBytes;
  }

  onStart(spot: JsonSpot): JsonTreatment {
    const { depth } = spot;
    const end = this.#steps.length;
    if (depth > end) {
      this.#children += 1;
      return 'skip';
    }
    if (depth > 0 && !this.#fits(spot)) return 'skip';
    const isContainer = spot.kind === 'array' || spot.kind === 'object';
    if (depth < end) {
      if (isContainer) this.#opened[depth] = (this.#opened[depth] ?? 0) + 1;
      return 'open';
    }
    if (!this.#task.isCounting) return 'keep';
    this.#children = 0;
    return 'open';
  }

  onEnd(spot: JsonSpot, kept: Buffer | undefined): void {
    if (spot.depth !== this.#steps.length || (spot.depth > 0 && !this.#fits(spot))) return;
    if (this.#task.isCounting) {
      // Only containers are listed, because only they are counted when they are opened.
      if (spot.kind === 'array') this.lengths.push(this.#children);
      else if (spot.kind === 'object') this.lengths.push(-1);
      return;
    }
    // A name that an object has twice leads to the first.
    if (this.isDone) return;
    this.#task.selection.onValue(spot, kept);
    if (isDefinite(this.#steps)) this.isDone = true;
  }

  /** True if the step before leads from its container, which is on the path, to this value. */
  #fits(spot: JsonSpot): boolean {
    const at = spot.depth - 1;
    const step = this.#steps[at] as PathStep;
    if (step.kind === 'all') return true;
    if (step.kind === 'key') return spot.key === step.key;
    if (spot.key !== undefined) return false;
    const length = this.#lengths[at]?.[(this.#opened[at] ?? 0) - 1] ?? 0;
    if (step.kind === 'index') return spot.index === fromStart(step.index, length);
    return spot.index >= fromStart(step.from, length) && (step.to === null || spot.index < fromStart(step.to, length));
  }
}

function fromStart(index: number, length: number): number {
  return index < 0 ? index + length : index;
}
