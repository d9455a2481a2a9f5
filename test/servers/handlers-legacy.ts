/** Handlers of the legacy era alone: the initialize handshake, ping, log levels, resource subscriptions, notifications. */

import { type Call, UNANSWERED } from './call.ts';
import type { Conversation } from './conversation.ts';
import { type Method, sharedMethods } from './handlers.ts';
import { CODES, type Dict, isDict, LEGACY_VERSIONS, type Message, RpcFailure } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import type { Settings } from './spec.ts';

const methods: Readonly<Record<string, Method>> = {
  ...sharedMethods,
  initialize,
  ping: () => ({}),
  'logging/setLevel': (call) => {
    call.conversation.logLevel = String(call.params.level);
    return {};
  },
  'resources/subscribe': (call) => {
    const uri = String(call.params.uri);
    call.conversation.subscriptions.add(uri);
    call.server.journal.write('subscribe', { uri });
    return {};
  },
  'resources/unsubscribe': (call) => {
    const uri = String(call.params.uri);
    call.conversation.subscriptions.delete(uri);
    call.server.journal.write('unsubscribe', { uri });
    return {};
  },
};

export async function answerLegacy(call: Call): Promise<Dict | typeof UNANSWERED> {
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (method === undefined) throw new RpcFailure(CODES.methodNotFound, `Method not found: ${call.method}`);
  if (!call.conversation.hasOpened && call.method !== 'initialize' && call.method !== 'ping') {
    throw new RpcFailure(CODES.invalidRequest, 'The client has not sent initialize.');
  }
  return method(call);
}

export function noticeLegacy(server: ServerState, conversation: Conversation, message: Message): void {
  if (message.method !== 'notifications/initialized') return;
  conversation.isReady = true;
  server.journal.write('initialized');
  server.onListener();
}

/** The legacy versions this server speaks, the preferred one first. */
export function legacyVersions({ protocolVersion }: Settings): readonly string[] {
  return protocolVersion !== undefined && protocolVersion < '2026' ? [protocolVersion] : LEGACY_VERSIONS;
}

function initialize(call: Call): Dict | typeof UNANSWERED {
  const { server, conversation, params } = call;
  const { modes, instructions } = server.settings;
  const { protocolVersion: requested, capabilities, clientInfo } = params;
  server.journal.write('initialize', { protocolVersion: requested, capabilities, clientInfo });
  if (modes.hangAtInitialize === true) return UNANSWERED;
  conversation.hasOpened = true;
  conversation.clientCapabilities = isDict(capabilities) ? capabilities : {};
  const spoken = legacyVersions(server.settings);
  const agreed = spoken.includes(String(requested)) ? requested : spoken[0];
  const wrong = modes.noInitializeResponseVersion;
  return {
    protocolVersion: wrong === undefined || wrong === false ? agreed : wrong === true ? '1999-12-31' : wrong,
    capabilities: server.capabilities(),
    serverInfo: server.info(),
    ...(instructions !== undefined && { instructions }),
  };
}
