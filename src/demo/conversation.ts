/** One client's conversation with a demo server, in the legacy era: answers requests side by side and forgets the cancelled ones. */

import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { version } from '../base/own-program.ts';
import { latestLegacyVersion, legacyVersions, metaOf } from '../protocol/eras.ts';
import {
  classify,
  failure,
  isRequestId,
  notification,
  type Params,
  type RequestId,
  type Result,
  RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import type { ToolContext, ToolSet } from './tool.ts';

/** A tool set with the name that it is served under. */
export interface Host {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly clock: Clock;
  readonly toolSet: ToolSet;
}

/** More requests at once are refused: every one of them may keep a timer. */
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

  /** Takes one line of input. Never throws: a line that is wrong is answered with an error. */
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
    else if (kind === undefined)
      this.#send(failure(null, { code: rpcCodes.invalidRequest, message: 'This is no JSON-RPC message.' }));
  }

  /** Stops everything that still runs; nothing is answered any more. */
  close(): void {
    this.#stopListening?.();
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  async #run(request: RpcRequest): Promise<void> {
    const { id } = request;
    if (this.#running.size >= mostAtOnce || this.#running.has(id)) {
      const why = this.#running.has(id) ? 'A request with this id is still running.' : 'Too many requests at once.';
      this.#send(failure(id, { code: rpcCodes.invalidRequest, message: why }));
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    const reply = await this.#answer(request, controller.signal);
    // A client that has cancelled expects no answer, and may use the id again.
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

  #contextFor(request: RpcRequest, signal: AbortSignal): ToolContext {
    const progressToken = metaOf(request.params)?.progressToken;
    return {
      clock: this.#host.clock,
      signal,
      reportProgress: (progress, total, message) => {
        if (signal.aborted || !isRequestId(progressToken)) return;
        this.#send(notification('notifications/progress', { progressToken, progress, total, message }));
      },
    };
  }

  #hear({ method, params }: RpcNotification): void {
    const id = params?.requestId;
    if (method !== 'notifications/cancelled' || !isRequestId(id)) return;
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }
}

type Handler = (params: Params, context: ToolContext) => Result | Promise<Result>;

/** Throws `RpcError` for what the protocol calls an error; a tool that says no is a result. */
async function answerRequest(host: Host, { method, params = {} }: RpcRequest, context: ToolContext): Promise<Result> {
  const handlers = new Map<string, Handler>(Object.entries(handlersOf(host)));
  const handler = handlers.get(method);
  if (handler) return handler(params, context);
  throw new RpcError(rpcCodes.methodNotFound, `The method "${method}" is not known here.`);
}

function handlersOf(host: Host): Record<string, Handler> {
  const { tools, resources, prompts } = host.toolSet;
  return {
    initialize: (params) => initialize(host, params),
    ping: () => ({}),
    'tools/list': (params) => ({ tools: onePage(tools, params).map(({ definition }) => definition) }),
    'tools/call': (params, context) => named(tools, 'tool', params).run(argumentsOf(params), context),
    ...(resources && {
      'resources/list': (params) => ({ resources: onePage(resources.list(), params) }),
      'resources/templates/list': (params) => ({ resourceTemplates: onePage(resources.templates, params) }),
      'resources/read': ({ uri }) => {
        if (typeof uri !== 'string') throw new RpcError(rpcCodes.invalidParams, 'The uri of the resource is missing.');
        const contents = resources.read(uri);
        if (contents) return { contents: [contents] };
        throw new RpcError(rpcCodes.legacyResourceNotFound, `There is no resource ${JSON.stringify(uri)}.`, { uri });
      },
    }),
    ...(prompts && {
      'prompts/list': (params) => ({ prompts: onePage(prompts, params).map(({ definition }) => definition) }),
      'prompts/get': (params) => {
        const { definition, write } = named(prompts, 'prompt', params);
        const content = { type: 'text', text: write(argumentsOf(params)) };
        return { description: definition.description, messages: [{ role: 'user', content }] };
      },
    }),
  };
}

function initialize({ name, title, description, toolSet }: Host, { protocolVersion: wanted }: Params): Result {
  const isSpoken = typeof wanted === 'string' && legacyVersions.includes(wanted);
  return {
    protocolVersion: isSpoken ? wanted : latestLegacyVersion,
    capabilities: {
      tools: {},
      ...(toolSet.resources && { resources: { listChanged: true } }),
      ...(toolSet.prompts && { prompts: {} }),
    },
    serverInfo: { name: `demo-${name}`, title, version },
    instructions: description,
  };
}

/** Every list fits one page, so that a cursor can only be a mistake. */
function onePage<T>(items: readonly T[], params: Params): readonly T[] {
  if (params.cursor === undefined) return items;
  throw new RpcError(rpcCodes.invalidParams, 'There is only one page, so no cursor is valid.');
}

function named<T extends { readonly definition: { readonly name: string } }>(
  items: readonly T[],
  kind: string,
  { name }: Params,
): T {
  const found = items.find(({ definition }) => definition.name === name);
  if (found) return found;
  throw new RpcError(rpcCodes.invalidParams, `There is no ${kind} ${JSON.stringify(name)}.`);
}

function argumentsOf({ arguments: args = {} }: Params): Record<string, unknown> {
  if (isObject(args)) return args;
  throw new RpcError(rpcCodes.invalidParams, 'The arguments must be an object.');
}
