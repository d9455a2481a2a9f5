/** An agent at the agent door that keeps what crosses, in either era: requests as a model makes them, results as they arrive. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../src/gateway.ts';

export type Dict = Readonly<Record<string, unknown>>;

/** The results of an agent's first requests, by era. */
export interface Beginning {
  readonly introduction: Dict;
  readonly list: Dict;
}

export const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

const giveUpMs = 120_000;

const versions = { legacy: '2025-11-25', modern: '2026-07-28' } as const;
const prefix = 'io.modelcontextprotocol/';
const clientInfo = { name: 'bench', version: '1.0.0' };
const envelope = {
  [`${prefix}protocolVersion`]: versions.modern,
  [`${prefix}clientInfo`]: clientInfo,
  [`${prefix}clientCapabilities`]: {},
};

export class Agent {
  readonly #url: string;
  readonly #token: string;

  constructor(gateway: Pick<Gateway, 'url' | 'tokens'>, surface: string) {
    this.#url = `${gateway.url}/mcp?surface=${surface}`;
    this.#token = gateway.tokens.agent;
  }

  async begin(era: Era): Promise<Beginning> {
    if (era === 'modern') {
      const introduction = await this.#ask('server/discover', {});
      return { introduction, list: await this.#ask('tools/list', {}) };
    }
    const params = { protocolVersion: versions.legacy, capabilities: {}, clientInfo };
    const opened = await this.#post('legacy', { id: 0, method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const introduction = await resultOf(opened);
    await this.#post('legacy', { method: 'notifications/initialized' }, session);
    const listed = await this.#post('legacy', { id: 1, method: 'tools/list', params: {} }, session);
    return { introduction, list: await resultOf(listed) };
  }

  /** The whole result of a tool. */
  call(name: string, args: Dict): Promise<Dict> {
    return this.#ask('tools/call', { name, arguments: args });
  }

  async #ask(method: string, params: Dict): Promise<Dict> {
    const repeated = { 'mcp-method': method, ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}) };
    return resultOf(await this.#post('modern', { id: 1, method, params: { ...params, _meta: envelope } }, repeated));
  }

  #post(era: Era, message: Dict, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': versions[era],
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
}

async function resultOf(response: Response): Promise<Dict> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const last = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice('data: '.length)
    : text;
  const { result } = JSON.parse(last ?? '{}') as { result?: Dict };
  if (!result) throw new Error(`The gateway answered with ${response.status}: ${text.slice(0, 500)}`);
  return result;
}

/** The texts of a result, which is what most agents show to their model. */
export function textOf(result: Dict): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

export interface ListedTool {
  readonly toolKey: string;
  /** Its first sentence. */
  readonly description: string;
}

/** Waits until every server has been listed or has failed; what those cost that failed is not known, so it is said. */
export async function whenListed(gateway: Gateway): Promise<readonly ListedTool[]> {
  const until = performance.now() + giveUpMs;
  for (;;) {
    const servers = await gateway.admin.run('servers.list', {});
    const unlisted = servers.filter((server) => server.listedAt === null);
    if (unlisted.some(({ state }) => state !== 'failed') && performance.now() < until) {
      await sleep(100);
      continue;
    }
    const tools = await gateway.admin.run('tools.list', {});
    if (tools.length === 0) throw new Error(`No server was listed: ${unlisted[0]?.lastError ?? 'there is none'}`);
    for (const { name, lastError } of unlisted) console.error(`${name} was not listed: ${lastError ?? 'no answer'}`);
    return tools;
  }
}

/** The first sentence of the description; the names in it have no dots. */
export function indexIn(tools: readonly Dict[]): string {
  const description = String(tools.find(({ name }) => name === 'tool_discovery')?.description);
  return /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description;
}
