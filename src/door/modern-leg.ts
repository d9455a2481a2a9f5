/** The modern era on HTTP: every request stands alone, says who it is in its envelope, and is cancelled by closing it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { cacheableMethods, mcpLogLevels, metaKeys, metaOf, modernVersion } from '../protocol/eras.ts';
import {
  failure,
  isRequestId,
  type Params,
  type Result,
  type RpcErrorBody,
  type RpcRequest,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import { Answer, acceptsStream } from './answer.ts';
import { clientName } from './client-name.ts';
import { modernFault } from './modern-checks.ts';
import { serveListen } from './modern-listen.ts';
import type { Slots } from './slots.ts';
import { toWire } from './wire-errors.ts';

export interface ModernContext {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly log: Log;
  /** The stdio bridge repeats no arguments in headers, since it does not know which ones a tool wants there. */
  readonly isBridge: boolean;
  /** Takes one of the principal's slots for long streams, or throws. */
  readonly claimStream: () => void;
  readonly subscriptions: Slots;
  readonly ending: AbortSignal;
}

/** How long agents may cache a list. Changes are announced, so this matters only to agents that do not listen. */
const listTtlMs = 30_000;

export async function serveModern(context: ModernContext, message: RpcRequest): Promise<void> {
  const { endpoint, principal, request, response } = context;
  const answer = new Answer({ response, clock: context.clock, canStream: acceptsStream(request.headers.accept) });
  const fault = modernFault(message, endpoint, principal, request.headers, context.isBridge);
  if (fault) return answer.finish(failure(message.id, fault.error), fault.status);
  if (message.method === 'subscriptions/listen') return serveListen(context, message, answer);
  const cancelling = new AbortController();
  const onClose = () => cancelling.abort(new GatewayError('CANCELLED', 'The agent closed the request.'));
  response.once('close', onClose);
  try {
    const params = message.params ?? {};
    const agent = agentOf(message, principal, cancelling.signal, answer);
    const result = await dispatch(context, message.method, params, agent);
    response.off('close', onClose);
    answer.finish(success(message.id, complete(message.method, result)));
  } catch (error) {
    response.off('close', onClose);
    if (cancelling.signal.aborted) return answer.finish(undefined);
    const body = toWire(error, 'modern', context.log);
    answer.finish(failure(message.id, body), statusOf(body));
  }
}

async function dispatch(context: ModernContext, method: string, params: Params, agent: AgentSide): Promise<Result> {
  const { endpoint, principal } = context;
  if (method !== 'server/discover') return endpoint.handle({ method, params, principal, agent });
  const { capabilities, instructions, serverInfo } = await endpoint.describe(principal);
  return {
    supportedVersions: [modernVersion],
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    _meta: { [metaKeys.serverInfo]: serverInfo },
  };
}

function agentOf({ id, params }: RpcRequest, principal: Principal, signal: AbortSignal, answer: Answer): AgentSide {
  const meta = metaOf(params ?? {}) ?? {};
  const capabilities = meta[metaKeys.clientCapabilities];
  const level = meta[metaKeys.logLevel];
  return {
    era: 'modern',
    capabilities: isObject(capabilities) ? capabilities : {},
    logLevel: typeof level === 'string' && mcpLogLevels.includes(level) ? level : undefined,
    session: `principal:${principal.id}`,
    knowsLinks: true,
    signal,
    progressToken: isRequestId(meta.progressToken) ? meta.progressToken : undefined,
    client: clientName(meta[metaKeys.clientInfo]),
    requestId: String(id),
    notify: (message) => void answer.send(message),
    trace: new RequestTrace(),
  };
}

/** Adds the members that the era requires and a server of the other era left out. */
function complete(method: string, result: Result): Result {
  const typed = result.resultType === undefined ? { resultType: 'complete', ...result } : result;
  if (!cacheableMethods.has(method) || typed.resultType !== 'complete') return typed;
  const ttlMs = typeof typed.ttlMs === 'number' ? typed.ttlMs : method === 'resources/read' ? 0 : listTtlMs;
  return { ...typed, ttlMs, cacheScope: 'private' };
}

/** Only a missing capability has a status of its own; everything else an endpoint says is an ordinary answer. */
function statusOf(error: RpcErrorBody): number {
  return error.code === rpcCodes.missingCapability ? 400 : 200;
}
