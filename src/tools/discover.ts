/** The search that an agent makes, and the description of one tool, in the detail asked for. */

import type { Principal } from '../access/access.ts';
import { signatureOf } from '../arguments/arguments.ts';
import { cutAtWord, firstSentence, givenText } from '../base/text.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import { categories } from '../search/search.ts';
import { type AnswerObject, badArguments, clamped, fitRows, roomBeside } from './arguments-and-answers.ts';
import { findAlternatives } from './call-tool.ts';
import {
  availabilityOf,
  equalsOf,
  explain,
  type Found,
  findTools,
  offeredFor,
  remarksOn,
  rounded,
  type SearchReader,
  type ToolNeed,
} from './find-tools.ts';
import type { FindLayer, Uses } from './layers.ts';
import { expirationOf, stampKey, stampsOf } from './naming.ts';
import { awaitTool, type ToolAddress } from './resolve-tool.ts';
import { briefMetrics, describeMetrics, metricsOf } from './tool-metrics.ts';

export const detailLevels = ['minimal', 'summary', 'full'] as const;
type DetailLevel = (typeof detailLevels)[number];

const mostResults = 100;
/** Characters of a query that its answer repeats: an agent may have pasted a page. */
const echoed = 100;

interface Discovery extends ToolNeed {
  readonly detailLevel: DetailLevel;
}

interface Answer {
  readonly tools: readonly AnswerObject[];
  readonly metadata: AnswerObject;
}

/** The search an agent makes, also for programs and the command line. */
export async function discover(...question: PreparedQuery): Promise<Answer> {
  const { forms, metadata } = await lookFor(...question);
  return { tools: forms[0] ?? [], metadata };
}

/** The same within the limit on results: as many tools in the detail asked for as fit, the others in less. */
export async function discoverWithin(...question: PreparedQuery): Promise<AnswerObject> {
  const [layers, , , { detailLevel }, reader] = question;
  const { forms, metadata } = await lookFor(...question);
  const { rows, wholeCount } = fitRows(forms, roomBeside(layers, { metadata }));
  const count = forms[0]?.length ?? 0;
  if (wholeCount === count) return { tools: rows, metadata };
  const left = rows.length < count ? ` ${count - rows.length} are left out.` : '';
  const shortened = `${wholeCount} of ${count} tools fit at "${detailLevel}"; the others are shortened.${left} ${wholeOnes(reader)}`;
  const notice = [metadata.notice, shortened].filter((sentence) => sentence !== undefined).join(' ');
  return { tools: rows, metadata: { ...metadata, notice } };
}

/** Where a tool is shown whole, with what each reader has. */
function wholeOnes(reader: SearchReader | undefined): string {
  const ask = reader === 'code' ? 'info("server:tool") in call_tool_chain' : 'tool_info with "detail": "full"';
  return `To read one whole: ${ask}, or the resource toolcrib://tool/SERVER/TOOL.`;
}

type PreparedQuery = [
  layers: Uses<FindLayer>,
  principal: Principal,
  agent: Pick<AgentSide, 'session' | 'signal' | 'trace'>,
  wanted: Discovery,
  reader?: SearchReader | undefined,
];

/** The tools at the level that was asked for and at each lower one. */
async function lookFor(
  ...[layers, principal, agent, wanted, reader]: PreparedQuery
): Promise<{ readonly forms: readonly (readonly AnswerObject[])[]; readonly metadata: AnswerObject }> {
  const span = agent.trace.span?.child('search');
  const findings = await findTools(layers, principal, wanted, agent.signal).catch((error) => {
    span?.finish({ error });
    throw error;
  });
  const { queries, fitting, mode } = findings;
  span?.add({ 'toolcrib.search.mode': mode ?? undefined, 'toolcrib.search.results': fitting.length });
  span?.end();
  layers.search.offered(agent.session, queries, offeredFor(queries, fitting));
  const stamps = stampsOf(layers);
  const expiration = expirationOf(stamps);
  const metadata = {
    query: queries.map((text) => cutAtWord(text, echoed)),
    detailLevel: wanted.detailLevel,
    resultCount: fitting.length,
    mode,
    ...remarksOn(findings, reader),
    ...(expiration === undefined ? {} : { expiration }),
  };
  const levels = detailLevels.slice(0, detailLevels.indexOf(wanted.detailLevel) + 1).toReversed();
  const forms = levels.map((level) => {
    const rows = fitting.map((found) => ({
      ...describe(found, level),
      toolKey: stampKey(found.tool.key, stamps),
      ...availabilityOf(layers, found.tool),
      ...(level === 'minimal' ? {} : briefMetrics(layers, found.tool)),
    }));
    return level === 'summary' ? withBriefs(rows, fitting) : rows;
  });
  return { forms, metadata };
}

