/** The encoder itself: a small BERT whose token vectors are averaged. It computes where it is called; the gateway calls it in a thread. */

import { readFileSync } from 'node:fs';
import { WordPieces } from '../model-input.ts';
import { toVector, type Vector } from '../vector.ts';
import { attend, tokensPerStep } from './attention.ts';
import { LinearKernel } from './linear.ts';
import { type EncoderWeights, type Layer, type Norm, readEncoderWeights } from './weights.ts';

/** Pieces of one text that count, with the two around it; a multiple of `tokensPerStep`. */
const mostTokens = 160;
const firstPiece = 101;
const lastPiece = 102;
const unknownPiece = 100;
const smallestVariance = 1e-12;

export class Encoder {
  readonly #weights: EncoderWeights;
  readonly #pieces: WordPieces;
  readonly #linear: LinearKernel;
  readonly #mostTokens: number;
  /** One vector a token: what is known of it so far. */
  readonly #states: Float32Array;
  readonly #change: Float32Array;
  readonly #asked: Float32Array;
  readonly #taken: Float32Array;
  readonly #wide: Float32Array;
  readonly #scores: Float64Array;

  static read(folder: string, vocabularyPath: string): Encoder {
    return new Encoder(readEncoderWeights(folder), new WordPieces(readFileSync(vocabularyPath, 'utf8')));
  }

  private constructor(weights: EncoderWeights, pieces: WordPieces) {
    const { width, positions } = weights.embeddings;
    this.#weights = weights;
    this.#pieces = pieces;
    this.#mostTokens = Math.min(mostTokens, positions);
    const room = Math.ceil(this.#mostTokens / tokensPerStep) * tokensPerStep;
    this.#linear = new LinearKernel(weights.dots, weights.used, room, Math.max(3 * width, weights.inner));
    this.#states = new Float32Array(room * width);
    this.#change = new Float32Array(room * width);
    this.#asked = new Float32Array(room * 3 * width);
    this.#taken = new Float32Array(room * width);
    this.#wide = new Float32Array(room * weights.inner);
    this.#scores = new Float64Array(room);
  }

  /** null for a text without a single piece. */
  vectorOf(text: string): Vector | null {
    const pieces = this.#pieces.numbersOf(text, this.#mostTokens - 2);
    if (pieces.length === 0) return null;
    const tokens = pieces.length + 2;
    this.#begin([firstPiece, ...pieces, lastPiece]);
    for (const layer of this.#weights.layers) this.#pass(layer, tokens);
    return toVector(this.#sum(tokens));
  }

  #begin(pieces: readonly number[]): void {
    const { width, pieces: known, pieceScales, pieceRows, positionRows, norm } = this.#weights.embeddings;
    for (const [token, number] of pieces.entries()) {
      const piece = number < known ? number : unknownPiece;
      const scale = pieceScales[piece] ?? 0;
      const row = piece * width;
      const start = token * width;
      for (let at = 0; at < width; at += 1)
        this.#states[start + at] = scale * (pieceRows[row + at] ?? 0) + (positionRows[start + at] ?? 0);
    }
    normalize(this.#states, pieces.length, norm);
  }

  #pass(layer: Layer, tokens: number): void {
    const { embeddings, inner, heads } = this.#weights;
    const { width } = embeddings;
    this.#linear.apply(layer.asking, this.#states, tokens, this.#asked);
    attend(this.#asked, { tokens, width, heads }, this.#scores, this.#taken);
    this.#linear.apply(layer.mixing, this.#taken, tokens, this.#change);
    this.#add(tokens, layer.mixingNorm);
    this.#linear.apply(layer.widening, this.#states, tokens, this.#wide);
    applyGelu(this.#wide, tokens * inner);
    this.#linear.apply(layer.narrowing, this.#wide, tokens, this.#change);
    this.#add(tokens, layer.narrowingNorm);
  }

  #add(tokens: number, norm: Norm): void {
    const states = this.#states;
    const change = this.#change;
    const end = tokens * this.#weights.embeddings.width;
    for (let at = 0; at < end; at += 1) states[at] = (states[at] ?? 0) + (change[at] ?? 0);
    normalize(states, tokens, norm);
  }

  /** As good as the mean: only the direction counts. */
  #sum(tokens: number): Float64Array {
    const { width } = this.#weights.embeddings;
    const out = new Float64Array(width);
    for (let token = 0; token < tokens; token += 1)
      for (let at = 0; at < width; at += 1) out[at] = (out[at] ?? 0) + (this.#states[token * width + at] ?? 0);
    return out;
  }
}

/** Each token to mean 0 and variance 1, then to the weights and the bias of the norm. */
function normalize(states: Float32Array, tokens: number, { weights, bias }: Norm): void {
  const width = weights.length;
  for (let start = 0; start < tokens * width; start += width) {
    let sum = 0;
    for (let at = 0; at < width; at += 1) sum += states[start + at] ?? 0;
    const mean = sum / width;
    let squares = 0;
    for (let at = 0; at < width; at += 1) squares += ((states[start + at] ?? 0) - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / width + smallestVariance);
    for (let at = 0; at < width; at += 1)
      states[start + at] = ((states[start + at] ?? 0) - mean) * factor * (weights[at] ?? 0) + (bias[at] ?? 0);
  }
}

/** The activation GELU, `x × Φ(x)` with the normal distribution Φ, is read from a table; errors stay below two millionths. */
const reach = 6;
const stepsPerUnit = 256;
const table = makeTable();

/** Replaces each of the first `count` numbers. */
export function applyGelu(numbers: Float32Array, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const value = numbers[at] ?? 0;
    if (value >= reach) continue;
    if (value <= -reach) {
      numbers[at] = 0;
      continue;
    }
    const place = (value + reach) * stepsPerUnit;
    const below = Math.floor(place);
    const left = table[below] ?? 0;
    numbers[at] = left + (place - below) * ((table[below + 1] ?? 0) - left);
  }
}

/** Φ is summed up from left to right by Simpson's rule, which at this step is as exact as the numbers themselves. */
function makeTable(): Float64Array {
  const out = new Float64Array(2 * reach * stepsPerUnit + 2);
  const step = 1 / stepsPerUnit;
  const start = -2 * reach;
  let share = 0;
  for (let at = 0; at < 3 * reach * stepsPerUnit + 2; at += 1) {
    const value = start + at * step;
    const place = at - reach * stepsPerUnit;
    if (place >= 0) out[place] = value * share;
    share += (step / 6) * (density(value) + 4 * density(value + step / 2) + density(value + step));
  }
  return out;
}

function density(value: number): number {
  return Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI);
}
