/** The gateway's own prompts: how they are listed, what arguments they take, and what they say. */

import { GatewayError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { cutAtWord } from '../../base/text.ts';
import type { AgentSide } from '../../caller/caller.ts';
import type { Entry, ServerEntry } from '../../catalog/catalog.ts';
import { type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import {
  didYouMean,
  discover,
  findServer,
  mayHear,
  meaningsOf,
  type ShownSurface,
  shownName,
  summariseServer,
  visibleServers,
} from '../../tools/tools.ts';
import type { OfferDefinition } from '../offers.ts';
import { dailyUse, priorityFor, usualPriority } from './daily-use.ts';
import { ownUri } from './own-address.ts';
import { describeTool, fitOwn, overviewOf } from './own-resources.ts';
import { type OwnView, toolIn, toolsOf, whenSettled } from './own-view.ts';

interface OwnPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  messages(view: OwnView, args: Readonly<Record<string, string>>, agent: AgentSide): Promise<unknown[]>;
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** In the order of their names. */
const prompts: readonly OwnPrompt[] = [
  {
    name: 'discover',
    title: 'Work with this gateway',
    description: 'How to find and call the tools of this gateway, with an overview of them.',
    arguments: [],
    messages: async (view) => [userText(overviewOf(view))],
  },
  {
    name: 'find_tool',
    title: 'Find a tool for a task',
    description: 'The tools that fit a task, with the whole definition of the best one.',
    arguments: [{ name: 'task', description: 'The task, in plain words.', required: true }],
    messages: (view, { task = '' }, agent) => findToolMessages(view, task, agent),
  },
  {
    name: 'server_status',
    title: 'State of the servers',
    description: 'State, number of tools and recent calls of all servers, or of one.',
    arguments: [{ name: 'server', description: 'The name of one server; all of them if left out.', required: false }],
    messages: (view, { server }) => serverStatusMessages(view, server),
  },
];

export const promptDefinitions: readonly (OfferDefinition & { readonly name: string })[] = prompts.map(
  ({ messages: _, arguments: parameters, ...definition }) => ({
    ...definition,
    ...(parameters.length > 0 && { arguments: parameters }),
  }),
);

/** Undefined for a prompt that is none of ours. Throws the protocol's error for wrong arguments. */
export function getOwnPrompt(
  view: OwnView,
  name: string,
  given: unknown,
  agent: AgentSide,
): Promise<Result> | undefined {
  const prompt = prompts.find((item) => item.name === name);
  return prompt && fill(prompt, view, given, agent);
}

/** Undefined for a prompt that is none of ours. */
export function argumentsOfPrompt(name: unknown): string[] | undefined {
  return prompts.find((item) => item.name === name)?.arguments.map((item) => item.name);
}

async function fill(prompt: OwnPrompt, view: OwnView, given: unknown, agent: AgentSide): Promise<Result> {
  const args = readArguments(prompt, given ?? {});
  await whenSettled(view);
  return { description: prompt.description, messages: await prompt.messages(view, args, agent) };
}

/** An argument that may be left out is left out where it is empty: forms send it so. */
function readArguments({ name, arguments: parameters }: OwnPrompt, given: unknown): Record<string, string> {
  if (!isObject(given)) throw wrong(name, 'the arguments must be an object');
  const names = parameters.map((parameter) => parameter.name);
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    const takes = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
    const hint = didYouMean(nearest(unknown, names));
    throw wrong(name, `there is no argument "${shownName(unknown)}"; ${takes}`, hint);
  }
  const args: Record<string, string> = {};
  for (const { name: key, required } of parameters) {
    const value = given[key];
    if (value !== undefined && typeof value !== 'string') throw wrong(name, `"${key}" must be a text`);
    const isGiven = value !== undefined && value.trim() !== '';
    if (required && !isGiven) throw wrong(name, value === undefined ? `"${key}" is missing` : `"${key}" is empty`);
    if (isGiven) args[key] = value;
  }
  return args;
}

function wrong(prompt: string, what: string, hint?: string): RpcError {
  const sentence = `The arguments for the prompt "${prompt}" are not right: ${what}.`;
  return new RpcError(rpcCodes.invalidParams, hint === undefined ? sentence : `${sentence} ${hint}`);
}

/** Tools that are named; whoever wants more searches. */
const toolsNamed = 5;
/** Less probable tools are named only where nothing better is. */
const leastRelevance = 0.05;
/** Characters of the task that are repeated: somebody may have pasted a page. */
const echoed = 2_000;

async function findToolMessages(view: OwnView, task: string, agent: AgentSide): Promise<unknown[]> {
  const { layers } = view.door;
  const wanted = { query: [task], maxResults: toolsNamed, detailLevel: 'summary' as const };
  const surface = view.door.surfaceOf(view.principal);
  const { tools, metadata } = (await discover(layers, view.principal, agent, wanted, surface)) as unknown as Answer;
  const [best] = tools;
  const tool = best && toolIn(view, best.serverName, best.toolName);
  const asked = `Task: ${cutAtWord(task, echoed)}`;
  if (!tool) return [userText(`${asked}\n\n${nothingFits(metadata)}`)];
  const probable = tools.filter(({ relevance }, rank) => rank === 0 || relevance >= leastRelevance);
  const which =
    probable.length === 1 ? 'This tool of the gateway fits.' : 'These tools of the gateway fit, the best first.';
  const lead = metadata.notice === undefined ? which : `${which} ${metadata.notice}`;
  const lines = [`${lead} ${howToCall(view, tool)}`, ...probable.map(lineOf)];
  return [userText(`${asked}\n\n${lines.join('\n')}`), userMessage(await embedded(view, tool))];
}

/** The members of a search's answer that are used here. */
interface Answer {
  readonly tools: readonly FoundTool[];
  readonly metadata: { readonly notice?: string; readonly hint?: string; readonly nearest?: readonly string[] };
}

interface FoundTool {
  readonly toolKey: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly description: string;
  readonly parameters: string;
  readonly relevance: number;
}

/** People read this in their own message, so it is no JSON. */
function lineOf({ toolKey, description, parameters }: FoundTool): string {
  const takes = parameters === '' ? 'takes nothing' : `takes ${parameters}`;
  return `- ${toolKey}: ${description} (${takes})`;
}

function nothingFits({ notice, hint, nearest = [] }: Answer['metadata']): string {
  const near = nearest.length === 0 ? '' : `Least unlike: ${nearest.join(', ')}.`;
  return [notice ?? 'No tool of this gateway seems to do this.', near, hint ?? '']
    .filter((text) => text !== '')
    .join(' ');
}

async function embedded(view: OwnView, tool: Entry): Promise<Record<string, unknown>> {
  const { layers } = view.door;
  const address = { kind: 'tool', server: tool.server, tool: tool.name } as const;
  const whole = { mimeType: 'application/json', text: JSON.stringify(describeTool(view, tool)) };
  const priority = priorityFor(dailyUse(layers).ofTool(tool)) ?? usualPriority;
  return {
    type: 'resource',
    resource: { uri: ownUri(address), ...(await fitOwn(view, address, whole)) },
    annotations: { audience: ['assistant'], priority },
  };
}

function howToCall({ door, principal }: OwnView, tool: Entry): string {
  const rest = 'Its whole definition follows; check the parameters against it.';
  return `${callings[door.surfaceOf(principal)](tool.key, door.nameOf(tool.key, principal))} ${rest}`;
}

type Calling = (key: string, name: string) => string;

const byExecute: Calling = (key) =>
  `Call the one that fits with tool_execute {"toolKey":${JSON.stringify(key)},"arguments":{…}}.`;

const callings: Readonly<Record<ShownSurface, Calling>> = {
  search: byExecute,
  full: byExecute,
  code: (key) => `Call the one that fits in a program of call_tool_chain: await call(${JSON.stringify(key)}, {…}).`,
  direct: (_, name) => `In your list of tools the first is named ${JSON.stringify(name)}; call the one that fits.`,
};

function userText(text: string): Record<string, unknown> {
  return userMessage({ type: 'text', text });
}

function userMessage(content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { role: 'user', content };
}

const lastDays = 7;
/** Servers that are told at once: those that fail, then those that are used most. */
const mostServers = 50;

const task =
  'Tell the user in a few sentences how these MCP servers are doing: which work, which fail and since when, and which are slow or often fail. Figures are those of the last days; times are in milliseconds.';

/** Throws the protocol's error for a server that is not there. */
export async function serverStatusMessages(view: OwnView, name: string | undefined): Promise<unknown[]> {
  const { layers } = view.door;
  const servers = name === undefined ? visibleServers(layers.catalog.snapshot, view.principal) : [find(view, name)];
  const told = chosen(view, servers).map(async (server) => ({
    ...(await summariseServer(layers, view.principal, server)),
    calls: await figuresOf(view, server),
  }));
  const left = servers.length - told.length;
  const rows = await Promise.all(told);
  const status = {
    asOf: new Date(layers.clock.now()).toISOString(),
    lastDays,
    servers: rows,
    states: meaningsOf(rows),
    ...(left > 0 && { moreServers: left, allServers: ownUri({ kind: 'servers' }) }),
  };
  return [userText(`${task}\n${JSON.stringify(status)}`)];
}

/** All of them in their order, or of very many those that matter most. */
function chosen(view: OwnView, servers: readonly ServerEntry[]): readonly ServerEntry[] {
  if (servers.length <= mostServers) return servers;
  const { layers } = view.door;
  const { failing } = layers.catalog;
  const uses = new Map(servers.map((server) => [server, dailyUse(layers).ofTools(toolsOf(view, server))]));
  const useOf = (server: ServerEntry) => uses.get(server) ?? 0;
  const isFailing = ({ spec }: ServerEntry) => Number(failing.has(spec.name));
  const ranked = servers.toSorted((a, b) => isFailing(b) - isFailing(a) || useOf(b) - useOf(a));
  return ranked.slice(0, mostServers);
}

function find({ door, principal }: OwnView, name: string): ServerEntry {
  try {
    return findServer(door.layers.catalog.snapshot, principal, name);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const sentences = [error.message, error.hint].filter((text) => text !== undefined);
    throw new RpcError(rpcCodes.invalidParams, sentences.join(' '));
  }
}

/** Only of tools that the principal may hear of: of all at once where those are all there are. */
async function figuresOf({ door, principal }: OwnView, { spec }: ServerEntry): Promise<Record<string, unknown>> {
  const { layers } = door;
  const known = layers.metrics.query({ server: spec.name });
  const heard = known.filter((tool) => mayHear(layers, principal, tool));
  const targets = heard.length === known.length ? [spec.name] : heard.map((tool) => tool.toolKey);
  const { callCount, successRate, p50Ms, p95Ms } = await layers.metrics.recent(targets, lastDays);
  if (callCount === 0) return { count: 0 };
  return { count: callCount, successRate: rounded(successRate, 2), p50Ms: rounded(p50Ms, 0), p95Ms: rounded(p95Ms, 0) };
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
