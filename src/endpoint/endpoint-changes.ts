/** From what happens to servers, settings and access to what one endpoint tells its agents: what reads differently, once, together with other news. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { type Principal, serverRefusalOf } from '../access/access.ts';
import type { Timer } from '../base/clock.ts';
import { type Listener, Signal } from '../base/signal.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { Update } from '../offers/offers.ts';
import {
  conditionOf,
  identityOf,
  isSameViewState,
  remembered,
  rightsOf,
  surfaceOfToken,
  type Uses,
  type ViewState,
  viewerOf,
  viewStateOf,
  withServersFrom,
} from '../tools/tools.ts';
import type { EndpointChange } from './endpoint.ts';
import type { ListMarks } from './tool-lists.ts';

interface ChangeHooks {
  /** Marks of the lists that a principal would read in a state. */
  readonly marksOf: (state: ViewState, principal: Principal) => ListMarks;
  /** Called after every change, even where no list reads differently. */
  readonly onLook?: (state: ViewState) => Promise<void>;
}

interface Listening {
  readonly hear: Listener<EndpointChange>;
  /** The state that this agent last heard of, or could read when it came, and its rights then, which can change. */
  since: ViewState;
  principal: Principal;
}

type Grounds = Uses<'catalog' | 'clock' | 'config' | 'access'>;

export class EndpointChanges {
  readonly #layers: Grounds;
  readonly #hooks: ChangeHooks;
  readonly #stop: readonly (() => void)[];
  readonly #said = new Signal<EndpointChange>();
  readonly #listeners = new Set<Listening>();
  readonly #marks = new WeakMap<ViewState, Map<string, ListMarks>>();
  /** Another one after each change of tokens and projects. */
  #access: object = {};
  /** Since when servers are unknown that were known, or not there, in monotonic time. */
  #missing: ReadonlyMap<string, number> = new Map();
  #told: ViewState;
  #latest: ViewState;
  #due: Timer | undefined;
  /** Settles when the looks so far are done: one after the other. */
  #looks: Promise<void> = Promise.resolve();

  constructor(layers: Grounds, hooks: ChangeHooks) {
    this.#layers = layers;
    this.#hooks = hooks;
    this.#told = viewStateOf(layers, this.#access);
    this.#latest = this.#told;
    const { catalog, access } = layers;
    const onChange = () => this.#onChange();
    this.#stop = [
      catalog.renewed.on(onChange),
      catalog.failing.changed.on(onChange),
      catalog.configured.on(onChange),
      access.changed.on(() => {
        this.#access = {};
        this.#onChange();
      }),
    ];
  }

  listen(principal: Principal, onChange: Listener<EndpointChange>): () => void {
    // A wrapper tells apart two listeners with one function.
    const hear: Listener<EndpointChange> = (change) => onChange(change);
    const listener = { principal, hear, since: this.viewState() };
    this.#listeners.add(listener);
    const stop = this.#said.on(hear);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  /** Tells these subscribers about a change of a resource; the doors know which of their sessions subscribed. */
  tell(change: Extract<EndpointChange, { readonly kind: 'resource' }>, subscribers: ReadonlySet<string>): void {
    const concerned = [...this.#listeners].filter(({ principal }) => subscribers.has(identityOf(principal)));
    this.#said.emit(change, new Set(concerned.map(({ hear }) => hear)));
  }

  /** The same for a resource of a server: who has lost the server hears nothing more; one that is just going may finish. */
  tellUpdate({ server, params, session, subscribers }: Update): void {
    const spec = this.#layers.catalog.snapshot.servers.get(server)?.spec;
    const has = (principal: Principal) => {
      const now = this.#layers.access.renew(principal);
      return now !== undefined && (!spec || serverRefusalOf(now, { ...spec, isEnabled: true }) === null);
    };
    const still = [...this.#listeners].filter(
      ({ principal }) => subscribers.has(identityOf(principal)) && has(principal),
    );
    this.tell({ kind: 'resource', params, session }, new Set(still.map(({ principal }) => identityOf(principal))));
  }

  close(): void {
    for (const stop of this.#stop) stop();
    this.#due?.cancel();
  }

  /**
   * The state that agents are shown now. A server that was added, or has another command or address, offers nothing until it
   * is listed: the lists would change twice, though nobody reads them in between, because they wait for it as long. So it
   * counts as it was.
   */
  viewState(): ViewState {
    const now = viewStateOf(this.#layers, this.#access);
    const at = this.#layers.clock.elapsed();
    this.#missing = new Map(this.#missingIn(now).map((name) => [name, this.#missing.get(name) ?? at]));
    const state = withServersFrom(now, this.#told, this.#awaited());
    if (!isSameViewState(state, this.#latest)) this.#latest = state;
    return this.#latest;
  }

  #missingIn({ snapshot, failing }: ViewState): string[] {
    const isUnknown = (server: ServerEntry) => server.spec.isEnabled && conditionOf(server, failing) === 'unknown';
    return [...snapshot.servers.values()].filter(isUnknown).flatMap(({ spec: { name } }) => {
      const before = this.#told.snapshot.servers.get(name);
      const wasUnknown = before?.spec.isEnabled === true && before.listedAt === null;
      return wasUnknown ? [] : [name];
    });
  }

  /** Those that are still waited for. */
  #awaited(): Set<string> {
    const now = this.#layers.clock.elapsed();
    return new Set([...this.#missing].filter(([, since]) => now - since < limits.listWaitMs).map(([name]) => name));
  }

  #onChange(): void {
    // From now on who comes has read what is true now.
    this.viewState();
    this.#due ??= this.#layers.clock.after(limits.changeWindowMs, () => {
      this.#due = undefined;
      this.#looks = this.#looks.then(() => this.#look());
    });
  }

  /** Compares the state told last with the current one: a change that was undone in between is no news. */
  async #look(): Promise<void> {
    const now = this.viewState();
    this.#told = now;
    if (this.#awaited().size > 0) this.#onChange();
    const listeners = [...this.#listeners].filter(({ since }) => since !== now);
    for (const [, those] of Map.groupBy(listeners, ({ principal }) => viewerOf(principal))) {
      this.#tellThose(those, now);
      // Large lists of many principals must not block other requests.
      await giveWay();
    }
    await this.#hooks.onLook?.(now);
  }

  /** Of listeners that are alike. Who may not come in any more hears nothing. */
  #tellThose(listeners: readonly Listening[], now: ViewState): void {
    const first = listeners[0];
    const principal = first && this.#layers.access.renew(first.principal);
    if (!principal) return;
    for (const kind of ['tools', 'resources', 'prompts'] as const) {
      const shown = this.#reads(now, principal)[kind];
      const concerned = listeners.filter((listener) => this.#reads(listener.since, listener.principal)[kind] !== shown);
      if (concerned.length > 0) this.#said.emit({ kind }, new Set(concerned.map(({ hear }) => hear)));
    }
    for (const listener of listeners) {
      listener.since = now;
      listener.principal = principal;
    }
  }

  #reads(state: ViewState, principal: Principal): ListMarks {
    const known = this.#marks.get(state) ?? new Map<string, ListMarks>();
    this.#marks.set(state, known);
    const reader = JSON.stringify([rightsOf(principal), surfaceOfToken(state.config.surfaces, principal)]);
    return remembered(known, reader, () => this.#hooks.marksOf(state, principal));
  }
}
