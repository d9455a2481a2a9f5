/** The live state of the gateway that runs, and of the next one after it. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import { followLive, gatherEvents, type LiveSource, type LiveState, LiveStore } from '../live/live.ts';

/** Events within this time are drawn together. */
const gatherMs = 250;

/** The gateway that runs now; undefined while none does. */
export type FindAdmin = () => Promise<Admin | undefined>;

export class LiveGateway {
  readonly live = new LiveStore();
  readonly #find: FindAdmin;

  constructor(find: FindAdmin) {
    this.#find = find;
  }

  readonly run: Admin['run'] = (name, input, signal) => this.#admin().then((admin) => admin.run(name, input, signal));

  /** Rejects when the signal aborts, or where the gateway refuses us. */
  follow(onState: (state: LiveState) => void, signal: AbortSignal): Promise<never> {
    return followLive(this.#source(), { onState, signal, isFinal: isRefusal });
  }

  #source(): LiveSource {
    const run = this.run;
    const admin = () => this.#admin();
    const wait = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal });
    return {
      wait,
      snapshot: (signal) => run('live.snapshot', {}, signal),
      async *events(after, signal) {
        const found = await admin();
        // A stream says nothing until something happens: this tells whether the gateway is there.
        await found.run('gateway.status', {}, signal);
        yield* gatherEvents(found.events(signal, after), () => wait(gatherMs, signal));
      },
    };
  }

  async #admin(): Promise<Admin> {
    const admin = await this.#find();
    if (admin === undefined)
      throw new GatewayError('UNREACHABLE', 'No gateway is running.', { hint: 'Start it: toolcrib start' });
    return admin;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'UNAUTHENTICATED' || error.code === 'ACCESS_DENIED');
}
