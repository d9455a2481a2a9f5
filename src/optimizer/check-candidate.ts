/** Checks a candidate before it is stored: length, hidden or poisoned text, orders to the model, keyword lists, repeated prompts. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Entry } from '../catalog/catalog.ts';
import { type Definition, scanDefinition, unseen } from '../trust/trust.ts';
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
  const canonical = String(context.definition.description ?? '');
  if (plainWords(description).join(' ') === plainWords(canonical).join(' '))
    throw refused('Candidate equals the canonical description.');
  if (isKeywordList(description))
    throw refused('Candidate is a list of keywords. Write sentences that say what the tool does and when to use it.');
  refuseSuspicion(candidate, context.definition);
  const unknown = privateWordsIn(`${description} ${example ?? ''}`, JSON.stringify(context.definition));
  if (unknown !== undefined)
    throw refused(`Candidate mentions "${unknown}", which neither the tool's description nor its parameters do.`);
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

/** A candidate reaches every agent, so a text worth a second look is refused, and so is a single hidden character. */
function refuseSuspicion({ description, example }: CandidateText, { name, inputSchema }: Definition): void {
  if (`${description}${example ?? ''}`.search(unseen) >= 0)
    throw refused('Candidate has hidden characters. Remove them.');
  const whole = { name, description, inputSchema, ...(example === undefined ? {} : { _meta: { example } }) };
  const [found] = scanDefinition(whole, alone);
  if (found) throw refused(`The scanner refused the candidate: ${found.sentence}`);
}

/** Golden prompts are requests of people, who may order anything, so only hidden text is refused. */
export function refuseHiddenPrompt(prompt: string): void {
  const [found] = scanDefinition({ name: '', description: prompt }, alone).filter(({ code }) => hidden.has(code));
  if (found) throw refused(`The scanner refused the golden prompt: ${found.sentence}`);
}

const alone = { server: '', ownNames: new Set<string>(), others: new Map<string, ReadonlySet<string>>() };
const hidden: ReadonlySet<string> = new Set(['hidden-text', 'encoded']);

/** Private data that a candidate may mention only if the tool does. */
const privateWords =
  /\b(?:passwords?|passphrases?|api[ _-]?keys?|credentials?|secrets?|tokens?|cookies?|conversations?|chats?|transcripts?|system prompts?|card numbers?|one-time codes?|environment variables?|clipboard|passwort|kennwort|mot de passe|contraseña|senha|парол\p{L}*)(?!\p{L})|密码|令牌|パスワード|トークン|비밀번호/giu;

/** The first private word that the tool itself does not use. */
function privateWordsIn(text: string, known: string): string | undefined {
  const said = known.toLowerCase().replace(/[_-]/g, ' ');
  return text
    .match(privateWords)
    ?.find((word) => !said.includes(word.toLowerCase().replace(/[_-]/g, ' ').replace(/s$/, '')));
}

/** Orders that draw a model to this tool whatever it needs. */
const commands: readonly RegExp[] = [
  /\b(?:always|only|first)\s+(?:use|call|choose|prefer|pick|select|run|try|reach for|go for|take|start with|consider)\s+(?:this|it)\b/i,
  /\b(?:pick|choose|prefer|select|favou?r|try|consider|take|rank|put|start with|begin with|reach for|go for)\s+(?:this|it|me)\b[^.]{0,40}\b(?:first|over|above|ahead|before|instead|top|rather)\b|\b(?:first|top|number one|go-to|default|preferred|primary|best|superior|better)\s+(?:choice|pick|option|tool|stop|candidate)\b|\b(?:before|ahead of|above|over|rather than|better than|instead of)\s+(?:any|all|every|the)\s+(?:other|others|rest|alternatives?|tools?)\b/i,
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
  if (isSoup(text)) return true;
  // Names of other tools, to which readers are sent, say "task" again and again without a reason for it.
  const prosaic = text.replace(/\w+/g, (word) => (/\w_\w/.test(word) ? '' : word));
  const content = plainWords(prosaic).filter((word) => word.length > 3 && !little.has(word));
  return [...Map.groupBy(content, (word) => word).values()].some(({ length }) => length > mostRepeats);
}

/** Single words joined by small words: "rain and wind and snow for weather of the day in the city at the sea". */
const joints =
  /\s(?:and|or|for|of|in|with|at|on|to|by|from|the|a|an|as|und|oder|für|mit|et|ou|pour|de|y|o|para|con|por)(?=\s)|[,;:]/giu;
const leastJoined = 9;
const mostWordsJoined = 1;

function isSoup(text: string): boolean {
  const sentences = text
    .split(/[.!?]\s|[.!?]$|\n/u)
    .map((sentence) => ` ${sentence.replace(/\s+/g, ' ')}`.replace(joints, '|'));
  return sentences.some((sentence) => {
    const items = sentence
      .split('|')
      .map((item) => plainWords(item).length)
      .filter((count) => count > 0);
    const single = items.filter((count) => count <= mostWordsJoined).length;
    return items.length >= leastJoined && single > 0.8 * items.length;
  });
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
