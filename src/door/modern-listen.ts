/** `subscriptions/listen`: a stream of changes that an agent asked for, each tagged with the request it belongs to. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import type { Endpoint, EndpointChange } from '../endpoint/endpoint.ts';
import { metaKeys, withMeta } from '../protocol/eras.ts';
import {
  failure,
  notification,
  type RpcNotification,
  type RpcRequest,
  rpcCodes,
  success,
} from '../protocol/messages.ts';
import { type Answer, acceptsStream } from './answer.ts';
import type { Slots } from './slots.ts';

interface ListenContext {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly claimStream: () => void;
  readonly subscriptions: Slots;
  readonly ending: AbortSignal;
}

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

/** The part of the wish that this endpoint can fulfil. */
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
