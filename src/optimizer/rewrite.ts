/** Writes candidates by rule, without a model: the server's own first sentence, the words that people ask with, needs and neighbours. */

import { isObject } from '../base/json.ts';
import { cutAtWord, firstSentence, givenText } from '../base/text.ts';
import { canonicalOf, type Entry } from '../catalog/catalog.ts';
import type { StoredPrompt } from '../store/store.ts';
import type { Definition } from '../trust/trust.ts';
import { plainWords } from './plain-words.ts';

/** Shown wherever a candidate of this author is. */
export const rewriterNote =
  'Rules wrote this from the schema, the neighbours and the words of prompts, without a model. For better texts, write your own, call from an agent that offers MCP sampling, or configure a model ("llm") or an agent program ("optimize.agent").';

export interface RewriteSource {
  /** The canonical definition. */
  readonly definition: Definition;
  /** Prompts of the choosing half that should lead to the tool. */
  readonly asked: readonly string[];
  /** The same of other tools: a word that leads there as well says little. */
  readonly askedElsewhere: ReadonlyMap<string, readonly string[]>;
  /** The tool that is most often taken for it, if any. */
  readonly rival?: { readonly name: string; readonly definition: Definition } | undefined;
  readonly maxChars: number;
}

const leadChars = 150;
const rivalChars = 60;
/** A word of a single prompt may be a name or a slip. */
const leastPrompts = 2;
const shortestWord = 3;
/** Words that people ask with, in the fullest variant and in shorter ones. */
const wordCounts = [10, 6, 14, 3];

/** Texts of at most `maxChars` code points, the most promising first; fewer where there is too little to say. */
export function rewriteDescription(source: RewriteSource, count: number): string[] {
  const { definition, maxChars } = source;
  const lead = withStop(firstSentence(givenText(definition.description), leadChars) || plainName(definition));
  const words = tellingWords(source, new Set(plainWords(`${lead} ${definition.name}`)));
  const needs = needsIn(definition);
  const elsewhere = source.rival ? `Not for this: ${shortOf(source.rival)}.` : '';
  const texts = wordCounts.flatMap((most) => {
    const use = words.length === 0 ? '' : `Use it when the request is about ${joined(words.slice(0, most))}.`;
    return [
      [lead, use, elsewhere],
      [lead, use, needs],
      [lead, use],
    ].map((sentences) => fit(sentences, maxChars));
  });
  const distinct = new Set(texts.filter((text) => text !== '' && text !== definition.description));
  return [...distinct].slice(0, count);
}

/** The prompts of the choosing half that should lead to the tool, `server:tool`, and those that should lead to others. */
export function askedWith(
  prompts: readonly StoredPrompt[],
  address: string,
): Pick<RewriteSource, 'asked' | 'askedElsewhere'> {
  const byTool = new Map<string, string[]>();
  for (const { server, toolName, part, prompt, expectedBehavior } of prompts) {
    if (part !== 'choosing' || !expectedBehavior.shouldCallTool) continue;
    const tool = `${server}:${toolName}`;
    byTool.set(tool, [...(byTool.get(tool) ?? []), prompt]);
  }
  const asked = byTool.get(address) ?? [];
  byTool.delete(address);
  return { asked, askedElsewhere: byTool };
}

/** The tool that most choosing prompts against `address` lead to, if it is there. */
export function rivalOf(
  prompts: readonly StoredPrompt[],
  address: string,
  tools: ReadonlyMap<string, Pick<Entry, 'serverName' | 'definition' | 'promoted'>>,
): RewriteSource['rival'] {
  const counts = new Map<string, number>();
  for (const { server, toolName, part, expectedBehavior } of prompts) {
    const { tool } = expectedBehavior;
    if (part !== 'choosing' || tool === undefined || `${server}:${toolName}` !== address) continue;
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const entry = tools.get(first?.[0] ?? '');
  return entry && { name: entry.serverName, definition: canonicalOf(entry) };
}

/** The words that lead to this tool more than to others, the most telling first. */
function tellingWords({ asked, askedElsewhere }: RewriteSource, known: ReadonlySet<string>): string[] {
  const tools = askedElsewhere.size + 1;
  const elsewhere = [...askedElsewhere.values()].map((prompts) => new Set(prompts.flatMap(plainWords)));
  const weights = new Map<string, number>();
  for (const [word, prompts] of countPrompts(asked)) {
    if (prompts < leastPrompts || word.length < shortestWord || known.has(word) || /\p{N}/u.test(word)) continue;
    const spread = 1 + elsewhere.filter((words) => words.has(word)).length;
    // A word that leads to half of the tools or more is an everyday word.
    if (spread * 2 < tools) weights.set(word, prompts * Math.log(tools / spread));
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([word]) => word);
}

/** In how many prompts each word stands. */
function countPrompts(prompts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const prompt of prompts)
    for (const word of new Set(plainWords(prompt))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function needsIn({ inputSchema }: Definition): string {
  const required = isObject(inputSchema) && Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const names = required.filter((name) => typeof name === 'string');
  return names.length === 0 ? '' : `Needs ${joined(names, 'and')}.`;
}

function shortOf({ name, definition }: NonNullable<RewriteSource['rival']>): string {
  const text = firstSentence(givenText(definition.description), rivalChars).replace(/[.…]$/, '');
  return text === '' ? `use ${name}` : `${text} (use ${name})`;
}

function plainName({ name, title }: Definition): string {
  return givenText(title) || plainWords(givenText(name)).join(' ');
}

function withStop(text: string): string {
  return /[.!?。！？…]$/u.test(text) || text === '' ? text : `${text}.`;
}

function joined(items: readonly string[], last = 'or'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** Whole sentences as far as there is room; the first is cut if it must be. */
function fit(sentences: readonly string[], maxChars: number): string {
  const [first = '', ...others] = sentences.filter((sentence) => sentence !== '');
  let text = cutAtWord(first, maxChars);
  for (const sentence of others) {
    const longer = `${text} ${sentence}`;
    if ([...longer].length <= maxChars) text = longer;
  }
  return text;
}
