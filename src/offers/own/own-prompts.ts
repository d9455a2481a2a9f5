/** The gateway's own prompts: how they are listed, what arguments they take, and what they say. */

import { isObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import type { AgentSide } from '../../caller/caller.ts';
import { type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import { didYouMean, shownName } from '../../tools/tools.ts';
import type { OfferDefinition } from '../offers.ts';
import { overviewOf } from './overview.ts';
import { type OwnView, whenSettled } from './own-view.ts';
import { findToolMessages, serverStatusMessages, userText } from './prompt-messages.ts';

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
