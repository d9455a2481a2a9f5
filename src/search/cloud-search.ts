/** Search by another gateway: it gets the tools in short and says which fit. Its answer counts for tools that it was sent; its reasons are kept as texts. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import {
  keyFrom,
  PostError,
  postJson,
  postTrouble,
  type Recipient,
  recipientName,
  type Surroundings,
} from '../base/post-json.ts';
import { cutAtWord } from '../base/text.ts';
import type { Config } from '../config/config.ts';

export type CloudSettings = Config['search']['cloud'];

export interface CloudTool {
  readonly key: string;
  readonly name: string;
  readonly server: string;
  readonly description: string;
  /** Names only. */
  readonly parameters: readonly string[];
}

export interface CloudRequest {
  readonly queries: readonly string[];
  readonly context?: string | undefined;
  /** Best first, as far as is known: when they are too many, the last are not sent. */
  readonly tools: readonly CloudTool[];
  readonly maxResults: number;
}

export interface CloudHit {
  readonly key: string;
  /** 0 to 1. */
  readonly relevance: number;
  /** Why, as the other service says it. */
  readonly givenReason?: string;
}

/** A gateway takes requests of a little more than that by default. */
const largestBody = 4_000_000;
const mostMembers = 49_000;
/** Of one tool, beside its parameters; each of those is a member with an object. */
const membersOfTool = 10;
const largestAnswerBytes = 4_194_304;
/** Limits on the request, in characters and numbers of items. */
const sent = { queries: 20, query: 2_000, context: 4_000, description: 500, parameters: 64, parameter: 128 };
/** The forms of keys and names that a gateway accepts; it rejects a whole request for one tool with another form. */
const taken = { key: 512, name: 256 };
/** Characters of a reason that are kept: it is a remark beside a tool, not a text of its own. */
const longestReason = 500;

/** The best tools, best first. Throws TIMEOUT, or UNREACHABLE for every other failure. */
export async function searchCloud(
  settings: CloudSettings,
  request: CloudRequest,
  signal: AbortSignal,
  { env, clock, privateHosts }: Surroundings,
): Promise<CloudHit[]> {
  const recipient = recipientFor(settings, env);
  const body = bodyFor(request);
  if (body.tools.length === 0) return [];
  const limits = { clock, signal, timeoutMs: settings.timeoutMs, maxBytes: largestAnswerBytes, privateHosts };
  const answer = await postJson(recipient, body, limits).catch((error) => {
    const isLate = error instanceof PostError && error.kind === 'timeout';
    throw postTrouble(error, isLate ? 'TIMEOUT' : 'UNREACHABLE');
  });
  return hitsIn(answer, body.tools, request.maxResults, recipient);
}

/** The setting that is missing before another gateway can be asked; null where none is. */
export function unsetForCloud({ url }: CloudSettings): string | null {
  return url === null ? 'search.cloud.url' : null;
}

function recipientFor({ url, tokenEnv }: CloudSettings, env: NodeJS.ProcessEnv): Recipient {
  if (url === null) {
    throw new GatewayError('UNREACHABLE', 'Can\'t search another gateway: "search.cloud.url" is not set.', {
      hint: 'Set "search.cloud.url", or "search.mode" to "hybrid".',
    });
  }
  const setting = 'search.cloud.url';
  const key = keyFrom(env, tokenEnv);
  const recipient = { name: 'The cloud search', url: new URL(url), setting, keyEnv: tokenEnv ?? undefined, key };
  if (tokenEnv === null || key !== undefined) return recipient;
  throw new GatewayError('UNREACHABLE', `${recipientName(recipient)} needs a token, but ${tokenEnv} is not set.`, {
    hint: `Put the token into the environment variable ${tokenEnv}, or name another in "search.cloud.tokenEnv".`,
  });
}

type SentTool = ReturnType<typeof shortened>;

/** As many tools as fit, from the first on, less those that would be refused. */
function bodyFor({ queries, context, tools, maxResults }: CloudRequest) {
  const query = queries.slice(0, sent.queries).map((text) => text.slice(0, sent.query));
  const about = context === undefined ? {} : { context: context.slice(0, sent.context) };
  const body = { query, ...about, maxResults, tools: [] as SentTool[] };
  let bytes = bytesOf(body);
  let members = 2 * sent.queries;
  for (const tool of tools) {
    if (!isTaken(tool)) continue;
    const short = shortened(tool);
    // One more for the comma.
    bytes += bytesOf(short) + 1;
    members += membersOfTool + 2 * Object.keys(short.inputSchema.properties).length;
    if (bytes > largestBody || members > mostMembers) break;
    body.tools.push(short);
  }
  return body;
}

function isTaken({ key, name, server }: CloudTool): boolean {
  return isPlain(key, taken.key) && isPlain(name, taken.name) && isPlain(server, taken.name);
}

/** Half a character would be replaced on the way, and the key that comes back be another one. */
function isPlain(text: string, limit: number): boolean {
  return text !== '' && text.length <= limit && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function shortened({ key, name, server, description, parameters }: CloudTool) {
  const names = parameters.slice(0, sent.parameters).map((parameter) => parameter.slice(0, sent.parameter));
  return {
    toolKey: key,
    toolName: name,
    serverName: server,
    description: description.slice(0, sent.description),
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((parameter) => [parameter, {}])) },
  };
}

/** The valid hits of an answer, in its order; an answer without any is a failure. */
function hitsIn(answer: unknown, tools: readonly SentTool[], most: number, recipient: Recipient): CloudHit[] {
  const results = isObject(answer) && Array.isArray(answer.results) ? (answer.results as unknown[]) : null;
  if (results === null) throw senseless(recipient, 'gave an answer that holds no results');
  const keyOf = keysIn(tools);
  const hits = new Map<string, CloudHit>();
  for (const result of results) {
    if (!isObject(result)) continue;
    const key = keyOf(result);
    const { relevance, explanation } = result;
    if (key === undefined || hits.has(key)) continue;
    if (typeof relevance !== 'number' || !Number.isFinite(relevance)) continue;
    const givenReason = typeof explanation === 'string' ? cutAtWord(explanation.trim(), longestReason) : '';
    hits.set(key, {
      key,
      relevance: Math.min(Math.max(relevance, 0), 1),
      ...(givenReason === '' ? {} : { givenReason }),
    });
  }
  if (hits.size === 0 && results.length > 0) throw senseless(recipient, 'named none of the tools it was asked about');
  return [...hits.values()].slice(0, most);
}

/** The key that a result means: its own, else that of the tool with its names. Services differ in how they call these. */
function keysIn(tools: readonly SentTool[]): (result: Readonly<Record<string, unknown>>) => string | undefined {
  const keys = new Set(tools.map(({ toolKey }) => toolKey));
  const byNames = new Map(tools.map((tool) => [JSON.stringify([tool.serverName, tool.toolName]), tool.toolKey]));
  return ({ toolKey, server, name, serverName = server, toolName = name }) => {
    if (toolKey === undefined) return byNames.get(JSON.stringify([serverName, toolName]));
    return typeof toolKey === 'string' && keys.has(toolKey) ? toolKey : undefined;
  };
}

function senseless(recipient: Recipient, what: string): GatewayError {
  return new GatewayError('UNREACHABLE', `${recipientName(recipient)} ${what}.`, {
    hint: 'Check that "search.cloud.url" is the address of a catalog/search.',
  });
}
