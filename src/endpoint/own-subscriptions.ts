/** Who wants to hear of which of our own resources, and what each was when they were last told. */

import type { Principal } from '../access/access.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { EndpointContext } from './endpoint.ts';
import { resourceNotFound } from './offers.ts';
import { type OwnAddress, readOwnAddress } from './own/own-address.ts';
import { markOf } from './own-marks.ts';

/** As many as its stream or session may have; the doors count them. */
interface Held {
  /** As the subscriber wrote it. */
  readonly uri: string;
  readonly address: OwnAddress;
  readonly principal: Principal;
  readonly session: string | undefined;
  mark: string | undefined;
}

export class OwnSubscriptions {
  readonly #context: Pick<EndpointContext, 'catalog'>;
  readonly #held = new Set<Held>();
  readonly #onUpdate: (uri: string, session: string | undefined) => void;

  constructor(context: Pick<EndpointContext, 'catalog'>, onUpdate: (uri: string, session: string | undefined) => void) {
    this.#context = context;
    this.#onUpdate = onUpdate;
  }

  /** Whether a URI is one of ours, there or not. */
  isOwn(uri: string): boolean {
    return readOwnAddress(uri) !== undefined;
  }

  async add(uri: string, principal: Principal, { era, session, signal }: AgentSide): Promise<void> {
    const address = readOwnAddress(uri);
    const mark = address && markOf(this.#context, principal, address);
    if (!address || mark === undefined) throw resourceNotFound(uri, era);
    signal.throwIfAborted();
    // A legacy session subscribes once, however often it says so; modern streams of one principal come and go alone.
    if (era === 'legacy' && this.#find(uri, principal, session)) return;
    this.#held.add({ uri, address, principal, session, mark });
  }

  async remove(uri: string, principal: Principal, session: string | undefined): Promise<void> {
    const held = this.#find(uri, principal, session);
    if (held) this.#held.delete(held);
  }

  /** Tells everybody whose resource reads differently now, once. One that is gone reads differently too. */
  look(): void {
    const marks = new Map<string, string | undefined>();
    const told = new Set<string>();
    for (const held of this.#held) {
      const viewer = JSON.stringify([held.principal.id, held.principal.project, held.uri]);
      if (!marks.has(viewer)) marks.set(viewer, markOf(this.#context, held.principal, held.address));
      const mark = marks.get(viewer);
      if (mark === held.mark) continue;
      held.mark = mark;
      const hearer = JSON.stringify([held.session, held.uri]);
      // The streams of one session all hear what is said to one of them.
      if (!told.has(hearer)) this.#onUpdate(held.uri, held.session);
      told.add(hearer);
    }
  }

  #find(uri: string, principal: Principal, session: string | undefined): Held | undefined {
    return [...this.#held].find(
      (held) =>
        held.uri === uri && held.principal.id === principal.id && (session === undefined || held.session === session),
    );
  }
}
