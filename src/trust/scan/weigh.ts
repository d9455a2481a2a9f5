/** Weighs all signs of one definition together: alone few of them prove anything. */

import type { Finding } from '../judgement.ts';
import { shown } from './fold-text.ts';
import type { Sign } from './sign.ts';

/** From here on it is nearly certain, and a definition is withheld. */
export const hardFrom = 78;
/** Signs weaker than this are not worth a line of their own. */
const worthALine = 30;
const mostFindings = 12;

export function weigh(signals: readonly Sign[], isCut: boolean, softFrom: number): Finding[] {
  const kinds = strongest(signals, ({ kind }) => kind);
  const total = kinds.reduce((sum, { points }) => sum + points, 0);
  const found = total >= softFrom ? linesOf(signals, total >= hardFrom ? 'hard' : 'soft') : [];
  return isCut ? [...found, tooLong] : found;
}

const tooLong: Finding = {
  code: 'too-long',
  where: '',
  weight: 'hard',
  sentence: 'It is too long to be looked at as a whole: its beginning and the ends of its texts were.',
};

function linesOf(signals: readonly Sign[], weight: Finding['weight']): Finding[] {
  const lines = strongest(signals, ({ code, where }) => `${code} ${where}`).filter(
    ({ points }) => points >= worthALine,
  );
  const kept = lines.length > 0 ? lines : strongest(signals, () => '');
  // The strongest of each code comes first, so that none is crowded out by many of another.
  const first = strongest(kept, ({ code }) => code);
  return [...first, ...kept.filter((line) => !first.includes(line))]
    .slice(0, mostFindings)
    .map(({ code, where, says, excerpt }) => ({ code, where, weight, sentence: `${says}: “${shown(excerpt)}”.` }));
}

/** Each kind once, by its strongest sign. */
function strongest(signals: readonly Sign[], keyOf: (signal: Sign) => string): Sign[] {
  const best = new Map<string, Sign>();
  for (const signal of signals) {
    const key = keyOf(signal);
    const known = best.get(key);
    if (known === undefined || known.points < signal.points) best.set(key, signal);
  }
  return [...best.values()].sort((a, b) => b.points - a.points);
}
