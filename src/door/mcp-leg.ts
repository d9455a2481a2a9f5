/** A request to an MCP door: reads its body, resolves on whose behalf it is, and hands it to the leg of its era. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { clientName, metaKeys, metaOf } from '../protocol/eras.ts';
import {
  classify,
  failure,
  foldedFault,
  type Params,
  type RpcErrorBody,
  type RpcMessage,
  type RpcRequest,
} from '../protocol/messages.ts';
import type { Telemetry, Tracer } from '../telemetry/telemetry.ts';
import type { Uses } from '../tools/tools.ts';
import { type Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import type { AdmittedRequest, CurrentRights, Slots } from './connections.ts';
import { answerJson, HttpError, onceClosed, readJsonBody } from './exchange.ts';
import { serveLegacyDelete, serveLegacyGet, serveLegacyPost } from './legacy-leg.ts';
import type { LegacySessions } from './legacy-session.ts';
import { claimsModern, serveModern } from './modern-leg.ts';
import { passOn, type ReplicaAddresses } from './pass-on.ts';
import { shuttingDown, toWire } from './refuse.ts';
import {
  type EndpointSet,
  projectOfRequest,
  type ResolvedMessage,
  type ResolveMessage,
  resolveMessageFor,
} from './resolve-message.ts';
import type { SeenAgents, Sighted } from './seen-agents.ts';

/** The parts that all MCP doors share. */
export interface McpOptions {
  readonly context: Uses<'access' | 'config'>;
  readonly authenticator: Authenticator;
  readonly rights: CurrentRights;
  readonly endpoints: EndpointSet;
  readonly sessions: LegacySessions;
  readonly replicas: ReplicaAddresses;
  readonly streams: Slots;
  readonly subscriptions: Slots;
  readonly agents: SeenAgents;
  /** Its tracer is there while requests are traced. */
  readonly telemetry?: Pick<Telemetry, 'tracer'> | undefined;
  /** Called when a long stream has closed. */
  readonly onStreamEnd: () => void;
  readonly ending: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** One request to an MCP door, with what the legs of both eras need. */
interface McpRequest {
  readonly identity: CallerIdentity;
  readonly resolve: ResolveMessage;
  /** Which door this is: a session is good at its own one. */
  readonly home: string;
  /** True while a principal has the right to be at this door. */
  readonly mayStay: (principal: Principal) => boolean;
  readonly sessions: LegacySessions;
  readonly replicas: ReplicaAddresses;
  /** Takes one of the principal's slots for long streams, or throws. */
  readonly claimStream: (principal: Principal) => void;
  readonly subscriptions: Slots;
  /** For the owner, who sees which agents are there. */
  readonly noteAgent: (agent: Omit<Sighted, 'door' | 'surface'>, session?: string) => void;
  /** Undefined while nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ending: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export async function serveMcp(admitted: AdmittedRequest, options: McpOptions): Promise<void> {
  const { route, request, response, sender, identity } = admitted;
  const id = request.headers['mcp-session-id'];
  // A gateway that ends passes on only what belongs to a running call, and the body alone says so.
  const early = id !== undefined && options.ending.aborted ? await readStarted(admitted, options) : undefined;
  const body = early === undefined ? undefined : JSON.stringify(early);
  if (id !== undefined && (await passOn(options.replicas, { request, response, sender, id, body }))) return;
  const project = projectOfRequest(route, request);
  const mcp = mcpRequest(admitted, project, options);
  // A server or project that the request names must exist; where messages name somebody else, their token decides.
  const isAlwaysThere = project === undefined && route.kind !== 'server';
  if (!identity.speaksForOthers && !isAlwaysThere) await mcp.resolve(undefined);
  if (request.method === 'POST') {
    const message = early ?? (await readBody(admitted, options));
    return servePost(mcp, message, () => refuseNew(message, admitted, options.ending));
  }
  if (!identity.principal) throw unauthenticated();
  const legacy = { ...mcp, principal: identity.principal };
  if (request.method === 'DELETE') return serveLegacyDelete(legacy);
  mcp.claimStream(identity.principal);
  serveLegacyGet(legacy);
}

function mcpRequest(admitted: AdmittedRequest, project: string | undefined, options: McpOptions): McpRequest {
  const { route, request, response, identity, slots } = admitted;
  const { context, authenticator, rights, sessions, replicas, subscriptions, ending, clock, log } = options;
  return {
    identity,
    resolve: resolveMessageFor({
      identity,
      right: route,
      authenticator,
      access: context.access,
      renew: (principal) => rights.renew(principal, route),
      project,
      endpointFor: (principal) => options.endpoints.find(route, principal),
      onOther: (principal) => slots.take(principal, true),
    }),
    home: `${route.kind} ${route.name} ${route.query.size === 0 ? '' : route.query}`,
    mayStay: (principal) => rights.mayStay(principal, route),
    sessions,
    replicas,
    claimStream: (principal) => claimStream(principal, response, options),
    subscriptions,
    noteAgent: (agent, session) =>
      options.agents.note({ ...agent, door: doorName(route), surface: route.query.get('surface') }, session),
    tracer: options.telemetry?.tracer,
    request,
    response,
    ending,
    clock,
    log,
  };
}

/** `agent`, `server git` and so on. */
function doorName({ kind, name }: AdmittedRequest['route']): string {
  return name === '' ? kind : `${kind} ${name}`;
}

/** Throws where the sender has lost its rights while the body, which can come long after its head, was on its way. */
async function readBody({ request, route, identity }: AdmittedRequest, options: McpOptions): Promise<unknown> {
  const { context, rights, clock } = options;
  const body = await readJsonBody(request, context.config().limits, clock);
  if (identity.principal && !rights.renew(identity.principal, route)) throw unauthenticated({ error: 'invalid_token' });
  return body;
}

/** Throws where it would begin something. */
async function readStarted(admitted: AdmittedRequest, options: McpOptions): Promise<unknown> {
  const body = await readBody(admitted, options);
  refuseNew(body, admitted, options.ending);
  return body;
}

/** Throws where nothing new can begin: the gateway is ending, or the caller has no slot left. */
function refuseNew(body: unknown, { identity, slots }: AdmittedRequest, ending: AbortSignal): void {
  if (isPartOfRunning(body)) return;
  if (ending.aborted) throw shuttingDown();
  if (identity.principal) slots.checkRoom(identity.principal);
}

/** Running calls need these to end: answers to questions, cancellations, and calls that are taken up again. */
function isPartOfRunning(body: unknown): boolean {
  const messages = (Array.isArray(body) ? body : [body]) as RpcMessage[];
  return messages.every((message) => {
    if (classify(message) === 'response') return true;
    if (classify(message) === undefined || !('method' in message)) return false;
    return message.method === 'notifications/cancelled' || message.params?.requestState !== undefined;
  });
}

/** One agent must not take all streams; its slot is free again when its stream closes. */
export function claimStream(
  principal: Principal,
  response: ServerResponse,
  { streams, onStreamEnd }: McpOptions,
): void {
  const release = streams.take(principal.id);
  if (!release) {
    throw new HttpError(429, `This token has ${streams.most} streams open; ${streams.most} are allowed.`, {
      headers: { 'retry-after': '10' },
      rpcCode: -32000,
    });
  }
  onceClosed(response, () => {
    release();
    onStreamEnd();
  });
}

async function servePost(mcp: McpRequest, body: unknown, checkNew: () => void): Promise<void> {
  const { request, response } = mcp;
  const versionHeader = request.headers['mcp-protocol-version'];
  const kind = Array.isArray(body) ? 'batch' : classify(body);
  if (kind === undefined) throw new HttpError(400, 'The body is not a JSON-RPC message.', { rpcCode: -32600 });
  const folded = firstFolded(body);
  if (folded && kind !== 'request') throw new HttpError(400, folded.message, { rpcCode: folded.code });
  checkNew();
  const message = body as RpcRequest;
  if (folded) return answerJson(response, failure(message.id, folded), {}, 400);
  const isModern =
    kind !== 'batch' &&
    kind !== 'response' &&
    claimsModern(message.params, typeof versionHeader === 'string' ? versionHeader : undefined);
  if (!isModern) {
    const known = mcp.identity.principal ?? ownerOfSession(mcp, body);
    const principal = known ?? (await mcp.resolve(firstParams(body))).principal;
    return serveLegacyPost({ ...mcp, principal }, body);
  }
  if (kind === 'notification') return void response.writeHead(202).end();
  const { sender } = mcp.identity;
  const { requestState: id } = message.params ?? {};
  if (id !== undefined) {
    const passing = { request, response, sender, id, body: JSON.stringify(body), mayAnswerLost: true };
    if (await passOn(mcp.replicas, passing)) return;
  }
  const resolved = await resolveOrAnswer(mcp, message);
  if (!resolved) return;
  const { principal, endpoint, params } = resolved;
  mcp.noteAgent({ principal, era: 'modern', client: clientName(metaOf(params)?.[metaKeys.clientInfo]) });
  const modern = {
    ...mcp,
    principal,
    endpoint,
    isBridge: sender.isBridge,
    claimStream: () => mcp.claimStream(principal),
  };
  await serveModern(modern, params === message.params ? message : { ...message, params: params ?? {} });
}

/** undefined: the message cannot be resolved, and was answered with the error. */
async function resolveOrAnswer(mcp: McpRequest, message: RpcRequest): Promise<ResolvedMessage | undefined> {
  try {
    return await mcp.resolve(message.params);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    answerJson(mcp.response, failure(message.id, toWire(error, 'modern', mcp.log)), {}, 200);
    return undefined;
  }
}

/**
 * An answer cannot hold a token, and a cancellation needs none: from a front end that names somebody in each message, they
 * belong to the owner of their session.
 */
function ownerOfSession(mcp: McpRequest, body: unknown): Principal | undefined {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some((message) => classify(message) === 'request')) return undefined;
  if (metaOf(firstParams(body))?.token !== undefined) return undefined;
  const session = mcp.sessions.find(String(mcp.request.headers['mcp-session-id']));
  if (session === undefined || session.home !== mcp.home) return undefined;
  return mcp.mayStay(session.owner) ? session.owner : undefined;
}

/** A batch is refused as a whole. */
function firstFolded(body: unknown): RpcErrorBody | undefined {
  return Array.isArray(body) ? body.map(foldedFault).find((fault) => fault !== undefined) : foldedFault(body);
}

/** The first message of a batch names its sender. */
function firstParams(body: unknown): Params | undefined {
  const [first] = (Array.isArray(body) ? body : [body]) as { readonly params?: Params }[];
  return first?.params;
}
