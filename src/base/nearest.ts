/** Nearest names, for "did you mean": edit distance with transpositions, on short strings only. */

const longestCompared = 80;

/** The names closest to `wanted`, best first; only those near enough to be what was meant. */
export function nearest(wanted: string, names: Iterable<string>, count = 3): string[] {
  const target = fold(wanted);
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const score = distanceShare(target, fold(name));
    if (score <= 0.45) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((item) => item.name);
}

function fold(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_. ]+/g, '_')
    .slice(0, longestCompared);
}

/** 0 for equal, 1 for nothing in common; a name that contains the other counts as near. */
function distanceShare(a: string, b: string): number {
  if (a === b) return 0;
  const longer = Math.max(a.length, b.length);
  const shorter = Math.min(a.length, b.length);
  const contained = shorter >= 3 && (a.includes(b) || b.includes(a));
  return Math.min(editDistance(a, b) / longer, contained ? 0.4 : 1);
}

export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next[j] = best;
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
