/** Sign-ins that wait for a browser, sealed in the store: with several replicas, the browser may come back to any of them. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../config/config.ts';
import { type SecretStore, type StoredSecret, signInPrefix } from '../../store/store.ts';
import { clientSchema } from './client-identity.ts';
import { issuerMetadataSchema } from './find-issuer.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import type { RecordSealer } from './stored-credentials.ts';

const keptSchema = z.object({
  flow: z.string(),
  state: z.string(),
  verifier: z.string(),
  person: z.object({ id: z.string(), name: z.string() }),
  plan: z.object({
    server: z.string(),
    url: z.string(),
    issuer: issuerMetadataSchema,
    resource: z.string(),
    client: clientSchema,
    scopes: z.array(z.string()),
    redirectUri: z.string(),
  }),
  expiresAt: z.number(),
  /** A browser has come back with it. */
  isTaken: z.boolean(),
  /** Undefined: it waits. `null`: it went well, else why not. */
  end: z.string().nullable().optional(),
});

export type KeptSignIn = z.output<typeof keptSchema>;

/** One that waits from now on. */
export function keptOf(flow: SignInFlow, person: KeptSignIn['person'], expiresAt: number): KeptSignIn {
  const { id, state, verifier, plan } = flow;
  const { fetch: _, scopes, ...said } = plan;
  const { id: personId, name } = person;
  return {
    ...{ flow: id, state, verifier, expiresAt, isTaken: false },
    person: { id: personId, name },
    plan: { ...said, scopes: [...scopes] },
  };
}

interface KeptSignInsOptions {
  readonly store: SecretStore;
  readonly sealer: RecordSealer;
  readonly now: () => number;
}

export class KeptSignIns {
  readonly #options: KeptSignInsOptions;

  constructor(options: KeptSignInsOptions) {
    this.#options = options;
  }

  /** In place of earlier ones of its server. */
  async begin(kept: KeptSignIn): Promise<void> {
    const { store, now } = this.#options;
    for (const { name, at } of await store.listSecrets(signInPrefix)) {
      if (name.endsWith(`/${kept.plan.server}`) || at < now() - limits.signInTtlMs) await store.removeSecret(name);
    }
    await this.save(kept);
  }

  /** How it stands now. */
  async save(kept: KeptSignIn): Promise<void> {
    const { store, sealer, now } = this.#options;
    const name = nameOf(kept);
    const sealed = await sealer.seal(JSON.stringify(kept), name);
    await store.replaceSecrets(name, [{ name, sealed, at: now() }]);
  }

  /**
   * The one that waits for this, of this server where one is named. Nobody can come back with it a second time. Anybody can ask: a
   * state that is none costs one look for one row.
   */
  async take(state: string, server: string | undefined): Promise<KeptSignIn | undefined> {
    const { store } = this.#options;
    const [found] = await store.listSecrets(prefixOf(state));
    const kept = found && (await this.#unseal(found));
    if (kept === undefined || kept.isTaken || (server ?? kept.plan.server) !== kept.plan.server) return undefined;
    if (!(await store.removeSecret(nameOf(kept)))) return undefined;
    const taken = { ...kept, isTaken: true };
    await this.save(taken);
    return taken;
  }

  /** By the id of its flow, whether it waits or has ended. */
  async find(flow: string): Promise<KeptSignIn | undefined> {
    for (const secret of await this.#options.store.listSecrets(signInPrefix)) {
      const kept = await this.#unseal(secret);
      if (kept?.flow === flow) return kept;
    }
    return undefined;
  }

  /** Undefined for one that is sealed with another key, written by another version, or over: it is none of ours. */
  async #unseal({ name, sealed }: StoredSecret): Promise<KeptSignIn | undefined> {
    const { sealer, now } = this.#options;
    const text = await sealer.unseal(sealed, name).catch(() => 'null');
    const { data: kept } = keptSchema.safeParse(JSON.parse(text));
    return kept !== undefined && kept.expiresAt > now() ? kept : undefined;
  }
}

/** Found by the state that a browser brings, which is known to nobody else and stands in no name. */
function prefixOf(state: string): string {
  return `${signInPrefix}${createHash('sha256').update(state).digest('base64url')}/`;
}

/** The names of servers hold no slash. */
function nameOf({ state, plan }: KeptSignIn): string {
  return `${prefixOf(state)}${plan.server}`;
}
