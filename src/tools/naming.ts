/** Public names of tools and prompts, both ways: `{server}.{name}`, always legal, at most 64 characters, never ambiguous. */

import { createHash } from 'node:crypto';

const maxLength = 64;
const hashLength = 8;

export interface NamedEntry {
  readonly key: string;
  readonly server: string;
  readonly name: string;
}

/** A bijection between entries and public names, for one set of entries in a stable order. */
export class NameTable<T extends NamedEntry> {
  readonly #entries = new Map<string, T>();
  readonly #names = new Map<string, string>();
  /** True if two entries wanted one name. */
  readonly hasClashes: boolean;

  constructor(entries: Iterable<T>, separator: string) {
    let hasClashes = false;
    for (const entry of entries) {
      // Two tools can want one name, by chance ("b__c" of server "a" and "c" of server "a__b") or because one of them
      // bears the shortened name of the other: the later one gets a hash.
      let name = publicName(entry, separator);
      for (let salt = 0; this.#entries.has(name); salt += 1) {
        hasClashes = true;
        name = shortened(entry, separator, salt);
      }
      this.#entries.set(name, entry);
      this.#names.set(entry.key, name);
    }
    this.hasClashes = hasClashes;
  }

  find(name: string): T | undefined {
    return this.#entries.get(name);
  }

  nameOf(entry: NamedEntry): string {
    return this.#names.get(entry.key) ?? entry.name;
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }
}

/** The name an entry has wherever names carry their server. The same entry gets the same name in every process. */
export function publicName(entry: NamedEntry, separator: string): string {
  const full = `${entry.server}${separator}${entry.name}`;
  return full.length <= maxLength && /^[A-Za-z0-9_.-]+$/.test(full) ? full : shortened(entry, separator);
}

function shortened(entry: NamedEntry, separator: string, salt = 0): string {
  const salted = salt === 0 ? entry.key : `${entry.key}\n${salt}`;
  const hash = createHash('sha256').update(salted).digest('hex').slice(0, hashLength);
  const legal = `${entry.server}${separator}${entry.name}`.replace(/[^A-Za-z0-9_.-]+/g, '_');
  return `${legal.slice(0, maxLength - hashLength - 1)}_${hash}`;
}
