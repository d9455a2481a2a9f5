/** The approvals of every server: judged as it is listed, decided by the owner, kept in the store. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { Signal } from '../base/signal.ts';
import { limits, type UpgradePolicy } from '../config/config.ts';
import {
  isSamePin,
  type ListedItem,
  OutdatedPinsError,
  type PinBase,
  type PinBefore,
  type PinChanges,
  type PinEvent,
  type PinKey,
  type PinKind,
  type PinStore,
  type StoredPin,
} from '../store/store.ts';
import { decided, fingerprintIn, isOpen, isShownTo, isWorthALook, undone } from './decide-pin.ts';
import { DescriptionIndex } from './description-index.ts';
import type { Judge, JudgeOrder } from './judge-cases.ts';
import type { Neighbours } from './judgement.ts';
import { letPass, mayPass } from './let-pass.ts';
import { eventOf, isAsBefore, type PinStep, type Sighting } from './sighting.ts';
import { isCrowded, thinOut } from './vanished-pins.ts';

export interface PinsOptions {
  readonly store: Pick<PinStore, 'listPins' | 'savePins'>;
  readonly clock: Clock;
  /** True if new things wait for the owner's approval. */
  readonly approvesNew: () => boolean;
  readonly judge: Judge;
  /** The policy for a server's risky changes; left out, they wait. */
  readonly upgrades?: ((server: string) => UpgradePolicy) | undefined;
}

/** The listing that shows what is judged. */
export interface JudgedListing {
  readonly at: number;
  /** Versions, where the server has another one than before. */
  readonly upgrade?: { readonly from: string; readonly to: string } | undefined;
}

/** The pins that a listing would lead to, and the new or changed ones among them. */
export interface Preview {
  readonly pins: readonly StoredPin[];
  readonly steps: readonly PinStep[];
}

/** Which pins an order is about. */
export interface Selection {
  readonly server: string;
  readonly kind?: PinKind | undefined;
  readonly name?: string | undefined;
  /** Of the server, only these. */
  readonly only?: readonly Pick<PinKey, 'kind' | 'name'>[] | undefined;
  /** The wordings that the decider saw: if another is pending, nothing is decided. Approvals need it. */
  readonly fingerprints?: readonly string[] | undefined;
}

/** How much waits for the owner, and how much was taken that is worth a look. */
export interface Waiting {
  readonly heldCount: number;
  readonly changedCount: number;
  readonly markedCount: number;
}

export type Decision = 'approved' | 'rejected';

interface Unsaved {
  readonly pins: Map<string, StoredPin>;
  readonly events: readonly PinEvent[];
  readonly removed: Map<string, StoredPin>;
  /** Of each of these, the pin as the store has it, as far as is known here. */
  readonly bases: Map<string, PinBase>;
}

/** Decisions that are made again because another gateway was quicker. */
const mostTries = 5;

export class Pins {
  /** Events of pins, for the audit. */
  readonly told = new Signal<PinEvent>();
  /** Pins of this server were taken over from another gateway. */
  readonly takenOver = new Signal<string>();
  readonly #options: PinsOptions;
  readonly #pins = new Map<string, Map<string, StoredPin>>();
  /** Changes not stored yet, by server. */
  readonly #unsaved = new Map<string, Unsaved>();
  readonly #descriptions = new Map<string, DescriptionIndex>();
  /** Settles when what was asked for so far of a server is done: one thing after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: PinsOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    for (const pin of await this.#options.store.listPins()) this.#pinsOf(pin.server).set(keyOf(pin), pin);
  }

  /** The pin of this very server; that of another one under the same name does not count. */
  find(server: string, source: string, kind: PinKind, name: string): StoredPin | undefined {
    const pin = this.#pins.get(server)?.get(keyOf({ kind, name }));
    return pin && isOf(pin, source) ? pin : undefined;
  }

  /** True if a tool is not as approved, or never was, even if its server does not list it now. */
  isWaiting(server: string, tool: string): boolean {
    const pin = this.#pins.get(server)?.get(keyOf({ kind: 'tool', name: tool }));
    return pin !== undefined && isOpen(pin);
  }

  /** True if agents got a new wording of a tool recently. */
  isRenewed(server: string, tool: string): boolean {
    const pin = this.#pins.get(server)?.get(keyOf({ kind: 'tool', name: tool }));
    const hasChanged = pin !== undefined && (pin.passes > 0 || pin.decidedBy !== null);
    return hasChanged && this.#options.clock.now() - pin.since < limits.renewedDefinitionMs;
  }

