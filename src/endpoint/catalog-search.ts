/** The search API for other programs: finds among the caller's own tools, or among tools that came with the question. */

import { z } from 'zod';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { firstSentence, givenText } from '../base/text.ts';
import { type Act, type AgentSide, auditAct, RequestTrace } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import { type Hit, type LocalMode, localModes, type SearchMode, searchModes } from '../search/search.ts';
import {
  availabilityOf,
  countVisible,
  discoveryOff,
  findTools,
  type GivenTool,
  noticeOn,
  readInput,
  readNeeds,
  reasonForHit,
  searchGivenTools,
  searchModeFor,
  type Uses,
} from '../tools/tools.ts';

const most = { queries: 20, tools: 5_000, key: 512, name: 256, description: 100_000 };

/** Names are printed and compared: a control character in one is a mistake or an attack. */
const nameOf = (limit: number) =>
  z
    .string()
    .regex(/^[^\p{Cc}]+$/u, 'must hold no control characters')
    .max(limit);

/** `name` and `server` are understood too: other programs write them so. */
const givenTool: z.ZodType<GivenTool> = z
  .object({
    toolKey: nameOf(most.key),
    toolName: nameOf(most.name).optional(),
    serverName: nameOf(most.name).optional(),
    name: nameOf(most.name).optional(),
    server: nameOf(most.name).optional(),
    description: z.string().max(most.description).default(''),
    inputSchema: z.record(z.string(), z.unknown()).optional(),
  })
  .transform(({ name, server, toolName = name, serverName = server, ...rest }, context) => {
    if (toolName !== undefined && serverName !== undefined) return { ...rest, name: toolName, server: serverName };
    const missing = toolName === undefined ? 'toolName' : 'serverName';
    context.addIssue({ code: 'custom', path: [missing], message: 'is missing' });
    return z.NEVER;
  });

const queryForm = `must be a text or a list of 1 to ${most.queries} texts`;
const query = z.string().regex(/\S/, 'must say what is needed');

/** Members that are not known are let be: another version may send more. */
const input = z.object({
  query: z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(query, queryForm).min(1, queryForm).max(most.queries, queryForm),
  ),
  context: z.string().optional(),
  tools: z.array(givenTool).max(most.tools).optional(),
  maxResults: z.number().int().min(1).max(100).optional(),
  mode: z.enum(searchModes).optional(),
});

/** The program that asks. */
interface CatalogRequester {
  readonly signal: AbortSignal;
  /** As it names itself. */
  readonly client?: string | undefined;
}

/** `body` is what was posted. Throws ARGUMENTS_INVALID that says what is wrong with it. */
export function searchCatalog(
  layers: Uses<'catalog' | 'downstream' | 'caller' | 'metrics' | 'audit' | 'search' | 'clock' | 'config'>,
  principal: Principal,
  body: unknown,
  { signal, client }: CatalogRequester,
): Promise<Record<string, unknown>> {
  const session = `principal:${principal.id}`;
  const agent: AgentSide = {
    era: 'modern',
    capabilities: {},
    session,
    client,
    signal,
    notify() {},
    trace: new RequestTrace(),
  };
  // Tools that came with the question may be thousands, and are nobody's secret.
  const { tools: _, ...asked } = isObject(body) ? body : {};
  const act: Act = { kind: 'discovery', action: 'catalog.search', arguments: asked };
  const answer = () => answerCatalog(layers, principal, body, signal);
  return auditAct(layers, { principal, agent }, act, answer, ({ results }) => ({
    detail: { count: Array.isArray(results) ? results.length : 0 },
  }));
}

async function answerCatalog(
  layers: Uses<'catalog' | 'downstream' | 'metrics' | 'search' | 'config'>,
  principal: Principal,
  body: unknown,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { search } = layers.config();
  const { tools, maxResults = search.maxResults, ...asked } = read(body);
  const mode = searchModeFor(layers, principal, asked.mode);
  if (mode === null) return { results: [], ...discoveryOff };
  if (tools === undefined) {
    await layers.catalog.settle(limits.listWaitMs);
    return searchOwn(layers, principal, { ...asked, maxResults }, signal);
  }
  const { queries, notice } = readNeeds(asked.query);
  const hits = await searchGivenTools(tools, {
    queries,
    context: asked.context,
    limit: maxResults,
    mode: localMode(mode),
    synonyms: search.synonyms,
    signal,
  });
  const byKey = new Map(tools.map((tool) => [tool.toolKey, tool]));
  const results = hits.flatMap((hit) => {
    const tool = byKey.get(hit.key);
    return tool ? [{ ...namesOf(tool), ...factsOf(hit, tool.description, null) }] : [];
  });
  return { results, ...noticeOn(hits, tools.length, notice) };
}

type Asked = Omit<z.infer<typeof input>, 'tools'> & { readonly maxResults: number };

/** Nothing is left out for being unlikely: the program that asks sees the relevance and has its own measure. */
async function searchOwn(
  layers: Uses<'catalog' | 'downstream' | 'metrics' | 'search' | 'config'>,
  principal: Principal,
  asked: Asked,
  signal: AbortSignal,
) {
  const { all, mode, notice } = await findTools(layers, principal, asked, signal);
  const results = all.map(({ tool, hit }) => ({
    toolKey: tool.key,
    toolName: tool.name,
    serverName: tool.server,
    ...factsOf(hit, givenText(tool.definition.description), mode),
    ...availabilityOf(layers, tool),
  }));
  const hits = all.map(({ hit }) => hit);
  return { results, ...noticeOn(hits, countVisible(layers.catalog.snapshot, principal), notice) };
}

/** Tools that came with a question are always searched here: two gateways that are each other's search would ask in a circle. */
function localMode(mode: SearchMode): LocalMode {
  return localModes.find((local) => local === mode) ?? 'hybrid';
}

function namesOf({ toolKey, name, server }: GivenTool): Record<string, unknown> {
  return { toolKey, toolName: name, serverName: server };
}

function factsOf(hit: Hit, description: string, mode: SearchMode | null): Record<string, unknown> {
  return {
    description: firstSentence(description),
    // Exact, for a program that has a measure of its own.
    relevance: hit.relevance,
    ...(hit.equals.length === 0 ? {} : { equals: hit.equals }),
    ...(hit.accounts.length === 0 ? {} : { otherAccounts: hit.accounts }),
    explanation: reasonForHit(hit, mode),
  };
}

function read(body: unknown): z.infer<typeof input> {
  const reading = readInput(input, body, 'the body');
  if ('mistakes' in reading) throw wrong(reading.mistakes);
  const { tools = [] } = reading.value;
  if (new Set(tools.map(({ toolKey }) => toolKey)).size < tools.length)
    throw wrong('"tools" has the same toolKey twice');
  return reading.value;
}

function wrong(what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The question is not right: ${what}.`, {
    hint: 'It is { query: [texts], context?, tools?: [{ toolKey, toolName, serverName, description, inputSchema }], maxResults?, mode? }.',
  });
}
