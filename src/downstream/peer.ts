/** JSON-RPC over one transport: matches answers to requests, hands progress and asks to the request that owns them. */

import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import { inputRequestMethods, metaKeys, metaOf } from '../protocol/eras.ts';
import {
  failure,
  isFailure,
  isResponse,
  notification,
  type Params,
  type RequestId,
  type Result,
  RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  rpcCodes,
  request as rpcRequest,
  success,
} from '../protocol/messages.ts';
import { hasLongValues, loadLong, releaseLong } from '../results/results.ts';
import { asUnexecuted } from './link-trouble.ts';
import type { Transport } from './transport.ts';

export interface PeerRequest {
  readonly method: string;
  readonly params?: Params | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Without an answer or progress for so long, the request fails. */
  readonly timeoutMs: number;
  /** On whose behalf it is made: questions of the same one need not be told apart. */
  readonly principal?: string | undefined;
  /** When its time began, in monotonic time, where that was before it is sent. */
  readonly startedAt?: number | undefined;
  /** Progress moves the deadline, but never beyond this. */
  readonly maxMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its result may hold long values, which whoever asked must release; otherwise they are loaded, or it is refused. */
  readonly takesLong?: boolean | undefined;
  /** Wants progress: gets the parameters of each notification, in order, all before the answer. */
  readonly onProgress?: ((params: Params) => void) | undefined;
  /** Other notifications that belong to this request, such as log messages. */
  readonly onNotification?: ((message: RpcNotification) => void) | undefined;
  /** The server asks the agent something in the middle of this request. */
  readonly onAsk?: ((ask: RpcRequest, signal: AbortSignal) => Promise<Result>) | undefined;
}

interface PeerEvents {
  /** A notification that belongs to no single request of ours. */
  onNotification(message: RpcNotification): void;
  /** A request of the server that the link answers itself; undefined when it must be answered by an owner. */
  onRequest(request: RpcRequest): Result | undefined;
}

interface AbandonedRequest {
  readonly principal: string | undefined;
  readonly timer: Timer;
}

interface Pending {
  readonly id: number;
  readonly request: PeerRequest;
  readonly deadlineMax: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly sending: AbortController;
  readonly onAbort: () => void;
  timer: Timer;
  /** Questions of the server that its agent has not answered yet. */
  asks: number;
}

export class Peer {
  readonly #server: string;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #events: PeerEvents;
  readonly #pending = new Map<RequestId, Pending>();
  /** Asks of the server that are being answered, so that it can take one back. */
  readonly #asks = new Map<RequestId, AbortController>();
  /** Requests that were given up while the server may still be working on them, and may ask because of them. */
  readonly #abandoned = new Map<RequestId, AbandonedRequest>();
  /** Messages under way that nobody waits for. */
  readonly #tells = new Set<AbortController>();
  /** True when giving up a request means closing its HTTP exchange rather than sending a notification. */
  isCancelByClose = false;
  #nextId = 1;
  #closed: unknown;

  constructor(server: string, transport: Transport, clock: Clock, events: PeerEvents) {
    this.#server = server;
    this.#transport = transport;
    this.#clock = clock;
    this.#events = events;
  }

