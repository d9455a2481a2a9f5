/** Keeps secrets unreadable at rest: seals them with a key that is outside the database. This is the front of the folder. */

import { type Clock, systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { type Keyring, systemKeyring } from './keyring.ts';
import { markText, sealedBy, sealText, unsealText } from './seal-text.ts';
import {
  type KeyLocation,
  type KeySources,
  keyFileOf,
  keyFromEnvironment,
  keyOfFolder,
  keyVariable,
  locationInFolder,
  makeKey,
  type SecretKey,
} from './secret-key.ts';

export interface VaultOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** A new key goes into the keyring of the system, where there is one. */
  readonly useKeyring: boolean;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  readonly keyring?: Keyring | undefined;
}

/** Which key it is, and marks of texts that only its owners can make. */
export interface SharedKey {
  readonly id: string;
  markOf(text: string): string;
}

export class Vault {
  readonly #sources: KeySources;
  readonly #log: Log;
  /** Keys by their ids, as far as they were needed. */
  readonly #keys = new Map<string, SecretKey>();
  /** The key that seals; found or made once, however many ask at the same time. */
  #sealing: Promise<SecretKey> | undefined;
  /** Only the key in the environment counts: what another one opened here, no other gateway could open. */
  #isShared = false;

  private constructor(sources: KeySources, log: Log) {
    this.#sources = sources;
    this.#log = log;
  }

  /** Touches nothing yet: a gateway without secrets has no key. */
  static open(options: VaultOptions): Vault {
    const { dataDir, env, useKeyring, log } = options;
    const keyring = options.keyring ?? systemKeyring(options.clock ?? systemClock);
    return new Vault({ dataDir, env, keyring, makesInKeyring: useKeyring }, log);
  }

  /** A text can only be unsealed for the purpose it was sealed for: moved elsewhere, it is of no use there. */
  async seal(text: string, purpose: string): Promise<string> {
    const { key } = await this.#sealingKey();
    return sealText(text, purpose, key);
  }

  async unseal(sealed: string, purpose: string): Promise<string> {
    const id = sealedBy(sealed);
    if (id === undefined) {
      throw new GatewayError('STORE_BROKEN', `A secret for "${purpose}" is not in a form that can be read.`, {
        hint: 'It may be of a newer version; otherwise set the secret again.',
      });
    }
    const { key } = this.#keys.get(id) ?? (await this.#findKey(id));
    return unsealText(sealed, purpose, key);
  }

  /**
   * Throws STORE_BROKEN unless each of these texts has its key here, or the sealing key sealed some of them: two replicas
   * with different keys leave such a store, and only a running gateway can repair it. Fixes the sealing key now: a key made
   * later, after its file was removed, would leave the store with two keys, and nobody would have the first.
   */
  async holdKeysOf(sealed: readonly string[]): Promise<void> {
    const ids = new Set(sealed.flatMap((text) => sealedBy(text) ?? []));
    if (ids.size === 0) return;
    const own = keyFromEnvironment(this.#sources.env) ?? (await keyOfFolder(this.#sources));
    if (own === undefined || !ids.has(own.id)) for (const id of ids) await this.#findKey(id);
    await this.#sealingKey();
  }

  /** Where the key is that seals; null: there is none yet. Makes none. */
  async location(): Promise<KeyLocation | null> {
    return keyFromEnvironment(this.#sources.env)?.location ?? (await locationInFolder(this.#sources.dataDir));
  }

  /**
   * The key that several gateways on one store share. Throws CONFIG_INVALID where the environment has none: each would seal with a
   * key of its own, which the others lack.
   */
  async sharedKey(): Promise<SharedKey> {
    this.#isShared = true;
    const found = keyFromEnvironment(this.#sources.env);
    if (found !== undefined) return { id: found.id, markOf: (text) => markText(text, found.key) };
    const { dataDir } = this.#sources;
    const former = await locationInFolder(dataDir);
    const place =
      former === 'keyring' ? `in the keyring that "${keyFileOf(dataDir)}" names` : `in "${keyFileOf(dataDir)}"`;
    const orFormer = former === null ? '' : ` or, if you moved from SQLite, to the key ${place}`;
    throw new GatewayError('CONFIG_INVALID', `A gateway on PostgreSQL needs its key for secrets in ${keyVariable}.`, {
      hint: `Set it to the key of the other gateways on that database${orFormer}. Make a key only for a new database: openssl rand -base64 32`,
    });
  }

  #sealingKey(): Promise<SecretKey> {
    this.#sealing ??= this.#findSealingKey().catch((error) => {
      // A keyring may be unlocked later.
      this.#sealing = undefined;
      throw error;
    });
    return this.#sealing;
  }

  async #findSealingKey(): Promise<SecretKey> {
    const known = keyFromEnvironment(this.#sources.env) ?? (await keyOfFolder(this.#sources));
    if (known !== undefined) return this.#keep(known);
    const made = await makeKey(this.#sources);
    this.#log.info('A key for secrets was made', { location: made.location });
    return this.#keep(made);
  }

  /** Nothing is made here: another key would not help, and the right one may come back. */
  async #findKey(id: string): Promise<SecretKey> {
    const fromEnvironment = keyFromEnvironment(this.#sources.env);
    if (fromEnvironment?.id === id) return this.#keep(fromEnvironment);
    const ofFolder = await keyOfFolder(this.#sources);
    if (ofFolder?.id === id && !this.#isShared) return this.#keep(ofFolder);
    throw this.#noKey(id, fromEnvironment, ofFolder);
  }

  #keep(found: SecretKey): SecretKey {
    this.#keys.set(found.id, found);
    return found;
  }

  #noKey(id: string, inEnvironment: SecretKey | undefined, ofFolder: SecretKey | undefined): GatewayError {
    const file = keyFileOf(this.#sources.dataDir);
    const data = { reason: 'secret-key' };
    if (inEnvironment !== undefined) {
      const message = `${keyVariable} does not match the key that sealed the secrets in the database: it holds "${inEnvironment.id}", and "${id}" sealed them.`;
      return new GatewayError('STORE_BROKEN', message, {
        hint: `${this.#previous(id, ofFolder)} Nothing was changed.`,
        data,
      });
    }
    const other = ofFolder === undefined ? '' : `, which leads to another key ("${ofFolder.id}")`;
    return new GatewayError(
      'STORE_BROKEN',
      `The key "${id}", which sealed secrets in the database, is not in ${keyVariable}, the system's keyring or "${file}"${other}.`,
      {
        hint: 'Restore the key to one of these places, for example from a backup; nothing was changed. If the key is lost, start with another data folder (--data) and set the secrets again.',
        data,
      },
    );
  }

  /** Says where the previous key may be. */
  #previous(id: string, ofFolder: SecretKey | undefined): string {
    const file = keyFileOf(this.#sources.dataDir);
    if (!this.#isShared) return `Set it to the key "${id}", or put that key into "${file}".`;
    return ofFolder?.id === id
      ? `Set it to the key in "${file}", on every gateway.`
      : 'Set the previous key: the other gateways have it. If you moved from SQLite, it is in "secret-key" in the old data folder.';
  }
}
