/** One client's conversation with a demo server: reads messages, runs requests side by side, forgets the cancelled ones. */

import { messageOf } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { metaOf } from '../protocol/eras.ts';
import {
  classify,
  failure,
  isRequestId,
  notification,
  type RequestId,
  RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import { answerRequest, type Host } from './answer-request.ts';
import type { ToolContext } from './tool.ts';

/** More requests at once are refused: every one of them may hold a timer. */
const mostAtOnce = 100;

export class Conversation {
  readonly #host: Host;
  readonly #send: (message: RpcMessage) => void;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #stopListening: (() => void) | undefined;

  constructor(host: Host, send: (message: RpcMessage) => void) {
    this.#host = host;
    this.#send = send;
    this.#stopListening = host.toolSet.resources?.changed.on(() =>
      send(notification('notifications/resources/list_changed')),
    );
  }

  /** Takes one line of input. Never throws: whatever is wrong with the line is answered. */
  receive(line: string): void {
    let message: unknown;
    try {
      message = parseJson(line);
    } catch (error) {
      this.#send(failure(null, { code: rpcCodes.parseError, message: messageOf(error) }));
      return;
    }
    const kind = classify(message);
    // `classify` has checked the shapes that these casts name.
    if (kind === 'request') void this.#run(message as RpcRequest);
    else if (kind === 'notification') this.#hear(message as RpcNotification);
    else if (kind === undefined) {
      this.#send(failure(null, { code: rpcCodes.invalidRequest, message: 'This is no JSON-RPC message.' }));
    }
  }

  /** Stops everything that still runs; nothing is answered any more. */
  close(): void {
    this.#stopListening?.();
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  async #run(request: RpcRequest): Promise<void> {
    const { id } = request;
    if (this.#running.size >= mostAtOnce || this.#running.has(id)) return this.#refuse(id);
    const controller = new AbortController();
    this.#running.set(id, controller);
    const reply = await this.#answer(request, controller.signal);
    // Whoever cancelled does not expect an answer, and the id may be in use again.
    if (controller.signal.aborted) return;
    this.#running.delete(id);
    this.#send(reply);
  }

  async #answer(request: RpcRequest, signal: AbortSignal): Promise<RpcMessage> {
    try {
      return success(request.id, await answerRequest(this.#host, request, this.#contextFor(request, signal)));
    } catch (error) {
      if (error instanceof RpcError) return failure(request.id, error.toBody());
      return failure(request.id, { code: rpcCodes.internalError, message: messageOf(error) });
    }
  }

  #refuse(id: RequestId): void {
    const why = this.#running.has(id) ? 'A request with this id is still running.' : 'Too many requests at once.';
    this.#send(failure(id, { code: rpcCodes.invalidRequest, message: why }));
  }

  #contextFor(request: RpcRequest, signal: AbortSignal): ToolContext {
    const progressToken = metaOf(request.params)?.progressToken;
    if (!isRequestId(progressToken)) return { signal, reportProgress: () => {} };
    return {
      signal,
      reportProgress: (progress, total, message) => {
        if (signal.aborted) return;
        this.#send(notification('notifications/progress', { progressToken, progress, total, message }));
      },
    };
  }

  #hear({ method, params }: RpcNotification): void {
    if (method !== 'notifications/cancelled') return;
    const id = params?.requestId;
    if (!isRequestId(id)) return;
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }
}
