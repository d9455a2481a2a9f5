/** Secrets in memory, and a seal that can be looked through: for tests of what is kept, not of how. */

import { Signal } from '../../src/base/signal.ts';
import type { RecordSealer } from '../../src/downstream/oauth/stored-credentials.ts';
import type { SecretStore, StoreChanges, StoredSecret, StoreEvent, Turn } from '../../src/store/store.ts';

export class MemorySecrets implements SecretStore, StoreChanges {
  readonly events = new Signal<StoreEvent>();
  readonly kept = new Map<string, StoredSecret>();
  /** Runs before each change, with the term that it is made under; a rejection is a store that cannot be written. */
  onReplace: (term?: Turn['term']) => Promise<void> = async () => {};

  async listSecrets(prefix: string): Promise<StoredSecret[]> {
    return [...this.kept.values()].filter(({ name }) => name.startsWith(prefix)).sort((a, b) => b.at - a.at);
  }

  async replaceSecrets(prefix: string, secrets: readonly StoredSecret[], term?: Turn['term']): Promise<void> {
    await this.onReplace(term);
    for (const name of [...this.kept.keys()]) if (name.startsWith(prefix)) this.kept.delete(name);
    for (const secret of secrets) this.kept.set(secret.name, secret);
  }

  async removeSecret(name: string): Promise<boolean> {
    return this.kept.delete(name);
  }
}

export const plainSealer: RecordSealer = {
  seal: async (text, purpose) => JSON.stringify([purpose, text]),
  unseal: async (sealed, purpose) => {
    const [sealedFor, text] = JSON.parse(sealed) as [string, string];
    if (sealedFor !== purpose) throw new Error('sealed for another purpose');
    return text;
  },
};
