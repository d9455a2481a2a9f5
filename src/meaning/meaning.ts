/** From texts to vectors: texts that mean the same point the same way. What other folders may use of it. */

import type { Vector } from './vector.ts';

export { openEncoder } from './encoder/encoder-model.ts';
export { openGlosses } from './glosses.ts';
export { ModelFile } from './model-file.ts';
export { assetPath, openWordPieces, partsBeyond, partsOf, textOfTool } from './model-input.ts';
export { RemoteModel, type RemoteModelSettings } from './remote-model.ts';
export { openTable, type TableModel } from './table-model.ts';
export { Dots, toVector, type Vector } from './vector.ts';

/** A table adds up words; an encoder reads them together; what a service does is not known. Their nearness is on different scales. */
export type ModelKind = 'table' | 'encoder' | 'service';

/** Anything that makes vectors: the built-in table, the encoder of the companion package, a service. */
export interface EmbeddingModel {
  /** Vectors of different models cannot be compared; they are stored under this id. */
  readonly id: string;
  readonly kind: ModelKind;
  /** The numbers of one of its vectors, with the zeros that fill it up for the kernel. */
  readonly width: number;
  /** The same without those zeros. */
  readonly dimensions: number;
  /**
   * In the order of the texts; null for a text without meaning to the model. Throws MODEL_FAILED when the model cannot answer.
   * `isUrgent`: somebody waits for it, so that it goes before what is made ahead of time.
   */
  embed(texts: readonly string[], signal: AbortSignal, isUrgent?: boolean): Promise<(Vector | null)[]>;
  close(): Promise<void>;
}
