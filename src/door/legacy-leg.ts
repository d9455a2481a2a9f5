/** The legacy era on HTTP: sessions from `initialize` to DELETE, answers as JSON or streams, a standing stream for news. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { clientName, latestLegacyVersion, legacyVersions, mcpLogLevels, metaOf } from '../protocol/eras.ts';
import {
  classify,
  failure,
  isRequestId,
  isResponse,
  type Result,
  RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import type { Span, Tracer } from '../telemetry/telemetry.ts';
import type { Slots } from './connections.ts';
import { type EventStream, parseEventId } from './event-log.ts';
import { acceptsStream, answerJson, HttpError } from './exchange.ts';
import { LegacySession, type LegacySessions } from './legacy-session.ts';
import type { ReplicaAddresses } from './pass-on.ts';
import { toWire } from './refuse.ts';
import type { ResolvedMessage, ResolveMessage } from './resolve-message.ts';
import type { Sighted } from './seen-agents.ts';

/** A request that takes longer becomes a stream with event ids, so that its answer survives a lost connection. */
const streamAfterMs = 100;
/** The most messages in one batch, and how many of its requests are worked on at once. */
const maxBatch = 50;
const batchWidth = 8;
/** The versions that know batches. */
const batchVersions: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26']);

interface LegacyContext {
  /** Which door this is. */
  readonly home: string;
  /** The sender of the request, who owns its sessions. */
  readonly principal: Principal;
  /** Finds on whose behalf a message is sent. */
  readonly resolve: ResolveMessage;
  readonly mayStay: (principal: Principal) => boolean;
  readonly subscriptions: Slots;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessions: LegacySessions;
  /** Undefined while nothing is traced. */
  readonly tracer?: Tracer | undefined;
  readonly replicas: ReplicaAddresses;
  /** For the owner, who sees which agents are there. */
  readonly noteAgent: (agent: Omit<Sighted, 'door' | 'surface'>, session?: string) => void;
}

export async function serveLegacyPost(context: LegacyContext, body: unknown): Promise<void> {
  const messages = Array.isArray(body) ? body : [body];
  if (messages.length > maxBatch) throw invalid(`A batch may hold ${maxBatch} messages, not ${messages.length}.`);
  if (messages.length === 0 || messages.some((item) => classify(item) === undefined))
    throw invalid('The body is not a JSON-RPC message.');
  const opening = (messages as RpcMessage[]).find(isInitialize);
  if (opening && Array.isArray(body)) throw invalid('"initialize" cannot be part of a batch.');
  if (opening) return initialize(context, opening);
  const session = findSession(context);
  if (Array.isArray(body) && !batchVersions.has(session.version))
    throw invalid(`The version ${session.version} of the protocol has no batches.`);
  const requests: RpcRequest[] = [];
  for (const message of messages as RpcMessage[]) {
    if (isResponse(message)) session.onResponse(message);
    else if ('id' in message && message.id !== undefined) requests.push(message as RpcRequest);
    else if (message.method === 'notifications/cancelled') session.cancel(message.params?.requestId);
  }
  if (requests.length === 0) return void context.response.writeHead(202).end();
  await answerRequests(context, session, requests, Array.isArray(body));
}

function invalid(message: string): HttpError {
  return new HttpError(400, message, { rpcCode: rpcCodes.invalidRequest });
}

function isInitialize(message: RpcMessage): message is RpcRequest {
  return 'method' in message && message.method === 'initialize' && 'id' in message;
}

/** GET: the standing stream, or one that was lost. */
export function serveLegacyGet(context: LegacyContext): void {
  const { request, response } = context;
  if (!request.headers.accept?.includes('text/event-stream'))
    throw new HttpError(406, 'A GET must accept text/event-stream.');
  const session = findSession(context);
  const headers = { 'mcp-session-id': session.id };
  const lastEventId = request.headers['last-event-id'];
  if (typeof lastEventId !== 'string') return session.standing.attach(response, headers);
  const position = parseEventId(lastEventId);
  const stream = position && session.findStream(position.stream);
  if (!position || !stream) throw new HttpError(400, 'The Last-Event-ID is not one of this session.');
  if (!stream.canResume(position.number))
    throw new HttpError(400, 'The events after this Last-Event-ID are no longer stored.');
  stream.attach(response, headers, position.number);
}

export function serveLegacyDelete(context: LegacyContext): void {
  context.sessions.end(findSession(context).id);
  context.response.writeHead(200).end();
}

async function initialize(context: LegacyContext, message: RpcRequest): Promise<void> {
  const requested = message.params?.protocolVersion;
  if (typeof requested !== 'string') {
    return reply(
      context,
      failure(message.id, { code: rpcCodes.invalidParams, message: 'The parameter "protocolVersion" is missing.' }),
      {},
      400,
    );
  }
  const version = legacyVersions.includes(requested) ? requested : latestLegacyVersion;
  const span = context.tracer?.begin({ message, headers: context.request.headers, version });
  try {
    await openSession(context, message, version, span);
    span?.end();
  } catch (error) {
    span?.finish({ error });
    throw error;
  }
}

