/** One request being answered: what handlers and tools may ask and say while they work on it, in either era. */

import type { Conversation, Outlet } from './conversation.ts';
import {
  CODES,
  type Dict,
  isDict,
  META,
  type Message,
  metaOf,
  notification,
  type RequestId,
  RpcFailure,
} from './rpc.ts';
import type { ServerState } from './server-state.ts';

/** Returned by a handler that leaves its request open: an open listen, or a hang asked for by a mode. */
export const UNANSWERED = Symbol('unanswered');

/** Thrown by a tool whose work cannot go on: answered as a result with `isError`. */
export class ToolFailure extends Error {}

/** Thrown in the modern era when the client has to supply something first: answered as `input_required`. */
export class InputRequired extends Error {
  readonly inputRequests: Dict;
  readonly requestState: string;

  constructor(inputRequests: Dict, requestState: string) {
    super('input required');
    this.inputRequests = inputRequests;
    this.requestState = requestState;
  }
}

export interface Incoming {
  readonly message: Message & { readonly id: RequestId; readonly method: string };
  /** The HTTP headers of the request; undefined on stdio. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

export class Call {
  readonly server: ServerState;
  readonly conversation: Conversation;
  readonly outlet: Outlet;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Dict;
  readonly meta: Dict;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  /** Messages to be written together with the answer, in the same write. */
  readonly attached: Message[] = [];

  constructor(server: ServerState, conversation: Conversation, outlet: Outlet, incoming: Incoming) {
    this.server = server;
    this.conversation = conversation;
    this.outlet = outlet;
    this.id = incoming.message.id;
    this.method = incoming.message.method;
    this.params = isDict(incoming.message.params) ? incoming.message.params : {};
    this.meta = metaOf(incoming.message);
    this.headers = incoming.headers;
    this.signal = conversation.begin(this.id);
  }

  get isModern(): boolean {
    return this.conversation.era === 'modern';
  }

  /** The arguments of a tools/call. */
  get args(): Dict {
    const args = this.params.arguments;
    return isDict(args) ? args : {};
  }

  notify(method: string, params: Dict): void {
    if (!this.signal.aborted) this.outlet.send([notification(method, params)]);
  }

  /** Like `notify`, but held back until the answer so that both leave in one write. */
  attach(method: string, params: Dict): void {
    this.attached.push(notification(method, params));
  }

  /** Waits, or ends early when the request is cancelled. */
  async pause(ms: number): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      this.signal.addEventListener('abort', wake, { once: true });
    });
  }

  /**
   * Asks the client for something. Legacy: a request of its own. Modern: throws `InputRequired` until the retry
   * brings the answer along with the unchanged request state.
   */
  async ask(capability: string, method: string, params: Dict): Promise<Dict> {
    if (!this.isModern) {
      if (!isDict(this.conversation.clientCapabilities[capability])) {
        throw new ToolFailure(`The client does not support ${capability}.`);
      }
      return this.conversation.ask(method, params, (messages) => this.outlet.send(messages), this.signal);
    }
    const capabilities = this.meta[META.clientCapabilities];
    if (!isDict(capabilities) || !isDict(capabilities[capability])) {
      throw new RpcFailure(CODES.missingCapability, `The client did not declare ${capability}.`, {
        httpStatus: 400,
        data: { requiredCapabilities: { [capability]: {} } },
      });
    }
    const { requestState, inputResponses } = this.params;
    const expected = this.#requestState(capability);
    if (requestState !== undefined && requestState !== expected) {
      throw new RpcFailure(CODES.invalidParams, 'The request state does not belong to this request.');
    }
    const answer = requestState === expected && isDict(inputResponses) ? inputResponses[capability] : undefined;
    if (isDict(answer)) return answer;
    throw new InputRequired({ [capability]: { method, params } }, expected);
  }

  /** Bound to tool and arguments, and the same after a restart: the modern era allows no memory between rounds. */
  #requestState(key: string): string {
    const bound = JSON.stringify([this.server.settings.name, this.method, this.params.name, this.args, key]);
    // Loaded only when needed: it is a fifth of the start-up time.
    const { createHmac } = process.getBuiltinModule('node:crypto');
    return `state+${createHmac('sha256', 'test-server').update(bound).digest('base64')}/é`;
  }
}
