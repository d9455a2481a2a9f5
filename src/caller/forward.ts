/** Sends one request of an agent to a server and bridges the eras: progress, log messages and questions reach the agent its way. The last stage of a call is here. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type Config, limits } from '../config/config.ts';
import type { Downstream, LinkChoice } from '../downstream/downstream.ts';
import {
  askMethods,
  capabilityForAsk,
  inputRequestMethods,
  mcpLogLevels,
  paramHeadersFor,
  paramHeadersOf,
} from '../protocol/eras.ts';
import {
  notification,
  type Params,
  type Result,
  RpcError,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
} from '../protocol/messages.ts';
import { releaseLong } from '../results/results.ts';
import type { Span } from '../telemetry/telemetry.ts';
import type { AgentSide, Call, Stage } from './call.ts';
import { type Asking, Conversations, type StateSeal } from './conversations.ts';
import { changedMeanwhile, checkAuthorized, checkedCall } from './stages.ts';

/** A request on its way to one server. */
export interface Forwarded {
  readonly server: string;
  readonly method: string;
  readonly params: Params;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** On whose behalf; only the same principal may go on with a conversation. */
  readonly principal: string;
  /** Parts of the result that are too long for memory may stay on disk. */
  readonly takesLong?: boolean | undefined;
  /** Ask the server for progress even if the agent doesn't want it: it keeps a long call alive. */
  readonly wantsProgress?: boolean | undefined;
  /** Throws where it must not be sent any more; asked after it had to wait until its server was listed. */
  readonly recheck?: (() => void) | undefined;
  /** Told when the agent was asked something and never came back. */
  readonly onAbandoned?: ((error: GatewayError, workedMs: number) => void) | undefined;
  /** The span that it is a part of; left out, that of the agent's request. */
  readonly span?: Span | undefined;
}

export class Forwarder {
  readonly #downstream: Downstream;
  readonly #conversations: Conversations;
  readonly #states: StateSeal;

  constructor(downstream: Downstream, conversations: Conversations, states: StateSeal) {
    this.#downstream = downstream;
    this.#conversations = conversations;
    this.#states = states;
  }