  countWaiting(server: string): Waiting {
    const pins = this.list(server);
    const count = (state: StoredPin['state']) => pins.filter((pin) => isOpen(pin) && pin.state === state).length;
    return { heldCount: count('held'), changedCount: count('changed'), markedCount: pins.filter(isWorthALook).length };
  }

  /** Keeps one copy in memory of what is listed as approved. */
  share(server: string, items: readonly ListedItem[]): void {
    const pins = this.#pins.get(server);
    for (const { kind, name, fingerprint, definition } of items) {
      const pin = pins?.get(keyOf({ kind, name }));
      if (pin?.approved?.fingerprint === fingerprint)
        pins?.set(keyOf(pin), { ...pin, approved: { fingerprint, definition } });
    }
  }

  /** All pins of a server, or of all servers. */
  list(server?: string): StoredPin[] {
    if (server !== undefined) return [...(this.#pins.get(server)?.values() ?? [])];
    return [...this.#pins.values()].flatMap((pins) => [...pins.values()]);
  }

  /** Judges everything that a server offers now. Nothing of it is taken before all of it is judged. */
  judge(server: string, seen: readonly Sighting[], neighbours: Neighbours, listing?: JudgedListing): Promise<void> {
    return this.#inTurn(server, async () => {
      const { at, upgrade } = listing ?? { at: this.#options.clock.now() };
      const vanished = this.#vanished(server, seen);
      const facts = { neighbours, isCrowded: isCrowded(vanished), now: at };
      const index = this.#descriptions.get(server) ?? new DescriptionIndex();
      this.#descriptions.set(server, index);
      const steps = await this.#judgeCases(server, seen, facts, index);
      const { faded, removed } = thinOut(vanished);
      const pins = [...steps.map(({ pin }) => pin), ...faded];
      const told = steps.flatMap(({ event }) => event ?? []);
      const events = told.length > 0 && upgrade ? [upgradeOf(server, at, upgrade), ...told] : told;
      this.#change(server, pins, events, removed);
    });
  }

  /** The result of `judge` for an offer, without any effect. */
  async preview(server: string, seen: readonly Sighting[], neighbours: Neighbours): Promise<Preview> {
    const facts = { neighbours, isCrowded: isCrowded(this.#vanished(server, seen)), now: this.#options.clock.now() };
    const steps = await this.#judgeCases(server, seen, facts, new DescriptionIndex());
    const judged = new Map(steps.map(({ pin }) => [keyOf(pin), pin]));
    const pinOf = (one: Sighting) => judged.get(keyOf(one)) ?? this.find(server, one.source, one.kind, one.name);
    return { pins: seen.flatMap((one) => pinOf(one) ?? []), steps };
  }

  /** Takes the preview of definitions without a pin: a later wording of them is judged as a change. */
  takeFirst(server: string, steps: readonly PinStep[]): void {
    const fresh = steps.filter(({ pin }) => this.find(server, pin.source, pin.kind, pin.name) === undefined);
    this.#change(
      server,
      fresh.map(({ pin }) => pin),
      fresh.flatMap(({ event }) => event ?? []),
    );
  }

  #vanished(server: string, seen: readonly Sighting[]): StoredPin[] {
    const offered = new Set(seen.map(keyOf));
    return this.list(server).filter((pin) => !offered.has(keyOf(pin)));
  }

  async #judgeCases(
    server: string,
    seen: readonly Sighting[],
    facts: Pick<JudgeOrder, 'neighbours' | 'isCrowded' | 'now'>,
    index: DescriptionIndex,
  ): Promise<PinStep[]> {
    const { approvesNew, judge, upgrades } = this.#options;
    const policy = upgrades?.(server) ?? 'hold';
    const known = seen.map((one) => ({ pin: this.find(server, one.source, one.kind, one.name), seen: one }));
    // A thing unchanged since last seen needs no judgement.
    const cases = known.filter(({ pin, seen: one }) => !isAsBefore(pin, one));
    if (cases.some(({ pin }) => pin !== undefined)) await index.read(known.flatMap(({ pin }) => pin ?? []));
    const around = { ...facts, approvesNew: approvesNew() };
    const steps: PinStep[] = known.flatMap(({ pin, seen: one }) => released(pin, one, policy, facts.now));
    for (let at = 0; at < cases.length; at += limits.judgeAtOnce) {
      const some = cases.slice(at, at + limits.judgeAtOnce);
      const changed = some.filter(({ pin }) => pin !== undefined);
      const described = index.ownersOf(changed.map(({ seen: { wording } }) => wording));
      const judged = await judge({ cases: some, left: cases.length - at, described, ...around });
      steps.push(...judged.map((step) => letPass(step, policy, facts.now)));
    }
    return steps;
  }

  /** Approvals from before there were sources belong to the server that was listed then: to this one, or to none. */
  claim(server: string, source: string, isListed: boolean): Promise<void> {
    return this.#inTurn(server, async () => {
      const old = this.list(server).filter((pin) => pin.source === '');
      const claimed = isListed ? old.map((pin) => ({ ...pin, source })) : [];
      this.#change(server, claimed, [], isListed ? [] : old);
    });
  }

  /** Counts at once, and is stored later. */
  #change(
    server: string,
    pins: readonly StoredPin[],
    events: readonly PinEvent[],
    removed: readonly StoredPin[] = [],
  ): void {
    const unsaved = this.#unsaved.get(server) ?? nothingUnsaved();
    for (const base of this.#basesOf([...removed, ...pins])) unsaved.bases.set(keyOf(base), base);
    for (const pin of removed) {
      this.#pins.get(server)?.delete(keyOf(pin));
      unsaved.pins.delete(keyOf(pin));
      unsaved.removed.set(keyOf(pin), pin);
    }
    this.#take(server, pins, events);
    for (const pin of pins) {
      unsaved.pins.set(keyOf(pin), pin);
      unsaved.removed.delete(keyOf(pin));
    }
    // While the store refuses, the newest is what matters.
    const waiting = [...unsaved.events, ...events].slice(-limits.unsavedPinEvents);
    this.#unsaved.set(server, { ...unsaved, events: waiting });
  }

  /** Each as the store has it: what is not unsaved here is there. */
  #basesOf(pins: readonly StoredPin[]): PinBase[] {
    return pins.map(({ server, kind, name }) => {
      const key = keyOf({ kind, name });
      const known = this.#unsaved.get(server)?.bases.get(key);
      return known ?? { server, kind, name, pin: this.#pins.get(server)?.get(key) ?? null };
    });
  }

  /** Changes of a server that the store lacks. */
  unsaved(server: string): PinChanges {
    const { pins, events, removed, bases } = this.#unsaved.get(server) ?? nothingUnsaved();
    return { pins: [...pins.values()], events, removed: [...removed.values()], bases: [...bases.values()] };
  }

  /**
   * Stores with `write` what the store lacks of a server. Throws `OutdatedPinsError` where another gateway decided meanwhile:
   * its decisions count then, and what was judged here has to be judged again.
   */
  keep<T>(server: string, write: (changes: PinChanges) => Promise<T>): Promise<T> {
    return this.#inTurn(server, () => this.#keep(server, write));
  }

  /** `decided`: counts once it is stored, and not before. */
  async #keep<T>(
    server: string,
    write: (changes: PinChanges) => Promise<T>,
    decided: Pick<PinChanges, 'pins' | 'events'> = { pins: [], events: [] },
  ): Promise<T> {
    const { pins, events, removed, bases = [] } = this.unsaved(server);
    const more = this.#basesOf(decided.pins);
    const changes = { pins: [...pins, ...decided.pins], events: [...events, ...decided.events] };
    try {
      const kept = await write({ ...changes, removed, bases: [...bases, ...more] });
      this.#unsaved.delete(server);
      this.#take(server, decided.pins, decided.events);
      return kept;
    } catch (error) {
      if (error instanceof OutdatedPinsError) this.#adopt(server, error.newer);
      throw error;
    }
  }

  /** Takes over what the store has of a server, by whatever gateway it was decided. True if that is other than what was known. */
  takeOver(server: string, read: () => Promise<readonly StoredPin[]>): Promise<boolean> {
    return this.#inTurn(server, async () => {
      const stored = new Map((await read()).map((pin) => [keyOf(pin), pin]));
      const all = [...stored.values(), ...this.list(server).filter((pin) => !stored.has(keyOf(pin)))];
      return this.#adopt(
        server,
        all.map((pin) => ({ server, kind: pin.kind, name: pin.name, pin: stored.get(keyOf(pin)) ?? null })),
      );
    });
  }

  /** Changes that were made here on top of something else are given up. */
  #adopt(server: string, stored: readonly PinBase[]): boolean {
    const unsaved = this.#unsaved.get(server);
    const pins = this.#pinsOf(server);
    const newer = stored.filter((base) => {
      const mine = unsaved?.bases.get(keyOf(base)) ?? { pin: pins.get(keyOf(base)) ?? null };
      return !isSamePin(mine.pin, base.pin);
    });
    const keys = new Set(newer.map(keyOf));
    if (unsaved && keys.size > 0) {
      for (const map of [unsaved.pins, unsaved.removed, unsaved.bases]) for (const key of keys) map.delete(key);
      // Who decided has told of it, also of the upgrade.
      const events = unsaved.events.filter((event) => !keys.has(keyOf(event)) && event.act !== 'upgraded');
      this.#unsaved.set(server, { ...unsaved, events });
    }
    for (const base of newer) {
      if (base.pin) pins.set(keyOf(base), base.pin);
      else pins.delete(keyOf(base));
    }
    if (newer.length > 0) this.takenOver.emit(server);
    return newer.length > 0;
  }

  /**
   * Notes that somebody who can decide is shown these pins: by name alone they approve what they have seen and nothing
   * else. Gives back those that had not been shown to them as they are now.
   */
  async show(pins: readonly StoredPin[], to: string): Promise<StoredPin[]> {
    const fresh = pins.filter((pin) => !isShownTo(pin, to));
    for (const [server, some] of Map.groupBy(fresh, (pin) => pin.server)) {
      await this.#inTurn(server, async () => {
        const current = some.flatMap((pin) => this.#pins.get(server)?.get(keyOf(pin)) ?? []);
        const marked = current
          .filter((pin) => some.some((one) => keyOf(one) === keyOf(pin) && fingerprintIn(one) === fingerprintIn(pin)))
          .map((pin) => ({ ...pin, shown: fingerprintIn(pin), shownTo: to }));
        this.#change(server, marked, []);
        // A mark that cannot be kept means that somebody looks once more; what is shown is shown all the same.
        await this.#keep(server, (changes) => this.#options.store.savePins(changes)).catch(() => {});
      });
    }
    return fresh;
  }

  /** Decides about what is pending, all of it or nothing; kept before it counts. Gives the pins as they were until then. */
  decide(selection: Selection, decision: Decision, by: string): Promise<StoredPin[]> {
    return this.#decideInTurn(selection.server, async () => {
      const chosen = this.#chosen(selection, decision);
      const now = this.#options.clock.now();
      const pins = chosen.map((pin) => decided(pin, decision, now, by));
      const events = chosen.map((pin, at) => ({
        ...eventOf(pins[at] ?? pin, decision, now, pin.pending, by),
        before: pin.approved?.fingerprint ?? null,
      }));
      await this.#keepNow(selection.server, pins, events);
      return chosen;
    });
  }

  /**
   * Takes back the last decision about one thing, or all of the last decision about a server: what was approved before counts
   * again. Kept before it counts. Gives the pins as they are from then on.
   */
  undo(selection: Selection, by: string): Promise<StoredPin[]> {
    return this.#decideInTurn(selection.server, async () => {
      const chosen = this.#undoable(selection);
      const now = this.#options.clock.now();
      const pins = chosen.map((pin) => undone(pin, pin.undo));
      const events = chosen.map((pin, at) => ({
        ...eventOf(pins[at] ?? pin, 'undone', now, null, by),
        before: pin.approved?.fingerprint ?? null,
        after: pins[at]?.approved?.fingerprint ?? null,
      }));
      await this.#keepNow(selection.server, pins, events);
      return pins;
    });
  }

  #undoable(selection: Selection): (StoredPin & { readonly undo: PinBefore })[] {
    const { server, kind, name } = selection;
    const found = this.list(server).filter(hasUndo).filter(meantBy(selection));
    const last = Math.max(...found.map(({ undo }) => undo.at));
    const isOne = name !== undefined || kind === 'server';
    const chosen = isOne ? found : found.filter(({ undo }) => undo.at === last);
    if (chosen.length > 0) return chosen;
    throw new GatewayError('USAGE', `There is no decision about ${inWordsOf(selection)} to undo.`, {
      hint: `See what was decided: toolcrib review --history ${server}`,
    });
  }

  #keepNow(server: string, pins: readonly StoredPin[], events: readonly PinEvent[]): Promise<void> {
    return this.#keep(server, (changes) => this.#options.store.savePins(changes), { pins, events });
  }

  /** A person decided about what they saw: where another gateway was quicker, they still mean it if that is still so. */
  #decideInTurn<T>(server: string, decide: () => Promise<T>): Promise<T> {
    return this.#inTurn(server, async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await decide();
        } catch (error) {
          if (!(error instanceof OutdatedPinsError) || tries === mostTries) throw error;
        }
      }
    });
  }

  #chosen(selection: Selection, decision: Decision): StoredPin[] {
    const { server, kind, name, only, fingerprints } = selection;
    const isMeant = meantBy(selection);
    const isNamed = name !== undefined || kind === 'server' || only !== undefined;
    // Agents have what is only worth a look: it is taken from them by its name alone.
    const canBe = (pin: StoredPin) => isOpen(pin) || (isWorthALook(pin) && (decision === 'approved' || isNamed));
    // A rejected definition is decided again only where it is meant, not along with the rest.
    const isStillOpen = (pin: StoredPin) => isNamed || pin.state !== 'rejected';
    const chosen = this.list(server).filter((pin) => isMeant(pin) && canBe(pin) && isStillOpen(pin));
    if (chosen.length === 0)
      throw new GatewayError('USAGE', `Nothing of ${inWordsOf(selection)} waits for a decision.`, {
        hint: 'See what does: toolcrib review',
      });
    const shown = decision === 'approved' ? new Set(fingerprints) : fingerprints && new Set(fingerprints);
    const other = shown && chosen.find((pin) => !shown.has(fingerprintIn(pin)));
    if (other)
      throw new GatewayError(
        'APPROVAL_NEEDED',
        `"${server}:${other.name}" has changed again since it was shown; nothing was decided.`,
        {
          hint: `Look at it again: toolcrib review ${server}`,
        },
      );
    return chosen;
  }

  #take(server: string, pins: readonly StoredPin[], events: readonly PinEvent[]): void {
    const all = this.#pinsOf(server);
    for (const pin of pins) all.set(keyOf(pin), pin);
    for (const event of events) this.told.emit(event);
  }

  #pinsOf(server: string): Map<string, StoredPin> {
    const pins = this.#pins.get(server) ?? new Map<string, StoredPin>();
    this.#pins.set(server, pins);
    return pins;
  }

  #inTurn<T>(server: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(server) ?? Promise.resolve()).then(act);
    // The caller gets the failure; the next one still runs.
    this.#turns.set(
      server,
      done.catch(() => {}),
    );
    return done;
  }
}

