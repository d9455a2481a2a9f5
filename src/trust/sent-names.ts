/** Names on their way to the thread that judges: it remembers them, and is sent those that changed since the last order. */

import type { Neighbours } from './judgement.ts';
import { NameIndex } from './scan/known-names.ts';

type Names = ReadonlySet<string>;

/** Neighbours, less what the thread has of them. */
export interface SentNeighbours extends Pick<Neighbours, 'server' | 'ownNames'> {
  /** Other servers with other tools than before; undefined: there is no such server any more. */
  readonly changed: ReadonlyMap<string, Names | undefined>;
  /** The tools of the server itself; null where they are those that were sent with an earlier order. */
  readonly siblings: Names | null | undefined;
}

/** What one thread has. Sets never change, so that the same one has the same names. */
export class SentNames {
  readonly #others = new Map<string, Names>();
  readonly #siblings = new Map<string, Names | undefined>();

  /** What the thread lacks for an order; it counts as sent. */
  missing({ server, ownNames, others, siblings }: Neighbours): SentNeighbours {
    const changed = new Map<string, Names | undefined>();
    // The names of the server itself stay: orders of several servers come in turns, and each is a neighbour in those of the others.
    for (const name of this.#others.keys()) if (!others.has(name) && name !== server) changed.set(name, undefined);
    for (const [name, names] of others) if (this.#others.get(name) !== names) changed.set(name, names);
    for (const [name, names] of changed) {
      if (names !== undefined) this.#others.set(name, names);
      else for (const sent of [this.#others, this.#siblings]) sent.delete(name);
    }
    const isSent = this.#siblings.has(server) && this.#siblings.get(server) === siblings;
    this.#siblings.set(server, siblings);
    return { server, ownNames, changed, siblings: isSent ? null : siblings };
  }
}

/** The same at the other end. */
export class ReceivedNames {
  readonly #index = new NameIndex();
  readonly #siblings = new Map<string, Names | undefined>();

  /** All neighbours of an order. */
  complete({ server, ownNames, changed, siblings }: SentNeighbours): Neighbours {
    for (const [name, names] of changed) {
      this.#index.set(name, names);
      if (names === undefined) this.#siblings.delete(name);
    }
    if (siblings !== null) this.#siblings.set(server, siblings);
    return { server, ownNames, others: this.#index.names, siblings: this.#siblings.get(server) };
  }
}
