/** Weighs all signs of one definition together: alone few of them prove anything. */

import type { Finding } from '../judgement.ts';
import { shown } from './fold-text.ts';
import type { Signal } from './signal.ts';

/** From here on it is nearly certain, and a definition is held back. */
const hardFrom = 80;
/** From here on it is worth a look. */
const softFrom = 70;
/** Signs weaker than this are not worth a line of their own. */
const worthALine = 30;
const mostFindings = 12;

export function weigh(signals: readonly Signal[], isCut: boolean): Finding[] {
  const total = strongest(signals, ({ kind }) => kind).reduce((sum, { points }) => sum + points, 0);
  const found = total >= softFrom ? linesOf(signals, total >= hardFrom ? 'hard' : 'soft') : [];
  return isCut ? [...found, tooLong] : found;
}

const tooLong: Finding = {
  code: 'too-long',
  where: '',
  weight: 'hard',
  sentence: 'It is too long to be looked at as a whole: its beginning and the ends of its texts were.',
};

function linesOf(signals: readonly Signal[], weight: Finding['weight']): Finding[] {
  const lines = strongest(signals, ({ code, where }) => `${code} ${where}`).filter(
    ({ points }) => points >= worthALine,
  );
  const kept = lines.length > 0 ? lines : strongest(signals, () => '');
  return kept
    .slice(0, mostFindings)
    .map(({ code, where, says, excerpt }) => ({ code, where, weight, sentence: `${says}: “${shown(excerpt)}”.` }));
}

/** Each kind once, by its strongest sign. */
function strongest(signals: readonly Signal[], keyOf: (signal: Signal) => string): Signal[] {
  const best = new Map<string, Signal>();
  for (const signal of signals) {
    const key = keyOf(signal);
    const known = best.get(key);
    if (known === undefined || known.points < signal.points) best.set(key, signal);
  }
  return [...best.values()].sort((a, b) => b.points - a.points);
}
