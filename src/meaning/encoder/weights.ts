/** The weights of the encoder: the layers in one memory with the kernel, the word pieces where the file was read to. */

import { join } from 'node:path';
import { GatewayError } from '../../base/errors.ts';
import { ModelFile } from '../model-file.ts';
import { Dots } from '../vector.ts';

/** Not by its name: on the public registry that name is not ours. */
export const installEncoder =
  'In a checkout of Toolcrib run "npm install"; elsewhere install the folder "companions/encoder" of a checkout.';
export const encoderFiles = { embeddings: 'encoder.embeddings', layers: 'encoder.layers' } as const;

/** The kernel takes numbers by sixteen. */
const together = 16;

/** `rows × input + bias`; row r is `scales[r]` times the int8 numbers at `address + r * width`. */
export interface Linear {
  readonly address: number;
  readonly count: number;
  readonly width: number;
  readonly scales: Float32Array;
  readonly bias: Float32Array;
}

export interface Norm {
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

export interface Layer {
  /** Queries, keys and values one below the other: they are made from the same input. */
  readonly asking: Linear;
  readonly mixing: Linear;
  readonly mixingNorm: Norm;
  readonly widening: Linear;
  readonly narrowing: Linear;
  readonly narrowingNorm: Norm;
}

export interface Embeddings {
  readonly id: string;
  readonly pieces: number;
  readonly width: number;
  readonly positions: number;
  readonly pieceScales: Float32Array;
  readonly pieceRows: Int8Array;
  readonly positionRows: Float32Array;
  readonly norm: Norm;
}

export interface EncoderWeights {
  readonly embeddings: Embeddings;
  readonly layers: readonly Layer[];
  readonly inner: number;
  readonly heads: number;
  readonly dots: Dots;
  /** Bytes of the memory that the weights take, from its start. */
  readonly used: number;
}

export function readEncoderWeights(folder: string): EncoderWeights {
  const embeddings = readEmbeddings(join(folder, encoderFiles.embeddings));
  const file = ModelFile.read(join(folder, encoderFiles.layers));
  const width = file.number('width');
  const inner = file.number('inner');
  const heads = file.number('heads');
  const count = file.number('layers');
  if (
    file.id !== embeddings.id ||
    width !== embeddings.width ||
    width % together !== 0 ||
    inner % together !== 0 ||
    width % heads !== 0
  )
    throw new GatewayError('MODEL_BROKEN', `The files of the encoder in ${folder} do not fit together.`, {
      hint: installEncoder,
    });
  const dots = new Dots();
  const used = count * (4 * width * width + 2 * width * inner);
  dots.reserve(used);
  const reader = new LayerReader(file, new Int8Array(dots.buffer));
  const layers = Array.from({ length: count }, () => reader.nextLayer(width, inner));
  return { embeddings, layers, inner, heads, dots, used };
}

function readEmbeddings(path: string): Embeddings {
  const file = ModelFile.read(path);
  const pieces = file.number('pieces');
  const width = file.number('width');
  const positions = file.number('positions');
  return {
    id: file.id,
    pieces,
    width,
    positions,
    pieceScales: file.nextFloats(pieces),
    pieceRows: file.nextInt8(pieces * width),
    positionRows: file.nextFloats(positions * width),
    norm: { weights: file.nextFloats(width), bias: file.nextFloats(width) },
  };
}

/** Moves one layer after the other from the file into the memory. */
class LayerReader {
  readonly #file: ModelFile;
  readonly #memory: Int8Array;
  #free = 0;

  constructor(file: ModelFile, memory: Int8Array) {
    this.#file = file;
    this.#memory = memory;
  }

  nextLayer(width: number, inner: number): Layer {
    const asking = this.#nextLinear(3, width, width);
    const mixing = this.#nextLinear(1, width, width);
    const widening = this.#nextLinear(1, inner, width);
    const narrowing = this.#nextLinear(1, width, inner);
    const mixingNorm = this.#nextNorm(width);
    const narrowingNorm = this.#nextNorm(width);
    return { asking, mixing, mixingNorm, widening, narrowing, narrowingNorm };
  }

  /** So many blocks of the file with `height` rows each, as one. */
  #nextLinear(blocks: number, height: number, width: number): Linear {
    const address = this.#free;
    const count = blocks * height;
    const scales = new Float32Array(count);
    const bias = new Float32Array(count);
    for (let block = 0; block < blocks; block += 1) {
      scales.set(this.#file.nextFloats(height), block * height);
      this.#memory.set(this.#file.nextInt8(height * width), this.#free);
      this.#free += height * width;
      bias.set(this.#file.nextFloats(height), block * height);
    }
    return { address, count, width, scales, bias };
  }

  /** Copies, because a view would keep the whole file in memory. */
  #nextNorm(width: number): Norm {
    return { weights: this.#file.nextFloats(width).slice(), bias: this.#file.nextFloats(width).slice() };
  }
}
