/** The meaning of a text, as a model saw it. */

export interface StoredVector {
  /** Of the text; unique by model. */
  readonly fingerprint: string;
  /** Whole numbers from -128 to 127, one in each byte. */
  readonly values: Uint8Array;
  /** The worth of one of the numbers. */
  readonly scale: number;
}

export interface VectorStore {
  /** In no order. */
  listVectors(model: string): Promise<StoredVector[]>;
  /** Adds or replaces, in one transaction; of a fingerprint that is given twice the last one counts. */
  saveVectors(model: string, vectors: readonly StoredVector[]): Promise<void>;
  removeVectors(model: string, fingerprints: readonly string[]): Promise<void>;
  /** Says how many were removed. */
  removeVectorsOfOtherModels(model: string): Promise<number>;
}