/** The words of the tools depend on what all of them take together. */
function withBriefs(rows: readonly Record<string, unknown>[], fitting: readonly Found[]): Record<string, unknown>[] {
  const briefs = briefTools(
    fitting.map(({ tool, hit }, at) => ({
      definition: tool.definition,
      rank: fitting.slice(0, at).filter((other) => other.hit.need === hit.need).length,
      other: JSON.stringify(rows[at]),
    })),
  );
  return rows.map((row, at) => ({ ...row, ...briefs[at] }));
}

function describe({ tool, hit }: Found, level: DetailLevel): Record<string, unknown> {
  const names = { toolKey: tool.key, toolName: tool.name, serverName: tool.server };
  const equals = equalsOf(hit);
  if (level === 'minimal') return { ...names, ...equals };
  const { definition } = tool;
  const text = givenText(definition.description);
  const relevance = rounded(hit.relevance);
  // Their words are put in when all are there.
  if (level === 'summary') return { ...names, description: '', relevance, parameters: '', ...equals };
  return {
    ...names,
    description: text,
    ...exampleOf(tool),
    relevance,
    ...equals,
    inputSchema: definition.inputSchema,
    ...(definition.outputSchema === undefined ? {} : { outputSchema: definition.outputSchema }),
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
    explanation: explain(hit),
  };
}

/** Names of the parameters in messages about mistakes. */
interface Words {
  readonly tool: string;
  readonly maxResults: string;
  readonly minSimilarity: string;
}

const ownWords: Words = { tool: 'tool_discovery', maxResults: 'maxResults', minSimilarity: 'minSimilarity' };

/** Reads the arguments, forgiving in form and strict in meaning. */
export function parseDiscovery(
  args: Readonly<Record<string, unknown>>,
  defaultResults: number,
  words = ownWords,
): Discovery {
  const bad = (what: string) => badArguments(words.tool, what);
  const raw = typeof args.query === 'string' ? [args.query] : Array.isArray(args.query) ? args.query : [];
  const query = raw.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
  if (query.length === 0) throw bad('"query" must say what you need, as a text or a list of texts');
  const detailLevel = args.detailLevel ?? 'summary';
  if (!detailLevels.includes(detailLevel as DetailLevel))
    throw bad(`"detailLevel" must be one of ${detailLevels.join(', ')}`);
  const { category, server } = args;
  if (category !== undefined && !categories.some((item) => item.name === category)) {
    throw bad(`"category" must be one of ${categories.map((item) => item.name).join(', ')}`);
  }
  if (server !== undefined && typeof server !== 'string') throw bad('"server" must be a text');
  const maxResults = clamped(1, mostResults).safeParse(args.maxResults ?? defaultResults).data;
  const minSimilarity = Number(args.minSimilarity ?? 0);
  if (maxResults === undefined) throw bad(`"${words.maxResults}" must be a whole number from 1 to ${mostResults}`);
  if (!(minSimilarity >= 0 && minSimilarity <= 1)) throw bad(`"${words.minSimilarity}" must be a number from 0 to 1`);
  return {
    query,
    context: typeof args.context === 'string' ? args.context : undefined,
    maxResults,
    detailLevel: detailLevel as DetailLevel,
    category: typeof category === 'string' ? category : undefined,
    server,
    minSimilarity,
  };
}

function exampleOf({ promoted }: Entry): { example?: string } {
  return promoted?.example === undefined ? {} : { example: promoted.example };
}

/** Set beside a promoted description: the server's own, and an example where there is one. */
export function promotionOf(tool: Entry): { canonicalDescription?: string; example?: string } {
  if (!tool.promoted) return {};
  return { canonicalDescription: givenText(tool.promoted.canonical.description), ...exampleOf(tool) };
}