async function openSession(
  context: LegacyContext,
  message: RpcRequest,
  version: string,
  span: Span | undefined,
): Promise<void> {
  const resolved = await tryToResolve(context, message);
  if ('error' in resolved) {
    span?.finish(resolved);
    return reply(context, failure(message.id, toWire(resolved.error, 'legacy', context.log)), {});
  }
  const { endpoint, principal } = resolved;
  const { capabilities, instructions, serverInfo } = await endpoint.describe(principal);
  const session = context.sessions.add(
    context.principal.id,
    () =>
      new LegacySession({
        replica: context.replicas.own,
        home: context.home,
        owner: context.principal,
        endpoint,
        principal,
        mayStay: context.mayStay,
        subscriptions: context.subscriptions,
        clock: context.clock,
        version,
        capabilities: isObject(message.params?.capabilities) ? message.params.capabilities : {},
        client: clientName(message.params?.clientInfo),
      }),
  );
  noteSession(context, session);
  span?.add({ 'mcp.session.id': session.id });
  const result = {
    protocolVersion: version,
    capabilities,
    serverInfo,
    ...(instructions === undefined ? {} : { instructions }),
  };
  reply(context, success(message.id, result), { 'mcp-session-id': session.id });
}

/** A fault of one message is returned; a fault of the whole request is thrown. */
async function tryToResolve(
  context: LegacyContext,
  { params }: RpcRequest,
  session?: LegacySession,
): Promise<ResolvedMessage | { readonly error: unknown }> {
  try {
    return await context.resolve(params, session?.principal.project?.name);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    return { error };
  }
}

/** The session of a request; one of another principal or door does not exist for this one. */
function findSession(context: LegacyContext): LegacySession {
  const { headers } = context.request;
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string' && !legacyVersions.includes(version.trim())) {
    throw new HttpError(400, `Unsupported protocol version: ${version}`, { rpcCode: rpcCodes.serverError });
  }
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string') {
    throw new HttpError(400, 'The Mcp-Session-Id header is missing: send "initialize" first.', {
      rpcCode: rpcCodes.serverError,
    });
  }
  const session = context.sessions.find(id);
  if (!session || session.owner.id !== context.principal.id || session.home !== context.home) {
    throw new HttpError(404, 'The session is not known: send "initialize" again.', { rpcCode: rpcCodes.serverError });
  }
  session.lastSeen = context.clock.elapsed();
  noteSession(context, session);
  return session;
}

function noteSession({ noteAgent }: LegacyContext, { id, principal, client }: LegacySession): void {
  noteAgent({ principal, era: 'legacy', client }, id);
}

async function answerRequests(
  context: LegacyContext,
  session: LegacySession,
  requests: readonly RpcRequest[],
  isBatch: boolean,
): Promise<void> {
  const resolutions = await Promise.all(requests.map((request) => tryToResolve(context, request, session)));
  const lazy = new LazyStream(context, session);
  const patience = context.clock.after(streamAfterMs, () => lazy.open());
  const answers: (RpcResponse | undefined)[] = [];
  for (let at = 0; at < requests.length; at += batchWidth) {
    const group = requests.slice(at, at + batchWidth);
    const answering = group.map((request, offset) =>
      answerRequest(context, session, request, resolutions[at + offset] as ResolvedMessage | { error: unknown }, lazy),
    );
    answers.push(...(await Promise.all(answering)));
  }
  patience.cancel();
  session.lastSeen = context.clock.elapsed();
  const given = answers.filter((answer) => answer !== undefined);
  if (lazy.stream) lazy.stream.end(...given);
  else if (given.length === 0) context.response.writeHead(202).end();
  else reply(context, isBatch ? given : (given[0] as RpcResponse), {});
}

/** A message takes the rights of when it begins: the first messages of its batch may have taken long. */
function renewed(
  resolved: ResolvedMessage | { readonly error: unknown },
): ResolvedMessage | { readonly error: unknown } {
  if ('error' in resolved) return resolved;
  try {
    return resolved.renewed();
  } catch (error) {
    // The others of its batch are under way: the request as a whole cannot be refused any more.
    return { error: error instanceof HttpError ? new RpcError(error.rpcCode, error.message) : error };
  }
}

