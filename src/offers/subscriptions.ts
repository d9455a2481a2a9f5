/** Subscriptions of one endpoint to resources of servers, under the URI that each subscriber used. */

import type { Principal } from '../access/access.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Downstream, ResourceUpdate, Wish } from '../downstream/downstream.ts';
import { type Params, RpcError, rpcCodes } from '../protocol/messages.ts';
import { identityOf } from '../tools/tools.ts';
import { isUnknownMethod, type Offers } from './offers.ts';

/** A wish as this endpoint holds it; what the catalog says later does not change whose it is. */
interface Subscription extends Wish {
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

export class Subscriptions {
  readonly #downstream: Downstream;
  readonly #offers: Offers;
  /** With the promise that the server knows of it. */
  readonly #subscriptions = new Map<Subscription, Promise<void>>();
  readonly #stop: () => void;

  /** `onUpdate` gets the parameters of each update, with the URI as its subscribers know it. */
  constructor(downstream: Downstream, offers: Offers, onUpdate: (update: Update) => void) {
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
