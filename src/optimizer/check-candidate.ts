/** Checks a candidate before it is stored: length, hidden or poisoned text, orders to the model, keyword lists, repeated prompts. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Entry } from '../catalog/catalog.ts';
import { type Definition, scanDefinition } from '../trust/trust.ts';
import { plainWords } from './plain-words.ts';

export interface CandidateContext {
  /** The canonical definition of its tool. */
  readonly definition: Definition;
  /** The prompts that it will be measured by. */
  readonly prompts: readonly { readonly prompt: string }[];
  readonly maxChars: number;
}

export interface CandidateText {
  readonly description: string;
  readonly example?: string | undefined;
}

const mostExampleChars = 2_000;

/** Throws ARGUMENTS_INVALID with the reason. */
export function checkCandidate(candidate: CandidateText, context: CandidateContext): void {
  const { description, example } = candidate;
  const length = [...description].length;
  if (description.trim() === '') throw refused('Candidate is empty: it must have at least 1 character.');
  if (length > context.maxChars)
    throw refused(`Candidate exceeds ${context.maxChars} character limit (got ${length}).`);
  const exampleLength = [...(example ?? '')].length;
  if (exampleLength > mostExampleChars)
    throw refused(`Example exceeds ${mostExampleChars} character limit (got ${exampleLength}).`);
  if (description === context.definition.description) throw refused('Candidate equals the canonical description.');
  if (isKeywordList(description))
    throw refused('Candidate is a list of keywords. Write sentences that say what the tool does and when to use it.');
  refusePoison('Candidate', candidate, context.definition);
  if (commands.some((command) => command.test(description)))
    throw refused('Candidate instructs the model to prefer this tool. Say what the tool does and when it fits.');
  if (repeatsPrompts(description, context.prompts))
    throw refused('Candidate repeats golden prompts. Describe the tool in words of its own.');
}

/** A word with the form of a tool's name, to which readers are sent. */
const sentTo = /\b(?:[Uu]se|[Cc]all|[Tt]ry|[Ss]ee|[Pp]refer)\s+["'`]?([\w-]+:[\w./-]*\w|\w+_\w+|[a-z]+[A-Z]\w+)/g;

/** Notes on tools that a text sends readers to and that are not there. Parameters of the tool itself may be named too. */
export function noteMissingTools(
  text: string,
  { inputSchema }: Definition,
  tools: Iterable<Pick<Entry, 'key' | 'name' | 'serverName'>>,
): string[] {
  const own = isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const known = new Set([...own, ...[...tools].flatMap(({ key, name, serverName }) => [key, name, serverName])]);
  const named = new Set([...text.matchAll(sentTo)].flatMap(([, name = '']) => (known.has(name) ? [] : [name])));
  return [...named].map((name) => `The text names "${name}", but no server offers it.`);
}

/** The same scan as for definitions of servers. Which tools of other servers to use instead may be said: the owner decides. */
export function refusePoison(what: string, { description, example }: CandidateText, { name }: Definition): void {
  const neighbours = { server: '', ownNames: new Set<string>(), others: new Map<string, ReadonlySet<string>>() };
  const definition = { name, description, ...(example === undefined ? {} : { _meta: { example } }) };
  const [found] = scanDefinition(definition, neighbours).filter(({ weight }) => weight === 'hard');
  if (found) throw refused(`${what} was refused by the scanner: ${found.sentence}`);
}

/** Orders that draw a model to this tool whatever it needs. */
const commands: readonly RegExp[] = [
  /\b(?:always|only|first)\s+(?:use|call|choose|prefer|pick|select|run)\s+(?:this|it)\b/i,
  /\b(?:use|call|choose|prefer|pick|select|run)\s+(?:this|it)(?:\s+tool)?\s+(?:always|first|instead of (?:all|any|every|other)|before (?:all|any|every)|over (?:all|any|every|other)|for (?:everything|anything|all (?:tasks|requests|questions)|any (?:task|request|question)|every (?:task|request|question)))\b/i,
  /\b(?:do not|don't|never)\s+(?:use|call|choose|consider)\s+(?:any\s+)?other\s+tools?\b/i,
  /\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+)?(?:other|previous|prior|earlier)\b/i,
  /\b(?:best|preferred|default)\s+tool\s+for\s+(?:everything|anything|all|any)\b/i,
];

const leastItems = 5;
const proseWords = 4;
const leastProseShare = 0.3;
const leastWordsOfList = 8;
const mostRepeats = 4;

/** Little words of the languages in which descriptions are most often written: a text of eight words without any is a list. */
const little = new Set(
  `a an and are as at be by can for from given if in into is it its not of on or out over per that the their this to up use when which with without
  auf aus bei das dem den der des die ein eine einer eines für im ist mit nach nicht oder und von vom wenn wird zu zum zur
  au aux avec ce dans de du en est et le la les ou par pas pour que qui sur un une
  al con da del di el es il los las no para por que se sin su um una y`.split(/\s+/),
);

function isKeywordList(text: string): boolean {
  if (/\b(?:keywords?|tags|synonyms|search terms)\s*:/i.test(text)) return true;
  const pieces = text.split(/[,;|/•·\n]|\.\s|\.$/u).map((piece) => plainWords(piece).length);
  const all = pieces.reduce((sum, count) => sum + count, 0);
  const prose = pieces.filter((count) => count >= proseWords).reduce((sum, count) => sum + count, 0);
  const items = pieces.filter((count) => count > 0 && count < proseWords).length;
  if (items >= leastItems && prose < leastProseShare * all) return true;
  const words = plainWords(text);
  const isLatin = words.every((word) => /^[\p{Script=Latin}\p{N}]+$/u.test(word));
  if (isLatin && words.length >= leastWordsOfList && !words.some((word) => little.has(word))) return true;
  // Names of other tools, to which readers are sent, say "task" again and again without a reason for it.
  const prosaic = text.replace(/\w+/g, (word) => (/\w_\w/.test(word) ? '' : word));
  const content = plainWords(prosaic).filter((word) => word.length > 3 && !little.has(word));
  return [...Map.groupBy(content, (word) => word).values()].some(({ length }) => length > mostRepeats);
}

const partWords = 4;
const leastPromptWords = 5;

/** True if a whole prompt stands in it, or if half of it is taken from prompts. */
function repeatsPrompts(text: string, prompts: CandidateContext['prompts']): boolean {
  const words = plainWords(text);
  const said = prompts.map(({ prompt }) => plainWords(prompt));
  const whole = ` ${words.join(' ')} `;
  if (said.some((prompt) => prompt.length >= leastPromptWords && whole.includes(` ${prompt.join(' ')} `))) return true;
  const parts = partsOf(words);
  const taken = new Set(said.flatMap(partsOf));
  return parts.length > 0 && parts.filter((part) => taken.has(part)).length * 2 >= parts.length;
}

function partsOf(words: readonly string[]): string[] {
  return words.slice(partWords - 1).map((_, at) => words.slice(at, at + partWords).join(' '));
}

function refused(message: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', message);
}
