/** Executes calls: the order of the stages, in one place. */

import type { Clock } from '../base/clock.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { Result } from '../protocol/messages.ts';
import type { AgentSide } from './agent-side.ts';
import { authorizeCall } from './authorize-call.ts';
import type { Call, Stage } from './call.ts';
import { Conversations } from './conversations.ts';
import { type Forwarded, Forwarder } from './forward.ts';
import { sendCall } from './send-call.ts';
import { validateArguments } from './validate-arguments.ts';

export type { AgentSide } from './agent-side.ts';
export type { Call } from './call.ts';
export { timeoutFor } from './forward.ts';
export { signatureOf } from './signature.ts';
export { troubleResult } from './trouble.ts';

export class Caller {
  readonly #forwarder: Forwarder;
  readonly #conversations: Conversations;
  readonly #run: (call: Call) => Promise<Result>;
  readonly #runTransparent: (call: Call) => Promise<Result>;

  constructor(downstream: Downstream, clock: Clock) {
    this.#conversations = new Conversations(clock);
    this.#forwarder = new Forwarder(downstream, this.#conversations);
    const send = sendCall(this.#forwarder);
    this.#run = compose([authorizeCall, validateArguments, send]);
    this.#runTransparent = compose([authorizeCall, send]);
  }

  /** Executes a call; what it throws is trouble of ours, what the tool said is the result. */
  async execute(call: Call): Promise<Result> {
    return this.#run(call);
  }

  /** The same without our own opinion of the arguments: the server is to be seen exactly as it is. */
  async executeTransparent(call: Call): Promise<Result> {
    return this.#runTransparent(call);
  }

  /** Passes another request (resource, prompt, completion) on to its server. */
  forward(request: Forwarded, agent: AgentSide): Promise<Result> {
    return this.#forwarder.forward(request, agent);
  }

  close(): void {
    this.#conversations.close();
  }
}

function compose(stages: readonly Stage[]): (call: Call) => Promise<Result> {
  return stages.reduceRight<(call: Call) => Promise<Result>>(
    (next, stage) => (call) => stage(call, next),
    () => Promise.reject(new Error('The last stage must not call the next.')),
  );
}