  async forward(request: Forwarded, agent: AgentSide): Promise<Result> {
    if (agent.era === 'legacy') return this.#answerOnBehalf(request, agent);
    if (!inputRequestMethods.has(request.method)) return this.#send(request, agent, undefined);
    const { requestState, inputResponses } = request.params;
    if (Conversations.isHandle(requestState)) {
      return this.#conversations.resume(requestState, inputResponses, identityOf(request), agent);
    }
    const opened = requestState === undefined ? request : this.#withOpenState(request);
    return this.#conversations.start(
      { identity: () => identityOf(request), onAbandoned: request.onAbandoned },
      agent,
      async (stand, asking) => this.#sealState(request, await this.#answerRoots(opened, stand, asking)),
    );
  }

  /**
   * Work of our own for a `tools/call`, during which the agent can be asked in either era, by `ask` of the one that `work` gets.
   * `viewer`: only the same one goes on with it.
   */
  converse(
    { viewer, params }: { readonly viewer: string; readonly params: Params },
    agent: AgentSide,
    work: (agent: AgentSide) => Promise<Result>,
  ): Promise<Result> {
    if (agent.era === 'legacy' || agent.ask) return work(agent);
    const identity = () => identityOf({ principal: viewer, server: '', method: 'tools/call', params });
    const { requestState, inputResponses } = params;
    if (!Conversations.isHandle(requestState))
      return this.#conversations.start({ identity, mayDecline: true }, agent, work);
    return this.#conversations.resume(requestState, inputResponses, identity(), agent);
  }

  #withOpenState(request: Forwarded): Forwarded {
    const requestState = this.#states.open(request.params.requestState, identityOf(request));
    return { ...request, params: { ...request.params, requestState } };
  }

  #sealState(request: Forwarded, result: Result): Result {
    const { resultType, requestState } = result;
    if (resultType !== 'input_required' || typeof requestState !== 'string') return result;
    return { ...result, requestState: this.#states.seal(requestState, identityOf(request)) };
  }

  /** Roots are the owner's to tell: a server that asks for nothing else gets them without its agent hearing of it. */
  async #answerRoots(request: Forwarded, agent: AgentSide, asking: Asking): Promise<Result> {
    let current = request;
    for (let round = 0; ; round += 1) {
      const result = await this.#send(current, agent, asking);
      const isForAgent = isObject(agent.capabilities.roots) || round >= limits.maxInputRounds;
      if (isForAgent || !asksOnlyForRoots(result)) return result;
      const answers = Object.keys(result.inputRequests).map((key) => [key, this.#downstream.roots]);
      current = again(request, result, Object.fromEntries(answers));
    }
  }

  /** A legacy agent cannot be told "input required": it is asked, and the request is sent again with its answers. */
  async #answerOnBehalf(request: Forwarded, agent: AgentSide): Promise<Result> {
    const asking: Asking = (ask, signal) => askAgent(agent, ask, signal);
    let params = request.params;
    for (let round = 0; ; round += 1) {
      const result = await this.#send({ ...request, params }, agent, asking);
      if (result.resultType !== 'input_required') return result;
      if (round >= limits.maxInputRounds) {
        throw new RpcError(
          rpcCodes.internalError,
          `Server "${request.server}" asked for input more than ${limits.maxInputRounds} times.`,
        );
      }
      const inputResponses = await askAll(agent, result.inputRequests, this.#downstream.roots);
      params = again(request, result, inputResponses).params;
    }
  }

  #send(request: Forwarded, agent: AgentSide, asking: Asking | undefined): Promise<Result> {
    const choice: LinkChoice = { era: agent.era, session: agent.session };
    const wantsProgress = request.wantsProgress === true || agent.progressToken !== undefined;
    return this.#downstream.request(
      request.server,
      {
        method: request.method,
        params: request.params,
        timeoutMs: request.timeoutMs,
        maxMs: Math.max(limits.callHardMaxMs, request.timeoutMs),
        headers: request.headers,
        recheck: request.recheck,
        takesLong: request.takesLong,
        span: request.span ?? agent.trace.span,
        signal: agent.signal,
        agent: {
          capabilities: { roots: {}, ...agent.capabilities },
          logLevel: agent.logLevel,
          principal: request.principal,
        },
        onProgress: wantsProgress ? (params) => reportProgress(agent, params) : undefined,
        onNotification: (message) => {
          if (isWanted(message, agent)) agent.notify(message);
        },
        onAsk: asking && ((ask, signal) => checkedAsk(agent, asking, ask, signal)),
      },
      choice,
    );
  }
}

/** The token is read when there is something to report: in a conversation it changes from request to request. */
function reportProgress(agent: AgentSide, params: Params): void {
  const { progressToken } = agent;
  if (progressToken !== undefined) agent.notify(notification('notifications/progress', { ...params, progressToken }));
}

function identityOf(request: Pick<Forwarded, 'principal' | 'server' | 'method' | 'params'>): string {
  const { requestState, inputResponses, _meta, ...rest } = request.params;
  return JSON.stringify([request.principal, request.server, request.method, rest]);
}

/** A server may ask only what its agent said it can answer. */
function checkedAsk(agent: AgentSide, asking: Asking, ask: RpcRequest, signal: AbortSignal): Promise<Result> {
  const capability = capabilityForAsk(ask.method);
  if (askMethods.has(ask.method) && isObject(agent.capabilities[capability])) return asking(ask, signal);
  agent.unasked?.push(ask.method);
  const message = `The agent behind this call does not support ${ask.method}.`;
  return Promise.reject(new RpcError(rpcCodes.methodNotFound, message, { reason: 'agent-capability', capability }));
}

async function askAgent(
  agent: AgentSide,
  ask: { method: string; params?: Params | undefined },
  signal: AbortSignal,
): Promise<Result> {
  if (!agent.ask)
    throw new RpcError(rpcCodes.methodNotFound, `The agent behind this call cannot be asked ${ask.method}.`);
  return agent.ask(ask.method, ask.params, signal);
}

/** The request once more, with what the server asked for. */
function again(request: Forwarded, asked: Result, inputResponses: Record<string, unknown>): Forwarded {
  const { requestState } = asked;
  const answers = requestState === undefined ? { inputResponses } : { inputResponses, requestState };
  return { ...request, params: { ...request.params, ...answers } };
}

function asksOnlyForRoots(result: Result): result is Result & { inputRequests: Record<string, unknown> } {
  const { resultType, inputRequests } = result;
  if (resultType !== 'input_required' || !isObject(inputRequests)) return false;
  const asks = Object.values(inputRequests);
  return asks.length > 0 && asks.every((ask) => isObject(ask) && ask.method === 'roots/list');
}

