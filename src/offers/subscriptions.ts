/** Subscriptions of one endpoint: to resources of servers, under the URI that each subscriber used, and to the gateway's own, each with a mark of the text that its subscriber last heard of. */

import { createHash } from 'node:crypto';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Principal } from '../access/access.ts';
import type { AgentSide } from '../caller/caller.ts';
import { type Entry, readingMark, type ServerEntry } from '../catalog/catalog.ts';
import type { Downstream, ResourceSubscription, ResourceUpdate } from '../downstream/downstream.ts';
import { type Params, RpcError, rpcCodes } from '../protocol/messages.ts';
import { conditionOf, identityOf, remembered, rightsOf, type ViewState, viewerOf } from '../tools/tools.ts';
import { isUnknownMethod, resourceNotFound } from './offered-names.ts';
import type { Offers } from './offers.ts';
import { type OwnAddress, ownUri, readOwnAddress } from './own/own-address.ts';
import { type ShowOptions, showNow } from './own/own-resources.ts';
import { type DoorView, type OwnView, toolsOf } from './own/own-view.ts';

/** A subscription as this endpoint holds it; what the catalog says later does not change whose it is. */
interface Subscription extends ResourceSubscription {
  readonly publicUri: string;
  /** The principal who subscribed, with its project. */
  readonly subscriber: string;
}

/** News of a resource, under a URI by which some subscribers know it. */
export interface Update {
  readonly server: string;
  readonly params: Params;
  readonly session?: string | undefined;
  /** Those who know it by this URI; under the same one others may have a resource of another server. */
  readonly subscribers: ReadonlySet<string>;
}

type Subscribable = Pick<Downstream, 'subscribe' | 'unsubscribe' | 'resourceUpdated'>;

export class Subscriptions {
  readonly #downstream: Subscribable;
  readonly #offers: Offers;
  /** With the promise that the server knows of it. */
  readonly #subscriptions = new Map<Subscription, Promise<void>>();
  readonly #stop: () => void;

  /** `onUpdate` gets the parameters of each update, with the URI as its subscribers know it. */
  constructor(downstream: Subscribable, offers: Offers, onUpdate: (update: Update) => void) {
    this.#downstream = downstream;
    this.#offers = offers;
    this.#stop = downstream.resourceUpdated.on((update) => {
      for (const [uri, subscription] of this.#waitingFor(update)) {
        const subscribers = new Set(subscription.map(({ subscriber }) => subscriber));
        onUpdate({ ...update, params: { ...update.params, uri }, subscribers });
      }
    });
  }

  async add(publicUri: string, principal: Principal, agent: AgentSide): Promise<void> {
    const subscriber = identityOf(principal);
    const { era, session } = agent;
    const isSame = (item: Subscription) =>
      item.publicUri === publicUri && item.subscriber === subscriber && item.session === session;
    // A legacy session subscribes once, however often it says so; modern streams of one principal come and go alone.
    const known = () => (era === 'legacy' ? this.#find(isSame) : undefined);
    const target = known() ?? (await this.#offers.find(publicUri, principal, era));
    // It may have said so again while the owner was looked for.
    const first = known();
    if (first) return this.#subscriptions.get(first);
    const subscription = { ...target, era, session, publicUri, subscriber };
    const telling = this.#downstream.subscribe(subscription);
    this.#subscriptions.set(subscription, telling);
    try {
      await telling;
    } catch (error) {
      this.#subscriptions.delete(subscription);
      throw isUnknownMethod(error) ? cannotTell(target.server, publicUri) : error;
    }
    // An agent that went away meanwhile does not know that it would have to unsubscribe.
    if (!agent.signal.aborted) return;
    await this.#release(subscription);
    throw agent.signal.reason;
  }

  async remove(publicUri: string, principal: Principal, session: string | undefined): Promise<void> {
    const subscriber = identityOf(principal);
    const isIts = (item: Subscription) => session === undefined || item.session === session;
    const subscription = this.#find(
      (item) => item.publicUri === publicUri && item.subscriber === subscriber && isIts(item),
    );
    if (subscription) await this.#release(subscription);
  }

  close(): void {
    this.#stop();
  }

  async #release(subscription: Subscription): Promise<void> {
    if (this.#subscriptions.delete(subscription)) await this.#downstream.unsubscribe(subscription);
  }

  #find(isWanted: (item: Subscription) => boolean): Subscription | undefined {
    return [...this.#subscriptions.keys()].find(isWanted);
  }

  /** Under which URIs subscribers wait for an update; where the server is not shared, those of its session alone. */
  #waitingFor({ server, session, params }: ResourceUpdate): Map<string, Subscription[]> {
    const waiting = [...this.#subscriptions.keys()].filter(
      (item) =>
        item.server === server && item.uri === params.uri && (session === undefined || item.session === session),
    );
    return Map.groupBy(waiting, ({ publicUri }) => publicUri);
  }
}

/** We announce subscriptions for all servers together; that one of them has none is about this resource, not about the method. */
function cannotTell(server: string, uri: string): RpcError {
  const message = `${uri} cannot be subscribed to: server "${server}" does not report changes of its resources.`;
  return new RpcError(rpcCodes.invalidParams, message, { uri });
}

/** As many as its stream or session may have; the doors count them. */
interface OwnSubscription {
  /** As the subscriber wrote it. */
  readonly uri: string;
  readonly address: OwnAddress;
  readonly principal: Principal;
  readonly session: string | undefined;
  /** Modern streams of one principal come and go alone, and all hear what is said to one of them. */
  streams: number;
  mark: string | undefined;
}

