/** `subscriptions/listen`: a stream of changes that an agent asked for, each tagged with the request it belongs to. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import type { AgentSide } from '../caller/caller.ts';
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
import type { Answer } from './answer.ts';

interface ListenContext {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly claimStream: () => void;
  readonly ending: AbortSignal;
}

const listKinds = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

interface Filter {
  readonly honored: Record<string, unknown>;
  readonly uris: ReadonlySet<string>;
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
  context.claimStream();
  const filter = await honor(context, wanted);
  const tag = { [metaKeys.subscriptionId]: message.id };
  const send = (item: RpcNotification) => answer.send({ ...item, params: withMeta(item.params, tag) });
  send(notification('notifications/subscriptions/acknowledged', { notifications: filter.honored }));
  const end = () => answer.finish(success(message.id, { resultType: 'complete', _meta: tag }));
  if (Object.keys(filter.honored).length === 0) return end();
  const stop = endpoint.changed.on((change) => {
    const item = toNotification(change, filter);
    if (item) send(item);
  });
  context.ending.addEventListener('abort', end, { once: true });
  if (!response.destroyed) await new Promise<void>((resolve) => response.once('close', resolve));
  stop();
  context.ending.removeEventListener('abort', end);
  await Promise.all([...filter.uris].map((uri) => endpoint.unsubscribe(uri, principal).catch(() => {})));
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
  const uris = new Set<string>();
  const agent = listener(principal, context.ending);
  for (const uri of new Set(asked.slice(0, limits.maxSubscriptionsPerStream))) {
    // A resource that cannot be watched is left out of what is acknowledged; the others are watched.
    await endpoint.subscribe(uri, principal, agent).then(
      () => uris.add(uri),
      () => {},
    );
  }
  if (uris.size > 0) honored.resourceSubscriptions = [...uris];
  return { honored, uris };
}

/** A listener takes part in no call: it has no abilities of its own. */
function listener(principal: Principal, signal: AbortSignal): AgentSide {
  return { era: 'modern', capabilities: {}, session: `principal:${principal.id}`, signal, notify() {} };
}

function toNotification(change: EndpointChange, filter: Filter): RpcNotification | undefined {
  if (change.kind === 'resource') {
    const isWanted = filter.uris.has(String(change.params.uri));
    return isWanted ? notification('notifications/resources/updated', change.params) : undefined;
  }
  return filter.honored[listKinds[change.kind]] === true
    ? notification(`notifications/${change.kind}/list_changed`)
    : undefined;
}
