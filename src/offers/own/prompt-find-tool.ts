/** The prompt `find_tool`: what a search gives for a task, with the definition of the best match beside it. */

import { cutAtWord } from '../../base/text.ts';
import type { AgentSide } from '../../caller/caller.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { discover, type ShownSurface } from '../../tools/tools.ts';
import { dailyUse, priorityFor, usualPriority } from './daily-use.ts';
import { fitOwn } from './fit-own.ts';
import { ownUri } from './own-address.ts';
import { type OwnView, toolIn } from './own-view.ts';
import { userMessage, userText } from './prompt-message.ts';
import { describeTool } from './show-own.ts';

/** Tools that are named; whoever wants more searches. */
const toolsNamed = 5;
/** What is less probable than this is named beside nothing better only. */
const leastRelevance = 0.05;
/** Characters of the task that are repeated: somebody may have pasted a page. */
const echoed = 2_000;

export async function findToolMessages(view: OwnView, task: string, agent: AgentSide): Promise<unknown[]> {
  const { layers } = view.place;
  const wanted = { query: [task], maxResults: toolsNamed, detailLevel: 'summary' as const };
  const surface = view.place.surfaceOf(view.principal);
  const { tools, metadata } = (await discover(layers, view.principal, agent, wanted, surface)) as unknown as Answer;
  const [best] = tools;
  const tool = best && toolIn(view, best.serverName, best.toolName);
  const asked = `Task: ${cutAtWord(task, echoed)}`;
  if (!tool) return [userText(`${asked}\n\n${nothingFits(metadata)}`)];
  const probable = tools.filter(({ relevance }, place) => place === 0 || relevance >= leastRelevance);
  const which =
    probable.length === 1 ? 'This tool of the gateway fits.' : 'These tools of the gateway fit, the best first.';
  const lead = metadata.notice === undefined ? which : `${which} ${metadata.notice}`;
  const lines = [`${lead} ${howToCall(view, tool)}`, ...probable.map(lineOf)];
  return [userText(`${asked}\n\n${lines.join('\n')}`), userMessage(await embedded(view, tool))];
}

/** What a search answers, as far as it is told here. */
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
  const { layers } = view.place;
  const address = { kind: 'tool', server: tool.server, tool: tool.name } as const;
  const whole = { mimeType: 'application/json', text: JSON.stringify(describeTool(view, tool)) };
  const priority = priorityFor(dailyUse(layers).ofTool(tool)) ?? usualPriority;
  return {
    type: 'resource',
    resource: { uri: ownUri(address), ...(await fitOwn(view, address, whole)) },
    annotations: { audience: ['assistant'], priority },
  };
}

function howToCall({ place, principal }: OwnView, tool: Entry): string {
  const rest = 'Its whole definition follows; check the parameters against it.';
  return `${callings[place.surfaceOf(principal)](tool.key, place.nameOf(tool.key, principal))} ${rest}`;
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
