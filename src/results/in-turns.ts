/** Goes through a long list in turns, so that other work is not held up by it. */

/** Items that are taken at a time: together they cost about a millisecond. */
const turn = 250;

/** The items, some at a time; whoever else has work goes first in between. */
export async function* inTurns<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += turn) {
    if (at > 0) await new Promise(setImmediate);
    yield items.slice(at, at + turn);
  }
}
