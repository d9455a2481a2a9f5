/** Counts what an agent reads of a gateway: at its start, while it looks for a tool, when it calls one and when that fails. */

import { type Agent, type Dict, eras, indexIn, type ListedTool, textOf } from './tokens-agent.ts';
import { manyRow, oneRow, type Row, tokensOf } from './tokens-rows.ts';

export const surfaces = ['search', 'code', 'full', 'direct'] as const;
export type Surface = (typeof surfaces)[number];

/** Limits in tokens: a start is the list of tools as it is sent and the instructions; the rest of both results is shown beside it. */
export const budgets = {
  start: { search: 900, code: 500 } as Readonly<Partial<Record<Surface, number>>>,
  index: 120,
  summary: 700,
  summaryOfEach: 70,
  infoBrief: 200,
  flow: 1_500,
};

/** Different queries whose answers are counted. */
const queryCount = 120;
/** Words of a query: about as many as an agent writes. */
const queryWords = 10;
const toolsAsked = 10;

/** A query, and the tool that it is for. */
export interface Need {
  readonly query: string;
  readonly toolKey: string;
}

/** From a need to the result of a call. */
export interface Errand extends Need {
  readonly args: Dict;
}

/** A call whose answer is too long to be given whole. */
export type LongCall = Pick<Errand, 'toolKey' | 'args'>;

export type Agents = Readonly<Record<Surface, Agent>>;

export interface Start {
  readonly rows: readonly Row[];
  /** List and instructions. */
  readonly tokens: Readonly<Record<Surface, number>>;
}

export async function measureStart(agents: Agents): Promise<Start> {
  const rows: Row[] = [];
  const details: Row[] = [];
  const tokens: Partial<Record<Surface, number>> = {};
  for (const surface of surfaces) {
    for (const era of eras) {
      const { introduction, list } = await agents[surface].begin(era);
      details.push(oneRow(`  ${surface}, ${era}: both results whole`, tokensOf(introduction) + tokensOf(list)));
      if (era !== 'modern') continue;
      const said = tokensOf(introduction.instructions ?? '');
      const tools = list.tools as Dict[];
      tokens[surface] = said + tokensOf(tools);
      rows.push(oneRow(`start on ${surface}: list + instructions`, tokens[surface], budgets.start[surface]));
      details.push(oneRow(`  ${surface}: the instructions alone`, said));
      details.push(
        oneRow(`  ${surface}: as a model sees it, without titles and hints`, said + tokensOf(tools.map(seen))),
      );
      if (surface === 'search') rows.push(oneRow('capability index', tokensOf(indexIn(tools)), budgets.index));
    }
  }
  return { rows: [...rows, ...details], tokens: tokens as Record<Surface, number> }; // the loop has filled every one
}

/** The part of a definition that most agents pass on to their model. */
function seen({ name, description, inputSchema }: Dict): Dict {
  return { name, description, inputSchema };
}

/** Needs in the words of tools that lie all over the catalog. */
export function needsFrom(tools: readonly ListedTool[]): Need[] {
  const described = tools.filter(({ description }) => description !== '');
  const count = Math.min(queryCount, described.length);
  return Array.from({ length: count }, (_, at) => {
    const { toolKey, description } = described[Math.floor((at * described.length) / count)] as ListedTool; // below the length
    return { toolKey, query: description.split(' ').slice(0, queryWords).join(' ') };
  });
}

export function partsOf(toolKey: string): { server: string; name: string } {
  const at = toolKey.indexOf(':');
  return { server: toolKey.slice(0, at), name: toolKey.slice(at + 1) };
}

export async function measureFinding(agent: Agent, needs: readonly Need[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const detailLevel of ['minimal', 'summary', 'full']) {
    const answers = await discoverAll(agent, needs, detailLevel);
    const tens = answers.filter(({ tools }) => tools === undefined || tools.length === toolsAsked);
    const each = answers.flatMap(({ tools = [] }) =>
      tools.length === 0 ? [] : [Math.round(tokensOf(tools) / tools.length)],
    );
    const [ofAll, ofEach] = detailLevel === 'summary' ? [budgets.summary, budgets.summaryOfEach] : [];
    const texts = tens.map(({ text }) => tokensOf(text));
    rows.push(...manyRow(`discovery, ten tools at ${detailLevel}`, texts, ofAll));
    rows.push(...manyRow('  for each tool', each, ofEach));
    const whole = tens.map(({ result }) => tokensOf(result));
    rows.push(...manyRow('  the whole result, with structuredContent', whole));
  }
  return rows;
}

/** After calls of tools, answers also hold their metrics. */
export async function measureFindingUsed(agent: Agent, needs: readonly Need[]): Promise<Row[]> {
  const answers = await discoverAll(agent, needs, 'summary');
  const tens = answers.filter(({ tools }) => tools?.length === toolsAsked);
  const texts = tens.map(({ text }) => tokensOf(text));
  return manyRow('discovery, ten tools at summary, many in use', texts, budgets.summary);
}

