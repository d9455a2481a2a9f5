/** The stage that asks before a call, with people who answer when a test tells them to, and a clock that a test moves. */

import assert from 'node:assert/strict';
import { Approvals } from '../../src/access/access.ts';
import { GatewayError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { Signal } from '../../src/base/signal.ts';
import { OwnerAsker } from '../../src/caller/ask-owner.ts';
import type { AgentSide, Call, Standing } from '../../src/caller/call.ts';
import { type Result, RpcError } from '../../src/protocol/messages.ts';
import { noNotes } from './call-to-approve.ts';
import { madeAgent, madeCall, saying } from './made-call.ts';
import { ManualClock } from './manual-clock.ts';

/** After this time a question is given up. */
export const timeoutMs = 60_000;

const owner = { id: 'owner', name: 'owner' };
/** The capabilities of an agent that can be asked. */
export const form = { elicitation: {} };

export class ApprovalStage {
  readonly clock = new ManualClock();
  readonly approvals: Approvals;
  settings: { askBy: ('agent' | 'owner')[]; approvalWaitMs: number } = { askBy: ['agent', 'owner'], approvalWaitMs: 0 };
  standing: Standing = {
    ...{ permission: 'ask', hold: undefined, identity: 'd1' },
    ...{ definition: {}, fingerprint: 'f1' },
  };
  /** The requests that reached the server, and its answer. */
  readonly sent: Call[] = [];
  answer: Result = saying('done');
  readonly abandoned: GatewayError[] = [];
  waitedMs = 0;
  readonly #asker: OwnerAsker;

  constructor() {
    const { clock } = this;
    const store = { listApprovals: async () => [], saveApproval: async () => {}, removeApproval: async () => true };
    this.approvals = new Approvals({
      store: { ...store, ...noNotes, events: new Signal(), isShared: false },
      audit: { record: async () => {} },
      clock,
      log: silentLog,
      settings: () => ({ approvalTimeoutMs: timeoutMs }),
    });
    this.#asker = new OwnerAsker({
      approvals: this.approvals,
      settings: () => this.settings,
      clock,
      dataOption: ' --data /srv/tools',
      onAbandoned: (_call, error) => this.abandoned.push(error),
    });
  }

  /** A call of a tool that needs approval. */
  asking(parts: Partial<Call> = {}): Call {
    return madeCall({ permission: 'ask', standing: () => this.standing, ...parts });
  }

  async run(call: Call): Promise<Result> {
    const { trace } = call.agent;
    const before = trace.waitedMs;
    try {
      return await this.#asker.stage(call, async (next) => {
        this.sent.push(next);
        return this.answer;
      });
    } finally {
      this.waitedMs += trace.waitedMs - before;
    }
  }

  /** Runs a call that must not be made. */
  async refused(call: Call, code: string, reason?: string): Promise<GatewayError> {
    const error = await this.run(call).then(
      () => assert.fail('It was called.'),
      (thrown) => thrown,
    );
    assert.ok(withCode(code, reason)(error), String(error));
    return error;
  }

  /** The owner answers the question that was asked first. */
  async owner(answer: 'once' | 'session' | 'always' | 'refuse'): Promise<void> {
    await this.approvals.answer(this.approvals.waiting()[0]?.facts.id ?? '', answer, owner);
  }
}

export function withCode(code: string, reason?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof GatewayError && error.code === code && (reason === undefined || error.data?.reason === reason);
}

/** A person at a legacy agent, asked once. */
export class Person {
  readonly asked: { readonly params: Record<string, unknown>; readonly signal: AbortSignal }[] = [];
  readonly leaving = new AbortController();
  readonly #answering = Promise.withResolvers<Result>();

  get agent(): AgentSide {
    return madeAgent({
      era: 'legacy',
      capabilities: form,
      signal: this.leaving.signal,
      ask: (_method, params, signal) => {
        this.asked.push({ params: params ?? {}, signal });
        signal.addEventListener('abort', () => this.#answering.reject(signal.reason));
        return this.#answering.promise;
      },
    });
  }

  says(decision: string): void {
    this.does({ action: 'accept', content: { decision } });
  }

  does(answer: Result): void {
    this.#answering.resolve(answer);
  }

  /** The agent does not do what it declared. */
  fails(): void {
    this.#answering.reject(new RpcError(-32601, 'Method not found'));
  }
}
