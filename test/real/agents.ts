/**
 * Other real agents end to end, offline: Codex and Gemini CLI list and call the tools of a real server through a gateway,
 * over HTTP and over stdio, while a stand-in plays their model. Exits with 1 when a check fails.
 *
 *   npm run real:agents [-- --prefix DIR]
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProgram, GatewayAddress } from './agents/agent-program.ts';
import { codex } from './agents/codex.ts';
import { gemini } from './agents/gemini.ts';
import { ScriptedModel, type ScriptedStep } from './agents/scripted-model.ts';
import { Checks } from './kit/checks.ts';
import { expectEqual, expectText } from './kit/expect.ts';
import { type GatewayProcess, program, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { runProgram } from './kit/run-program.ts';
import { openScratch } from './kit/scratch.ts';

const agents = [codex, gemini];
const surfaces = ['search', 'direct', 'code'] as const;
const everything = '@modelcontextprotocol/server-everything';
const runLimitMs = 180_000;

const wanted = Object.fromEntries(agents.map((agent) => [agent.package, agent.version]));
const packages = await providePackages({ ...wanted, [everything]: '2026.8.31' });
const real = { command: process.execPath, args: [await packages.script(everything)] };
await using scratch = await openScratch();
const { dataDir, env } = scratch;
await using gateway = await startGatewayProcess({ dataDir, env, servers: { everything: real }, hasDemo: true });
const checks = new Checks();
try {
  await whenListed(gateway);
  for (const agent of agents) await checkAgent(agent);
} finally {
  checks.finish();
}

async function checkAgent(agent: AgentProgram): Promise<void> {
  await using model = await ScriptedModel.open(agent.wire);
  for (const surface of surfaces) {
    for (const transport of ['HTTP', 'stdio'] as const) {
      checks.section(`${agent.title} over ${transport}, surface ${surface}`);
      await checkRun(agent, model, surface, addressOf(gateway, transport, surface));
    }
  }
}

function addressOf(to: GatewayProcess, transport: 'HTTP' | 'stdio', surface: string): GatewayAddress {
  if (transport === 'HTTP') return { url: `${to.url}/mcp?surface=${surface}`, token: to.agentToken };
  const own = { TOOLCRIB_DATA: to.dataDir, TOOLCRIB_SURFACE: surface };
  return { command: process.execPath, args: [program, 'stdio'], env: own };
}

async function checkRun(
  agent: AgentProgram,
  model: ScriptedModel,
  surface: (typeof surfaces)[number],
  address: GatewayAddress,
): Promise<void> {
  const word = `quince-${Math.random().toString(36).slice(2)}`;
  model.play(stepsFor(surface, word));
  const run = await agent.prepare(packages, scratch.home, model.url, address);
  const cwd = join(scratch.folder, 'project');
  await mkdir(cwd, { recursive: true });
  const ran = await checks.that('it runs to its end', async () => {
    const options = { cwd, env: { ...env, ...run.env }, timeoutMs: runLimitMs };
    const { code, stderr, ms } = await runProgram(run.command, run.args, options);
    expectEqual(code, 0, `exit code, saying ${stderr.slice(-400)},`);
    return { ms, note: `${model.turns} turns` };
  });
  if (!ran) return;
  await checks.that('it offers its model what the door lists', async () => {
    const all = await gateway.admin.run('tools.list', {});
    expectEqual(model.tools.length, { search: 5, direct: all.length, code: 2 }[surface], 'tools');
    return `${model.tools.length} tools`;
  });
  await checks.that('the result of the real tool reaches its model', async () => {
    expectText(model.results.at(-1), `Echo: ${word}`);
    return `${model.results.length} results`;
  });
}

function stepsFor(surface: (typeof surfaces)[number], word: string): ScriptedStep[] {
  if (surface === 'direct') return [{ tool: 'everything.echo', input: { message: word } }];
  const find = { tool: 'tool_discovery', input: { query: ['echo back a text'] } };
  const code = `return await servers.everything.echo({ message: ${JSON.stringify(word)} });`;
  if (surface === 'code') return [find, { tool: 'call_tool_chain', input: { code } }];
  return [find, { tool: 'tool_execute', input: { toolKey: 'everything:echo', arguments: { message: word } } }];
}