/** Others for the same purpose that a full description names. */
const alternativesNamed = 3;

export async function toolInfo(
  layers: Uses<FindLayer>,
  principal: Principal,
  address: ToolAddress,
  isFull: boolean,
): Promise<Record<string, unknown>> {
  const tool = await awaitTool(layers, principal, address);
  const { key, server, name, definition, fingerprint } = tool;
  const text = givenText(definition.description);
  const head = { toolKey: key, toolName: name, serverName: server };
  if (!isFull) return { ...head, description: firstSentence(text), parameters: signatureOf(definition.inputSchema) };
  const metrics = metricsOf(layers, tool);
  return {
    ...head,
    category: layers.search.categoryOf(tool),
    fingerprint,
    definition,
    ...promotionOf(tool),
    ...(metrics && { metrics: describeMetrics(metrics, principal) }),
    alternatives: findAlternatives(layers, principal, { toolKey: key }, alternativesNamed).map(
      ({ toolKey, similarity, reason }) => ({ toolKey, similarity, reason }),
    ),
  };
}

export interface BriefRequest extends Pick<Entry, 'definition'> {
  /** Among the tools for the same need; 0 is the best. */
  readonly rank: number;
  /** All else that is said of the tool. */
  readonly other: string;
}

interface Brief {
  readonly description: string;
  readonly parameters: string;
}

/** Characters. */
interface Room {
  /** The ranks that it is for end before this one. */
  readonly upTo: number;
  readonly sentence: number;
  readonly parameters: number;
}

/** Mostly the first is called, nearly always one of the first three; the others need only be recognized. */
const plans: readonly (readonly Room[])[] = [
  [
    { upTo: 1, sentence: 140, parameters: 240 },
    { upTo: 3, sentence: 90, parameters: 80 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 60, parameters: 40 },
  ],
  [
    { upTo: 1, sentence: 90, parameters: 120 },
    { upTo: 3, sentence: 60, parameters: 60 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 45, parameters: 30 },
  ],
  [
    { upTo: 1, sentence: 60, parameters: 60 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 35, parameters: 25 },
  ],
];

/** Letters that a tool may take on average: about 64 tokens. */
const lettersOfEach = 240;

/** By the first plan that keeps them short enough, else by the last. */
export function briefTools(requests: readonly BriefRequest[]): Brief[] {
  const most = lettersOfEach * requests.length - requests.reduce((sum, { other }) => sum + lettersIn(other), 0);
  let briefs: Brief[] = [];
  for (const rooms of plans) {
    briefs = requests.map((request) => briefIn(rooms, request));
    const letters = briefs.reduce(
      (sum, { description, parameters }) => sum + lettersIn(description) + lettersIn(parameters),
      0,
    );
    if (letters <= most) break;
  }
  return briefs;
}

function briefIn(rooms: readonly Room[], { definition, rank }: BriefRequest): Brief {
  const room = rooms.find(({ upTo }) => rank < upTo) as Room; // the last has no end
  const text = givenText(definition.description);
  return {
    description: firstSentence(text, charactersIn(room.sentence, text)),
    parameters: signatureOf(definition.inputSchema, charactersIn(room.parameters, longestOf(definition.inputSchema))),
  };
}

/** So dear, in letters of ours, a character of another alphabet may be before fewer of them have room. */
const usualWeight = 2;

/** Characters of a text that fit into the room for `room` of ours. */
function charactersIn(room: number, text: string): number {
  const sample = text.slice(0, room);
  const weight = lettersIn(sample) / Math.max(1, sample.length);
  return weight <= usualWeight ? room : Math.ceil((room * usualWeight) / weight);
}

function longestOf(inputSchema: unknown): string {
  return signatureOf(inputSchema, plans[0]?.[0]?.parameters);
}

/** As many letters of ours as take about as many tokens as a text of any script. */
function lettersIn(text: string): number {
  let letters = 0;
  for (const character of text) letters += weightOf(character.codePointAt(0) as number);
  return letters;
}

/** Tokens of a character, times four: half a token in other alphabets, one in Chinese, Japanese and Korean, two in other scripts, three for a picture. */
function weightOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return 12;
  return code >= 0x2e80 && code <= 0xd7ff && !(code >= 0xa000 && code < 0xac00) ? 4 : 8;
}