async function discoverAll(agent: Agent, needs: readonly Need[], detailLevel: string) {
  const results = await asked(agent, needs, ({ query }) => [
    'tool_discovery',
    { query, detailLevel, maxResults: toolsAsked },
  ]);
  return results.map((result) => ({ text: textOf(result), result, tools: toolsIn(result) }));
}

export async function measureDescribing(agent: Agent, keys: readonly string[]): Promise<Row[]> {
  const servers = [...new Set(keys.map((key) => partsOf(key).server))];
  const brief = await asked(agent, keys, (toolKey) => ['tool_info', { toolKey }]);
  const full = await asked(agent, keys, (toolKey) => ['tool_info', { toolKey, detail: 'full' }]);
  const ofServers = await asked(agent, servers, (server) => ['tool_capabilities', { server }]);
  return [
    ...manyRow('tool_info brief', brief.map(textTokens), budgets.infoBrief),
    ...manyRow('tool_info full', full.map(textTokens)),
    oneRow('tool_capabilities', textTokens(await agent.call('tool_capabilities', {}))),
    ...manyRow('tool_capabilities of one server', ofServers.map(textTokens)),
  ];
}

/** From a need to the result of the tool, by two requests; on `code` the second is a program. */
export async function measureErrands(agents: Agents, start: Start, errands: readonly Errand[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const surface of ['search', 'code'] as const) {
    const flows: { text: number; whole: number }[] = [];
    for (const errand of errands) flows.push(await runErrand(agents[surface], surface, errand));
    const how = surface === 'search' ? 'find and call' : 'find and call by a chain';
    const texts = flows.map(({ text }) => text);
    rows.push(...manyRow(`${how}: requests and texts`, texts, budgets.flow));
    const withStart = texts.map((text) => text + start.tokens[surface]);
    rows.push(...manyRow('  with the start (the budget is for the median)', withStart, budgets.flow, 'median'));
    const whole = flows.map((flow) => flow.whole);
    rows.push(...manyRow('  the whole results, with structuredContent', whole));
  }
  return rows;
}

async function runErrand(agent: Agent, surface: Surface, { query, toolKey, args }: Errand) {
  const { server, name: tool } = partsOf(toolKey);
  const member = /^\w+$/.test(tool) ? `.${tool}` : `[${JSON.stringify(tool)}]`;
  const program = `return await servers[${JSON.stringify(server)}]${member}(${JSON.stringify(args)});`;
  const requests: (readonly [string, Dict])[] = [
    ['tool_discovery', { query }],
    surface === 'code' ? ['call_tool_chain', { code: program }] : ['tool_execute', { toolKey, arguments: args }],
  ];
  const sums = { text: 0, whole: 0 };
  for (const [name, given] of requests) {
    const result = await agent.call(name, given);
    if (result.isError === true) throw new Error(`${name} failed for ${toolKey}: ${textOf(result)}`);
    const request = tokensOf({ name, arguments: given });
    sums.text += request + textTokens(result);
    sums.whole += request + tokensOf(result);
  }
  return sums;
}

/** The cost of an answer to a mistake, and of one too long to return whole. */
export async function measureCalls(agent: Agent, errand: Errand, long: LongCall | undefined): Promise<Row[]> {
  const { toolKey, args } = errand;
  const { server } = partsOf(toolKey);
  const execute = async (what: string, key: string, given: Dict) =>
    oneRow(what, textTokens(await agent.call('tool_execute', { toolKey: key, arguments: given })));
  return [
    oneRow('small result, whole', tokensOf(await agent.call('tool_execute', { toolKey, arguments: args }))),
    ...(long === undefined ? [] : [await execute('large result, what is shown', long.toolKey, long.args)]),
    await execute('trouble: wrong arguments', toolKey, { wrnog: true }),
    await execute('trouble: no such tool', `${toolKey}_`, args),
    await execute('trouble: no such server', `${server}s:tool`, args),
    oneRow('nothing found', textTokens(await foundNothing(agent))),
  ];
}

/** A need that no tool meets; in a large catalog something comes near to almost everything. */
const oddNeeds = ['feed the zebra xylophone quickly', 'zqxv wkjjh pfffq', 'photosynthesis of purple algae'];

async function foundNothing(agent: Agent): Promise<Dict> {
  for (const query of oddNeeds) {
    const result = await agent.call('tool_discovery', { query });
    if (toolsIn(result)?.length === 0) return result;
  }
  throw new Error('Something was found for every odd need.');
}

async function asked<T>(agent: Agent, items: readonly T[], ask: (item: T) => readonly [string, Dict]): Promise<Dict[]> {
  const results: Dict[] = [];
  for (const item of items) results.push(await agent.call(...ask(item)));
  return results;
}

function textTokens(result: Dict): number {
  return tokensOf(textOf(result));
}

/** undefined where the answer is so long that only its beginning is given. */
function toolsIn(result: Dict): readonly unknown[] | undefined {
  const text = textOf(result);
  return text.startsWith('{') ? ((JSON.parse(text) as { tools?: unknown[] }).tools ?? []) : undefined;
}
