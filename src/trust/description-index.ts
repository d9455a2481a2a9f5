/** Which tool of a server was approved with which description; each description is read once. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { PinnedWording, StoredPin } from '../store/store.ts';
import { descriptionKey } from './sighting.ts';

/** Descriptions that are read before others come first. */
const readAtOnce = 200;

export class DescriptionIndex {
  /** Keys by fingerprint, of what was approved when this was last read. */
  #keys = new Map<string, string>();
  #owners = new Map<string, string | null>();

  /** `pins`: those of the things that are offered. */
  async read(pins: readonly StoredPin[]): Promise<void> {
    const keys = new Map<string, string>();
    const owners = new Map<string, string | null>();
    let fresh = 0;
    for (const { kind, name, approved } of pins) {
      if (kind !== 'tool' || approved === null) continue;
      const known = this.#keys.get(approved.fingerprint);
      if (known === undefined && ++fresh % readAtOnce === 0) await giveWay();
      const key = known ?? descriptionKey(approved);
      keys.set(approved.fingerprint, key);
      // A shared one belongs to nobody.
      owners.set(key, owners.has(key) ? null : name);
    }
    this.#keys = keys;
    this.#owners = owners;
  }

  /** Those of the descriptions that one tool alone was approved with, and the name of that tool. */
  ownersOf(wordings: readonly PinnedWording[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const wording of wordings) {
      const key = descriptionKey(wording);
      const owner = this.#owners.get(key);
      if (key !== '' && typeof owner === 'string') found.set(key, owner);
    }
    return found;
  }
}
