/** Tools, servers and questions for scenarios of search: what is asked at the doors, and what the answer says. */

import assert from 'node:assert/strict';
import { hostedServer } from '../servers/hosted.ts';
import type { Dict } from '../servers/rpc.ts';
import type { TestGateway } from './gateway.ts';
import { ModernAgent } from './modern-agent.ts';
import { eventually } from './processes.ts';

export type Doors = Pick<TestGateway, 'url' | 'agentHeaders'>;

export interface FoundTool {
  readonly toolKey: string;
  readonly toolName: string;
  readonly serverName: string;
  readonly description: string;
  readonly relevance: number;
  readonly parameters?: string;
  readonly equals?: readonly string[];
  readonly otherAccounts?: readonly string[];
  readonly available?: boolean;
  readonly nextRetryAt?: string;
  readonly explanation?: {
    readonly isNamed?: boolean;
    readonly words: readonly string[];
    readonly lexical: number | null;
    readonly meaning: number | null;
    readonly usage: { readonly boost: number; readonly likeQuery: string } | null;
  };
}

export interface Discovered {
  readonly tools: readonly FoundTool[];
  readonly metadata: Dict & { readonly mode: string; readonly notice?: string; readonly nearest?: string[] };
}

export interface Posted {
  readonly status: number;
  readonly results: readonly (Omit<FoundTool, 'explanation'> & { readonly explanation?: unknown })[];
  /** Where nothing fits, or it is unsure. */
  readonly code: string | undefined;
  readonly notice: string | undefined;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | undefined;
}

function toolOf(name: string, description: string, ...parameters: string[]): { name: string } & Dict {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return { name, description, inputSchema: { type: 'object', properties } };
}

const officeTools = {
  files: [
    toolOf('read_file', 'Reads the text of a file from disk.', 'path'),
    toolOf('write_file', 'Writes text to a file on disk.', 'path', 'text'),
    toolOf('erase_everything', 'Erases a whole disk with every file on it.', 'disk'),
  ],
  mail: [
    toolOf('send_mail', 'Sends an e-mail to somebody.', 'to', 'body'),
    toolOf('list_mail', 'Lists the newest messages of the mailbox.', 'limit'),
  ],
  calendar: [
    toolOf('create_event', 'Puts an appointment into the calendar.', 'title', 'start'),
    toolOf('list_events', 'Lists the appointments of a day.', 'day'),
  ],
} as const;

/** Three servers with seven tools; one of them may not be used by anybody. */
export function officeServers(): Record<string, Dict> {
  const of = (name: keyof typeof officeTools) => ({ ...hostedServer({ name, tools: officeTools[name] }) });
  return {
    files: { ...of('files'), permissions: { erase_everything: 'deny' } },
    mail: of('mail'),
    calendar: of('calendar'),
  };
}

export const officeKeys: readonly string[] = Object.entries(officeTools)
  .flatMap(([server, tools]) => tools.map(({ name }) => `${server}:${name}`))
  .filter((key) => key !== 'files:erase_everything');

/** An agent's answer of `tool_discovery`. */
export async function discover(doors: Doors, query: string | readonly string[], more: Dict = {}): Promise<Discovered> {
  const agent = new ModernAgent(doors, '/mcp?surface=search');
  const { result } = await agent.call('tool_discovery', { query, ...more });
  assert.notEqual(result.isError, true, JSON.stringify(result).slice(0, 500));
  return result.structuredContent as Discovered;
}

/** Resolves when every tool is compared by its meaning: before that, answers are by words alone. */
export async function untilCompared({ gateway }: Pick<TestGateway, 'gateway'>): Promise<void> {
  await eventually('every tool is compared by meaning', async () => {
    const { vectors } = await gateway.admin.run('search.status', {});
    if (vectors?.waiting === 0 && vectors.ready > 0) return true;
    await gateway.admin.run('tools.search', { query: 'anything' });
    return undefined;
  });
}

export function keysOf({ tools }: Pick<Discovered, 'tools'>): string[] {
  return tools.map(({ toolKey }) => toolKey);
}

/** A question to `/catalog/search`. */
export async function askCatalog(doors: Doors, body: unknown): Promise<Posted> {
  const response = await fetch(`${doors.url}/catalog/search`, {
    method: 'POST',
    headers: { ...doors.agentHeaders, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { results = [], code, notice, error } = (await response.json()) as Partial<Posted>;
  return { status: response.status, results, code, notice, error };
}

/** Lines of the log that hold a text. */
export function loggedWith({ logged }: Pick<TestGateway, 'logged'>, text: string): string[] {
  return logged.filter((line) => line.includes(text));
}
