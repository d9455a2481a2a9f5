/** Weighs all signs of one definition together: alone few of them prove anything. */

import type { Finding } from '../judgement.ts';
import { shown } from './fold-text.ts';
import type { Signal } from './signal.ts';

/** From here on a definition is held back. */
export const hardFrom = 60;
/** From here on it is worth a look. */
export const softFrom = 40;
/** Signs weaker than this are not worth a line of their own. */
const worthALine = 20;
const mostFindings = 12;
/** Texts of one definition, and places of one text, that are compared. */
const mostPlaces = 200;
const mostWindows = 40;

/** Signs so many sentences apart still belong together. */
const reach = 3;
/** In a definition of this length all signs belong together; in a longer one the far ones count less and less. */
const shortChars = 900;

/** `chars`: how long the whole definition is. */
export function weigh(signals: readonly Signal[], chars: number, isCut: boolean): Finding[] {
  const total = totalOf(signals, Math.min(1, shortChars / Math.max(1, chars)));
  const found = total >= softFrom ? linesOf(signals, total >= hardFrom ? 'hard' : 'soft') : [];
  return isCut ? [...found, tooLong] : found;
}

/** The signs of the worst place count in full, with those of the name; all others by a share, for manuals speak of many things. */
export function totalOf(signals: readonly Signal[], share: number): number {
  if (share === 1) return sumOf(signals);
  const named = signals.filter(({ code }) => code === 'shadows');
  const faint = signals.map((signal) =>
    signal.code === 'shadows' ? signal : { ...signal, points: signal.points * share },
  );
  const byText = Map.groupBy(signals, ({ where }) => where);
  const totals = [...byText.values()]
    .slice(0, mostPlaces)
    .flatMap((those) => windowsOf(those).map((near) => sumOf([...named, ...near, ...faint])));
  return Math.max(sumOf(faint), ...totals);
}

/** Signs of one text that are near each other; those of the text as a whole are near all. */
function windowsOf(those: readonly Signal[]): Signal[][] {
  const starts = new Set(those.filter(({ points }) => points >= worthALine).map(({ at }) => at));
  return [...starts]
    .slice(0, mostWindows)
    .map((start = 0) => those.filter(({ at }) => at === undefined || (at >= start && at < start + reach)));
}

const tooLong: Finding = {
  code: 'too-long',
  where: '',
  weight: 'hard',
  sentence: 'It is too long to be looked at as a whole: its beginning and the ends of its texts were.',
};

/** Each kind once, by its strongest sign. */
export function sumOf(signals: readonly Signal[]): number {
  return strongest(signals, ({ kind }) => kind).reduce((sum, { points }) => sum + points, 0);
}

function linesOf(signals: readonly Signal[], weight: Finding['weight']): Finding[] {
  const lines = strongest(signals, ({ code, where }) => `${code} ${where}`).filter(
    ({ points }) => points >= worthALine,
  );
  const kept = lines.length > 0 ? lines : strongest(signals, () => '');
  return kept
    .slice(0, mostFindings)
    .map(({ code, where, says, excerpt }) => ({ code, where, weight, sentence: `${says}: “${shown(excerpt)}”.` }));
}

function strongest(signals: readonly Signal[], keyOf: (signal: Signal) => string): Signal[] {
  const best = new Map<string, Signal>();
  for (const signal of signals) {
    const key = keyOf(signal);
    const known = best.get(key);
    if (known === undefined || known.points < signal.points) best.set(key, signal);
  }
  return [...best.values()].sort((a, b) => b.points - a.points);
}
