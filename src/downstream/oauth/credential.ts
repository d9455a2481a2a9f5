/** What a transport needs of a credential: a header for each request, and another try where it was refused. */

export interface Credential {
  /** The header to send; null: none. Undefined where something has to be done first, which `prepare` does. */
  readonly ready: string | null | undefined;
  /** Rejects where it is known that nothing but a sign-in helps. */
  prepare(signal?: AbortSignal): Promise<string | null>;
  /**
   * What to send the request again with; undefined where the refusal is no matter of this credential. Rejects where a
   * person has to sign in first.
   */
  afterRefusal(refusal: CredentialRefusal, signal?: AbortSignal): Promise<string | undefined>;
}

/** An answer 401 or 403. */
export interface CredentialRefusal {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** What the request carried. */
  readonly sent: string | null;
  /** Whether it was the second try. */
  readonly isRepeated: boolean;
}
