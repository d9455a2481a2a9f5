/**
 * A program that stands in for Claude Code: it reads a prompt, does at the door of its MCP config what a script says for that
 * prompt, and prints the same events. It writes down what it was offered.
 *
 *   node scripted-agent.ts SCRIPT.json JOURNAL [flags of Claude Code]
 */

import { appendFile, readFile } from 'node:fs/promises';
import { argv, env } from 'node:process';
import { text } from 'node:stream/consumers';
import { postModern } from '../servers/raw-client.ts';
import { ModernAgent } from './modern-agent.ts';

/** One after the other. */
export interface AgentStep {
  /** A tool by the name that the door lists it with. */
  readonly call?: string;
  readonly arguments?: Record<string, unknown> | undefined;
  readonly say?: string;
  /** The model of the agent fails for good. */
  readonly fail?: string;
  readonly exit?: number;
  /** It does nothing more, for ever. */
  readonly hangs?: boolean;
  /** It never goes to the door. */
  readonly isAway?: boolean;
}

/** By prompt. */
export type AgentScript = Readonly<Record<string, readonly AgentStep[]>>;

/** A run as its agent saw it. */
export interface AgentNote {
  readonly prompt: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Descriptions by the names that the door lists. */
  readonly tools: Readonly<Record<string, string>>;
  readonly results: readonly string[];
  /** The status of requests that it has no right to: with another token, to the API, and to the owner's door. */
  readonly refusals: readonly number[];
}

const [, , scriptFile = '', journal = '', ...flags] = argv;
const script = JSON.parse(await readFile(scriptFile, 'utf8')) as AgentScript;
const prompt = await text(process.stdin);
const steps = script[prompt] ?? [{ say: 'I know no step for this.' }];
const configFile = flags[flags.indexOf('--mcp-config') + 1] ?? '';
const config = await readFile(configFile, 'utf8');
const { mcpServers } = JSON.parse(config.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? ''));
const { url, headers } = mcpServers.toolcrib as { url: string; headers: Record<string, string> };
const emit = (event: object) => console.log(JSON.stringify(event));
const tools: Record<string, string> = {};
const results: string[] = [];
const refusals: number[] = [];

emit({ type: 'system', subtype: 'init' });
if (!steps.some(({ isAway }) => isAway)) await visit();
if (process.exitCode === undefined && !steps.some(({ fail }) => fail !== undefined))
  emit({ type: 'result', is_error: false, result: '', usage: { input_tokens: 90, output_tokens: 10 } });
await note();

async function visit(): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  const agent = new ModernAgent({ url: origin, agentHeaders: headers }, `${pathname}${search}`);
  const list = (await agent.request('tools/list')).tools as { name: string; description: string }[];
  for (const { name, description } of list) tools[name] = description;
  const strange = { Authorization: 'Bearer tc_of_somebody_else' };
  for (const answer of [
    postModern(url, 'tools/list', {}, strange),
    fetch(`${origin}/api/servers`, { headers }),
    postModern(`${origin}/gateway/mcp`, 'tools/list', {}, headers),
  ]) {
    const response = await answer;
    refusals.push(response.status);
    await response.text();
  }
  for (const step of steps) await take(agent, step);
}

async function take(agent: ModernAgent, { call, arguments: args, say, fail, exit, hangs }: AgentStep): Promise<void> {
  if (call !== undefined) {
    const { text: content, isError } = await agent.call(call, args);
    results.push(content);
    emit({ type: 'user', message: { content: [{ type: 'tool_result', is_error: isError, content }] } });
  }
  if (say !== undefined) emit({ type: 'assistant', message: { content: [{ type: 'text', text: say }] } });
  if (fail !== undefined) emit({ type: 'result', is_error: true, result: fail });
  if (exit !== undefined) process.exitCode = exit;
  if (!hangs) return;
  await note();
  await new Promise(() => setInterval(() => {}, 1_000_000));
}

async function note(): Promise<void> {
  const token = headers.Authorization?.replace('Bearer ', '') ?? '';
  const seen: AgentNote = { prompt, url, token, pid: process.pid, tools, results, refusals };
  await appendFile(journal, `${JSON.stringify(seen)}\n`);
}
