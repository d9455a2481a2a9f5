/** From texts to vectors: texts that mean the same point the same way. What other folders may use of it. */

import type { Vector } from './vector.ts';

export { Dots } from './dots.ts';
export { openEncoder } from './encoder-model.ts';
export { RemoteModel, type RemoteModelSettings } from './remote-model.ts';
export { openTable, type TableModel } from './table-model.ts';
export { partsOf, textOfTool } from './texts.ts';
export { toVector, type Vector } from './vector.ts';

/** A table adds up words; an encoder reads them together. Their nearness is on different scales. */
export type ModelKind = 'table' | 'encoder';

/** Anything that makes vectors: the built-in table, the encoder of the companion package, a service. */
export interface EmbeddingModel {
  /** Vectors of different models cannot be compared; they are stored under this id. */
  readonly id: string;
  readonly kind: ModelKind;
  readonly width: number;
  /** In the order of the texts; null for a text without meaning to the model. Throws MODEL_FAILED when the model cannot answer. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Vector | null)[]>;
  close(): Promise<void>;
}
