/** The standing stream of a legacy session: what belongs to no request. Opened again where it was cut, as long as the session lives. */

import { type Clock, sleep } from '../../base/clock.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { DeliveryError } from './delivery-error.ts';
import { sendToGateway } from './exchange.ts';
import type { Live } from './live-session.ts';
import { sessionHeaders } from './live-session.ts';
import { type Incoming, isStream, readMessages } from './read-messages.ts';

export interface StandingEvents {
  onMessage(incoming: Incoming): Promise<void>;
  /** The stream is open, or it is certain that there will be none. */
  onSettled(): void;
}

/** Runs until the session is closed; resolves with what ended it: the gateway has gone or has forgotten the session. */
export async function keepStanding(
  live: Live,
  clock: Clock,
  events: StandingEvents,
): Promise<DeliveryError | undefined> {
  const { signal } = live.closing;
  const pauses = bridgeLimits.reopenPauseMs;
  let pauseMs: number = pauses.first;
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    const openedAt = clock.elapsed();
    try {
      const resume: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const headers = { ...sessionHeaders(live), accept: 'text/event-stream', ...resume };
      const response = await sendToGateway({ door: live.door, method: 'GET', headers, signal });
      events.onSettled();
      if (!isStream(response)) return void response.resume();
      await readMessages(response, { onMessage: events.onMessage, onEventId: (id) => (lastEventId = id) });
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof DeliveryError)) throw error;
      if (error.canResend) return error;
    }
    if (clock.elapsed() - openedAt > pauses.most) pauseMs = pauses.first;
    await sleep(clock, pauseMs, signal).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, pauses.most);
  }
  return undefined;
}
