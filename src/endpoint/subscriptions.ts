/** Who wants to hear of which resource: the first wish subscribes at the server, the last one leaving unsubscribes. */

import type { AgentSide } from '../caller/caller.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { Params } from '../protocol/messages.ts';
import type { Offers } from './offers.ts';
import { resourceNotFound } from './offers.ts';

export class Subscriptions {
  readonly #downstream: Downstream;
  readonly #offers: Offers;
  readonly #counts = new Map<string, number>();
  readonly #stop: () => void;

  /** `onUpdate` gets the parameters of each update, with the URI as agents know it. */
  constructor(downstream: Downstream, offers: Offers, onUpdate: (params: Params) => void) {
    this.#downstream = downstream;
    this.#offers = offers;
    this.#stop = downstream.resourceUpdated.on(({ server, params }) => {
      const uri = String(params.uri);
      if (this.#counts.has(keyOf(server, uri))) onUpdate({ ...params, uri: offers.publicUri(server, uri) });
    });
  }

  async add(uri: string, agent: AgentSide): Promise<void> {
    const target = this.#offers.route(uri);
    if (!target) throw resourceNotFound(uri, agent.era);
    const key = keyOf(target.server, target.uri);
    await this.#downstream.subscribe(target.server, target.uri, { era: agent.era, session: agent.session });
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  async remove(uri: string): Promise<void> {
    const target = this.#offers.route(uri);
    if (!target) return;
    const key = keyOf(target.server, target.uri);
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else if (this.#counts.delete(key)) await this.#downstream.unsubscribe(target.server, target.uri);
  }

  close(): void {
    this.#stop();
  }
}

function keyOf(server: string, uri: string): string {
  return `${server}\n${uri}`;
}
