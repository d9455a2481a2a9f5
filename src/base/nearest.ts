/** Nearest names, for "did you mean": edit distance with transpositions, on short strings only. */

const longestCompared = 80;
/** Characters that are looked at of a name, before separators that follow each other become one. */
const longestRead = 4 * longestCompared;
/** The share of a name's length that may differ. */
const farthest = 0.45;
/** The distance of a name that contains the other. */
const containedShare = 0.4;
/** Answers that are remembered of one set of names. */
const rememberedAnswers = 200;
/** Names that are compared letter by letter. */
const mostCompared = 500;
/** Classes in which letters are counted. */
const classes = 32;

/** The names closest to `wanted`, best first; only those near enough to be what was meant. */
export function nearest(wanted: string, names: Iterable<string>, count = 3): string[] {
  return [...new NearNames(names).to(wanted, count)];
}

interface Candidate {
  readonly at: number;
  /** The least that its distance can be. */
  readonly least: number;
}

interface Near {
  readonly name: string;
  readonly score: number;
}

/** Names that are looked through more than once: what can be prepared is, and what was asked before is known. */
export class NearNames {
  readonly #names: readonly string[];
  readonly #folded: readonly string[];
  readonly #letters: Uint8Array;
  readonly #known = new Map<string, readonly string[]>();

  constructor(names: Iterable<string>) {
    this.#names = [...names];
    this.#folded = this.#names.map(fold);
    this.#letters = new Uint8Array(this.#folded.length * classes);
    for (const [at, name] of this.#folded.entries()) countLetters(name, this.#letters, at * classes);
  }

  to(wanted: string, count = 3): readonly string[] {
    const target = fold(wanted);
    const key = `${count} ${target}`;
    const known = this.#known.get(key);
    if (known) return known;
    const near = this.#search(target, count);
    if (this.#known.size >= rememberedAnswers) this.#known.clear();
    this.#known.set(key, near);
    return near;
  }

  /** Those that may be near by their letters alone, the likeliest first, up to a limit. */
  #candidates(target: string): readonly Candidate[] {
    const letters = new Uint8Array(classes);
    countLetters(target, letters, 0);
    const candidates: Candidate[] = [];
    for (const [at, folded] of this.#folded.entries()) {
      const least = leastShare(target, folded, letters, this.#letters, at * classes);
      if (least <= farthest) candidates.push({ at, least });
    }
    return candidates.sort((a, b) => a.least - b.least).slice(0, mostCompared);
  }

  /** Only names that can still get among the best are compared letter by letter. */
  #search(target: string, count: number): readonly string[] {
    const best: Near[] = [];
    for (const { at, least } of this.#candidates(target)) {
      const folded = this.#folded[at] as string;
      const worst = best.length < count ? farthest : (best.at(-1) as Near).score;
      if (least > worst) break;
      const score = distanceShare(target, folded, worst);
      if (score > worst) continue;
      best.push({ name: this.#names[at] as string, score });
      best.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
      if (best.length > count) best.pop();
    }
    return best.map(({ name }) => name);
  }
}

function fold(name: string): string {
  return name
    .slice(0, longestRead)
    .toLowerCase()
    .replace(/[-_. ]+/g, '_')
    .slice(0, longestCompared);
}

function countLetters(name: string, counts: Uint8Array, from: number): void {
  for (let at = 0; at < name.length; at += 1) {
    const place = from + (name.charCodeAt(at) % classes);
    counts[place] = (counts[place] as number) + 1;
  }
}

/** No distance share can be less: each edit takes away one letter that is too many on either side, at most. */
function leastShare(a: string, b: string, ofA: Uint8Array, ofB: Uint8Array, from: number): number {
  let onlyA = 0;
  let onlyB = 0;
  for (let at = 0; at < classes; at += 1) {
    const more = (ofA[at] as number) - (ofB[from + at] as number);
    if (more > 0) onlyA += more;
    else onlyB -= more;
  }
  const share = Math.max(onlyA, onlyB) / Math.max(a.length, b.length, 1);
  // A name can contain the other only where no letter of that one is missing.
  return onlyA === 0 || onlyB === 0 ? Math.min(share, containedShare) : share;
}

/** 0 for equal, 1 for nothing in common; a name that contains the other counts as near. What is over `worst` need not be exact. */
function distanceShare(a: string, b: string, worst: number): number {
  if (a === b) return 0;
  const longer = Math.max(a.length, b.length);
  const shorter = Math.min(a.length, b.length);
  // Then all that is to be done is to leave the rest out.
  if (shorter >= 3 && (a.includes(b) || b.includes(a))) return Math.min((longer - shorter) / longer, containedShare);
  return editDistance(a, b, Math.floor(worst * longer + 1e-9)) / longer;
}

/** Single edits and swaps of neighbours; where it is more than `most`, some number above that. */
export function editDistance(a: string, b: string, most = Math.max(a.length, b.length)): number {
  let start = 0;
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let endA = a.length;
  let endB = b.length;
  for (; endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1); endB -= 1) endA -= 1;
  return distanceBetween(a.slice(start, endA), b.slice(start, endB), most);
}

function distanceBetween(a: string, b: string, most: number): number {
  const width = b.length + 1;
  let before = new Uint32Array(width);
  let row = new Uint32Array(width);
  let next = new Uint32Array(width);
  for (let j = 0; j < width; j += 1) row[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    // Farther from the diagonal more than `most` would have been put in or left out.
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    next.fill(most + 1);
    if (from === 1) next[0] = i;
    let least = next[from - 1] as number;
    const letter = a.charCodeAt(i - 1);
    for (let j = from; j <= to; j += 1) {
      const other = b.charCodeAt(j - 1);
      let best = (row[j - 1] as number) + (letter === other ? 0 : 1);
      const fewer = Math.min(row[j] as number, next[j - 1] as number) + 1;
      if (fewer < best) best = fewer;
      const isSwap = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      if (isSwap) best = Math.min(best, (before[j - 2] as number) + 1);
      next[j] = best;
      if (best < least) least = best;
    }
    if (least > most) return most + 1;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] as number;
}
