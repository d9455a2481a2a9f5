/** The two eras of MCP: legacy (sessions, 2024-11-05 to 2025-11-25) and modern (stateless, from 2026-07-28 on). */

import { isObject } from '../base/json.ts';
import type { Params } from './messages.ts';

export type Era = 'legacy' | 'modern';

export const modernVersion = '2026-07-28';
export const latestLegacyVersion = '2025-11-25';
/** Newest first. */
export const legacyVersions: readonly string[] = [latestLegacyVersion, '2025-06-18', '2025-03-26', '2024-11-05'];

/** Members of `_meta` that the protocol reserves. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Results that must say how long and for whom they may be cached. */
export const cacheableMethods: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Requests that may be answered by asking for input first (`input_required`). */
export const inputRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Methods by which a server may ask an agent while it works on a request. */
export const askMethods: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** The capability that an agent must have declared before it may be asked. */
export function capabilityForAsk(method: string): string {
  return method.slice(0, method.indexOf('/'));
}

export const mcpLogLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function metaOf(params: Params | undefined): Record<string, unknown> | undefined {
  const meta = params?._meta;
  return isObject(meta) ? meta : undefined;
}

/** A copy of `params` whose `_meta` has these members too; the rest of `_meta` stays. */
export function withMeta(params: Params | undefined, members: Record<string, unknown>): Params {
  return { ...params, _meta: { ...metaOf(params), ...members } };
}

/** A copy of `params` without these `_meta` members, and without `_meta` when nothing is left of it. */
export function withoutMeta(params: Params, keys: readonly string[]): Params {
  const meta = metaOf(params);
  if (!meta) return params;
  const rest = Object.fromEntries(Object.entries(meta).filter(([key]) => !keys.includes(key)));
  const { _meta, ...others } = params;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** Members of one hop, never passed on: the envelope, which makes a request modern, and the name for its progress. */
export const hopKeys: readonly string[] = [
  metaKeys.protocolVersion,
  metaKeys.clientCapabilities,
  metaKeys.clientInfo,
  metaKeys.logLevel,
  'progressToken',
];

const mostCharacters = 200;

/** `claude-code/2.1.0`; undefined where it does not say. */
export function clientName(clientInfo: unknown): string | undefined {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return undefined;
  const { name, version } = clientInfo;
  const full = typeof version === 'string' && version !== '' ? `${name}/${version}` : name;
  return full.slice(0, mostCharacters);
}