  request(request: PeerRequest): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(asUnexecuted(this.#closed));
    if (request.signal?.aborted) return Promise.reject(request.signal.reason);
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId += 1;
      const now = this.#clock.elapsed();
      const startedAt = request.startedAt ?? now;
      const pending: Pending = {
        id,
        request,
        deadlineMax: startedAt + (request.maxMs ?? request.timeoutMs),
        resolve,
        reject,
        sending: new AbortController(),
        onAbort: () => this.#giveUp(pending, request.signal?.reason),
        timer: this.#clock.after(Math.max(1, request.timeoutMs - (now - startedAt)), () => this.#timeOut(id)),
        asks: 0,
      };
      this.#pending.set(id, pending);
      request.signal?.addEventListener('abort', pending.onAbort, { once: true });
      const params = request.onProgress ? withProgressToken(request.params, id) : request.params;
      const options = { headers: request.headers, signal: pending.sending.signal };
      this.#transport.send(rpcRequest(id, request.method, params), options).then(
        () => this.#onSent(id),
        (error) => this.#fail(id, error),
      );
    });
  }

  async notify(method: string, params: Params | undefined, signal: AbortSignal): Promise<void> {
    await this.#transport.send(notification(method, params), { signal });
  }

  /** Ends every request; called when the transport is gone. */
  close(reason: unknown): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const id of [...this.#pending.keys()]) this.#fail(id, reason);
    for (const ask of this.#asks.values()) ask.abort(reason);
    this.#asks.clear();
    for (const { timer } of this.#abandoned.values()) timer.cancel();
    this.#abandoned.clear();
    for (const tell of this.#tells) tell.abort(reason);
  }

  receive(message: RpcMessage, owner: RequestId | undefined): void {
    if (isResponse(message)) return this.#onResponse(message);
    if ('id' in message && message.id !== undefined) return void this.#onRequest(message, owner);
    this.#onNotification(message as RpcNotification, owner);
  }

  #onResponse(message: RpcResponse): void {
    if (message.id === null) return;
    this.#forgetAbandoned(message.id);
    const pending = this.#take(message.id);
    if (isFailure(message)) return pending?.reject(asError(this.#server, message.error));
    // An answer to a request that was given up, or never made, changes nothing.
    if (!pending) return releaseLong(message.result);
    // A question to the agent is no result yet: it is always taken whole.
    const mayStay = pending.request.takesLong && message.result.resultType !== 'input_required';
    if (mayStay || !hasLongValues(message.result)) return pending.resolve(message.result);
    const whose = `The answer of server "${this.#server}"`;
    loadLong(message.result, limits.wholeMessageBytes, whose).then(pending.resolve, pending.reject);
  }

  #onNotification(message: RpcNotification, owner: RequestId | undefined): void {
    const params = isObject(message.params) ? message.params : {};
    if (message.method === 'notifications/progress') return this.#onProgress(params);
    if (message.method === 'notifications/cancelled') {
      this.#asks
        .get(params.requestId as RequestId)
        ?.abort(new GatewayError('CANCELLED', `Server "${this.#server}" took its request back.`));
      return;
    }
    const listening = metaOf(params)?.[metaKeys.subscriptionId];
    // Ignore a stream that was replaced: the next one says the same.
    if (typeof listening === 'number' && !this.#pending.has(listening)) return;
    if (message.method === 'notifications/subscriptions/acknowledged') {
      return this.#pending.get((owner ?? listening) as RequestId)?.request.onNotification?.(message);
    }
    const target = isAttributed(message.method) ? this.#ownerOf(owner) : undefined;
    if (target?.request.onNotification) target.request.onNotification(message);
    else this.#events.onNotification(message);
  }

  #onProgress(params: Params): void {
    const pending = this.#pending.get(params.progressToken as RequestId);
    if (!pending?.request.onProgress) return;
    this.#giveTime(pending);
    pending.request.onProgress(params);
  }

  /** Restarts the time of a request; while its agent is being asked, only the utmost limit counts. */
  #giveTime(pending: Pending): void {
    pending.timer.cancel();
    const left = Math.max(0, pending.deadlineMax - this.#clock.elapsed());
    const timeMs = pending.asks > 0 ? left : Math.min(pending.request.timeoutMs, left);
    pending.timer = this.#clock.after(timeMs, () => this.#timeOut(pending.id));
  }

  async #onRequest(message: RpcRequest, owner: RequestId | undefined): Promise<void> {
    const answer = this.#events.onRequest(message);
    if (answer) return this.#tell(success(message.id, answer));
    const asking = new AbortController();
    this.#asks.set(message.id, asking);
    try {
      const result = await this.#ask(message, owner, asking.signal);
      if (!asking.signal.aborted) this.#tell(success(message.id, result));
    } catch (error) {
      const body =
        error instanceof RpcError ? error.toBody() : { code: rpcCodes.internalError, message: messageOf(error) };
      if (!asking.signal.aborted) this.#tell(failure(message.id, body));
    } finally {
      this.#asks.delete(message.id);
    }
  }

  /** Passes an ask on to the one request that can own it; a guess could show one agent's question to another. */
  async #ask(message: RpcRequest, owner: RequestId | undefined, signal: AbortSignal): Promise<Result> {
    const target = this.#ownerOf(owner);
    if (!target) {
      const count = [...this.#pending.values()].filter(isInteractive).length;
      const givenUp = this.#abandoned.size === 0 ? '' : ` and ${this.#abandoned.size} were given up`;
      throw new RpcError(
        rpcCodes.internalError,
        `Toolcrib refused ${message.method}: ${count} calls are in flight on this shared link${givenUp}, so it cannot tell which agent to ask. Set "perSession": true for this server.`,
        { reason: 'attribution-ambiguous', callsInFlight: count },
      );
    }
    if (!target.request.onAsk) {
      throw new RpcError(rpcCodes.methodNotFound, `The agent behind this call cannot answer ${message.method}.`);
    }
    if (target.asks >= limits.maxOpenAsksPerCall) {
      throw new RpcError(rpcCodes.internalError, `Toolcrib refused ${message.method}: too many questions are open.`);
    }
    target.asks += 1;
    this.#giveTime(target);
    try {
      return await target.request.onAsk(message, AbortSignal.any([signal, target.sending.signal]));
    } finally {
      target.asks -= 1;
      if (this.#pending.has(target.id)) this.#giveTime(target);
    }
  }

  #ownerOf(owner: RequestId | undefined): Pending | undefined {
    if (owner !== undefined) return this.#pending.get(owner);
    const [only, ...others] = [...this.#pending.values()].filter(isInteractive);
    if (!only || others.length > 0) return undefined;
    const isAmbiguous = [...this.#abandoned.values()].some(({ principal }) => principal !== only.request.principal);
    return isAmbiguous ? undefined : only;
  }

  /** Sends what nobody waits for; a server that does not take it must not hold a connection or fill the memory. */
  #tell(message: RpcMessage): void {
    if (this.#tells.size >= limits.maxTellsAtOnce) return;
    const tell = new AbortController();
    const timer = this.#clock.after(limits.tellTimeoutMs, () => tell.abort(new Error('It was not taken in time.')));
    this.#tells.add(tell);
    const done = () => {
      timer.cancel();
      this.#tells.delete(tell);
    };
    // The server is gone when this fails, and then the link says so.
    this.#transport.send(message, { signal: tell.signal }).then(done, done);
  }

  /** On HTTP the answer comes with the exchange or not at all. */
  #onSent(id: RequestId): void {
    if (this.#transport.kind !== 'http' || !this.#pending.has(id)) return;
    const what = `Server "${this.#server}" sent no answer to the request.`;
    this.#fail(id, new GatewayError('SERVER_NOT_RUNNING', what, { data: { reason: 'no-answer' } }));
  }

  /** Remembers a call that was given up: its questions must not reach another's agent. */
  #noteAbandoned({ id, request }: Pending): void {
    // An exchange that was closed takes its questions with it.
    if (this.isCancelByClose || !inputRequestMethods.has(request.method)) return;
    const timer = this.#clock.after(limits.callHardMaxMs, () => this.#abandoned.delete(id));
    this.#abandoned.set(id, { principal: request.principal, timer });
  }

  #forgetAbandoned(id: RequestId): void {
    this.#abandoned.get(id)?.timer.cancel();
    this.#abandoned.delete(id);
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    pending.timer.cancel();
    // A signal may outlive its requests by far, and must not keep them.
    pending.request.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }

  #fail(id: RequestId, error: unknown): void {
    const pending = this.#take(id);
    if (!pending) return;
    // Of a connection that broke it is not known how far the server got.
    if (this.#closed === undefined && isInDoubt(error)) this.#noteAbandoned(pending);
    pending.reject(error);
    pending.sending.abort(error);
  }

  #timeOut(id: RequestId): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const seconds = pending.request.timeoutMs / 1000;
    const error = new GatewayError(
      'TIMEOUT',
      `Server "${this.#server}" did not answer ${pending.request.method} within ${seconds} s.`,
      {
        hint: `Raise "timeoutMs" of this server if it needs longer.`,
      },
    );
    this.#giveUp(pending, error);
  }

  /** Stops waiting and tells the server by its era's rule. */
  #giveUp(pending: Pending, reason: unknown): void {
    if (this.#take(pending.id) === undefined) return;
    this.#noteAbandoned(pending);
    pending.reject(reason);
    if (!this.isCancelByClose && pending.request.method !== 'initialize') {
      this.#tell(notification('notifications/cancelled', { requestId: pending.id, reason: messageOf(reason) }));
    }
    pending.sending.abort(reason);
  }
}

/** Requests in whose course a server may ask the agent something. */
function isInteractive(pending: Pending): boolean {
  return inputRequestMethods.has(pending.request.method);
}

function isInDoubt(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'SERVER_DISCONNECTED' && error.data?.isUnexecuted !== true;
}

/** Notifications that may carry what one agent's call brought about; all others are about the server as a whole. */
function isAttributed(method: string): boolean {
  return !/^notifications\/((tools|prompts|resources)\/list_changed|resources\/updated|subscriptions\/)/.test(method);
}

function withProgressToken(params: Params | undefined, token: number): Params {
  return { ...params, _meta: { ...metaOf(params), progressToken: token } };
}

/** Why a transport could not read an answer to its end. */
const unreadCodes = ['TOO_LARGE', 'STORE_BROKEN', 'RATE_LIMITED'] as const;

function asError(server: string, body: { code: number; message: string; data?: unknown }): unknown {
  const data = body.data;
  const code = isObject(data) ? unreadCodes.find((name) => name === data.toolcrib) : undefined;
  if (code) return new GatewayError(code, body.message, { hint: `Ask server "${server}" for less at a time.` });
  return RpcError.from(body);
}
