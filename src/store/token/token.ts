/** A token as the store knows it: everything but the token itself. */

export interface StoredToken {
  readonly id: string;
  /** Unique among those that are not revoked. */
  readonly name: string;
  /** SHA-256 of the token, in hexadecimal; unique. */
  readonly digest: string;
  readonly scopes: readonly string[];
  /** Names of servers with wildcards; null: all. */
  readonly servers: readonly string[] | null;
  readonly project: string | null;
  readonly surface: string | null;
  /** The principal that made it; null where that is not known. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface TokenStore {
  /** The oldest first, with those that were revoked. */
  listTokens(): Promise<StoredToken[]>;
  /** Throws NAME_TAKEN where another one that is not revoked has the name. */
  addToken(token: StoredToken): Promise<void>;
  /** False where there is none with this id that is not revoked yet. */
  revokeToken(id: string, at: number): Promise<boolean>;
  /** Removes those that were revoked or expired before; says how many. */
  removeEndedTokens(before: number): Promise<number>;
  /** When each was last used, by id; a later time that is known stays. */
  saveTokenUses(uses: ReadonlyMap<string, number>): Promise<void>;
}
