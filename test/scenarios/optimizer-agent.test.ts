/** The judge "agent": a program in place of Claude Code is run for each prompt against a door that offers the tools, and reaches nothing else. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { HastenedClock } from '../kit/hastened-clock.ts';
import { ask, refusal } from '../kit/optimizing-agent.ts';
import { allGone, eventually, HANG_MS } from '../kit/processes.ts';
import type { AgentNote, AgentScript } from '../kit/scripted-agent.ts';
import { makeToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';
import { newJournal, readJournal } from '../servers/launch.ts';

const timeoutMs = 54_321;
const city = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };
const degrees = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };
const respond = { content: [] };
const calls = newJournal();
const servers = {
  weather: hostedServer({
    name: 'weather',
    journal: calls,
    tools: [
      { name: 'get_current', description: 'Gets weather.', inputSchema: city, outputSchema: degrees, respond },
      { name: 'get_historical', description: 'Gets past weather.', inputSchema: city, respond },
    ],
  }),
};
const oslo = { call: 'weather.get_current', arguments: { location: 'Oslo' } };
const ready = { 'Call the tool say_ready, please.': [{ call: 'readiness.say_ready' }] };

interface Case {
  readonly category: 'direct' | 'indirect' | 'negative';
  readonly prompt: string;
  readonly steps: AgentScript[string];
  /** correct, strict, and the reason or error. */
  readonly result: readonly [boolean | null, boolean | undefined, RegExp];
}