/** A kind holds no space, so two pins never share a key. */
function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

function meantBy({ kind, name, only }: Selection): (pin: StoredPin) => boolean {
  const among = only && new Set(only.map(keyOf));
  return (pin) =>
    (kind ?? pin.kind) === pin.kind && (name ?? pin.name) === pin.name && (among?.has(keyOf(pin)) ?? true);
}

function inWordsOf({ server, name }: Selection): string {
  return name === undefined ? `server "${server}"` : `"${server}:${name}"`;
}

function hasUndo(pin: StoredPin): pin is StoredPin & { readonly undo: PinBefore } {
  return pin.undo !== null;
}

/** A change that waited and passes by now, because the owner changed the setting. */
function released(pin: StoredPin | undefined, seen: Sighting, upgrades: UpgradePolicy, now: number): PinStep[] {
  if (pin?.state !== 'changed' || pin.refused !== null) return [];
  if (!isAsBefore(pin, seen) || !mayPass(pin.reasons, upgrades)) return [];
  return [letPass({ pin, event: eventOf(pin, 'changed', now) }, upgrades, now)];
}

function upgradeOf(server: string, at: number, { from, to }: NonNullable<JudgedListing['upgrade']>): PinEvent {
  const none = { grade: null, reasons: [], by: null };
  return { server, kind: 'server', name: '', act: 'upgraded', at, before: from, after: to, ...none };
}

/** Approvals from before there were sources are of whatever was listed. */
function isOf(pin: StoredPin, source: string): boolean {
  return pin.source === source || pin.source === '';
}

function nothingUnsaved(): Unsaved {
  return { pins: new Map(), events: [], removed: new Map(), bases: new Map() };
}
