/**
 * `toolcrib install` with real agents, offline: each has an empty home, lists Toolcrib as connected, calls a tool through it
 * over HTTP and over stdio while a stand-in plays its model, and has its config back afterwards. Exits with 1 when a check fails.
 *
 *   npm run real:installed [-- --prefix DIR]
 */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agents as agentTable, machineOf } from '../../src/agent-files/agent-files.ts';
import type { AgentProgram, AgentRun } from './agents/agent-program.ts';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { gemini } from './agents/gemini.ts';
import { openCode } from './agents/opencode.ts';
import { ScriptedModel } from './agents/scripted-model.ts';
import { Checks } from './kit/checks.ts';
import { expectEqual, expectText, shortened } from './kit/expect.ts';
import { program, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { runProgram } from './kit/run-program.ts';
import { openScratch } from './kit/scratch.ts';

const agents = [claudeCode, codex, gemini, openCode];
const runLimitMs = 180_000;

const packages = await providePackages(Object.fromEntries(agents.map((agent) => [agent.package, agent.version])));
await using scratch = await openScratch();
const { dataDir } = scratch;
await using gateway = await startGatewayProcess({ dataDir, env: scratch.env, servers: {}, hasDemo: true });
const checks = new Checks();
try {
  await whenListed(gateway);
  for (const agent of agents) {
    for (const transport of ['http', 'stdio'] as const) await checkAgent(agent, transport);
  }
} finally {
  checks.finish();
}

async function checkAgent(agent: AgentProgram, transport: 'http' | 'stdio'): Promise<void> {
  checks.section(`${agent.title} over ${transport}`);
  await using model = await ScriptedModel.open(agent.wire);
  const home = join(scratch.folder, `${agent.id}-${transport}`);
  const cwd = join(home, 'project');
  await mkdir(cwd, { recursive: true });
  const run = await agent.prepare(packages, home, model.url, null);
  const env = { ...scratch.env, HOME: home, ...run.env };
  const toolcrib = (...words: readonly string[]) =>
    runProgram(process.execPath, [program, ...words, '--data', dataDir], { cwd, env, timeoutMs: runLimitMs });
  const before = await configOf(agent, home);
  const isInstalled = await checks.that('install writes its config', async () => {
    const { code, stdout, stderr, ms } = await toolcrib('install', agent.id, '--transport', transport);
    expectEqual(code, 0, `exit code, saying ${stderr},`);
    return { ms, note: shortened(stdout.split('\n')[0] ?? '') };
  });
  if (!isInstalled) return;
  await checks.that('it lists Toolcrib', () => checkListing(run, { cwd, env }));
  await checks.that('the result of a tool reaches its model', () => checkCall(agent, run, model, { cwd, env }));
  await checks.that('uninstall takes Toolcrib out again', async () => {
    const { code, stderr, ms } = await toolcrib('uninstall', agent.id);
    expectEqual(code, 0, `exit code, saying ${stderr},`);
    const after = await configOf(agent, home);
    if (after?.includes('toolcrib')) throw new Error(`it still has ${after}`);
    return { ms, note: after === before ? 'its config as it was' : 'its config with its own changes since' };
  });
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

async function checkListing({ command, listing }: AgentRun, where: Surroundings) {
  const { stdout, stderr, ms } = await runProgram(command, listing.args, { ...where, timeoutMs: runLimitMs });
  const said = `${stdout}\n${stderr}`;
  expectText(said, listing.says);
  return { ms, note: shortened(said.split('\n').find((line) => listing.says.test(line)) ?? '') };
}

/** The surface is the one that `install` chose for the agent. */
async function checkCall(agent: AgentProgram, run: AgentRun, model: ScriptedModel, where: Surroundings) {
  const [one, other] = [Math.random(), Math.random()].map((part) => Math.round(part * 1e6)) as [number, number];
  const input = { expression: `${one} + ${other}` };
  const isDirect = agentTable[agent.id].defersTools === true;
  const execute = { tool: 'tool_execute', input: { toolKey: 'math:calculate', arguments: input } };
  model.play([isDirect ? { tool: 'math.calculate', input } : execute]);
  const { code, stderr, ms } = await runProgram(run.command, run.args, { ...where, timeoutMs: runLimitMs });
  expectEqual(code, 0, `exit code, saying ${stderr.slice(-400)},`);
  expectText(model.results.at(-1), String(one + other));
  return { ms, note: `${model.tools.length} tools, ${model.turns} turns` };
}

/** Null where it has none. */
async function configOf(agent: AgentProgram, home: string): Promise<string | null> {
  const machine = machineOf(process.platform, home, {}, home);
  const file = agentTable[agent.id].files.find(({ scope }) => scope === 'user')?.path(machine) ?? '';
  return readFile(file, 'utf8').catch(() => null);
}