const cases: readonly Case[] = [
  {
    ...{ category: 'direct', prompt: 'How warm is it in Oslo right now?' },
    steps: [oslo, { say: 'It is mild.' }],
    result: [true, true, /^Called weather:get_current\. It is mild\.$/],
  },
  {
    ...{ category: 'indirect', prompt: 'I leave my hotel in Oslo, coat or no coat?' },
    steps: [oslo],
    result: [true, true, /^Called weather:get_current\.$/],
  },
  {
    ...{ category: 'negative', prompt: 'Why is the sky blue on a clear day?' },
    steps: [{ say: 'It scatters.' }],
    result: [true, true, /^Called nothing\. It scatters\.$/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (wrong tool)' },
    steps: [{ ...oslo, call: 'weather.get_historical' }],
    result: [false, false, /^Called weather:get_historical\.$/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (one call too many)' },
    steps: [oslo, oslo],
    result: [true, false, /^Called weather:get_current, weather:get_current\.$/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (no location)' },
    steps: [{ call: 'weather.get_current' }],
    result: [
      true,
      false,
      /^Called weather:get_current\. The arguments .* are not right: the parameter "location" is missing \(string\)\.$/,
    ],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (a tool that is not there)' },
    steps: [{ call: 'weather.get_everything' }],
    result: [false, false, /^Called an unknown tool\./],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (a refusal)' },
    steps: [{ say: "I can't help with that." }],
    result: [false, false, /^Called nothing\. I can't help with that\.$/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (a crash)' },
    steps: [oslo, { exit: 3 }],
    result: [null, undefined, /^The agent program "claude" failed: ended with exit code 3\./],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (its model fails)' },
    steps: [{ fail: 'API Error: 500' }],
    result: [null, undefined, /^The agent program "claude" failed: API Error: 500\.$/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (it never comes)' },
    steps: [{ isAway: true }],
    result: [null, undefined, /^The agent never listed its tools/],
  },
  {
    ...{ category: 'direct', prompt: 'Tell me the weather of Oslo (too slow)' },
    steps: [oslo, { hangs: true }],
    result: [null, undefined, /^No answer within 54321 ms\.$/],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'agent-judge-'));
const script = join(folder, 'script.json');
const journal = join(folder, 'journal');
const dataDir = join(folder, 'data');
const homes = join(dataDir, 'agent-homes');
const clock = new HastenedClock();
const optimize = {
  ...{ enabled: true, timeoutMs, repeats: 1, agent: 'claude' },
  agentCommand: [process.execPath, join(import.meta.dirname, '../kit/scripted-agent.ts'), script, journal],
};
let gateway: TestGateway;
before(async () => {
  const scripted = Object.fromEntries(cases.map(({ prompt, steps }) => [prompt, steps]));
  writeFileSync(script, JSON.stringify({ ...scripted, ...ready }));
  mkdirSync(join(homes, 'left-by-a-kill'), { recursive: true });
  gateway = await openTestGateway({ dataDir, servers, config: { optimize }, clock });
});
after(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

const owner = (at: TestGateway) => connectAgent('v2 modern', `${at.url}/gateway/mcp`, { headers: at.ownerHeaders });

function notes(): AgentNote[] {
  const text = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AgentNote]));
}

interface Run {
  readonly promptId: string;
  readonly result: Record<string, unknown>;
}

async function runsOf(at: TestGateway): Promise<Run[]> {
  const { files } = await at.gateway.admin.run('optimize.export', { server: 'weather' });
  return files.flatMap(({ path, content }) => (path.startsWith('eval-runs/') ? (content as unknown as Run[]) : []));
}

const tool = { server: 'weather', tool: 'get_current' };

test('[OPT-36] [OPT-37] every way in which an agent can end counts as it should, and no server is reached', async () => {
  await using agent = await owner(gateway);
  const prompts = cases.map(({ category, prompt }, at) => ({ id: `case-${at}`, category, prompt }));
  await ask(agent, 'save_golden_prompts', { ...tool, prompts });
  const job = ask(agent, 'run_evaluation', { ...tool, judge: 'agent' }, { onprogress: () => {}, timeout: HANG_MS });
  const slow = await eventually('the slow agent', () => notes().find(({ prompt }) => prompt.includes('too slow')));
  assert.equal(clock.hasten(timeoutMs), 1);
  assert.equal((await job).state, 'done');
  const runs = new Map((await runsOf(gateway)).map(({ promptId, result }) => [promptId, result]));
  for (const [at, { prompt, result: wanted }] of cases.entries()) {
    const { correct, strict, reasoning, error } = runs.get(`case-${at}`) ?? {};
    assert.deepEqual([correct, strict], [wanted[0], wanted[1]], `${prompt}: ${reasoning ?? error}`);
    assert.match(String(reasoning ?? error), wanted[2], prompt);
  }
  await allGone(notes().map(({ pid }) => pid));
  assert.deepEqual(readdirSync(homes), [], 'no home is left, of these runs or of a killed gateway');
  assert.deepEqual(new Set(notes().map(({ token }) => token)).size, notes().length, 'a token for each run');
  await assert.rejects(fetch(slow.url), 'the door is closed');
  const [first] = notes().filter(({ prompt }) => prompt === cases[0]?.prompt);
  assert.deepEqual(first?.tools, {
    'weather.get_current': 'Gets weather.',
    'weather.get_historical': 'Gets past weather.',
  });
  assert.deepEqual(first?.results, ['{"degrees":1}']);
  assert.deepEqual(first?.refusals, [401, 404, 404]);
  assert.deepEqual(
    readJournal(calls).filter(({ event }) => event === 'tool'),
    [],
    'no call reached the server',
  );
  const { tools } = await gateway.gateway.admin.run('metrics.tools', {});
  assert.deepEqual(tools, [], 'no call was counted');
});

test('[OPT-37] on the surface "search" the agent finds the candidate by its words, and calls it by its key', async () => {
  const description = 'Weather of days gone by: rain, frost and heat of past years.';
  const prompt = 'Which winters in Bergen had frost?';
  const find = { call: 'tool_discovery', arguments: { query: ['frost of past winters'] } };
  const execute = {
    call: 'tool_execute',
    arguments: { toolKey: 'weather:get_historical', arguments: { location: 'Bergen' } },
  };
  const look = [
    { call: 'tool_capabilities' },
    { call: 'tool_info', arguments: { toolKey: 'weather:get_historical', detailLevel: 'full' } },
    { call: 'list_mcp_servers' },
    { call: 'get_tool_alternatives', arguments: { toolKey: 'weather:get_historical' } },
    { call: 'call_tool_chain', arguments: { code: 'return search("frost")' } },
  ];
  const run = { call: 'tool_execute', arguments: { toolKey: 'readiness:say_ready' } };
  const [sane] = Object.keys(ready);
  writeFileSync(script, JSON.stringify({ [prompt]: [find, execute, ...look], [sane ?? '']: [run] }));
  const config = { optimize: { ...optimize, judge: 'agent', surface: 'search' } };
  await using searching = await openTestGateway({ servers, config, clock });
  await using agent = await owner(searching);
  const past = { server: 'weather', tool: 'get_historical' };
  await ask(agent, 'save_golden_prompts', { ...past, prompts: [{ category: 'direct', prompt }] });
  await ask(agent, 'propose_candidate', { ...past, description });
  const job = await ask(agent, 'run_evaluation', past, { onprogress: () => {}, timeout: HANG_MS });
  const { model } = job.progress as { readonly model: { readonly calls: number } };
  assert.equal(model.calls, 18, 'one after each of 2 × 7 calls and that of the sanity case, and one before each run');
  const runs = await runsOf(searching);
  assert.deepEqual(
    runs.map(({ result }) => [result.tool, result.strict, result.error]),
    Array.from({ length: 2 }, () => ['weather:get_historical', true, undefined]),
  );
  const found = notes().filter((one) => one.prompt === prompt);
  assert.ok(Object.keys(found[0]?.tools ?? {}).includes('tool_discovery'));
  assert.deepEqual(
    found.map(({ results }) => [results[0]?.includes(description), results[1]]),
    [
      [false, 'Done.'],
      [true, 'Done.'],
    ],
  );
});

test('[OPT-38] nobody can have a program started that the owner has not allowed', async () => {
  await using without = await openTestGateway({ servers, config: { optimize: { enabled: true } } });
  const { headers } = await makeToken(without, { scopes: ['optimize'] });
  await using agent = await connectAgent('v2 modern', `${without.url}/gateway/mcp`, { headers });
  await ask(agent, 'save_golden_prompts', { ...tool, prompts: [{ category: 'direct', prompt: 'Weather of Oslo?' }] });
  for (const name of ['run_evaluation', 'optimize'] as const) {
    const why = await refusal(agent, name, { server: 'weather', judge: 'agent', ...(name === 'optimize' ? {} : tool) });
    assert.match(why, /starts a program, which the owner has not allowed.*optimize\.agent/s);
  }
});
