/** Checks golden prompts before they are saved: a mistake in one refuses the whole set. */

import { GatewayError } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import type { Entry } from '../catalog/catalog.ts';
import { promptCategories, type StoredPrompt } from '../store/store.ts';
import type { GivenPrompt } from './given-records.ts';
import { plainWords } from './plain-words.ts';

export type PromptTool = Pick<Entry, 'server' | 'name' | 'serverName'>;

interface PromptContext {
  /** The tool that they are for. */
  readonly entry: PromptTool;
  /** Prompts of other tools of the server, whose ids are taken. */
  readonly others: readonly StoredPrompt[];
  /** Every tool by `server:tool`. */
  readonly tools: ReadonlyMap<string, unknown>;
}

type CheckedPrompt = Pick<StoredPrompt, 'id' | 'category' | 'prompt' | 'expectedBehavior'>;

const leastChars = 10;
const mostChars = 2_000;
const idForm = /^[\w.:@-]{1,128}$/;

export function checkPrompts(
  given: readonly GivenPrompt[],
  context: PromptContext,
): { readonly prompts: readonly CheckedPrompt[]; readonly warnings: readonly string[] } {
  const prompts = given.map((prompt, at) => checkPrompt(prompt, at + 1, context));
  const ids = new Map<string, number>();
  for (const [at, { id }] of prompts.entries()) {
    const first = ids.get(id);
    if (first !== undefined) throw refused(at + 1, `repeats prompt ${first + 1}`);
    const other = context.others.find((prompt) => prompt.id === id);
    if (other) throw refused(at + 1, `has the id "${id}", which a prompt of tool "${other.toolName}" has`);
    ids.set(id, at);
  }
  return { prompts, warnings: warningsOn(prompts, context) };
}

function checkPrompt(
  { id, toolName, category, prompt, expectedBehavior }: GivenPrompt,
  at: number,
  { entry }: PromptContext,
): CheckedPrompt {
  const { server, serverName } = entry;
  if (id !== undefined && !idForm.test(id))
    throw refused(at, 'has an id with other characters than letters, digits and . _ : @ -');
  if (toolName !== undefined && toolName !== serverName && toolName !== entry.name)
    throw refused(at, `is for tool "${toolName}", not "${serverName}"`);
  const length = [...prompt.trim()].length;
  if (length < leastChars) throw refused(at, `must have at least ${leastChars} characters (got ${length})`);
  if (length > mostChars) throw refused(at, `must have at most ${mostChars} characters (got ${length})`);
  const shouldCallTool = category !== 'negative';
  const { tool, arguments: args, notes, ...told } = expectedBehavior ?? { shouldCallTool };
  if (told.shouldCallTool !== shouldCallTool)
    throw refused(at, `is ${category}, so expectedBehavior.shouldCallTool must be ${shouldCallTool}`);
  const right = tool === undefined || tool.includes(':') ? tool : `${server}:${tool}`;
  const own = `${server}:${serverName}`;
  if (category === 'negative' && right === own) throw refused(at, `is negative, but names "${own}" as the right tool`);
  if (shouldCallTool && right !== undefined && right !== own)
    throw refused(at, `is ${category}, but names "${right}" as the right tool`);
  if (category === 'indirect' && leaksName(prompt, serverName))
    throw refused(at, `is indirect, but contains the name of the tool, "${serverName}"`);
  return {
    id: id ?? `prompt_${fingerprintOf([server, serverName, category, prompt]).slice(0, 16)}`,
    category,
    prompt,
    expectedBehavior: {
      shouldCallTool,
      ...(right === undefined ? {} : { tool: right }),
      ...(args === undefined ? {} : { arguments: args }),
      ...(notes === undefined ? {} : { notes }),
    },
  };
}

/** The words of the name one after the other, however they are joined. */
function leaksName(prompt: string, toolName: string): boolean {
  const name = plainWords(toolName).join(' ');
  return name !== '' && ` ${plainWords(prompt).join(' ')} `.includes(` ${name} `);
}

function warningsOn(prompts: readonly CheckedPrompt[], { tools }: PromptContext): string[] {
  const missing = promptCategories.filter((category) => !prompts.some((prompt) => prompt.category === category));
  const unknown = new Set(
    prompts.flatMap(({ expectedBehavior: { tool } }) => (tool === undefined || tools.has(tool) ? [] : [tool])),
  );
  return [
    ...missing.map((category) =>
      category === 'negative'
        ? 'There are no negative prompts: precision is unknown, and a promotion needs force.'
        : `There are no ${category} prompts.`,
    ),
    ...[...unknown].map((tool) => `No server offers "${tool}", which a prompt names as the right tool.`),
  ];
}

function refused(at: number, why: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Golden prompt ${at} ${why}.`, { hint: 'Nothing was saved.' });
}
