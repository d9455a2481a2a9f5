/** How a passage in another language than English sounds: words, neighbours and parts of words, weighed as learnt from written ones. */

import { assetPath, ModelFile } from '../../meaning/meaning.ts';

/** How many different weights there are; marks that share one are told apart by the others beside them. */
export const weightCount = 65_536;
const unspaced = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/;
const most = 2_000;

/** The marks of a folded text, as numbers of weights. */
export function marksOf(text: string): ReadonlySet<number> {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu)?.slice(0, most) ?? [];
  const marks = new Set<number>();
  for (const [at, word] of words.entries()) {
    marks.add(numberOf(`w${word}`));
    if (at > 0) marks.add(numberOf(`b${words[at - 1]} ${word}`));
    const sizes = unspaced.test(word) ? [2, 3] : [4, 5];
    const whole = unspaced.test(word) ? word : `^${word}$`;
    for (const size of sizes)
      for (let from = 0; from + size <= whole.length; from += 1)
        marks.add(numberOf(`c${whole.slice(from, from + size)}`));
  }
  return marks;
}

/** FNV-1a. */
function numberOf(mark: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < mark.length; at += 1) hash = Math.imul(hash ^ mark.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % weightCount;
}

export class ForeignModel {
  readonly #weights: Int8Array;
  readonly #scale: number;
  readonly #bias: number;

  constructor(path: string) {
    const file = ModelFile.read(path);
    if (file.number('weights') !== weightCount) throw file.broken();
    const [scale = 0, bias = 0] = file.nextFloats(2);
    this.#scale = scale;
    this.#bias = bias;
    this.#weights = file.nextInt8(weightCount);
  }

  /** Above 0 it is more likely to steer a model than not. */
  scoreOf(text: string): number {
    const marks = marksOf(text);
    let sum = 0;
    for (const mark of marks) sum += this.#weights[mark] ?? 0;
    return (this.#scale * sum) / Math.sqrt(Math.max(1, marks.size)) + this.#bias;
  }
}

let opened: ForeignModel | undefined;

/** The one of this package, read at the first use and kept. */
export function openForeign(): ForeignModel {
  opened ??= new ForeignModel(assetPath('foreign.bin'));
  return opened;
}
