/** Sign-ins that wait for a browser, sealed in the store: with several replicas, the browser may come back to any of them. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SecretStore } from '../../store/store.ts';
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

  /** In place of an earlier one of its server. */
  async save(kept: KeptSignIn): Promise<void> {
    const { store, sealer, now } = this.#options;
    const name = nameOf(kept.plan.server, kept.state);
    const sealed = await sealer.seal(JSON.stringify(kept), name);
    await store.replaceSecrets(prefixOf(kept.plan.server), [{ name, sealed, at: now() }]);
  }

  /** The one that waits for this, of this server where one is named. Nobody can come back with it a second time. */
  async take(state: string, server: string | undefined): Promise<KeptSignIn | undefined> {
    const kept = (await this.#list()).find((one) => one.state === state && !one.isTaken);
    if (kept === undefined || (server ?? kept.plan.server) !== kept.plan.server) return undefined;
    if (!(await this.#options.store.removeSecret(nameOf(kept.plan.server, state)))) return undefined;
    const taken = { ...kept, isTaken: true };
    await this.save(taken);
    return taken;
  }

  /** By the id of its flow, whether it waits or has ended. */
  async find(flow: string): Promise<KeptSignIn | undefined> {
    return (await this.#list()).find((kept) => kept.flow === flow);
  }

  async #list(): Promise<KeptSignIn[]> {
    const { store, sealer, now } = this.#options;
    const found: KeptSignIn[] = [];
    for (const { name, sealed } of await store.listSecrets(prefix)) {
      // One that is sealed with another key, or written by another version, is none of ours.
      const text = await sealer.unseal(sealed, name).catch(() => 'null');
      const { data: kept } = keptSchema.safeParse(JSON.parse(text));
      if (kept === undefined) continue;
      if (kept.expiresAt > now()) found.push(kept);
      else await store.removeSecret(name);
    }
    return found;
  }
}

const prefix = 'sign-in/';

/** The names of servers hold no slash. */
function prefixOf(server: string): string {
  return `${prefix}${server}/`;
}

/** The state is known to nobody but the browser that brings it. */
function nameOf(server: string, state: string): string {
  return `${prefixOf(server)}${createHash('sha256').update(state).digest('base64url')}`;
}
