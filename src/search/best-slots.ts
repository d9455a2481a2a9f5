/** Picks the best-scored tools without sorting all of them. */

/** At most `limit` slots with a score above 0, best first, ties in the order of their keys. The filter is asked only about tools good enough to be returned. */
export function bestSlots(
  scores: Float64Array | Float32Array,
  keyOf: (slot: number) => string,
  limit: number,
  filter: ((key: string) => boolean) | undefined,
): number[] {
  const best: number[] = [];
  const isBetter = (a: number, b: number): boolean => {
    const difference = (scores[a] ?? 0) - (scores[b] ?? 0);
    return difference !== 0 ? difference > 0 : keyOf(a) < keyOf(b);
  };
  if (!(limit >= 1)) return best;
  // The score of the last one once there are enough: nearly every tool of a large catalog is below it.
  let floor = 0;
  for (let slot = 0; slot < scores.length; slot += 1) {
    const score = scores[slot] ?? 0;
    if (score < floor || score <= 0) continue;
    const last = best[best.length - 1];
    if (best.length >= limit && last !== undefined && !isBetter(slot, last)) continue;
    if (filter && !filter(keyOf(slot))) continue;
    best.splice(placeOf(slot, best, isBetter), 0, slot);
    if (best.length > limit) best.pop();
    if (best.length >= limit) floor = scores[best[best.length - 1] ?? 0] ?? 0;
  }
  return best;
}

function placeOf(slot: number, best: readonly number[], isBetter: (a: number, b: number) => boolean): number {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBetter(best[middle] ?? 0, slot)) low = middle + 1;
    else high = middle;
  }
  return low;
}
