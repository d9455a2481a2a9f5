/** From what happens to servers to what one endpoint tells its agents: each real change once, together with others of the same moment. */

import type { Timer } from '../base/clock.ts';
import type { Listener, Signal } from '../base/signal.ts';
import { compareSnapshots, kindsChanged, type OfferKind, type ServerEntry, type Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { EndpointChange, EndpointContext } from './endpoint.ts';

/** What is different for those who see some of the servers. */
export interface News {
  readonly lists: ReadonlySet<OfferKind>;
  /** Whether a server came, went, began to fail or works again. */
  readonly areServersOther: boolean;
}

type Context = Pick<EndpointContext, 'catalog' | 'clock'>;

interface Outlook {
  /** Whether a server is there for the agents of this endpoint. */
  readonly isHere: (server: ServerEntry) => boolean;
  readonly changed: Signal<EndpointChange>;
  /** Which lists of this endpoint read differently after such news. */
  readonly listsTold: (news: News) => Iterable<OfferKind>;
  /** Called after every moment in which something happened, whether or not a list reads differently. */
  readonly onLook?: () => void;
}

/** The catalog as agents were last told of it. */
interface Told {
  readonly snapshot: Snapshot;
  readonly failing: ReadonlySet<string>;
}

export class EndpointChanges {
  readonly #context: Context;
  readonly #outlook: Outlook;
  readonly #stop: readonly (() => void)[];
  readonly #announced = new Set<OfferKind>();
  /** Who listened when it happened: who came later has read what is true since then. */
  #hearers: ReadonlySet<Listener<EndpointChange>> = new Set();
  #told: Told;
  #due: Timer | undefined;

  constructor(context: Context, outlook: Outlook) {
    this.#context = context;
    this.#outlook = outlook;
    this.#told = this.#now();
    const { catalog } = context;
    this.#stop = [
      catalog.changed.on((changes) => {
        if (kindsChanged(changes, outlook.isHere).length > 0) this.#onChange();
      }),
      catalog.failing.changed.on((name) => {
        const server = catalog.snapshot.servers.get(name);
        if (server && outlook.isHere(server)) this.#onChange();
      }),
      catalog.announced.on((kinds) => {
        for (const kind of kinds) this.#announced.add(kind);
        this.#onChange();
      }),
      // Something smaller than a list may differ: the title of a server, or that one was listed which has nothing.
      catalog.renewed.on(() => (this.#due ? undefined : this.#onChange())),
    ];
  }

  close(): void {
    for (const stop of this.#stop) stop();
    this.#due?.cancel();
  }

  #now(): Told {
    const { snapshot, failing } = this.#context.catalog;
    return { snapshot, failing: failing.names() };
  }

  #onChange(): void {
    this.#hearers = this.#outlook.changed.listeners;
    this.#due ??= this.#lookAfter(0);
  }

  #lookAfter(waitedMs: number): Timer {
    const { changeWindowMs } = limits;
    return this.#context.clock.after(changeWindowMs, () => this.#look(waitedMs + changeWindowMs));
  }

  /** What was told last is compared with what is: what came and went in between is no news. */
  #look(waitedMs: number): void {
    const now = this.#now();
    const isHeld = waitedMs < limits.listWaitMs && this.#isInBetween(now);
    this.#due = isHeld ? this.#lookAfter(waitedMs) : undefined;
    if (isHeld) return;
    const news = this.#compare(this.#told, now);
    this.#told = now;
    for (const kind of this.#outlook.listsTold(news)) this.#outlook.changed.emit({ kind }, this.#hearers);
    this.#hearers = new Set();
    this.#outlook.onLook?.();
  }

  #compare(before: Told, now: Told): News {
    const { isHere } = this.#outlook;
    const lists = new Set(kindsChanged(compareSnapshots(before.snapshot, now.snapshot), isHere));
    if ([...now.snapshot.servers.values()].some(isHere)) for (const kind of this.#announced) lists.add(kind);
    this.#announced.clear();
    return { lists, areServersOther: this.#conditions(before) !== this.#conditions(now) };
  }

  #conditions({ snapshot, failing }: Told): string {
    const here = [...snapshot.servers.values()].filter(this.#outlook.isHere);
    const known = here.filter((server) => conditionOf(server, failing) !== 'unknown');
    return known.map((server) => `${server.spec.name} ${conditionOf(server, failing)}`).join('\n');
  }

  /**
   * A server with another command or address offers nothing until it is listed: that it went and came back would be told
   * twice, though nobody sees it gone, because lists wait for it as long.
   */
  #isInBetween({ snapshot, failing }: Told): boolean {
    return [...snapshot.servers.values()].some((server) => {
      const isUnknown = this.#outlook.isHere(server) && conditionOf(server, failing) === 'unknown';
      return isUnknown && (this.#told.snapshot.servers.get(server.spec.name)?.listedAt ?? null) !== null;
    });
  }
}

type Condition = 'unknown' | 'works' | 'fails';

/** A server that nothing is known of yet is not there for agents: added and then listed, it came once. */
export function conditionOf({ spec, listedAt }: ServerEntry, failing: { has(server: string): boolean }): Condition {
  if (failing.has(spec.name)) return 'fails';
  return listedAt === null ? 'unknown' : 'works';
}

/**
 * Which lists an agent of all servers is told of. A changed tool concerns its list of tools on every surface: where the
 * list names only our own tools, this is how the agent learns that what it knows of a tool behind them may be out of
 * date, and the list it then reads is the same to the letter, which spoils no prompt cache. It concerns the list of
 * resources too, where tools and servers are resources of ours. That a server fails changes no tool: it stays listed and
 * is started again by the next call, but the description of our list of servers names it.
 */
export function toldToAgents({ lists, areServersOther }: News): OfferKind[] {
  const told = new Set(lists);
  if (lists.has('tools') || areServersOther) told.add('resources');
  return [...told];
}
