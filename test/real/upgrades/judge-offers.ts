/** Judges what real servers offer as the gateway does: with its pins, its judge and its neighbours, in memory. */

import { systemClock } from '../../../src/base/clock.ts';
import { listingFrom } from '../../../src/catalog/catalog.ts';
import { buildSnapshot, neighboursOf } from '../../../src/catalog/snapshot.ts';
import type { Offer } from '../../../src/downstream/downstream.ts';
import { reservedNames } from '../../../src/meta-tools/meta-tools.ts';
import type { Listing, PinKind, PinReason, StoredPin } from '../../../src/store/store.ts';
import { judgeCases } from '../../../src/trust/judge-cases.ts';
import { fingerprintIn, isOpen, isWorthALook, type Judge, Pins, sightingsIn } from '../../../src/trust/trust.ts';

/** One thing that is held or marked, and why. */
export interface Verdict {
  readonly kind: PinKind;
  readonly name: string;
  readonly reasons: readonly PinReason[];
}

/** Of some definitions, how many there are, and those that did not pass silently. */
export interface Tally {
  readonly count: number;
  readonly held: readonly Verdict[];
  readonly marked: readonly Verdict[];
}

export interface Judged {
  readonly tools: Tally;
  /** Prompts, resources and templates. */
  readonly others: Tally;
  /** The server's words about itself. */
  readonly words: Tally;
}

/** Both versions have these under the same name. */
export interface JudgedUpgrade {
  readonly tools: number;
  readonly changed: Judged;
  readonly added: Judged;
}

/** The server as its package runner starts it: which version that is does not make it another one. */
const source = 'npx';

/** In this thread: the gateway's own gives up on a machine that is too busy. */
const judge: Judge = async (order) => judgeCases(order);

export class OfferJudge {
  readonly #server: string;
  readonly #neighbours: ReadonlyMap<string, Listing>;
  readonly #pins: Pins;

  /** `others`: what the other servers of the gateway offer. */
  constructor(server: string, others: ReadonlyMap<string, Offer>) {
    this.#server = server;
    this.#neighbours = new Map([...others].map(([name, offer]) => [name, listingOf(offer)]));
    const store = { listPins: async () => [], savePins: async () => {} };
    this.#pins = new Pins({ store, clock: systemClock, approvesNew: () => false, judge });
  }

  /** A server that was never seen. */
  async firstSight(offer: Offer): Promise<Judged> {
    await this.#see(listingOf(offer));
    return judgedOf(this.#pins.list());
  }

  /** A server in use whose owner has accepted all of its old version. */
  async upgrade(before: Offer, after: Offer): Promise<JudgedUpgrade> {
    await this.#see(listingOf(before));
    await this.#acceptAll();
    const old = new Map(this.#pins.list().map((pin) => [keyOf(pin), fingerprintIn(pin)]));
    const listing = listingOf(after);
    await this.#see(listing);
    const offered = new Set(sightingsIn(this.#server, source, listing).map(keyOf));
    const pins = this.#pins.list().filter((pin) => offered.has(keyOf(pin)));
    const isChanged = (pin: StoredPin) => old.has(keyOf(pin)) && old.get(keyOf(pin)) !== fingerprintIn(pin);
    return {
      tools: after.tools.length,
      changed: judgedOf(pins.filter(isChanged)),
      added: judgedOf(pins.filter((pin) => !old.has(keyOf(pin)))),
    };
  }

  async #see(listing: Listing): Promise<void> {
    const nobody = buildSnapshot([], () => undefined);
    const neighbours = neighboursOf(nobody, this.#neighbours, this.#server, listing, reservedNames);
    await this.#pins.judge(this.#server, sightingsIn(this.#server, source, listing), neighbours);
  }

  async #acceptAll(): Promise<void> {
    const waiting = this.#pins.list().filter((pin) => isOpen(pin) || isWorthALook(pin));
    if (waiting.length === 0) return;
    const fingerprints = waiting.map(fingerprintIn);
    await this.#pins.decide({ server: this.#server, fingerprints }, 'approved', 'owner');
  }
}

function listingOf(offer: Offer): Listing {
  return listingFrom(offer, 0, source, []);
}

function keyOf({ kind, name }: Pick<StoredPin, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

function judgedOf(pins: readonly StoredPin[]): Judged {
  const kindOf = ({ kind }: StoredPin) => (kind === 'tool' ? 'tools' : kind === 'server' ? 'words' : 'others');
  const tallyOf = (which: keyof Judged): Tally => {
    const some = pins.filter((pin) => kindOf(pin) === which);
    return { count: some.length, held: verdicts(some.filter(isOpen)), marked: verdicts(some.filter(isWorthALook)) };
  };
  return { tools: tallyOf('tools'), others: tallyOf('others'), words: tallyOf('words') };
}

function verdicts(pins: readonly StoredPin[]): Verdict[] {
  return pins.map(({ kind, name, reasons }) => ({ kind, name, reasons }));
}
