/**
 * A real agent improves a description by itself, offline: Claude Code drives the optimizer at the owner's door from
 * get_canonical_tools to promote_candidate, while a stand-in plays its model. The gateway also starts it to write candidates
 * and to rank tools. Prints the transcript of the guide, and exits with 1 when a check fails.
 *
 *   npm run real:claude-optimizer [-- --prefix DIR]
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../src/base/json.ts';
import { connectAgent } from '../kit/agents.ts';
import { weather } from '../kit/optimizing-agent.ts';
import { agentToolName, Claude, claudePackage, shortToolName } from './claude/claude.ts';
import { Model, type Step, type StepResult } from './claude/model.ts';
import { Checks } from './kit/checks.ts';
import { expectEqual, expectText, shortened } from './kit/expect.ts';
import { type GatewayProcess, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';

const tool = { server: 'weather', tool: 'get_current' };
const description = 'Weather of a city now. Do NOT use for historical data (use get_historical).';
/** Four of each category: half of them choose, half decide. */
const requests = {
  direct: ['How warm is it in Oslo?', 'Is it raining in Rome now?', 'Wind in Lima, please.', 'Is it sunny in Cairo?'],
  indirect: [
    'Do I need a coat outside in Bergen?',
    'Can we eat in the garden in Turin tonight?',
    'Is it safe to hang up the washing in Porto?',
    'Should I take the bicycle to work in Delft?',
  ],
  negative: [
    'Was 1990 a warm year in Oslo?',
    'How much rain fell in Rome last May?',
    'What is a monsoon?',
    'Who invented the barometer?',
  ],
} as const;
const prompts = Object.entries(requests).flatMap(([category, texts]) =>
  texts.map((prompt, at) => ({ id: `${category}-${at}`, category, prompt })),
);

const packages = await providePackages(claudePackage);
await using scratch = await openScratch();
await using model = await Model.open();
const checks = new Checks();
const claude = await Claude.open(packages, scratch, model);
const { dataDir } = scratch;
const reaching = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' };
const env = { ...scratch.env, ...reaching };
const agentCommand = [process.execPath, packages.file('@anthropic-ai/claude-code', 'cli-wrapper.cjs')];
const optimize = { enabled: true, agent: 'claude', agentCommand, agentEnv: Object.keys(reaching) };
const config = { optimize, llm: { provider: 'agent' } };
await using gateway = await startGatewayProcess({ dataDir, env, servers: { weather }, config });
try {
  await whenListed(gateway);
  await checkStarted(gateway);
  await checkSession(gateway);
} finally {
  checks.finish();
}

async function checkSession({ admin, url }: GatewayProcess): Promise<void> {
  checks.section("At the owner's door");
  const { token } = await admin.run('tokens.create', { name: 'optimizing-agent', scopes: ['optimize'] });
  const server = { type: 'http', url: `${url}/gateway/mcp`, headers: { Authorization: `Bearer ${token}` } };
  let results: readonly StepResult[] = [];
  await checks.that('the agent runs to its end, and no call fails', async () => {
    const asked = await claude.ask({ server, defersTools: false, steps: session() });
    ({ results } = asked);
    expectEqual(results.length, session().length, 'calls');
    expectEqual(results.filter(({ isError }) => isError).length, 0, 'failed calls');
    return { ms: asked.ms, note: `${asked.turns} turns, protocol ${asked.version}` };
  });
  await checks.that('its candidate is promoted without force, on weak evidence', async () => {
    const { promoted, evidence, forced } = answerOf(results.at(-1));
    expectEqual(promoted, true, 'promoted');
    expectEqual(evidence, 'weak', 'evidence');
    expectEqual(forced, undefined, 'forced');
    return undefined;
  });
  await checks.that('agents read the new description', async () => {
    const tools = await admin.run('tools.list', { server: 'weather' });
    expectText(JSON.stringify(tools), 'Weather of a city now.');
    return undefined;
  });
  checks.section('Transcript');
  // Runs are recorded for every prompt; one shows how.
  const [record, ...others] = results.filter(({ tool: name }) => shortToolName(name) === 'record_eval_run');
  for (const result of results.filter((one) => !others.includes(one))) {
    checks.note(`${shortToolName(result.tool)} ${shortened(JSON.stringify(result.input), 300)}`);
    checks.note(`→ ${shortened(result.text, 900)}`);
    if (result === record) checks.note(`… ${others.length} more of these`);
  }
}

/** The agent in place of a model: without any tools, in a home of its own. */
async function checkStarted({ url, dataDir: folder }: GatewayProcess): Promise<void> {
  const token = (await readFile(join(folder, 'owner-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  await using owner = await connectAgent('v2 modern', `${url}/gateway/mcp`, { headers, capabilities: {} });
  checks.section('Started by the gateway');
  await checks.that('it writes a candidate', async () => {
    model.play([], JSON.stringify({ candidates: [{ description: 'The weather now, for one city.' }] }));
    const written = await owner.say('generate_candidates', { ...tool, count: 1 });
    expectText(written, '"author":"agent"');
    expectEqual(model.turns[0]?.request.tools.length, 0, 'tools that its model was offered');
    return `${model.turns.length} turns`;
  });
  await checks.that('it ranks what a search finds', async () => {
    model.play([], '[2, 1]');
    const found = await owner.say('recommend_tools', { task: 'weather of a city', mode: 'llm' });
    expectText(found, '"mode":"llm"');
    return undefined;
  });
}

/** The model's script: it judges each prompt under both descriptions as a reader of "Gets weather." might. */
function session(): Step[] {
  const step = (name: string, input: Step['input']): Step => ({ tool: agentToolName(name), input });
  const record = (candidateOf: (results: readonly StepResult[]) => string, misses: string) =>
    prompts.map(({ id, category }) =>
      step('record_eval_run', (results) => {
        const toolCalled = category !== 'negative' && category !== misses;
        return { server: 'weather', candidateId: candidateOf(results), promptId: id, result: { toolCalled } };
      }),
    );
  return [
    step('get_canonical_tools', { server: 'weather' }),
    step('save_golden_prompts', { ...tool, prompts }),
    step('propose_candidate', { ...tool, description }),
    ...record(() => 'canonical', 'indirect'),
    ...record(proposed, 'none'),
    step('get_eval_results', (results) => ({ server: 'weather', candidateId: proposed(results) })),
    step('promote_candidate', (results) => ({ ...tool, candidateId: proposed(results) })),
  ];
}

function proposed(results: readonly StepResult[]): string {
  return String(answerOf(results.find(({ tool: name }) => shortToolName(name) === 'propose_candidate')).candidateId);
}

function answerOf(result: StepResult | undefined): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(result?.text ?? '{}');
  return isObject(answer) ? answer : {};
}
