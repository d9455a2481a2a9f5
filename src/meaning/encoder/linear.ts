/** Linear layers for all tokens of a text at once: numbers are rounded to whole ones, multiplied by the kernel and scaled back. */

import type { Dots } from '../vector.ts';
import type { Linear } from './weights.ts';

const mostInt16 = 32_767;
const mostInt32 = 2_147_483_647;
const mostInt8 = 128;
const alignment = 16;
const rounded = 32_768;
const rounding = rounded + 0.5;

export class LinearKernel {
  readonly #dots: Dots;
  readonly #vectorAddress: number;
  readonly #sumAddress: number;
  readonly #vectors: Int16Array;
  readonly #sums: Int32Array;
  readonly #scales: Float64Array;

  /** Makes room behind the first `used` bytes for `tokens` inputs and outputs of at most `widest` numbers each. */
  constructor(dots: Dots, used: number, tokens: number, widest: number) {
    this.#dots = dots;
    this.#vectorAddress = Math.ceil(used / alignment) * alignment;
    this.#sumAddress = this.#vectorAddress + 2 * tokens * widest;
    dots.reserve(this.#sumAddress + 4 * tokens * widest);
    this.#vectors = new Int16Array(dots.buffer, this.#vectorAddress, tokens * widest);
    this.#sums = new Int32Array(dots.buffer, this.#sumAddress, tokens * widest);
    this.#scales = new Float64Array(tokens);
  }

  /** `output` gets `layer.count` numbers for each token, one token after the other. */
  apply(layer: Linear, input: Float32Array, tokens: number, output: Float32Array): void {
    this.#round(input, tokens, layer.width);
    this.#dots.multiply(layer.address, layer.count, layer.width, this.#vectorAddress, tokens, this.#sumAddress);
    const { count, scales, bias } = layer;
    const sums = this.#sums;
    for (let token = 0; token < tokens; token += 1) {
      const scale = this.#scales[token] ?? 0;
      const start = token * count;
      for (let row = 0; row < count; row += 1)
        output[start + row] = (sums[start + row] ?? 0) * (scales[row] ?? 0) * scale + (bias[row] ?? 0);
    }
  }

  /** Each token with a scale of its own, as finely as the sums of the kernel allow without running over. */
  #round(input: Float32Array, tokens: number, width: number): void {
    const vectors = this.#vectors;
    const most = Math.min(mostInt16, Math.floor(mostInt32 / (mostInt8 * width)));
    for (let token = 0; token < tokens; token += 1) {
      const start = token * width;
      let largest = 0;
      for (let at = start; at < start + width; at += 1) {
        const size = Math.abs(input[at] ?? 0);
        if (size > largest) largest = size;
      }
      const factor = largest > 0 ? most / largest : 0;
      this.#scales[token] = largest / most;
      // Cut off above 0, which rounds to the nearest: several times as fast as `Math.round`.
      for (let at = start; at < start + width; at += 1)
        vectors[at] = (((input[at] ?? 0) * factor + rounding) | 0) - rounded;
    }
  }
}
