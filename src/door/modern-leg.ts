/** The modern era on HTTP: every request stands alone, says who it is in its envelope, and is cancelled by closing it. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import type { Endpoint, EndpointChange } from '../endpoint/endpoint.ts';
import {
  cacheableMethods,
  clientName,
  decodeHeaderValue,
  encodeHeaderValue,
  mcpLogLevels,
  metaKeys,
  metaOf,
  modernVersion,
  nameHeaderOf,
  type ParamHeader,
  paramHeaderFault,
  paramHeadersOf,
  withMeta,
} from '../protocol/eras.ts';
import {
  failure,
  isRequestId,
  notification,
  type Params,
  type Result,
  type RpcErrorBody,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import type { Tracer } from '../telemetry/telemetry.ts';
import type { Slots } from './connections.ts';
import { Answer, acceptsStream } from './exchange.ts';
import { toWire } from './refuse.ts';

interface ModernContext {
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
  /** Undefined while nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/** How long agents may cache a list. Changes are announced, so this matters only to agents that do not listen. */
const listTtlMs = 30_000;

export async function serveModern(context: ModernContext, message: RpcRequest): Promise<void> {
  const { endpoint, principal, request, response } = context;
  const answer = new Answer({ response, clock: context.clock, canStream: acceptsStream(request.headers.accept) });
  const fault = modernFault(message, endpoint, principal, request.headers, context.isBridge);
  // A stream that stands for hours is no piece of work.
  if (!fault && message.method === 'subscriptions/listen') return serveListen(context, message, answer);
  const span = context.tracer?.begin({ message, headers: request.headers, version: modernVersion });
  if (fault) {
    span?.end(String(fault.error.code));
    return answer.finish(failure(message.id, fault.error), fault.status);
  }
  const cancelling = new AbortController();
  const onClose = () => cancelling.abort(new GatewayError('CANCELLED', 'The agent closed the request.'));
  response.once('close', onClose);
  try {
    const params = message.params ?? {};
    const agent = agentOf(message, principal, cancelling.signal, answer, new RequestTrace(span));
    const result = await dispatch(context, message.method, params, agent);
    span?.finish({ result });
    response.off('close', onClose);
    answer.finish(success(message.id, complete(message.method, result)));
  } catch (error) {
    span?.finish({ error });
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

function agentOf(
  { id, params }: RpcRequest,
  principal: Principal,
  signal: AbortSignal,
  answer: Answer,
  trace: RequestTrace,
): AgentSide {
  const meta = metaOf(params ?? {}) ?? {};
  const capabilities = meta[metaKeys.clientCapabilities];
  const level = meta[metaKeys.logLevel];
  return {
    era: 'modern',
    capabilities: isObject(capabilities) ? capabilities : {},
    logLevel: typeof level === 'string' && mcpLogLevels.includes(level) ? level : undefined,
    session: sessionOf(principal),
    knowsLinks: true,
    signal,
    progressToken: isRequestId(meta.progressToken) ? meta.progressToken : undefined,
    client: clientName(meta[metaKeys.clientInfo]),
    requestId: String(id),
    notify: (message) => void answer.send(message),
    trace,
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

interface ModernFault {
  readonly status: number;
  readonly error: RpcErrorBody;
}

/** Methods and names that a header can hold; the bridge sends all of these. */
const plainMethod = /^[\x21-\x7e]{1,256}$/;
const longestName = 4_096;

const ownMethods: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** True for a request that claims the modern era in its envelope or, without one, in its header. */
export function claimsModern(params: Params | undefined, versionHeader: string | undefined): boolean {
  if (metaOf(params)?.[metaKeys.protocolVersion] !== undefined) return true;
  return versionHeader !== undefined && isModernVersion(versionHeader.trim());
}

function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= modernVersion;
}

function modernFault(
  message: RpcRequest,
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  return (
    envelopeFault(message.params) ??
    mismatchFault(message, headers) ??
    versionFault(message.params) ??
    missingHeaderFault(message, headers, isBridge) ??
    methodFault(message.method, endpoint) ??
    parameterFault(message, endpoint, principal, headers, isBridge)
  );
}

function envelopeFault(params: Params | undefined): ModernFault | undefined {
  const meta = metaOf(params) ?? {};
  const missing = [metaKeys.protocolVersion, metaKeys.clientCapabilities].filter((key) => meta[key] === undefined);
  if (missing.length > 0)
    return bad(rpcCodes.invalidParams, `The request lacks ${missing.join(' and ')} in its _meta.`, {
      envelope: { missing },
    });
  if (typeof meta[metaKeys.protocolVersion] !== 'string')
    return bad(rpcCodes.invalidParams, `${metaKeys.protocolVersion} must be a text.`);
  if (!isObject(meta[metaKeys.clientCapabilities]))
    return bad(rpcCodes.invalidParams, `${metaKeys.clientCapabilities} must be an object.`);
  return undefined;
}

function mismatchFault(message: RpcRequest, headers: IncomingHttpHeaders): ModernFault | undefined {
  const version = textHeader(headers, 'mcp-protocol-version');
  const claimed = metaOf(message.params)?.[metaKeys.protocolVersion];
  if (version !== undefined && version !== claimed) return mismatch('MCP-Protocol-Version', version, String(claimed));
  const method = textHeader(headers, 'mcp-method');
  if (method !== undefined && method !== message.method) return mismatch('Mcp-Method', method, message.method);
  return undefined;
}

function versionFault(params: Params | undefined): ModernFault | undefined {
  const requested = metaOf(params)?.[metaKeys.protocolVersion];
  if (requested === modernVersion) return undefined;
  return bad(rpcCodes.unsupportedVersion, `Unsupported protocol version: ${String(requested)}`, {
    supported: [modernVersion],
    requested,
  });
}

/** An agent on stdio may say what no header can hold: only that, and only a bridge, may leave out. */
function missingHeaderFault(
  message: RpcRequest,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  const missing = (name: string) => bad(rpcCodes.headerMismatch, `The ${name} header is missing.`);
  if (textHeader(headers, 'mcp-protocol-version') === undefined) return missing('MCP-Protocol-Version');
  const canLackMethod = isBridge && !plainMethod.test(message.method);
  if (textHeader(headers, 'mcp-method') === undefined && !canLackMethod) return missing('Mcp-Method');
  const expected = nameHeaderOf(message.method, message.params);
  const sent = textHeader(headers, 'mcp-name');
  if (sent === undefined) {
    const canLackName = isBridge && encodeHeaderValue(expected ?? '').length > longestName;
    return expected === undefined || canLackName ? undefined : missing('Mcp-Name');
  }
  const decoded = decodeHeaderValue(sent);
  if (decoded === undefined) return bad(rpcCodes.headerMismatch, 'The Mcp-Name header is not valid base64.');
  return expected === undefined || decoded === expected ? undefined : mismatch('Mcp-Name', decoded, expected);
}

function methodFault(method: string, endpoint: Endpoint): ModernFault | undefined {
  if (ownMethods.has(method) || endpoint.methods.has(method)) return undefined;
  return { status: 404, error: { code: rpcCodes.methodNotFound, message: `Method not found: ${method}` } };
}

function parameterFault(
  message: RpcRequest,
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  if (message.method !== 'tools/call') return undefined;
  const tool = endpoint.findTool(String(message.params?.name), principal);
  if (!tool) return undefined;
  const declared = paramHeadersOf(tool);
  // A bridge does not know which arguments a tool wants in headers; those that are there must be right all the same.
  const expected = isBridge ? declared.filter((item) => headers[nameOf(item)] !== undefined) : declared;
  if (expected.length === 0) return undefined;
  const fault = paramHeaderFault(expected, message.params?.arguments, (name) => textHeader(headers, name));
  return fault === undefined
    ? undefined
    : bad(rpcCodes.headerMismatch, `The headers and the body of the request disagree: ${fault}`);
}

function nameOf({ header }: ParamHeader): string {
  return `mcp-param-${header.toLowerCase()}`;
}

function textHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

function mismatch(header: string, sent: string, expected: string): ModernFault {
  return bad(rpcCodes.headerMismatch, `The ${header} header says "${sent}" and the body says "${expected}".`, {
    mismatch: { header, sent, expected },
  });
}

function bad(code: number, message: string, data?: unknown): ModernFault {
  return { status: 400, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

type ListenContext = Omit<ModernContext, 'clock' | 'log' | 'isBridge'>;

const listKinds = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

interface Filter {
  readonly honored: Record<string, unknown>;
  /** Each with the function that frees its slot. */
  readonly uris: ReadonlyMap<string, () => void>;
}

export async function serveListen(context: ListenContext, message: RpcRequest, answer: Answer): Promise<void> {
  const { endpoint, principal, response } = context;
  const wanted = message.params?.notifications;
  if (!isObject(wanted)) {
    return answer.finish(
      failure(message.id, {
        code: rpcCodes.invalidParams,
        message: 'The parameter "notifications" must be an object.',
      }),
    );
  }
  if (!acceptsStream(context.request.headers.accept)) {
    const error = { code: rpcCodes.invalidRequest, message: 'A request to listen must accept text/event-stream.' };
    return answer.finish(failure(message.id, error), 406);
  }
  context.claimStream();
  // A server that is slow to describe itself must not keep the gateway from ending.
  const filter = await orNothing(honor(context, wanted), context.ending);
  const tag = { [metaKeys.subscriptionId]: message.id };
  const send = (item: RpcNotification) => answer.send({ ...item, params: withMeta(item.params, tag) });
  send(notification('notifications/subscriptions/acknowledged', { notifications: filter.honored }));
  const end = () => answer.finish(success(message.id, { resultType: 'complete', _meta: tag }));
  if (Object.keys(filter.honored).length === 0) return end();
  const stop = endpoint.listen(principal, (change) => {
    const item = toNotification(change, filter, sessionOf(principal));
    if (item) send(item);
  });
  if (context.ending.aborted) end();
  else context.ending.addEventListener('abort', end, { once: true });
  if (!response.destroyed) await new Promise<void>((resolve) => response.once('close', resolve));
  stop();
  context.ending.removeEventListener('abort', end);
  // The request is over; don't wait for the servers, which may hang.
  for (const [uri, release] of filter.uris) {
    release();
    void endpoint.unsubscribe(uri, principal, sessionOf(principal)).catch(() => {});
  }
}

function orNothing(filter: Promise<Filter>, ending: AbortSignal): Promise<Filter> {
  return new Promise((resolve, reject) => {
    const onEnd = () => resolve({ honored: {}, uris: new Map() });
    if (ending.aborted) onEnd();
    ending.addEventListener('abort', onEnd, { once: true });
    filter.then(resolve, reject).finally(() => ending.removeEventListener('abort', onEnd));
  });
}

/** The part of the filter that this endpoint can serve. */
async function honor(context: ListenContext, wanted: Record<string, unknown>): Promise<Filter> {
  const { endpoint, principal } = context;
  const { capabilities } = await endpoint.describe(principal);
  const honored: Record<string, unknown> = {};
  for (const [kind, member] of Object.entries(listKinds)) {
    const capability = capabilities[kind];
    if (wanted[member] === true && isObject(capability) && capability.listChanged === true) honored[member] = true;
  }
  const asked = Array.isArray(wanted.resourceSubscriptions)
    ? wanted.resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : [];
  const uris = new Map<string, () => void>();
  const agent = listener(principal, context.ending);
  for (const uri of new Set(asked.slice(0, limits.maxSubscriptionsPerStream))) {
    // A resource that cannot be watched is left out of what is acknowledged; the others are watched.
    const release = context.subscriptions.take(principal.id);
    if (release) await endpoint.subscribe(uri, principal, agent).then(() => uris.set(uri, release), release);
  }
  if (uris.size > 0) honored.resourceSubscriptions = [...uris.keys()];
  return { honored, uris };
}

/** All modern requests of a principal count as one session. */
function sessionOf(principal: Principal): string {
  return `principal:${principal.id}`;
}

/** A listener takes part in no call: it has no abilities of its own. */
function listener(principal: Principal, signal: AbortSignal): AgentSide {
  return {
    era: 'modern',
    capabilities: {},
    session: sessionOf(principal),
    signal,
    notify() {},
    trace: new RequestTrace(),
  };
}

function toNotification(change: EndpointChange, filter: Filter, session: string): RpcNotification | undefined {
  if (change.kind === 'resource') {
    const isWanted = filter.uris.has(String(change.params.uri)) && (change.session ?? session) === session;
    return isWanted ? notification('notifications/resources/updated', change.params) : undefined;
  }
  return filter.honored[listKinds[change.kind]] === true
    ? notification(`notifications/${change.kind}/list_changed`)
    : undefined;
}
