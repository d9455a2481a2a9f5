/** Keeps a view of a gateway up to date: fetches it once, reads events, and begins again where events were missed. */

import type { GatewayEvent, LiveSnapshot } from '../../admin/admin.ts';
import { foldEvents, type LiveView, viewOf } from './live-view.ts';

export interface LiveSource {
  snapshot(signal: AbortSignal): Promise<LiveSnapshot>;
  /** Events after the one named, some at a time; the first time none, once the stream is open. Ends or throws when it is cut. */
  events(after: string, signal: AbortSignal): AsyncIterable<readonly GatewayEvent[]>;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface LiveState {
  /** `lost`: the view is as old as it says; the gateway is tried again. */
  readonly connection: 'connecting' | 'live' | 'lost';
  readonly view: LiveView | undefined;
}

interface Following {
  readonly onState: (state: LiveState) => void;
  readonly signal: AbortSignal;
  /** True where there is no use in trying again, such as after a refusal: it is then thrown. */
  readonly isFinal: (error: unknown) => boolean;
}

/** The waits before a gateway is tried again; the last one is repeated. */
const retryMs = [250, 500, 1_000, 2_000, 5_000];

/** Rejects when the signal aborts, or with what is final. */
export async function followLive(source: LiveSource, { onState, signal, isFinal }: Following): Promise<never> {
  let view: LiveView | undefined;
  let isStuck = false;
  onState({ connection: 'connecting', view });
  for (let tries = 0; ; tries += 1) {
    try {
      if (view === undefined || isStuck) view = viewOf(await source.snapshot(signal));
      const isNew = !isStuck;
      // A stream that brings nothing may break off at the same event again: the next one begins with a new snapshot.
      isStuck = true;
      for await (const events of source.events(view.id, signal)) {
        if (events.length > 0) isStuck = false;
        if (events.length > 0 || isNew) tries = 0;
        // After what was missed nothing can be folded.
        if (events.some(({ kind }) => kind === 'begin')) view = viewOf(await source.snapshot(signal));
        view = foldEvents(view, afterBegin(events));
        onState({ connection: 'live', view });
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error)) throw error;
    }
    signal.throwIfAborted();
    onState({ connection: 'lost', view });
    await source.wait(retryMs[Math.min(tries, retryMs.length - 1)] ?? 0, signal);
  }
}

/** The snapshot has everything that came before a new beginning. */
function afterBegin(events: readonly GatewayEvent[]): readonly GatewayEvent[] {
  return events.slice(events.findLastIndex(({ kind }) => kind === 'begin') + 1);
}
