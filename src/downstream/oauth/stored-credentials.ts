/** Credentials for servers at rest: one record for each server and issuer, sealed, and read back only as what it was sealed as. */

import { z } from 'zod';
import type { Log } from '../../base/log.ts';
import type { SecretStore, StoredSecret, Turn } from '../../store/store.ts';
import { clientSchema } from './client-identity.ts';
import { issuerMetadataSchema } from './find-issuer.ts';
import { signInUnreadable } from './sign-in-trouble.ts';

const tokensSchema = z.object({
  access: z.string().min(1),
  refresh: z.string().nullable(),
  /** In wall time, because it outlives this process. */
  receivedAt: z.number(),
  expiresAt: z.number().nullable(),
  /** null: as was asked for. */
  scopes: z.array(z.string()).nullable(),
});

const recordSchema = z.object({
  /** The address of the server that the tokens are for: they go nowhere else. */
  url: z.string(),
  resource: z.string().nullable(),
  issuer: issuerMetadataSchema,
  client: clientSchema,
  /** Requested by the last sign-in. */
  scopes: z.array(z.string()),
  /** null: they are no longer good for anything, and a person has to sign in. */
  tokens: tokensSchema.nullable(),
});

export type CredentialRecord = z.output<typeof recordSchema>;

/** The part of a vault used here. A sealed text opens only with the `purpose` that it was sealed for. */
export interface RecordSealer {
  seal(text: string, purpose: string): Promise<string>;
  unseal(sealed: string, purpose: string): Promise<string>;
}

export class StoredCredentials {
  readonly #store: SecretStore;
  readonly #sealer: RecordSealer;
  readonly #log: Log;
  readonly #now: () => number;
  /** They count for a server that is first used while the store is out of reach. */
  #atStart: readonly StoredSecret[] | undefined;

  constructor(options: {
    readonly store: SecretStore;
    readonly sealer: RecordSealer;
    readonly log: Log;
    readonly now: () => number;
  }) {
    this.#store = options.store;
    this.#sealer = options.sealer;
    this.#log = options.log;
    this.#now = options.now;
  }

  async open(): Promise<void> {
    this.#atStart = await this.#store.listSecrets(prefix);
  }

  /** null: nothing is kept for this server at this address. Throws where the store cannot be read. */
  async load(server: string, url: string): Promise<CredentialRecord | null> {
    return this.#unseal(server, url, await this.#store.listSecrets(prefixOf(server)));
  }

  /** For a server that is first used: while the store is out of reach, what was kept at the start counts. */
  async loadFirst(server: string, url: string): Promise<CredentialRecord | null> {
    const beginning = prefixOf(server);
    const found = await this.#store.listSecrets(beginning).catch((error: unknown) => {
      if (this.#atStart === undefined) throw error;
      return this.#atStart.filter(({ name }) => name.startsWith(beginning));
    });
    return this.#unseal(server, url, found);
  }

  async #unseal(server: string, url: string, [newest]: readonly StoredSecret[]): Promise<CredentialRecord | null> {
    if (newest === undefined) return null;
    const text = await this.#sealer.unseal(newest.sealed, newest.name).catch((cause: unknown) => {
      throw signInUnreadable(server, cause);
    });
    const reading = recordSchema.safeParse(JSON.parse(text));
    if (!reading.success || nameOf(server, reading.data) !== newest.name) {
      this.#log.warn('A sign-in that was kept cannot be read and is not used', { server });
      return null;
    }
    return reading.data.url === url ? reading.data : null;
  }

  /** Resolves once it is committed; what was kept for the server before, of whatever issuer, is gone then. Refused once the term is over. */
  async save(server: string, record: CredentialRecord, term?: Turn['term']): Promise<void> {
    const name = nameOf(server, record);
    const sealed = await this.#sealer.seal(JSON.stringify(record), name);
    await this.#store.replaceSecrets(prefixOf(server), [{ name, sealed, at: this.#now() }], term);
  }

  /** Refused once the term is over. */
  async remove(server: string, term?: Turn['term']): Promise<void> {
    await this.#store.replaceSecrets(prefixOf(server), [], term);
  }

  /** Removes records of servers that are not among these, as far as nobody has touched them since a time. */
  async removeOthers(servers: ReadonlySet<string>, since: number): Promise<void> {
    for (const { name, at } of await this.#store.listSecrets(prefix)) {
      const server = serverIn(name);
      if (!servers.has(server) && at < since) await this.remove(server);
    }
  }
}

const prefix = 'oauth/';

/** The server that a secret is of. */
function serverIn(name: string): string {
  return name.slice(prefix.length, name.indexOf('/', prefix.length));
}

/** The names of servers hold no slash. */
function prefixOf(server: string): string {
  return `${prefix}${server}/`;
}

/** True if secrets whose names begin so are, or may be, those of this server. */
export function isAbout(beginning: string, server: string): boolean {
  return prefixOf(server).startsWith(beginning) || beginning.startsWith(prefixOf(server));
}

function nameOf(server: string, { issuer }: CredentialRecord): string {
  return `${prefixOf(server)}${issuer.issuer}`;
}

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
