/**
 * Calls that wait for their agent. A legacy server asks in the middle of a call; a modern agent can only be told
 * "input required" and comes back with another request. The call stays in flight between the two, kept here. A modern server
 * waits for nobody: it gives a state to bring back, which is sealed here, because to the server all agents are one.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { idAt, randomId, replicaOf } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import { type Result, RpcError, type RpcRequest, rpcCodes } from '../protocol/messages.ts';
import { releaseLong } from '../results/results.ts';
import type { AgentSide } from './call.ts';

/** Puts a question of the server to the agent. */
export type Asking = (ask: RpcRequest, signal: AbortSignal) => Promise<Result>;

const handlePrefix = 'toolcrib-call.';

interface Question {
  readonly ask: Pick<RpcRequest, 'method' | 'params'>;
  readonly resolve: (answer: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Conversation {
  /** Made when the call first has to wait, which most never do. */
  handle: string | undefined;
  readonly identity: () => string;
  readonly mayDecline: boolean;
  readonly ending: AbortController;
  readonly questions: Map<string, Question>;
  agent: AgentSide;
  outcome: Promise<Result>;
  /** Wakes the request that is waiting on this call when the server has asked something. */
  onQuestion: () => void;
  expiry: Timer | undefined;
  /** Since when the server is at work, and how long it was before: the time of the agent does not count. */
  resumedAt: number;
  workedMs: number;
  /** Told when the agent never came back. */
  readonly onAbandoned: ((error: GatewayError, workedMs: number) => void) | undefined;
}

interface ConversationOptions {
  /** A call goes on only under the same one. */
  readonly identity: () => string;
  /** A question that the agent leaves open when it comes back counts as declined; otherwise it is asked again. */
  readonly mayDecline?: boolean | undefined;
  readonly onAbandoned?: ((error: GatewayError, workedMs: number) => void) | undefined;
}

export class Conversations {
  readonly #clock: Clock;
  readonly #replica: string | null;
  readonly #waiting = new Map<string, Conversation>();

  /** `replica`: named in handles; null: there are no others. */
  constructor(clock: Clock, replica: string | null = null) {
    this.#clock = clock;
    this.#replica = replica;
  }

  static isHandle(value: unknown): value is string {
    return typeof value === 'string' && value.startsWith(handlePrefix);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** How long the server has been at work on a call that waits; 0 for what is no handle of one. */
  workedMs(handle: unknown): number {
    return Conversations.isHandle(handle) ? (this.#waiting.get(handle)?.workedMs ?? 0) : 0;
  }

  /** Starts a call; `send` gets a stand-in for the agent that follows the conversation from request to request. */
  start(
    { identity, mayDecline = false, onAbandoned }: ConversationOptions,
    agent: AgentSide,
    send: (stand: AgentSide, asking: Asking) => Promise<Result>,
  ): Promise<Result> {
    const conversation: Conversation = {
      handle: undefined,
      identity,
      mayDecline,
      onAbandoned,
      resumedAt: this.#clock.elapsed(),
      workedMs: 0,
      ending: new AbortController(),
      questions: new Map(),
      agent,
      outcome: Promise.resolve({}),
      onQuestion: () => {},
      expiry: undefined,
    };
    const stand: AgentSide = {
      ...agent,
      signal: conversation.ending.signal,
      // Each request of a conversation has a token of its own; reports go to the one that is waiting.
      get progressToken() {
        return conversation.agent.progressToken;
      },
      notify: (message) => conversation.agent.notify(message),
      ask: (method, params, signal) => this.#question(conversation, { method, params }, signal),
    };
    conversation.outcome = send(stand, (ask, signal) => this.#question(conversation, ask, signal));
    return this.#next(conversation);
  }

  /** Goes on with a call: gives the server its answers and waits for what it does with them. */
  async resume(handle: string, inputResponses: unknown, identity: string, agent: AgentSide): Promise<Result> {
    const conversation = this.#waiting.get(handle);
    // A handle of somebody else, or for another request, is answered like one that never existed.
    if (!conversation || conversation.identity() !== identity) {
      if (isElsewhere(handle, this.#replica)) throw replicaIsGone();
      throw new RpcError(
        rpcCodes.invalidParams,
        'The requestState is unknown or has expired; start the call again without it.',
      );
    }
    this.#waiting.delete(handle);
    conversation.expiry?.cancel();
    conversation.agent = agent;
    conversation.resumedAt = this.#clock.elapsed();
    const answers = isObject(inputResponses) ? inputResponses : {};
    for (const [key, question] of [...conversation.questions]) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isObject(answer) && !conversation.mayDecline) continue;
      conversation.questions.delete(key);
      if (isObject(answer)) question.resolve(answer);
      else question.reject(new Error('The agent declined the question.'));
    }
    return this.#next(conversation);
  }

  /** Waits for the end of a call, or its next question. */
  async #next(conversation: Conversation): Promise<Result> {
    const { agent } = conversation;
    const onAbort = () => conversation.ending.abort(agent.signal.reason);
    if (agent.signal.aborted) onAbort();
    agent.signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        const asked = new Promise<'asked'>((resolve) => {
          conversation.onQuestion = () => resolve('asked');
          if (conversation.questions.size > 0) resolve('asked');
        });
        const next = await Promise.race([conversation.outcome, asked]);
        if (next !== 'asked') return next;
        // A question that was taken back at once was none.
        if (conversation.questions.size > 0) return this.#park(conversation);
      }
    } finally {
      agent.signal.removeEventListener('abort', onAbort);
      conversation.onQuestion = () => {};
    }
  }

  #question(conversation: Conversation, ask: Question['ask'], signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const key = `${ask.method.replaceAll('/', '-')}-${randomId().slice(0, 8)}`;
      conversation.questions.set(key, { ask, resolve, reject });
      signal.addEventListener('abort', () => {
        conversation.questions.delete(key);
        reject(signal.reason);
      });
      conversation.onQuestion();
    });
  }

  #park(conversation: Conversation): Result {
    if (this.#waiting.size >= limits.maxParkedCalls) {
      const error = new GatewayError('RATE_LIMITED', `${limits.maxParkedCalls} calls are already waiting for input.`);
      conversation.ending.abort(error);
      throw error;
    }
    const handle = conversation.handle ?? `${handlePrefix}${idAt(this.#replica)}`;
    conversation.handle = handle;
    conversation.workedMs += this.#clock.elapsed() - conversation.resumedAt;
    this.#waiting.set(handle, conversation);
    conversation.expiry = this.#clock.after(limits.parkedCallTtlMs, () => this.#expire(conversation));
    // Nobody waits for the call while its agent thinks: its end must not count as unhandled.
    conversation.outcome.catch(() => {});
    const inputRequests = Object.fromEntries(
      [...conversation.questions].map(([key, { ask }]) => [
        key,
        { method: ask.method, ...(ask.params ? { params: ask.params } : {}) },
      ]),
    );
    return { resultType: 'input_required', inputRequests, requestState: handle };
  }

  #expire(conversation: Conversation): void {
    if (!this.#waiting.delete(conversation.handle ?? '')) return;
    const error = new GatewayError('TIMEOUT', 'The agent did not answer the question of the server in time.', {
      data: { reason: 'agent-silent' },
    });
    conversation.ending.abort(error);
    // Nobody reads what the server may still say.
    conversation.outcome.then(releaseLong, () => {});
    conversation.onAbandoned?.(error, conversation.workedMs);
  }

  /** Ends every call that waits. */
  close(): void {
    for (const conversation of [...this.#waiting.values()]) {
      conversation.expiry?.cancel();
      this.#expire(conversation);
    }
  }
}

