/** Secrets that settings of servers refer to by name: kept sealed, known by their values only in this process. */

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { knownSecrets } from '../base/redact.ts';
import { refuseAsName } from '../base/refuse-as-name.ts';
import { Signal } from '../base/signal.ts';
import { isSecretName, limits } from '../config/config.ts';
import { type SecretStore, type StoreChanges, StoreFollower } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';

export interface NamedSecretsOptions {
  readonly store: SecretStore & StoreChanges;
  readonly vault: Pick<Vault, 'seal' | 'unseal'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly setAt: number;
  readonly sealed: string;
  /** null: it cannot be unsealed. */
  readonly value: string | null;
}

export class NamedSecrets {
  /** A secret was set or removed. */
  readonly changed = new Signal<void>();
  readonly #options: NamedSecretsOptions;
  readonly #follower: StoreFollower;
  /** Replaced as a whole. */
  #known: ReadonlyMap<string, Known> = new Map();
  /** Values from before, the latest first: what is still running may print them. */
  #former: readonly string[] = [];

  constructor(options: NamedSecretsOptions) {
    this.#options = options;
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Secrets',
      // Also after a change of its own: one that was read a moment before must not take its place.
      isMeant: (event) => event.type === 'secrets' && (event.prefix.startsWith(prefix) || event.prefix === ''),
      read: async () => this.#replace(await this.#read()),
    });
  }

  async open(): Promise<void> {
    await this.#follower.open(async () => {
      this.#known = await this.#read();
      this.#mask();
    });
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  async #read(): Promise<ReadonlyMap<string, Known>> {
    const { store, vault, log } = this.#options;
    const stored = await store.listSecrets(prefix);
    const known = stored.map(async ({ name, sealed, at }): Promise<[string, Known]> => {
      const before = this.#known.get(nameIn(name));
      // Each change reads all of them again: those that stayed as they were are not unsealed once more.
      if (before?.sealed === sealed && before.value !== null) return [nameIn(name), { ...before, setAt: at }];
      const value = await vault.unseal(sealed, name).catch((error) => {
        log.warn('A secret cannot be read', { name: nameIn(name), error: messageOf(error) });
        return null;
      });
      return [nameIn(name), { setAt: at, sealed, value }];
    });
    return new Map(await Promise.all(known));
  }

  /** undefined: it is not set. null: it is set, and cannot be read. */
  find(name: string): string | null | undefined {
    return this.#known.get(name)?.value;
  }

  /** Undefined if it is not set. */
  describe(name: string): { readonly setAt: number; readonly isReadable: boolean } | undefined {
    const known = this.#known.get(name);
    return known && { setAt: known.setAt, isReadable: known.value !== null };
  }

  get names(): string[] {
    return [...this.#known.keys()].sort();
  }

  /** Resolves once it is committed. */
  async set(name: string, value: string): Promise<void> {
    const { store, vault, clock } = this.#options;
    refuseSecretName(name);
    const bytes = Buffer.byteLength(value);
    if (bytes === 0 || bytes > limits.maxSecretBytes)
      throw new GatewayError('USAGE', `The value of a secret must be 1 to ${limits.maxSecretBytes} bytes long.`);
    if (!this.#known.has(name) && this.#known.size >= limits.maxSecrets)
      throw new GatewayError('USAGE', `There are ${limits.maxSecrets} secrets already.`, {
        hint: 'Remove one that is not used: toolcrib secret list',
      });
    const place = placeOf(name);
    const setAt = clock.now();
    const sealed = await vault.seal(value, place);
    await store.replaceSecrets(place, [{ name: place, sealed, at: setAt }]);
    this.#replace(new Map([...this.#known, [name, { setAt, sealed, value }]]));
  }

  /** False where there was none. */
  async remove(name: string): Promise<boolean> {
    if (!this.#known.has(name)) return false;
    await this.#options.store.replaceSecrets(placeOf(name), []);
    this.#replace(new Map([...this.#known].filter(([other]) => other !== name)));
    return true;
  }

  #replace(known: ReadonlyMap<string, Known>): void {
    if (isDeepStrictEqual(known, this.#known)) return;
    const gone = [...this.#known].flatMap(([name, { value }]) =>
      known.get(name)?.value === value ? [] : (value ?? []),
    );
    this.#former = [...gone, ...this.#former].slice(0, limits.maxSecrets);
    this.#known = known;
    this.#mask();
    this.changed.emit();
  }

  #mask(): void {
    const values = [...this.#known.values()].flatMap(({ value }) => value ?? []);
    knownSecrets.set('secrets', [...values, ...this.#former]);
  }
}

/** Throws USAGE. A wrong name may be a value that was written in the wrong place: it is not repeated. */
export function refuseSecretName(name: string): void {
  refuseAsName('secret', name);
  if (isSecretName(name)) return;
  throw new GatewayError(
    'USAGE',
    'The name of a secret must be 1 to 128 letters, digits, "_", "-" or ".", and begin with a letter or "_".',
    { hint: 'The value is read from a prompt or from stdin, never from the command line.' },
  );
}

/** Where secrets with names are kept, apart from sign-ins. */
const prefix = 'named/';

function placeOf(name: string): string {
  return `${prefix}${name}/`;
}

function nameIn(place: string): string {
  return place.slice(prefix.length, -1);
}
