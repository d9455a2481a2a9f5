/** Public names of tools and prompts, both ways: `{server}.{name}`, always legal, at most 64 characters, never ambiguous. */

import { createHash } from 'node:crypto';

const maxLength = 64;
const hashLength = 8;

export interface Named {
  readonly key: string;
  readonly server: string;
  readonly name: string;
}

/** A bijection between entries and public names, for one set of entries in a stable order. */
export class NameTable<T extends Named> {
  readonly #entries = new Map<string, T>();
  readonly #names = new Map<string, string>();

  constructor(entries: Iterable<T>, separator: string) {
    for (const entry of entries) {
      const wanted = publicName(entry, separator);
      // Two tools can want one name ("a.b" of server "c" and "b" of server "c.a"): the later one is told apart by its hash.
      const name = this.#entries.has(wanted) ? shortened(entry, separator) : wanted;
      this.#entries.set(name, entry);
      this.#names.set(entry.key, name);
    }
  }

  find(name: string): T | undefined {
    return this.#entries.get(name);
  }

  nameOf(entry: Named): string {
    return this.#names.get(entry.key) ?? entry.name;
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }
}

/** The name an entry has wherever names carry their server. The same entry gets the same name in every process. */
export function publicName(entry: Named, separator: string): string {
  const full = `${entry.server}${separator}${entry.name}`;
  return full.length <= maxLength && /^[A-Za-z0-9_.-]+$/.test(full) ? full : shortened(entry, separator);
}

function shortened(entry: Named, separator: string): string {
  const hash = createHash('sha256').update(entry.key).digest('hex').slice(0, hashLength);
  const legal = `${entry.server}${separator}${entry.name}`.replace(/[^A-Za-z0-9_.-]+/g, '_');
  return `${legal.slice(0, maxLength - hashLength - 1)}_${hash}`;
}