/** True for a handle that another gateway on the same database gave. */
export function isElsewhere(handle: string, replica: string | null): boolean {
  const made = replicaOf(handle);
  return replica !== null && made !== undefined && made !== replica;
}

/** Requests with such a handle are passed on to the gateway that gave it, as long as it is there. */
export function replicaIsGone(): GatewayError {
  return new GatewayError('SERVER_DISCONNECTED', 'The gateway that held this call was lost.', {
    hint: 'Start the call again without requestState. It may have been carried out in part.',
  });
}

const prefix = 'toolcrib-state.';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** The time after which it is not taken any more, in front of the state itself. */
const timeBytes = 8;

export class StateSeal {
  readonly #clock: Clock;
  readonly #key: Buffer;

  /** `key`: shared by all that may get a state back. Left out, this process alone does, and no state outlives it. */
  constructor(clock: Clock, key: Buffer = randomBytes(32)) {
    this.#clock = clock;
    this.#key = key;
  }

  /** `identity`: what only the same request of the same principal can say again. */
  seal(state: string, identity: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(digestOf(identity));
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(this.#clock.now() + limits.sealedStateTtlMs);
    const sealed = [cipher.update(time), cipher.update(state, 'utf8'), cipher.final()];
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** Throws where it is not one of ours, or is somebody else's, or of another request, or too old: all in the same words. */
  open(sealed: unknown, identity: string): string {
    const state = typeof sealed === 'string' && sealed.startsWith(prefix) ? this.#unseal(sealed, identity) : undefined;
    if (state !== undefined) return state;
    throw new RpcError(
      rpcCodes.invalidParams,
      'The requestState is unknown or has expired; start the call again without it.',
    );
  }

  #unseal(sealed: string, identity: string): string | undefined {
    const text = sealed.slice(prefix.length);
    const bytes = Buffer.from(text, 'base64url');
    // Another text that decodes to the same bytes was changed by somebody.
    if (bytes.length < nonceBytes + tagBytes + timeBytes || bytes.toString('base64url') !== text) return undefined;
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(digestOf(identity)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const open = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return open.readDoubleBE(0) > this.#clock.now() ? open.subarray(timeBytes).toString('utf8') : undefined;
    } catch {
      return undefined;
    }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
