/** Handlers of the modern era alone: the per-request envelope, server/discover, listen, and results that say their type. */

import { type Call, UNANSWERED } from './call.ts';
import { type Method, sharedMethods } from './handlers.ts';
import { checkParamHeaders, checkStandardHeaders, checkVersionHeader } from './http-headers.ts';
import { CODES, type Dict, isDict, META, MODERN_VERSION, notification, RpcFailure, resultResponse } from './rpc.ts';
import type { Listen } from './server-state.ts';
import type { Settings } from './spec.ts';

/** Results that a client may keep, and therefore say for how long and for whom. */
const CACHEABLE = [
  ...['server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'],
];

const methods: Readonly<Record<string, Method>> = {
  ...sharedMethods,
  'server/discover': discover,
  'subscriptions/listen': listen,
};

export async function answerModern(call: Call): Promise<Dict | typeof UNANSWERED> {
  checkEnvelope(call);
  if (call.headers !== undefined) checkVersionHeader(call.headers, call.meta);
  checkVersion(call);
  if (call.headers !== undefined) checkStandardHeaders(call.headers, call.method, call.params);
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (method === undefined) {
    throw new RpcFailure(CODES.methodNotFound, `Method not found: ${call.method}`, { httpStatus: 404 });
  }
  if (call.headers !== undefined && call.method === 'tools/call') {
    const tool = call.server.tools.get(String(call.params.name));
    checkParamHeaders(call.headers, tool?.definition.inputSchema, call.args);
  }
  const result = await method(call);
  return result === UNANSWERED ? UNANSWERED : complete(call, result);
}

/** The modern versions this server speaks. */
export function modernVersions({ protocolVersion }: Settings): readonly string[] {
  return protocolVersion !== undefined && protocolVersion >= '2026' ? [protocolVersion] : [MODERN_VERSION];
}

/** Stamps a finished result with what every modern result carries. */
export function complete(call: Call, result: Dict): Dict {
  const { ttlMs, cacheScope } = call.server.settings;
  return {
    resultType: 'complete',
    ...(CACHEABLE.includes(call.method) && { ttlMs, cacheScope }),
    ...result,
    _meta: { [META.serverInfo]: call.server.info(), ...(isDict(result._meta) && result._meta) },
  };
}

function checkEnvelope(call: Call): void {
  const { meta } = call;
  // A legacy client gets the one error that tells its user which versions would have worked.
  if (call.method === 'initialize' && meta[META.protocolVersion] === undefined) {
    throw unsupported(call, call.params.protocolVersion);
  }
  const isSound = typeof meta[META.protocolVersion] === 'string' && isDict(meta[META.clientCapabilities]);
  if (isSound) return;
  const missing = [META.protocolVersion, META.clientCapabilities].filter((key) => meta[key] === undefined);
  throw new RpcFailure(CODES.invalidParams, `Invalid params: _meta lacks a valid ${missing.join(' and ')}.`, {
    httpStatus: 400,
    data: { missing },
  });
}

function checkVersion(call: Call): void {
  const requested = call.meta[META.protocolVersion];
  if (!modernVersions(call.server.settings).includes(String(requested))) throw unsupported(call, requested);
}

function unsupported(call: Call, requested: unknown): RpcFailure {
  const supported = modernVersions(call.server.settings);
  return new RpcFailure(CODES.unsupportedVersion, `Unsupported protocol version; supported: ${supported.join(', ')}.`, {
    httpStatus: 400,
    data: { supported, requested },
  });
}

function discover(call: Call): Dict | typeof UNANSWERED {
  const { settings } = call.server;
  const { instructions } = settings;
  return {
    supportedVersions: modernVersions(settings),
    capabilities: call.server.capabilities(),
    ...(instructions !== undefined && { instructions }),
  };
}

/** Opens a stream of change notifications: acknowledged first, each one tagged with the id of this request. */
function listen(call: Call): typeof UNANSWERED {
  const { server, id, outlet, signal } = call;
  const filter = call.params.notifications;
  if (!isDict(filter)) throw new RpcFailure(CODES.invalidParams, 'Give a filter in "notifications".');
  const _meta = { [META.subscriptionId]: id };
  const open: Listen = {
    id,
    filter,
    send: (messages) => outlet.send(messages),
    finish: () => outlet.finish([resultResponse(id, { resultType: 'complete', _meta })]),
  };
  outlet.send([notification('notifications/subscriptions/acknowledged', { notifications: filter, _meta })]);
  server.listens.add(open);
  signal.addEventListener('abort', () => server.listens.delete(open), { once: true });
  server.journal.write('listen', { id, filter });
  if (filter.toolsListChanged === true) server.onListener();
  return UNANSWERED;
}