/** undefined: the request was cancelled, and then nothing is answered. */
async function answerRequest(
  context: LegacyContext,
  session: LegacySession,
  request: RpcRequest,
  resolved: ResolvedMessage | { readonly error: unknown },
  lazy: LazyStream,
): Promise<RpcResponse | undefined> {
  const now = renewed(resolved);
  if ('error' in now) return failure(request.id, toWire(now.error, 'legacy', context.log));
  if (session.inFlight.has(request.id)) {
    return failure(request.id, {
      code: rpcCodes.invalidRequest,
      message: `A request with the id ${request.id} is already in flight.`,
    });
  }
  const calling = new AbortController();
  const answering = new AbortController();
  session.inFlight.set(request.id, { calling, principal: now.principal });
  const { headers } = context.request;
  const span = context.tracer?.begin({ message: request, headers, session: session.id, version: session.version });
  try {
    const signals = { calling: calling.signal, answering: answering.signal };
    const agent = agentOf(session, request, lazy, signals, new RequestTrace(span));
    const result = await dispatch(session, request.method, now, agent);
    span?.finish({ result });
    if (calling.signal.aborted) return undefined;
    return success(request.id, withoutResultType(result));
  } catch (error) {
    span?.finish({ error });
    if (calling.signal.aborted) return undefined;
    return failure(request.id, toWire(error, 'legacy', context.log));
  } finally {
    session.inFlight.delete(request.id);
    answering.abort(new GatewayError('CANCELLED', 'The call that asked has been answered.'));
  }
}

async function dispatch(
  session: LegacySession,
  method: string,
  { endpoint, principal, params: given }: ResolvedMessage,
  agent: AgentSide,
): Promise<Result> {
  // A client may write null where it has none.
  const params = given ?? {};
  switch (method) {
    case 'ping':
      return {};
    case 'logging/setLevel':
      if (!mcpLogLevels.includes(String(params.level)))
        throw new RpcError(rpcCodes.invalidParams, `"${String(params.level)}" is not a log level.`);
      session.logLevel = String(params.level);
      return {};
    case 'resources/subscribe':
      refuseOthers(session, endpoint, principal);
      await session.subscribe(String(params.uri), principal, agent);
      return {};
    case 'resources/unsubscribe':
      await session.unsubscribe(String(params.uri));
      return {};
  }
  if (!endpoint.methods.has(method)) throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);
  return endpoint.handle({ method, params, principal, agent });
}

/** Updates go to the whole session, so only resources that its own principal may read can be watched in it. */
function refuseOthers(session: LegacySession, endpoint: Endpoint, principal: Principal): void {
  if (endpoint === session.endpoint && principal.id === session.principal.id) return;
  throw new RpcError(rpcCodes.invalidParams, 'Resources are watched with the token and project of the session.');
}

/** Versions are dates, so that they can be compared as texts. */
const firstVersionWithLinks = '2025-06-18';

/** `calling` ends when the request is cancelled; `answering` when it is answered, and then nothing may be asked for it. */
function agentOf(
  session: LegacySession,
  request: RpcRequest,
  lazy: LazyStream,
  { calling, answering }: { readonly calling: AbortSignal; readonly answering: AbortSignal },
  trace: RequestTrace,
): AgentSide {
  const token = metaOf(request.params)?.progressToken;
  return {
    era: 'legacy',
    capabilities: session.capabilities,
    logLevel: session.logLevel,
    session: session.id,
    knowsLinks: session.version >= firstVersionWithLinks,
    signal: calling,
    progressToken: isRequestId(token) ? token : undefined,
    client: session.client,
    requestId: String(request.id),
    notify: (message: RpcNotification) => lazy.open()?.send(message),
    trace,
    ask: (method, params, asking) => {
      const stream = lazy.open();
      if (!stream)
        throw new RpcError(rpcCodes.internalError, 'The agent does not accept a stream and cannot be asked.');
      return session.ask(stream, method, params, AbortSignal.any([asking, answering]));
    },
  };
}

/** The stream of a POST, opened when there is first something to say before the answer. */
class LazyStream {
  stream: EventStream | undefined;
  readonly #context: LegacyContext;
  readonly #session: LegacySession;

  constructor(context: LegacyContext, session: LegacySession) {
    this.#context = context;
    this.#session = session;
  }

  open(): EventStream | undefined {
    if (this.stream) return this.stream;
    const { request, response } = this.#context;
    if (!acceptsStream(request.headers.accept) || response.writableEnded) return undefined;
    this.stream = this.#session.openStream();
    if (!response.destroyed) this.stream.attach(response, { 'mcp-session-id': this.#session.id });
    return this.stream;
  }
}

/** A member of the modern era that means nothing in this one. */
function withoutResultType(result: Result): Result {
  if (result.resultType !== 'complete') return result;
  const { resultType, ...rest } = result;
  return rest;
}

function reply(
  context: LegacyContext,
  message: RpcMessage | readonly RpcMessage[],
  headers: Record<string, string>,
  status = 200,
): void {
  answerJson(context.response, message, headers, status);
}