/** Puts every question of an "input required" answer to a legacy agent, except for roots; the answers keep the server's keys. */
async function askAll(agent: AgentSide, inputRequests: unknown, roots: Result): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    const ask = isObject(value) ? value : {};
    const method = String(ask.method);
    if (method === 'roots/list') {
      answers[key] = roots;
      continue;
    }
    const params = isObject(ask.params) ? ask.params : undefined;
    const request: RpcRequest = { jsonrpc: '2.0', id: key, method, params };
    answers[key] = await checkedAsk(agent, (item, signal) => askAgent(agent, item, signal), request, agent.signal);
  }
  return answers;
}

/** Log messages reach only agents that asked for their level. */
function isWanted(message: RpcNotification, agent: AgentSide): boolean {
  if (message.method !== 'notifications/message') return true;
  if (agent.logLevel === undefined) return agent.era === 'legacy';
  return mcpLogLevels.indexOf(String(message.params?.level)) >= mcpLogLevels.indexOf(agent.logLevel);
}

/** How long a call of a server may take. */
export function timeoutFor(config: Config, server: { readonly timeoutMs: number | null }): number {
  return server.timeoutMs ?? config.calls.timeoutMs;
}

/** `onAbandoned`: the agent was asked something and never came back. */
export function sendCall(
  forwarder: Forwarder,
  onAbandoned: (call: Call, error: GatewayError, workedMs: number) => void,
): Stage {
  return async (call) => {
    const forwarded = forwarder.forward(
      {
        server: call.server,
        method: 'tools/call',
        params: call.params,
        timeoutMs: call.timeoutMs,
        headers: headersOf(call),
        recheck: () => checkAgain(call),
        principal: call.principal.id,
        // A result that stays whole has to fit into the memory.
        takesLong: call.maxResultBytes !== null,
        wantsProgress: call.way !== 'plain',
        onAbandoned: (error, workedMs) => onAbandoned(call, error, workedMs),
        span: call.course?.span,
      },
      call.agent,
    );
    return call.way === 'chain' ? unasked(call, forwarded) : forwarded;
  };
}

/** Nobody could go on with a conversation: a program has one answer for each call. That is neither the tool's fault nor the agent's. */
async function unasked(call: Call, forwarded: Promise<Result>): Promise<Result> {
  const wasUnasked = () => call.agent.ask === undefined && (call.agent.unasked?.length ?? 0) > 0;
  try {
    const result = await forwarded;
    if (result.resultType !== 'input_required' && !(result.isError === true && wasUnasked())) return result;
    releaseLong(result);
  } catch (error) {
    const isLack = error instanceof RpcError && error.code === rpcCodes.missingCapability;
    if (!wasUnasked() && !(isLack && call.agent.ask === undefined)) throw error;
  }
  const message = `Tool "${call.key}" asks its caller a question, and a program cannot answer it.`;
  throw new GatewayError('TOOL_FAILED', message, {
    hint: `Call it by itself: tool_execute ${JSON.stringify({ toolKey: call.key })} with the same arguments, or directly.`,
    cause: new RpcError(rpcCodes.methodNotFound, message, { reason: 'agent-capability' }),
    data: { reason: 'agent-capability', tool: call.key },
  });
}

/** Arguments that the tool's schema wants repeated as HTTP headers; other transports ignore them. */
function headersOf(call: Call): Record<string, string> | undefined {
  const headers = paramHeadersOf(call.definition);
  return headers.length === 0 ? undefined : paramHeadersFor(headers, call.params.arguments);
}

/** Throws where it may not be made any more, or does not fit the tool as it is now. */
export function checkAgain(call: Call): void {
  const { permission, hold, definition, fingerprint } = call.standing();
  checkAuthorized({ ...call, permission, hold });
  // Nobody was asked yet.
  if (permission === 'ask' && call.permission !== 'ask') throw changedMeanwhile(call);
  if (fingerprint === call.fingerprint) return;
  // Somebody approved the call of the tool that it was.
  if (call.permission === 'ask') throw changedMeanwhile(call);
  if (call.way === 'plain') return;
  const checked = checkedCall({ ...call, definition, isRenewed: true });
  // Its arguments fit only when they are corrected, and headers were made of them as they are.
  if (checked.params !== call.params) throw changedMeanwhile(call);
}
