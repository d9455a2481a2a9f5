/** The credential of a transport: a header for each request, and another try where it was refused. */

export interface Credential {
  /** The header to send; null: none. Undefined where something has to be done first, which `prepare` does. */
  readonly ready: string | null | undefined;
  /** Rejects where it is known that nothing but a sign-in helps. */
  prepare(signal?: AbortSignal): Promise<string | null>;
  /**
   * The header to try again with; undefined if the refusal is not about this credential. Rejects if a person has to
   * sign in first.
   */
  afterRefusal(refusal: CredentialRefusal, signal?: AbortSignal): Promise<string | undefined>;
}

/** An answer 401 or 403. */
export interface CredentialRefusal {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** The header it carried. */
  readonly sent: string | null;
  /** True if it was the second try. */
  readonly isRepeated: boolean;
}
