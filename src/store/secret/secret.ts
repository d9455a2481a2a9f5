/** Something secret that is kept sealed: the store never sees what it says. */

export interface StoredSecret {
  /** A path of words with slashes between them, such as `oauth/SERVER/ISSUER`. */
  readonly name: string;
  readonly sealed: string;
  readonly at: number;
}

/** The part of the store that keeps secrets. */
export interface SecretStore {
  /** Those whose names begin so, the newest first. */
  listSecrets(prefix: string): Promise<StoredSecret[]>;
  /** Of those whose names begin so, only these are there from now on. All or none. */
  replaceSecrets(prefix: string, secrets: readonly StoredSecret[]): Promise<void>;
}