/** From where our resources are looked at. */
interface ViewSource {
  viewState(): ViewState;
  doorAt(state: ViewState): DoorView;
  /** A principal as it is now; undefined where it may not come in any more. */
  renew(principal: Principal): Principal | undefined;
}

/** Marks made in one turn, so that others are not kept waiting. */
const marksPerTurn = 8;

export class OwnSubscriptions {
  readonly #source: ViewSource;
  readonly #subscriptions = new Map<string, OwnSubscription>();
  readonly #onUpdate: (subscription: Pick<OwnSubscription, 'uri' | 'session' | 'principal'>) => void;
  /** A resource with many subscribers, or under many spellings, is read once. */
  readonly #marks = new WeakMap<ViewState, Map<string, Promise<string | undefined>>>();
  #made = 0;

  constructor(
    source: ViewSource,
    onUpdate: (subscription: Pick<OwnSubscription, 'uri' | 'session' | 'principal'>) => void,
  ) {
    this.#source = source;
    this.#onUpdate = onUpdate;
  }

  /** True if a URI is one of ours, there or not. */
  isOwn(uri: string): boolean {
    return readOwnAddress(uri) !== undefined;
  }

  async add(uri: string, principal: Principal, { era, session, signal }: AgentSide): Promise<void> {
    const address = readOwnAddress(uri);
    if (address && 'cursor' in address && address.cursor !== undefined) throw onlyWhole(uri, address);
    const mark = address && (await this.#mark(this.#source.viewState(), principal, address));
    if (!address || mark === undefined) throw resourceNotFound(uri, era);
    signal.throwIfAborted();
    const key = keyOf(uri, principal, session);
    const subscription = this.#subscriptions.get(key);
    if (!subscription) this.#subscriptions.set(key, { uri, address, principal, session, streams: 1, mark });
    // A legacy session subscribes once, however often it says so.
    else if (era === 'modern') subscription.streams += 1;
  }

  /** Without a session, any subscription of the principal goes. */
  async remove(uri: string, principal: Principal, session: string | undefined): Promise<void> {
    const isIts = (subscription: OwnSubscription) =>
      subscription.uri === uri && identityOf(subscription.principal) === identityOf(principal);
    const key =
      session === undefined
        ? [...this.#subscriptions].find(([, subscription]) => isIts(subscription))?.[0]
        : keyOf(uri, principal, session);
    const subscription = key === undefined ? undefined : this.#subscriptions.get(key);
    if (key === undefined || !subscription) return;
    subscription.streams -= 1;
    if (subscription.streams === 0) this.#subscriptions.delete(key);
  }

  /** Tells everybody whose resource reads differently at this moment, once. One that is gone reads differently too. */
  async look(state: ViewState): Promise<void> {
    for (const [key, subscription] of [...this.#subscriptions]) {
      const principal = this.#source.renew(subscription.principal);
      if (!principal) continue;
      const mark = await this.#mark(state, principal, subscription.address);
      if (mark === subscription.mark || this.#subscriptions.get(key) !== subscription) continue;
      subscription.mark = mark;
      this.#onUpdate(subscription);
    }
  }

  #mark(state: ViewState, principal: Principal, address: OwnAddress): Promise<string | undefined> {
    const known = this.#marks.get(state) ?? new Map<string, Promise<string | undefined>>();
    this.#marks.set(state, known);
    const key = `${viewerOf(principal)} ${ownUri(address)}`;
    const mark = known.get(key) ?? this.#make(state, principal, address);
    known.set(key, mark);
    return mark;
  }

  async #make(state: ViewState, principal: Principal, address: OwnAddress): Promise<string | undefined> {
    this.#made += 1;
    if (this.#made % marksPerTurn === 0) await giveWay();
    return markOf({ door: this.#source.doorAt(state), principal }, address);
  }
}

function keyOf(uri: string, principal: Principal, session: string | undefined): string {
  return JSON.stringify([session, identityOf(principal), uri]);
}

/** A page is a part of an index at the time it was read: it is the index that changes. */
function onlyWhole(uri: string, address: OwnAddress): RpcError {
  const message = `A page of an index cannot be subscribed to: subscribe to ${ownUri(address)}.`;
  return new RpcError(rpcCodes.invalidParams, message, { uri });
}

/** Undefined where the principal has no such resource. */
async function markOf(view: OwnView, address: OwnAddress): Promise<string | undefined> {
  const shown = await showNow(view, address, compared);
  return shown && digest(shown.text);
}

/**
 * As it is read, all pages of an index at once. When something was called, listed or connected is shown by some of them and
 * is no news, nor is what a failing server says at each try: of a server counts what it has, and whether it works.
 */
const compared: ShowOptions = {
  maxBytes: Number.POSITIVE_INFINITY,
  isThere: ({ door }, server) => conditionOf(server, door.layers.catalog.failing) !== 'unknown',
  async summarise(view, server) {
    const { spec, title, resources, templates, prompts } = server;
    const isFailing = view.door.layers.catalog.failing.has(spec.name);
    const offers = [resources, templates, prompts].map((items) => items.map(factOf));
    return { name: spec.name, title, isFailing, itsTools: toolMark(view, server), itsOffers: offers };
  },
};

/** A mark of the tools of a server that a principal can see. */
export function toolMark(view: OwnView, server: ServerEntry): string {
  const known = marksOfTools.get(server) ?? new Map<string, string>();
  marksOfTools.set(server, known);
  return remembered(known, rightsOf(view.principal), () => digest(toolsOf(view, server).map(factOf)));
}

/** By the entry, which is another one after each change. */
const marksOfTools = new WeakMap<ServerEntry, Map<string, string>>();

function factOf(tool: Entry): string {
  return `${tool.key} ${readingMark(tool)}`;
}

export function digest(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64');
}
