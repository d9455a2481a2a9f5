/** The agent behind a program: as the program's calls see it, and how it hears that they get on. */

import type { Clock } from '../base/clock.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import { notification } from '../protocol/messages.ts';

/**
 * One call's agent. Progress of single calls is not passed on, because the program has its own; and a question reaches only agents that
 * answer while the call goes on: there is nobody to begin it again with the answer.
 */
export function agentOfCall(agent: AgentSide, signal: AbortSignal): AgentSide {
  const { era, session, client, requestId, logLevel, knowsLinks, ask } = agent;
  return {
    era,
    session,
    client,
    requestId,
    logLevel,
    knowsLinks,
    signal,
    capabilities: ask ? agent.capabilities : {},
    ask,
    unasked: [],
    notify: (message) => agent.notify(message),
    trace: new RequestTrace(),
  };
}

/** Tells an agent that asked for it how many calls are done: not each of a thousand, but soon. */
export class CallProgress {
  readonly #agent: AgentSide;
  readonly #clock: Clock;
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = 0;

  constructor(agent: AgentSide, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
  }

  note(done: number): void {
    const { progressToken } = this.#agent;
    const now = this.#clock.elapsed();
    if (progressToken === undefined || done <= this.#told || now - this.#toldAt < limits.chainProgressMs) return;
    this.#toldAt = now;
    this.#told = done;
    const message = `${done} ${done === 1 ? 'call' : 'calls'} done`;
    this.#agent.notify(notification('notifications/progress', { progressToken, progress: done, message }));
  }
}
